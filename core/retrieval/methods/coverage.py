"""The demonstrations whose words together lie nearest to each word of the query."""

from dataclasses import replace

import numpy as np

from ...selection.baselines.coverage import coverage
from ...types import BoolArray, FloatArray
from ..context import Context
from ..knobs import Knobs
from ..method import Method
from ..pool_contexts import context_of_indices
from ..pool_view import PoolView

CANDIDATES = 50
"""Only the tokens of so many are computed and compared; the paper takes the whole pool."""


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """The picks of `coverage` by the tokens of what is embedded of each candidate."""
    candidates = np.flatnonzero(~excluded) if knobs.k else np.empty(0, np.int64)
    relevance = view.relevance(query_vector)
    if not len(candidates):
        return context_of_indices(view, relevance, candidates)
    texts = [view.texts[index] for index in candidates.tolist()]
    of_query, *of_candidates = view.tokens([query, *texts])
    selection = coverage(
        of_query,
        of_candidates,
        knobs.k,
        relevance=relevance[candidates],
        groups=view.groups[candidates] if knobs.one_per_query else None,
    )
    context = context_of_indices(view, relevance, candidates[selection.indices])
    return replace(context, values=selection.values)


METHOD = Method(
    "coverage",
    "Coverage of the query's words",
    "Each demonstration is the one with which those chosen come nearest to every word of the "
    "query; once none comes nearer, the choice starts anew among the rest.",
    "Gupta, Gardner and Singh 2023, Set-BERTScore-Recall",
    choose,
    candidates=CANDIDATES,
    by_embedding=True,
    value="Coverage",
    value_note="of the query's words, so far",
)
