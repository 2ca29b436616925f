"""Every context that maximal marginal relevance gives a query: the triangle of all weights."""

from .cell import Cell, ContextCells, by_context
from .triangle import mmr_triangle

__all__ = ["Cell", "ContextCells", "by_context", "mmr_triangle"]
