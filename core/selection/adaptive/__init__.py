"""Choosing a setting for each query, by scores over examples that are known already."""
