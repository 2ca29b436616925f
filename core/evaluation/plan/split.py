"""Which queries of a pool are held out for testing."""

from ...settings import SEED
from .examples import random_place

_PLACES = 16**32


def is_held_out(query: str, share: float, seed: int = SEED) -> bool:
    """Whether the query is among the first `share` of all places in the seed's random order.

    It depends on the query and the seed alone, so adding or removing other queries changes no
    query's part. The part held out is as large as the share on average only, and a larger share
    holds out the same queries and more.

    Args:
        query: The text; spellings that are the same after normalisation share a part.
        share: In [0, 1]: 0 holds nothing out, 1 everything.
        seed: Which of the random splits.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4.1: 20 % at random).
    """
    return int(random_place(query, seed), 16) < share * _PLACES
