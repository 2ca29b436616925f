"""Choosing a setting for each query, by the scores that a recorded run has."""
