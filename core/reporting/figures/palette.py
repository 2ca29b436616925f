"""One meaning, one colour, everywhere; never colour alone.

The colours are Okabe and Ito's (Color Universal Design, 2008), distinguishable for colour-blind
people and readable on light and on dark backgrounds.
"""

QUERY = "#D55E00"
CHOSEN = "#0072B2"
CANDIDATE = "#999999"
CORRECT = "#009E73"
INCORRECT = "#CC79A7"
DPO = "#56B4E9"
DIVERSITY = "#E69F00"
SEQUENTIAL = "Cividis"
SEQUENTIAL_STOPS = ((0, 32, 76), (66, 77, 107), (124, 123, 120), (187, 174, 104), (255, 233, 69))
"""The same as red, green and blue, at even distances from the least value to the greatest."""
NEUTRAL = "#808080"
"""For marks and reference lines: as far from white as from black."""

VARIABLES = (
    f":root {{ --shotlist-query: {QUERY}; --shotlist-chosen: {CHOSEN}; "
    f"--shotlist-correct: {CORRECT}; --shotlist-incorrect: {INCORRECT}; "
    f"--shotlist-diversity: {DIVERSITY}; --shotlist-neutral: {NEUTRAL}; }}\n"
)
"""The colours as the style sheets name them."""
