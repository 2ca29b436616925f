"""What the triangle is made of: cells, each with the context that is chosen in it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...types import IntArray
from .polygons import share


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A convex part of the triangle of weights in which `mmr` chooses one list.

    Attributes:
        polygon: The weights (relevance, quality, diversity) of its corners in order round it, shape
            (v, 3), each row in [0, 1] with sum 1. Without a quality bias the triangle is the edge
            from "similar" to "diverse", and this the two ends of a stretch of it.
        indices: The demonstrations in the order chosen, shape (k,).
    """

    polygon: NDArray[np.float64]
    indices: IntArray

    @property
    def share(self) -> float:
        """Its share of the triangle, in (0, 1]; of the edge, if that is all there is."""
        if len(self.polygon) == 2:
            return float(abs(self.polygon[1, 2] - self.polygon[0, 2]))
        return share([tuple(corner) for corner in self.polygon.tolist()])


@dataclass(frozen=True, slots=True)
class ContextCells:
    """All cells in which the same demonstrations are chosen, in whatever order."""

    chosen: frozenset[int]
    cells: tuple[Cell, ...]

    @property
    def share(self) -> float:
        """Their share of the triangle, in (0, 1]."""
        return sum(cell.share for cell in self.cells)


def by_context(cells: Iterable[Cell]) -> list[ContextCells]:
    """The cells of each set of demonstrations together, the largest share first."""
    together: dict[frozenset[int], list[Cell]] = defaultdict(list)
    for cell in cells:
        together[frozenset(cell.indices.tolist())].append(cell)
    contexts = [ContextCells(chosen, tuple(cells)) for chosen, cells in together.items()]
    return sorted(contexts, key=lambda context: -context.share)
