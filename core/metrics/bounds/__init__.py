"""Intervals of means, shares and differences, at one look or at all."""
