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
SEQUENTIAL = "Cividis"
