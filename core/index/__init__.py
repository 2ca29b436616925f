"""Vector search behind one small interface: exact or approximate, kept in the workspace."""

from .base import VectorIndex
from .registry import INDEXES, in_memory, load_or_build, measure_recall

__all__ = ["INDEXES", "VectorIndex", "in_memory", "load_or_build", "measure_recall"]
