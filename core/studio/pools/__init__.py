"""Pools and their demonstrations: read, edited, imported, exported; those that are bundled."""
