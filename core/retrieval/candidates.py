"""Selection among candidates of an index: proven, widened, or reported as approximate."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import InvalidInput
from ..index import VectorIndex, load_or_build, measure_recall
from ..selection.cosines import most_weighed
from ..selection.mmr import mmr
from ..selection.pool_arrays import Selection
from ..settings import N_CANDIDATES
from ..text import content_hash
from ..types import BoolArray, FloatArray, IntArray
from .choosing import find_method
from .context import Certainty, Context
from .knobs import SettledKnobs
from .method import bias_for, context_of, never_shown
from .pool_view import PoolView

ROUNDING = 2e-6
"""Values in an index are float32: a proof needs a margin larger than their rounding."""

SAMPLED = 32
"""Queries of the pool on which an approximate index's recall is measured."""

_recalls: WeakKeyDictionary[VectorIndex, dict[int, float]] = WeakKeyDictionary()


def choose_from_candidates(
    view: PoolView,
    query_vector: FloatArray,
    knobs: SettledKnobs,
    folder: Path,
    *,
    excluded: BoolArray | None = None,
) -> Context:
    """The context chosen among the index's candidates, and how sure it is (`Context.certainty`).

    A flat index fetches by value (the quality bias is one of its columns). Twice as many are
    fetched until nothing that was not fetched can have won any step, or until nothing is left.
    HNSW and IVF fetch by relevance alone and prove nothing; their recall is measured instead. They
    fetch more than the knob says if that leaves fewer than k to choose from.
    With at most one answer per query, with pinned demonstrations, or where relevance is not what a
    method chooses by, the whole pool is read, whatever HNSW and IVF would fetch.
    The index is kept in `folder` and rebuilt when the pool's queries or the bias changed.

    Raises:
        InvalidInput: The method does not choose by `mmr`, or quality bias that it needs is missing.

    Source: RAGSys, section 5.3.
    """
    method = find_method(knobs.method)
    if not method.chooses_by_mmr:
        raise InvalidInput(
            f"The method {knobs.method!r} cannot choose among an index's candidates; let it "
            "choose from the whole pool."
        )
    view = view.embedded_by(knobs.embed)
    bias, hidden = bias_for(view, knobs), never_shown(view, knobs)
    if excluded is not None:
        hidden = hidden | excluded
    choice = _Choice(view, query_vector, knobs, bias, hidden)
    if knobs.one_per_query or len(view.pinned):
        # The proof about the candidates assumes that a pick closes no other row and has won.
        return _from_all(choice)
    index = _index(view, knobs, folder)
    if not (index.exact or method.takes_candidates):
        return _from_all(choice)
    if not index.exact:
        enough = _enough(index, choice)
        if enough is None:
            return _from_all(choice)
        recall = _recall(index, view, _wanted(knobs))
        sampled = min(SAMPLED, len(view.embeddings))
        certainty = Certainty("approximate", knobs.index, len(enough), recall, sampled)
        return replace(context_of(view, choice.among(enough)), certainty=certainty)
    for c in _widening(_first(knobs), len(view)):
        fetched, values = index.search(
            query_vector, c, lambda_b=knobs.lambda_b if index.biased else 1.0
        )
        selection = choice.among(np.sort(fetched))
        if choice.is_certain(selection, fetched, float(values[-1])):
            certainty = Certainty("certified", knobs.index, c)
            return replace(context_of(view, selection), certainty=certainty)
    return _from_all(choice)


def index_key(view: PoolView, knobs: SettledKnobs) -> str:
    """A key of everything that the index of these knobs is built from."""
    view = view.embedded_by(knobs.embed)
    column = _bias_column(view, knobs)
    return content_hash(view.content, "" if column is None else column.tobytes().hex())


def prepare_index(view: PoolView, knobs: SettledKnobs, folder: Path) -> None:
    """Read or build what `choose_from_candidates` searches, and measure its recall."""
    index = _index(view, knobs, folder)
    if not index.exact:
        _recall(index, view, _wanted(knobs))


