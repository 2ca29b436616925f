"""Fusion-in-Decoder: pieces of evidence encoded separately, one decoder that attends to all."""
