"""Documents and drawings in HTML: reports, the start page, the strip of a path."""
