"""The six demonstrations that the method `fix` always shows."""

from collections.abc import Sequence

import numpy as np

from ..demonstration.demonstration import Demonstration
from ..errors import InvalidInput
from ..settings import K
from ..store import Pool, Store
from ..text import normalised


def fixed_demonstrations(
    store: Store, pool: Pool, demonstrations: Sequence[Demonstration]
) -> list[int]:
    """Ids of the pool's fixed demonstrations, in their order; excluded ones are left out.

    When the pool names none, six distinct queries are drawn once with the pool's seed (each with
    its best answer) and stored; that is no change of the pool, whose version stays.

    Args:
        store: The workspace.
        pool: The pool at the version that `demonstrations` are of.
        demonstrations: Its included ones.
    """
    included = {d.id for d in demonstrations}
    named = store.pools.fixed_ids(pool.id)
    if not named and demonstrations:
        named = _draw(demonstrations, pool.seed)
        store.pools.keep_drawn_ids(pool, named)
    return [id for id in named if id in included]


def name_fixed(store: Store, pool: Pool, ids: Sequence[int]) -> None:
    """Store which demonstrations `fix` shows, in the order given.

    Raises:
        InvalidInput: An id appears twice or is no demonstration of the pool.
    """
    known = {d.id for d in store.demonstrations.all(pool.id)}
    wrong = [id for id in ids if id not in known]
    if wrong or len(set(ids)) != len(ids):
        raise InvalidInput(
            f"The fixed demonstrations {list(ids)} of pool {pool.name!r} must be distinct ids of "
            f"its demonstrations{f'; it has no {wrong[0]}' if wrong else ''}."
        )
    store.pools.set_fixed_ids(pool.id, list(ids))


def _draw(demonstrations: Sequence[Demonstration], seed: int) -> list[int]:
    best: dict[str, Demonstration] = {}
    for demonstration in demonstrations:
        query = normalised(demonstration.query)
        if query not in best or (demonstration.best and not best[query].best):
            best[query] = demonstration
    ids = [d.id for d in best.values()]
    drawn = np.random.default_rng(seed).choice(len(ids), size=min(K, len(ids)), replace=False)
    return [ids[position] for position in drawn]
