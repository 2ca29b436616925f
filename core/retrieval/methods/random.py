"""Demonstrations drawn at random: what any method must beat."""

import numpy as np

from ...text import content_hash, normalised
from ...types import BoolArray, FloatArray
from ..context import Context
from ..knobs import Knobs
from ..method import Method
from ..pool_contexts import context_of_indices
from ..pool_view import PoolView


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """K of the allowed demonstrations, drawn by the seed and the normalised query.

    They are drawn in the order of their ids, so that the pool's order does not matter.
    """
    allowed = np.flatnonzero(~excluded)
    allowed = allowed[np.argsort(view.ids[allowed], kind="stable")]
    seed = [knobs.seed, int(content_hash(normalised(query))[:8], 16)]
    drawn = allowed[np.random.default_rng(seed).permutation(len(allowed))]
    if knobs.one_per_query:
        drawn = view.first_of_each_query(drawn)
    chosen = drawn[: knobs.k].astype(np.int64)
    return context_of_indices(view, view.relevance(query_vector), chosen)


METHOD = Method(
    "random",
    "Random",
    "k demonstrations drawn at random for each query, the same ones for the same seed.",
    "a common baseline",
    choose,
    uses_seed=True,
)
