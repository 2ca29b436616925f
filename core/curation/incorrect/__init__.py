"""Incorrect answers that are suggested for the queries of a pool."""
