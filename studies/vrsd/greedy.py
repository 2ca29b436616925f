"""What VRSD does pick by pick, and how far it falls short of the best set."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.metrics.pairs import LEVEL
from core.retrieval.choosing import asked_of, choose_context, find_method, settled
from core.retrieval.knobs import Knobs
from core.selection.vrsd import exhaustive
from core.types import FloatArray

from ..over_seeds import Queries
from ..split import Split
from .results import GreedyGap, Steps

TRIED = 40
"""Queries per seed for which every set of candidates is tried: a twentieth of a second each."""
MOST_CANDIDATES = 20
"""More candidates have too many sets to try for so many queries."""


def steps_of(
    splits: Sequence[Split], vectors: Sequence[FloatArray], knobs: Knobs, queries: Queries
) -> Steps:
    """Where a pick lowers the cosine, up to twice the k of the knobs and among its candidates."""
    twice = 2 * knobs.k
    values = np.full((len(queries.texts), twice), np.nan)
    longer = replace(knobs, k=twice)
    place = 0
    for split, of_split in zip(splits, vectors, strict=True):
        for example, vector in zip(split.held_out, of_split, strict=True):
            found = choose_context(split.view, example.query, vector, longer, leave_out=True)
            values[place, : len(found)] = found.values
            place += 1
    change = np.diff(values, axis=1)
    fallen = np.where(np.isnan(change), np.nan, change <= -LEVEL)
    falls = [queries.mean(step) for step in fallen.T]
    first = values[:, : knobs.k]
    last = np.array([row[~np.isnan(row)][-1] for row in first])
    shorter = queries.mean((np.nanmax(first, axis=1) - last >= LEVEL).astype(np.float64))
    return Steps(tuple(each for each in falls if each is not None), shorter or 0.0)


def greedy_gap(
    splits: Sequence[Split], vectors: Sequence[FloatArray], knobs: Knobs
) -> GreedyGap | None:
    """VRSD against the best set of k, over the first queries of each seed.

    None with more than 20 candidates, or the whole pool: there are too many sets to try.
    """
    used = settled(knobs)
    if not 0 < find_method(knobs.method).nearest(used) <= MOST_CANDIDATES:
        return None
    behind, same, nearest = [], [], []
    for split, of_split in zip(splits, vectors, strict=True):
        for example, vector in zip(split.held_out[:TRIED], of_split, strict=False):
            greedy = choose_context(split.view, example.query, vector, knobs, leave_out=True)
            asked = asked_of(split.view, example.query, vector, used, leave_out=True)
            best = exhaustive(vector, asked.view.matrix, knobs.k, excluded=asked.excluded)
            behind.append(max(0.0, float(best.values[-1] - greedy.values[-1])))
            same.append(set(best.indices.tolist()) == set(greedy.indices.tolist()))
            nearest.append(greedy.indices[0] in best.indices)
    return GreedyGap(
        queries=len(behind),
        mean=float(np.mean(behind)),
        largest=float(np.max(behind)),
        same_set=float(np.mean(same)),
        nearest_in_best=float(np.mean(nearest)),
    )
