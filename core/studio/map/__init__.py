"""The map of a pool."""
