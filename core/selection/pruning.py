"""The picks of a large pool from few of its rows, exactly."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray, FloatArray
from .cosines import NEAR, least_cosines
from .greedy import Greedy, Picks, Values, weighed

_FEW = 384
"""Rows among which the last winning value is guessed. In a pool of four times as many, a guess
costs what the passes do; in a larger one it costs a share of them, and there may be several."""

# Where a bound from the relevances alone is worth a try: below, one pass over the rows costs less
# than the bound; for lower lambda_d too many rows reach it (benchmarks/mmr_large.py).
_BOUND_FROM_ROWS = 10_000
_BOUND_FROM_LAMBDA_D = 0.75

_SAMPLED = 16
"""One row in this many is sampled where only a share is wanted."""

_GATHERED = 1 / 8
"""At most this share of the rows is read out of order: such a row takes four times as long."""


def pruned(
    embeddings: FloatArray,
    values: Values,
    closed: BoolArray,
    first: Sequence[int],
    k: int,
    lambda_d: float,
    cosines: NDArray[np.float64] | None = None,
) -> Picks:
    """The picks that `Greedy.finish` makes, without most of its passes over the rows.

    A redundancy only grows from step to step, so a weighed value only falls, and so do the winning
    ones. Once a row weighs less than the last winning value, or is bounded below it, it can win no
    later step: the picks are among the other rows. That value is not known before the last pick.
    So it is guessed, and the selection goes on among the rows that reach the guess; where its last
    pick wins with more than the guess, its picks are proven. Where it does not, or where too many
    rows reach the guess, a pass over all rows is made, which lowers what they weigh, and then the
    next guess. Every comparison leaves room for the rounding of fast cosines.

    Args:
        embeddings: Unit rows, shape (n, d).
        values: What the rows are worth before redundancy.
        closed: True where a row may not be chosen, shape (n,); at least k are open.
        first: The first picks, at least one.
        k: How many to choose, >= 1.
        lambda_d: Relevance against diversity, in [0, 1].
        cosines: Each row's cosine with one unit vector, shape (n,): for a high lambda_d they bound
            redundancies before any pass is made. None = there are none.
    """
    n, few = len(closed), _few(k)
    race = Greedy(embeddings, values, closed, first, lambda_d)
    if k == len(first) or n <= 4 * few:
        return race.finish(k)
    if cosines is not None and n >= _BOUND_FROM_ROWS and lambda_d >= _BOUND_FROM_LAMBDA_D:
        found = _by_bound(race, k, cosines)
        if found is not None:
            return found
    due, guesses = len(first), max(1, n // (8 * few))
    while (made := len(race.indices)) < k:
        weights = race.meet()
        race.pick(weights)
        if made == due and made + 1 < k and guesses:
            weights[race.indices[-1]] = -np.inf
            found = _among_few(race, k, weights)
            if found is not None:
                return found
            guesses -= 1
            due += max(1, due // 2)  # many picks: not after every one
    return race.picks()


def _few(k: int, every: int = 1) -> int:
    return max(_FEW // every, 8 * k)


def _by_bound(race: Greedy, k: int, cosines: NDArray[np.float64]) -> Picks | None:
    """All picks from the least redundancy that each row can have with the first one, or None.

    Where a sample of the rows shows that too many reach the guess, little time is lost.
    """
    first = float(cosines[race.indices[0]])
    for every in (_SAMPLED, 1):
        part = slice(None, None, every)
        most = weighed(race.total[part], least_cosines(cosines[part], first), race.lambda_d)
        most[race.closed[part]] = -np.inf
        if every > 1 and _guessed(race, k, most, every) is None:
            return None
    return _among_few(race, k, most)


def _among_few(race: Greedy, k: int, most: NDArray[np.float64]) -> Picks | None:
    """All picks, where they can be proven to be among few rows; else None.

    Args:
        race: Some picks are made; the newest was not met yet.
        k: How many to choose.
        most: What each row weighs at most from now on, shape (n,); minus infinity = not open.
    """
    guess = _guessed(race, k, most)
    if guess is None or guess.proven:
        return guess and guess.picks
    rows = np.flatnonzero(most >= guess.floor)
    if len(rows) > _GATHERED * len(most):
        return None
    fewer = race.among(rows)
    while not fewer.closed.all():
        weights = fewer.meet()
        fewer.pick(weights)
        if len(fewer.indices) == k:
            return fewer.picks() if fewer.winning[-1] > guess.floor + 2 * NEAR else None
        fewer = fewer.among(np.flatnonzero(weights >= guess.floor))
    return None


class _Guess(NamedTuple):
    picks: Picks  # among a few rows only
    floor: float  # a little below the last winning value of these picks
    proven: bool  # whether no other row reaches it


def _guessed(race: Greedy, k: int, most: NDArray[np.float64], every: int = 1) -> _Guess | None:
    """The picks among the few rows that may weigh most; None if too many others weigh as much.

    Args:
        race: Some picks are made; the newest was not met yet.
        k: How many to choose.
        most: What one row of every so many weighs at most from now on; minus infinity = not open.
        every: 1 = all rows are given.
    """
    few = _few(k, every)
    sample = most[::_SAMPLED]
    place = min(len(sample), -(-few // _SAMPLED))
    crowd = max(place, int(_GATHERED * len(sample)))
    ordered = np.partition(sample, (-crowd, -place))
    crowded, least = float(ordered[-crowd]), float(ordered[-place])
    high = np.flatnonzero(most >= least)
    rows = high[: 2 * few]  # equal ones may be many
    rows = rows[most[rows] > -np.inf]
    if len(race.indices) + len(rows) < k:
        return None
    fewer = race.among(rows * every)
    while len(fewer.indices) < k:
        fewer.pick(fewer.meet())
        if fewer.winning[-1] < crowded:  # the last winning value will not be larger
            return None
    floor = fewer.winning[-1] - 3 * NEAR
    proven = every == 1 and len(high) <= 2 * few and floor >= least
    return _Guess(fewer.picks(), floor, proven)
