"""Two rows of a comparison against each other, example by example: numpy only."""
