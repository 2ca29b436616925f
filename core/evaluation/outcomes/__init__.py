"""Outcomes of contexts over many examples: metrics, steps over lambda_d, the recommendation."""
