"""Texts of which some are right: which they are, by a key, by flags or by numbers beside them."""
