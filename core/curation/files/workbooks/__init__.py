"""Workbooks: which sheet is read, and what its cells show."""
