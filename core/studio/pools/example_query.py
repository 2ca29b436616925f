"""Which query of a bundled pool shows the effect of a mix, and which one is typical: by a rule."""

from functools import lru_cache

import numpy as np

from ...reporting.results.idea import Chosen, Opening
from ...retrieval.pool_view import PoolView
from ...text import content_hash
from ..pools.bundled import Effects, bundled_effects, content_of
from ..session.studio import Setup, Studio

RULE = (
    "Of all queries whose demonstrations by similarity alone repeat themselves at least as much "
    "as the middle query's (by sameness), and whose right answer loses with these and wins with "
    "the mix, the one that gains most DPO per triple by the mix; among equals the first of the "
    "pool. The typical query is the one whose gain is nearest to the median over all queries."
)


def choose(effects: Effects) -> Chosen | None:
    """The queries' content hashes by `RULE`; None where no query shows the effect."""
    gain = effects.mix_dpo - effects.similar_dpo
    similar_right, mix_right = effects.similar_margin > 0, effects.mix_margin > 0
    won = ~similar_right & mix_right
    repeats = effects.similar_sameness >= np.median(effects.similar_sameness)
    showing = np.flatnonzero(won & repeats)
    if not len(showing):
        return None
    example = int(showing[np.argmax(gain[showing])])  # the first of the largest
    median = float(np.median(gain))
    typical = int(np.argmin(np.abs(gain - median)))
    return Chosen(
        example=effects.queries[example],
        gain=float(gain[example]),
        typical=effects.queries[typical],
        typical_gain=float(gain[typical]),
        median_gain=median,
        queries=len(gain),
        showing=len(showing),
        won=int(won.sum()),
        lost=int((similar_right & ~mix_right).sum()),
        right=(
            int((effects.none_margin > 0).sum()),
            int(similar_right.sum()),
            int(mix_right.sum()),
        ),
    )


@lru_cache(maxsize=1)
def bundled_choice() -> Chosen | None:
    """The choice among the queries of the bundled example pool; None where there is none."""
    effects = bundled_effects()
    return None if effects is None else choose(effects)


def opening(studio: Studio, setup: Setup, view: PoolView) -> Opening | None:
    """The query to open with: the chosen one of the example pool, else the pool's first.

    The figures of the choice (`chosen`) are for one encoder, model and template and for the pool
    as it was delivered; they are left out with others and once the pool was edited. None if the
    pool has no query.
    """
    if not view.distinct_queries:
        return None
    effects, chosen = bundled_effects(), bundled_choice()
    if effects is None or chosen is None or view.name != effects.pool:
        return Opening(view.distinct_queries[0])
    texts = {content_hash(query): query for query in view.distinct_queries}
    query = texts.get(chosen.example, view.distinct_queries[0])
    quality = studio.quality_key(setup)
    at_hand = (view.encoder, quality and quality.model, quality and quality.template)
    if at_hand != (effects.encoder, effects.model, effects.template):
        return Opening(query)
    if content_of(view) != effects.content:
        return Opening(query)
    return Opening(query, texts[chosen.typical], chosen)