def _index(view: PoolView, knobs: SettledKnobs, folder: Path) -> VectorIndex:
    if knobs.index is None:
        raise InvalidInput("No index was named to choose from; name one, or take the whole pool.")
    view = view.embedded_by(knobs.embed)
    key, column = index_key(view, knobs), _bias_column(view, knobs)
    return load_or_build(folder, knobs.index, key, view.matrix, column)


def _bias_column(view: PoolView, knobs: SettledKnobs) -> FloatArray | None:
    """The flat index's column of quality bias; None where the index has none."""
    return bias_for(view, knobs) if knobs.index == "flat" else None


def _widening(start: int, n: int) -> Iterator[int]:
    """More and more candidates, as long as that is much less than reading everything at once."""
    c = start
    while c == start or 4 * c <= n:
        if c >= n:
            return
        yield c
        c *= 2


def _wanted(knobs: SettledKnobs) -> int:
    """How many candidates an approximate index should find: never fewer than k."""
    return max(_first(knobs), knobs.k)


def _first(knobs: SettledKnobs) -> int:
    return knobs.candidates or N_CANDIDATES


def _enough(index: VectorIndex, choice: "_Choice") -> IntArray | None:
    """The candidates, ascending, and more until k may be chosen; None where all are needed."""
    n, c = len(choice.view), _wanted(choice.knobs)
    wanted = min(choice.knobs.k, n - int(choice.hidden.sum()))
    while True:
        fetched, _ = index.search(choice.query, c)
        if np.count_nonzero(~choice.hidden[fetched]) >= wanted:
            return np.sort(fetched)
        if c >= n:  # such an index may miss some even then
            return None
        c *= 2


def _from_all(choice: "_Choice") -> Context:
    everything = np.arange(len(choice.view), dtype=np.int64)
    certainty = Certainty("exact", choice.knobs.index, len(everything))
    return replace(context_of(choice.view, choice.among(everything)), certainty=certainty)


class _Choice:
    """One query's selection, among whichever rows were fetched."""

    def __init__(
        self,
        view: PoolView,
        query_vector: FloatArray,
        knobs: SettledKnobs,
        bias: FloatArray | None,
        hidden: BoolArray,
    ) -> None:
        self.view, self.query, self.knobs = view, query_vector, knobs
        self.bias, self.hidden = bias, hidden
        # The whole pool's: a product over fewer rows may differ in its last bits, and in its ties.
        self.relevance = view.relevance(query_vector)

    def among(self, rows: IntArray) -> Selection:
        """The picks among the rows, which ascend, as positions in the view."""
        rows = rows[~self.hidden[rows]]
        selection = mmr(
            self.relevance[rows],
            self.view.matrix[rows],
            self.knobs.k,
            lambda_d=self.knobs.lambda_d,
            lambda_b=self.knobs.lambda_b,
            quality_bias=None if self.bias is None else self.bias[rows],
            query=self.query,
            groups=self.view.groups[rows] if self.knobs.one_per_query else None,
            pinned=np.flatnonzero(np.isin(rows, self.view.pinned)),
        )
        return replace(selection, indices=rows[selection.indices])

    def is_certain(self, selection: Selection, fetched: IntArray, lowest: float) -> bool:
        """Whether no row outside the fetched, worth at most `lowest`, could have won a step.

        The first pick must be worth more, and every later one must weigh more than such a row
        can weigh at most; strictly, by more than rounding.
        """
        lambda_d, lambda_b = self.knobs.lambda_d, self.knobs.lambda_b
        others = ~self.hidden
        others[fetched] = False
        if self.knobs.k == 0 or not others.any():
            return True
        if len(selection.indices) < self.knobs.k:
            return False
        highest = 0.0 if self.bias is None else float(self.bias[others].max())
        size = 1.0 if self.bias is None else max(1.0, float(np.abs(self.bias).max()))
        most_value = lowest + ROUNDING * size
        after_each = [
            most_weighed(
                float(relevance), most_value, lambda_d=lambda_d, lambda_b=lambda_b, bias=highest
            )
            for relevance in selection.relevance
        ]
        # The first pick is not weighed; from then on every pick bounds the redundancy.
        bounds = np.append(most_value, np.minimum.accumulate(after_each)[:-1])
        return bool((selection.values > bounds + ROUNDING * size).all())


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
