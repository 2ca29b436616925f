"""The demonstrations whose words together are nearest to each word of the query."""

from dataclasses import replace

import numpy as np

from ...selection.baselines.coverage import coverage
from ..context import Context
from ..method import Method, MethodInput

CANDIDATES = 50
"""Only the tokens of so many are computed and compared; the paper takes the whole pool."""


def choose(asked: MethodInput) -> Context:
    """The picks of `coverage` by the tokens of what is embedded of each candidate."""
    k = asked.knobs.k
    candidates = np.flatnonzero(~asked.excluded) if k else np.empty(0, np.int64)
    if not len(candidates):
        return asked.context(candidates)
    texts = [asked.view.texts[index] for index in candidates.tolist()]
    of_query, *of_candidates = asked.view.services.tokens([asked.query, *texts])
    selection = coverage(
        of_query,
        of_candidates,
        k,
        relevance=asked.relevance[candidates],
        groups=None if asked.groups is None else asked.groups[candidates],
    )
    context = asked.context(candidates[selection.indices])
    return replace(context, values=selection.values)


METHOD = Method(
    "coverage",
    "Coverage of the query's words",
    "Each demonstration is the one with which those chosen come nearest to every word of the "
    "query; once none comes nearer, the choice starts again among the rest.",
    "Gupta, Gardner and Singh 2023, Set-BERTScore-Recall",
    choose,
    candidates=CANDIDATES,
    by_embedding=True,
    value="Coverage",
    value_note="of the query's words, so far",
)
