"""Selection among candidates of an index: proven, widened, or said to be approximate."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ..index import VectorIndex, load_or_build, measure_recall
from ..selection.bounds import most_weighed
from ..selection.mmr import mmr
from ..selection.selection import Selection
from ..text import content_hash
from ..types import BoolArray, FloatArray, IntArray
from .context import Certainty, Context, ContextRequest, bias_for, context_of, never_shown
from .pool_view import PoolView

N_CANDIDATES = 1_000

MARGIN = 2e-6
"""Values in an index are float32: a proof must hold by more than their rounding."""

SAMPLED = 32
"""Queries of the pool on which an approximate index's recall is measured."""

_recalls: WeakKeyDictionary[VectorIndex, dict[int, float]] = WeakKeyDictionary()


@dataclass(frozen=True)
class CandidateSearch:
    """Fetch `n_candidates` from an index of the given kind before the selection.

    With an exact index this is where the search starts: it is widened until the choice is proven
    equal to the whole pool's.
    """

    kind: str
    n_candidates: int = N_CANDIDATES


def choose_from_candidates(
    view: PoolView,
    query_vector: FloatArray,
    request: ContextRequest,
    search: CandidateSearch,
    folder: Path,
    *,
    excluded: BoolArray | None = None,
) -> Context:
    """The context chosen among candidates, with how sure it is (`Context.certainty`).

    A flat index fetches by value (the quality bias is one of its columns). Twice as many are
    fetched until nothing that was not fetched can have won any step, or until nothing is left.
    HNSW and IVF fetch by relevance alone and prove nothing; their recall is measured instead.
    The index is kept in `folder` and built anew when the pool's queries or the bias changed.

    Source: RAGSys, section 5.3.
    """
    bias, index = bias_for(view, request), _index(view, request, search, folder)
    hidden = never_shown(view, request)
    if excluded is not None:
        hidden = hidden | excluded
    choice = _Choice(view, query_vector, request, bias, hidden)
    if not index.exact:
        fetched, _ = index.search(query_vector, search.n_candidates)
        recall = _recall(index, view, search.n_candidates)
        sampled = min(SAMPLED, len(view.embeddings))
        certainty = Certainty("approximate", search.kind, len(fetched), recall, sampled)
        return replace(context_of(view, choice.among(np.sort(fetched))), certainty=certainty)
    for c in _widening(search.n_candidates, len(view)):
        fetched, values = index.search(
            query_vector, c, lambda_b=request.lambdas[1] if index.biased else 1.0
        )
        selection = choice.among(np.sort(fetched))
        if choice.is_certain(selection, fetched, float(values[-1])):
            certainty = Certainty("certified", search.kind, c)
            return replace(context_of(view, selection), certainty=certainty)
    everything = choice.among(np.arange(len(view), dtype=np.int64))
    return replace(
        context_of(view, everything), certainty=Certainty("exact", search.kind, len(view))
    )


def index_key(view: PoolView, request: ContextRequest, search: CandidateSearch) -> str:
    """Stands for everything that the index of this search is built of."""
    column = _bias_column(view, request, search)
    return content_hash(view.content, "" if column is None else column.tobytes().hex())


def prepare_index(
    view: PoolView, request: ContextRequest, search: CandidateSearch, folder: Path
) -> None:
    """Read or build what `choose_from_candidates` searches, and measure its recall."""
    index = _index(view, request, search, folder)
    if not index.exact:
        _recall(index, view, search.n_candidates)


def _index(
    view: PoolView, request: ContextRequest, search: CandidateSearch, folder: Path
) -> VectorIndex:
    key, column = index_key(view, request, search), _bias_column(view, request, search)
    return load_or_build(folder, search.kind, key, view.matrix, column)


def _bias_column(
    view: PoolView, request: ContextRequest, search: CandidateSearch
) -> FloatArray | None:
    """The quality bias as the flat index holds it; None where the index has none."""
    return bias_for(view, request) if search.kind == "flat" else None


def _widening(start: int, n: int) -> Iterator[int]:
    """Ever more candidates, as long as that is much less than reading everything at once."""
    c = start
    while c == start or 4 * c <= n:
        if c >= n:
            return
        yield c
        c *= 2


class _Choice:
    """One query's selection, among whichever rows were fetched."""

    def __init__(
        self,
        view: PoolView,
        query_vector: FloatArray,
        request: ContextRequest,
        bias: FloatArray | None,
        hidden: BoolArray,
    ) -> None:
        self.view, self.query, self.request = view, query_vector, request
        self.bias, self.hidden = bias, hidden
        # The whole pool's: a product over fewer rows may differ in its last bits, and in its ties.
        self.relevance = view.relevance(query_vector)

    def among(self, rows: IntArray) -> Selection:
        """The picks among the rows, which ascend, as positions in the view."""
        rows = rows[~self.hidden[rows]]
        lambda_d, lambda_b = self.request.lambdas
        selection = mmr(
            self.relevance[rows],
            self.view.matrix[rows],
            self.request.k,
            lambda_d=lambda_d,
            lambda_b=lambda_b,
            quality_bias=None if self.bias is None else self.bias[rows],
            query=self.query,
        )
        return replace(selection, indices=rows[selection.indices])

    def is_certain(self, selection: Selection, fetched: IntArray, lowest: float) -> bool:
        """Whether no row that was not fetched could have won a step; they are worth `lowest`.

        The first pick must be worth more, and every later one must weigh more than such a row
        can weigh at most; strictly, by more than rounding.
        """
        lambda_d, lambda_b = self.request.lambdas
        others = ~self.hidden
        others[fetched] = False
        if self.request.k == 0 or not others.any():
            return True
        if len(selection.indices) < self.request.k:
            return False
        highest = 0.0 if self.bias is None else float(self.bias[others].max())
        size = 1.0 if self.bias is None else max(1.0, float(np.abs(self.bias).max()))
        most_value = lowest + MARGIN * size
        after_each = [
            most_weighed(
                float(relevance), most_value, lambda_d=lambda_d, lambda_b=lambda_b, bias=highest
            )
            for relevance in selection.relevance
        ]
        # The first pick is not weighed; from then on every pick bounds the redundancy.
        bounds = np.append(most_value, np.minimum.accumulate(after_each)[:-1])
        return bool((selection.values > bounds + MARGIN * size).all())


def _recall(index: VectorIndex, view: PoolView, c: int) -> float | None:
    """The index's recall of c candidates, for a seeded sample of the pool's own queries."""
    if not len(view):
        return None
    known = _recalls.setdefault(index, {})
    if c not in known:
        generator = np.random.default_rng(view.seed)
        size = min(SAMPLED, len(view.embeddings))
        sample = generator.choice(len(view.embeddings), size=size, replace=False)
        known[c] = measure_recall(index, view.matrix, view.embeddings[sample], c)
    return known[c]
