"""The triangle of weights as it is drawn: quality in units of its spread."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...selection.mmr_triangle import Cell

Places = NDArray[np.float64]
"""Places in the triangle, shape (v, 3): shares of relevance, quality and diversity, sum 1."""


BEFORE_THE_CORNER = 1e-6
"""The lambda_d that is drawn in place of 0: there the lines of all lambda_b meet, though what is
chosen first still depends on lambda_b."""


def weights_at(lambda_d: float, lambda_b: float) -> tuple[float, float, float]:
    """The weights of relevance, quality and diversity for both lambdas; they sum to 1."""
    lambda_d = max(lambda_d, BEFORE_THE_CORNER)
    return lambda_d * lambda_b, lambda_d * (1 - lambda_b), 1 - lambda_d


class Drawing:
    """The cells with a quality weight that counts as much as an equal relevance weight.

    A log-probability is spread several times as widely as a cosine, so that in plain weights most
    cells crowd at the edge without quality. Here straight lines stay straight, cells convex, and
    the three corners where they are.

    Args:
        cells: The cells in plain weights.
        spread: How many times as widely the quality is spread as the relevance, above 0.
    """

    def __init__(self, cells: Sequence[Cell], spread: float) -> None:
        self.spread = spread
        ends = np.cumsum([len(cell.polygon) for cell in cells])[:-1]
        corners = self.places(np.concatenate([cell.polygon for cell in cells]))
        self.polygons: list[Places] = np.split(corners, ends)

    @property
    def is_edge(self) -> bool:
        """Whether there is but one edge of the triangle, and every cell has two corners."""
        return len(self.polygons[0]) == 2

    def places(self, weights: ArrayLike) -> Places:
        """Where plain weights are drawn, shape (..., 3), each with sum 1."""
        scaled = np.asarray(weights, dtype=np.float64) * [1.0, self.spread, 1.0]
        places: Places = scaled / scaled.sum(axis=-1, keepdims=True)
        return places

    @cached_property
    def middles(self) -> Places:
        """The mean of each cell's corners, shape (cells, 3)."""
        return np.array([polygon.mean(axis=0) for polygon in self.polygons])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Each cell's share of the triangle, or of its one edge, shape (cells,), sum 1."""
        sizes = np.array([_size(polygon) for polygon in self.polygons])
        shares: NDArray[np.float64] = sizes / sizes.sum()
        return shares

    def cell_at(self, place: ArrayLike) -> int:
        """The number of the cell at a place; on an edge between cells any one of them."""
        starts, ways, sense = self._edges
        to_place = np.asarray(place, dtype=np.float64)[:2] - starts
        if self.is_edge:
            along = (ways[:, 0] * to_place[:, 0]).sum(axis=1)
            lengths = (ways[:, 0] ** 2).sum(axis=1)
            return int(np.minimum(along, lengths - along).argmax())
        across = ways[..., 0] * to_place[..., 1] - ways[..., 1] * to_place[..., 0]
        return int((across * sense[:, None]).min(axis=1).argmax())

    @cached_property
    def _edges(self) -> tuple[NDArray[np.float64], ...]:
        """Where each edge begins and where it leads, (cells, v, 2); the sense of going round."""
        most = max(map(len, self.polygons))
        # A polygon with fewer corners repeats its last: nothing crosses an edge without length.
        starts = np.array([_filled(polygon[:, :2], most) for polygon in self.polygons])
        ways = np.roll(starts, -1, axis=1) - starts
        middles = self.middles[:, None, :2] - starts
        turns = ways[..., 0] * middles[..., 1] - ways[..., 1] * middles[..., 0]
        return starts, ways, np.sign(turns.sum(axis=1))


def _filled(corners: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    return np.concatenate([corners, np.repeat(corners[-1:], length - len(corners), axis=0)])


def _size(polygon: Places) -> float:
    if len(polygon) == 2:
        return float(np.abs(polygon[1] - polygon[0]).max())
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
