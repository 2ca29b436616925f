"""Demonstrations drawn at random: what any method must beat."""

import numpy as np

from ...text import content_hash, normalised
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """K of the allowed demonstrations, drawn by the seed and the normalised query.

    They are drawn in the order of their ids, so that the pool's order does not matter.
    """
    allowed = np.flatnonzero(~asked.excluded)
    allowed = allowed[np.argsort(asked.view.ids[allowed], kind="stable")]
    seed = [asked.knobs.seed, int(content_hash(normalised(asked.query))[:8], 16)]
    drawn = allowed[np.random.default_rng(seed).permutation(len(allowed))]
    return asked.context(asked.first_k(drawn).astype(np.int64))


METHOD = Method(
    "random",
    "Random",
    "k demonstrations drawn at random for each query, the same ones for the same seed.",
    "a common baseline",
    choose,
    takes_candidates=False,
    uses_seed=True,
)
