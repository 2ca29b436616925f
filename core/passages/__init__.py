"""Passages: files in, split by length; search by embeddings, by words in common, or by both."""
