"""Shapes of nested records that are guessed, each read as rows of queries and answers."""
