"""What the baselines' tests compare with: a greedy choice that computes every value anew."""

import numpy as np
from selection_oracle import duplicated_pool, lattice_pool, random_pool, tied_pool

EQUAL = 1e-12
"""Values nearer than this tie; the lowest index is chosen."""

POOLS = {
    "random": random_pool,
    "duplicated": duplicated_pool,
    "tied": tied_pool,
    "lattice": lattice_pool,
}


def greedily(value, n, k, excluded=None, groups=None):
    """(picks, values, whether rounding can have decided no step).

    `value(picked, i)` is what choosing i after those picked is worth; the largest wins, of equal
    ones the lowest index.
    """
    still = [i for i in range(n) if excluded is None or not excluded[i]]
    picked, values, clear = [], [], True
    while still and len(picked) < k:
        worth = np.array([value(picked, i) for i in still], dtype=np.float64)
        slack = EQUAL * max(1.0, abs(worth.max()))
        behind = worth.max() - worth
        clear &= not ((behind > slack / 10) & (behind < 100 * slack)).any()
        at = int(np.argmax(behind <= slack))
        picked.append(still[at])
        values.append(worth[at])
        group = None if groups is None else groups[picked[-1]]
        still = [i for i in still if i != picked[-1] and (groups is None or groups[i] != group)]
    return picked, values, clear


def some_closed(seed, n):
    """A mask that closes a quarter, and groups of about three."""
    generator = np.random.default_rng(seed)
    return generator.random(n) < 0.25, generator.integers(-1, max(1, n // 3), size=n)
