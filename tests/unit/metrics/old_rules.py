"""The rules used before: percentile bootstrap intervals, one comparison at a time, at one look.

Kept only here, so that the simulations show that they can detect a rule that is not valid.
"""

from functools import lru_cache

import numpy as np

DRAWS = 500


@lru_cache(maxsize=8)
def _counts(n):
    generator = np.random.default_rng(0)
    return generator.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(float)


def percentile(numerators, denominators):
    """The ends of percentile intervals of ratios of sums, shape (m,) each."""
    counts = _counts(numerators.shape[-1])
    drawn = counts @ np.atleast_2d(numerators).T / (counts @ denominators)[:, None]
    return np.quantile(drawn, [0.025, 0.975], axis=0)


def differ_from_first(numerators, denominators):
    """Whether each further method is clearly better (1) or worse (-1) than the first, or not."""
    low, high = percentile(numerators[1:] - numerators[0], denominators)
    return np.where(low > 0, 1, np.where(high < 0, -1, 0))
