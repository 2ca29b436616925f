"""Which demonstrations make the context: arrays in, arrays out, numpy only."""

from .pool_arrays import PathPiece, Selection

__all__ = ["PathPiece", "Selection"]
