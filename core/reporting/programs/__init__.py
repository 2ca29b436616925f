"""What programs reached, and what one of their steps did: as tables, words and a figure."""
