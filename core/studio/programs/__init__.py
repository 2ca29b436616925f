"""Programs on the texts of a pool: demonstrations that a program writes, and which are kept."""
