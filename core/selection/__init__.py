"""Which demonstrations make the context: arrays in, arrays out, numpy only."""

from .selection import PathPiece, Selection

__all__ = ["PathPiece", "Selection"]
