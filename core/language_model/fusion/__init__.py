"""Fusion-in-Decoder: pieces of evidence encoded apart, and one decoder that attends to all."""
