"""Runs over examples: comparing methods, calibrating the lambdas."""
