"""Runs over evaluation examples: Compare and Calibrate."""
