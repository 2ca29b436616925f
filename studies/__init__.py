"""The papers' own tables, repeated on a pool and on models of one's own.

A package beside `core`, which knows nothing of it, with a folder or module for each paper.
"""
