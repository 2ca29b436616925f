"""One meaning, one colour, everywhere; never colour alone.

The colours are Okabe and Ito's (Color Universal Design, 2008), told apart by colour-blind eyes and
readable on light and on dark backgrounds.
"""

QUERY = "#D55E00"
CHOSEN = "#0072B2"
CANDIDATE = "#999999"
CORRECT = "#009E73"
INCORRECT = "#CC79A7"
DPO = "#56B4E9"
DIVERSITY = "#E69F00"
CATEGORIES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
)
"""For tags; the eighth is for all the others."""
SEQUENTIAL = "Cividis"
