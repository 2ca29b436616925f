"""The start page: the whole idea on one query, and which query that is."""
