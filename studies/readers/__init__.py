"""Readers: what names the label of a text, given the demonstrations that were kept for it."""
