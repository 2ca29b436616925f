"""Fusion-in-Decoder: pieces of evidence encoded separately, one decoder that attends to all.

A package beside `core`, which knows nothing of it: the reader, its training, and both over a pool.
"""
