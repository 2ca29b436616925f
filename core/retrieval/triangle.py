"""Every context over the whole triangle of weights, and the triangle as it is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..selection.mmr_triangle import Cell, mmr_triangle
from ..selection.path_tree import mmr_lambda_b_path
from ..types import FloatArray, IntArray
from .choosing import asked_of, find_method
from .context import Context
from .knobs import PromptOrder, SettledKnobs
from .method import Method, MethodInput, bias_for, never_shown
from .pool_view import LivePool

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


@dataclass(frozen=True, eq=False)
class ContextTriangle:
    """The cells of a query's triangle of weights, and the distinct contexts chosen in them.

    Two cells have one context where they make the same prompt: where the same demonstrations are
    chosen, and in the same order if the prompt follows it.

    Attributes:
        asked: The query and its pool.
        cells: The cells, each with positions in the pool in the order chosen; with two corners each
            where the method fixes one of the lambdas.
        bias: The quality bias as it is weighed, shape (n,); zeros where none is.
        ordered: Whether the order of the prompt is that of the choice.
    """

    asked: MethodInput
    cells: tuple[Cell, ...]
    bias: FloatArray
    ordered: bool

    @cached_property
    def lists(self) -> IntArray:
        """The demonstrations of each cell in the order chosen, shape (cells, k)."""
        return np.array([cell.indices for cell in self.cells], dtype=np.int64)

    @cached_property
    def demonstrations(self) -> IntArray:
        """All that is chosen in any cell, ascending, as positions in the pool, shape (u,)."""
        return np.unique(self.lists)

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray]:
        """The first cell of each context, and the context of each cell."""
        lists = self.lists if self.ordered else np.sort(self.lists, axis=1)
        _, first, context_of = np.unique(lists, axis=0, return_index=True, return_inverse=True)
        return first, context_of.reshape(-1)

    @property
    def context_of(self) -> IntArray:
        """The number of each cell's context, shape (cells,)."""
        return self._distinct[1]

    @property
    def n_contexts(self) -> int:
        """How many distinct contexts there are."""
        return len(self._distinct[0])

    def context(self, number: int) -> Context:
        """One of the distinct contexts, without the values of its picks."""
        return self.asked.context(self.lists[self._distinct[0][number]])

    def context_at(self, lambda_d: float, lambda_b: float) -> int:
        """The number of the context that is chosen with these lambdas, where no tie decides."""
        return int(self.context_of[self.cell_at(lambda_d, lambda_b)])

    def cell_at(self, lambda_d: float, lambda_b: float) -> int:
        """The number of the cell that these lambdas are in, or on the edge of."""
        return self.drawing.cell_at(self.drawing.places(weights_at(lambda_d, lambda_b)))

    @cached_property
    def _cosines(self) -> FloatArray:
        """Those of every two in each cell's list, shape (cells, k, k), float32."""
        rows = self.asked.view.matrix[self.demonstrations]
        places = np.searchsorted(self.demonstrations, self.lists)
        cosines: FloatArray = (rows @ rows.T)[places[:, :, None], places[:, None, :]]
        return cosines

    @property
    def redundancy(self) -> FloatArray:
        """The largest cosine of each pick with those before it, shape (cells, k); 0 for the first.

        Within 1e-5 of those of a single choice.
        """
        before = np.tri(self.lists.shape[1], k=-1, dtype=bool)
        found: FloatArray = np.where(before, self._cosines, -1.0).max(axis=2, initial=-1.0)
        found[:, :1] = 0.0
        return found

    @property
    def diversity(self) -> NDArray[np.float64]:
        """The mean cosine over the pairs of each context, shape (contexts,); NaN below two."""
        k = self.lists.shape[1]
        if k < 2:
            return np.full(self.n_contexts, np.nan)
        cosines = self._cosines[self._distinct[0]]
        pairs = cosines.sum(axis=(1, 2)) - np.trace(cosines, axis1=1, axis2=2)
        means: NDArray[np.float64] = pairs / (k * (k - 1))
        return means

    @cached_property
    def drawing(self) -> Drawing:
        """The cells as they are drawn."""
        quality, relevance = float(self.bias.std()), float(self.asked.relevance.std())
        return Drawing(self.cells, quality / relevance if quality > 0 and relevance > 0 else 1.0)


def context_triangle(
    view: LivePool, query: str, query_vector: FloatArray, knobs: SettledKnobs, *, leave_out: bool
) -> ContextTriangle:
    """The contexts of a query over all weights that the method does not fix; no index is used.

    Inside a cell the context is that of `choose_context`, without the picks' values. Where the
    method fixes lambda_d at 1 the cells are stretches of the edge from "likely" to "similar", where
    it fixes lambda_b at 1, or the pool's quality is not scored, of that from "similar" to
    "diverse".

    The arguments are those of `choose_context`; the lambdas of the knobs are not used.

    Raises:
        InvalidInput: The method is not one of relevance, diversity and quality bias, or fixes both
            lambdas.
    """
    method = find_method(knobs.method)
    find = _cells_of(method)
    biased = method.lambda_b is None and not view.unscored
    knobs = replace(knobs, lambda_b=0.0 if biased else 1.0)
    asked = asked_of(view, query, query_vector, method.settle(knobs), leave_out=leave_out)
    view, bias = asked.view, bias_for(asked.view, knobs)
    cells = find(asked, bias)
    nothing = np.zeros(len(view))
    ordered = knobs.order is PromptOrder.AS_CHOSEN
    return ContextTriangle(asked, tuple(cells), nothing if bias is None else bias, ordered)


def has_triangle(method: Method) -> bool:
    """Whether there is a triangle, or an edge of it, for the method: it leaves a lambda open."""
    return any(method.has_path(over) for over in ("lambda_d", "lambda_b"))


def _cells_of(method: Method) -> Callable[[MethodInput, FloatArray | None], list[Cell]]:
    if not has_triangle(method):
        raise InvalidInput(
            f"No triangle of weights is known for the method {method.name!r}; choose a method of "
            "relevance, diversity and quality bias that leaves one of them open."
        )
    return _triangle if method.lambda_d is None else _edge_of_lambda_b


def _triangle(asked: MethodInput, bias: FloatArray | None) -> list[Cell]:
    return mmr_triangle(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        quality_bias=bias,
        excluded=asked.excluded | never_shown(asked.view, asked.knobs),
        groups=asked.groups,
        pinned=asked.pinned,
    )


def _edge_of_lambda_b(asked: MethodInput, bias: FloatArray | None) -> list[Cell]:
    pieces = mmr_lambda_b_path(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        lambda_d=1.0,
        quality_bias=np.zeros(len(asked.view)) if bias is None else bias,
        excluded=asked.excluded | never_shown(asked.view, asked.knobs),
        groups=asked.groups,
        pinned=asked.pinned,
    )
    return [
        Cell(np.array([[p.low, 1 - p.low, 0.0], [p.high, 1 - p.high, 0.0]]), p.indices)
        for p in pieces
    ]
