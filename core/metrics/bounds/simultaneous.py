"""All differences among several methods, or cells, at once: with simultaneously valid bounds.

With twenty comparisons at 95 % each, one looks clear by chance; and who picks the best of several
equal ones finds it ahead of the others. Here the largest of all studentised differences is bounded
(max-T, Westfall and Young 1993), over flips of each example's sign: under equally good methods
an example's difference is as probable as its negative. So with probability 1 - alpha no difference
at all is bounded wrongly, whichever reference is chosen, whichever method leads. Bounds allow for
skewness and for values not seen yet as single intervals do (`skewed`).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...interval import Interval
from .intervals import ALPHA, influences, pair_sizes
from .quantiles import LEAST, Moments, Vector, normal_alpha, student

FLIPS = 2000
_SEED = 0
_LEAST_TAIL = 16
"""Flips beyond a quantile that it is read from at least; smaller tails are extrapolated."""
_NUMBERS_AT_ONCE = 1_000_000
"""Differences in memory at a time: those of many examples are summed a few pairs at a time."""


@dataclass(frozen=True, eq=False)
class Family:
    """Bounds for every difference among m methods, shape (m, m): that of the row less the column.

    With probability 1 - alpha all of them are valid. NaN where there is no bound: too few
    examples, or two methods that never differed. `needed` is how many examples bounds would take
    where there are too few for any, else 0.
    """

    differences: Vector
    lows: Vector
    highs: Vector
    n: int
    needed: int = 0

    @property
    def better(self) -> NDArray[np.bool_]:
        """Where the row's method is better than the column's beyond chance; larger is better."""
        return np.array(self.lows > 0, dtype=np.bool_)  # NaN is not above 0

    @property
    def best(self) -> NDArray[np.bool_]:
        """The methods that no other is clearly better than, shape (m,): one of them is the best."""
        return np.array(~self.better.any(axis=0), dtype=np.bool_)

    def without(self, members: NDArray[np.bool_]) -> "Family":
        """The same where some members, shape (m,), are undefined and have no differences."""
        either = members[:, None] | members[None, :]
        differences, lows, highs = (
            np.where(either, np.nan, each) for each in (self.differences, self.lows, self.highs)
        )
        return replace(self, differences=differences, lows=lows, highs=highs)

    def unbounded(self, needed: int = 0) -> "Family":
        """The same differences without bounds; `needed` is how many examples bounds would take."""
        nothing = np.full_like(self.lows, np.nan)
        return replace(self, lows=nothing, highs=nothing, needed=needed)

    def interval(self, row: int, column: int) -> Interval:
        """The difference of two methods with its bounds."""
        ends = self.lows[row, column], self.highs[row, column]
        mean = float(self.differences[row, column])
        return Interval(mean, float(ends[0]), float(ends[1]), self.n, self.needed)


def family(
    numerators: Vector,
    denominators: Vector,
    *,
    share: bool = False,
    idle: float | None = None,
    alpha: float = ALPHA,
) -> Family:
    """All differences among the rows' ratios of sums, bounded together.

    Args:
        numerators: One row per method, shape (m, n), one column per example.
        denominators: What each example counts for, shape (n,), >= 0; 0 leaves the example out.
        share: Whether the values are shares in [0, 1].
        idle: The ratio if no context had an effect; None where that is not meaningful.
        alpha: The chance that any bound is wrong; 0 gives no bounds.
    """
    used = denominators > 0
    numerators, denominators = numerators[:, used], denominators[used]
    methods, n = numerators.shape
    means = numerators.sum(axis=1) / denominators.sum() if n else np.full(methods, np.nan)
    with np.errstate(invalid="ignore"):  # two infinite means have no difference: NaN
        differences = means[:, None] - means[None, :]
    unbounded = np.full((methods, methods), np.nan)
    if alpha == 0 or n < LEAST or not np.isfinite(numerators).all():
        wanted = LEAST if alpha and n < LEAST else 0
        return Family(differences, unbounded, unbounded.copy(), n, wanted)
    pairs = _Pairs.of(numerators, denominators, means, share, idle)
    critical = _critical(pairs.largest(_signs(n)), n, len(pairs.squares), alpha)
    lows, highs = unbounded, unbounded.copy()
    first, second = pairs.places
    moments = Moments(pairs.squares + pairs.usual, pairs.cubes, pairs.rare, pairs.rare, n)
    down, up = moments.reach(critical)
    few = (moments.needed > 0) | (pairs.usual == 0)
    apart = differences[first, second]
    lows[first, second] = np.where(few, np.nan, apart - down)
    highs[first, second] = np.where(few, np.nan, apart + up)
    lows[second, first], highs[second, first] = -highs[first, second], -lows[first, second]
    if share:
        lows, highs = np.maximum(lows, -1.0), np.minimum(highs, 1.0)
    return Family(differences, lows, highs, n, _wanted(moments.needed, pairs.usual > 0))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Every two of the methods, p = m (m - 1) / 2 of them: sums over their differences.

    `squares` and `cubes` are of centred differences; `plain` are squares as they are; `usual` and
    `rare` are what pretended differences add to the squares.
    """

    values: Vector
    places: tuple[NDArray[np.intp], NDArray[np.intp]]
    squares: Vector
    cubes: Vector
    plain: Vector
    usual: Vector
    rare: Vector

    @classmethod
    def of(
        cls,
        numerators: Vector,
        denominators: Vector,
        means: Vector,
        share: bool,
        idle: float | None,
    ) -> "_Pairs":
        moved, values = influences(numerators, denominators), numerators / denominators.mean()
        places, parts = np.triu_indices(len(values), 1), [np.empty((5, 0))]
        at_once = max(1, _NUMBERS_AT_ONCE // values.shape[1])
        for start in range(0, len(places[0]), at_once):
            first, second = (place[start : start + at_once] for place in places)
            centred, apart = moved[first] - moved[second], values[first] - values[second]
            usual, rare = pair_sizes(apart, np.stack([means[first], means[second]]), share, idle)
            squared, plain = centred**2, (apart**2).sum(axis=1)
            cubes = (squared * centred).sum(axis=1)  # a power of 3 takes sixty times as long
            parts.append(np.stack([squared.sum(axis=1), cubes, plain, 2 * usual, rare]))
        return cls(values, places, *np.concatenate(parts, axis=1))

    def largest(self, signs: NDArray[np.float32]) -> Vector:
        """The largest of all differences, studentised, in each flip, shape (b,); 0 for no pair."""
        n = self.values.shape[1]
        # One row per method: what is compared is then adjacent in memory, several times quicker.
        totals = np.ascontiguousarray((signs.T @ self.values.T.astype(np.float32)).T)  # (m, b)
        spreads = np.sqrt(self.plain + self.usual)
        weights = np.divide(1.0, spreads, out=np.zeros_like(spreads), where=self.usual > 0)
        scales = weights.astype(np.float32)[:, None]
        largest, at = np.zeros(totals.shape[1], np.float32), 0
        for row in range(len(totals) - 1):
            others = len(totals) - row - 1
            apart = np.abs(totals[row] - totals[row + 1 :])
            apart *= scales[at : at + others]
            largest, at = np.maximum(largest, apart.max(axis=0)), at + others
        largest = largest.astype(np.float64)
        shares = np.minimum(largest**2, n * (1 - 1e-9))
        studentised: Vector = np.sqrt(shares * (n - 1) / (n - shares))
        return studentised


def _wanted(needed: NDArray[np.int64], differ: NDArray[np.bool_]) -> int:
    """How many examples the first bound needs; 0 if there is one, or nothing ever differed."""
    return int(needed[differ].min()) if differ.any() else 0


def _signs(n: int) -> NDArray[np.float32]:
    """Seeded signs, shape (n, FLIPS): those of an example are the same at every n."""
    return _many_signs(max(64, 1 << (n - 1).bit_length()))[:n]


@lru_cache(maxsize=4)
def _many_signs(n: int) -> NDArray[np.float32]:
    bits = np.random.default_rng(_SEED).integers(0, 2, size=(n, FLIPS), dtype=np.int8)
    return bits.astype(np.float32) * 2 - 1


def _critical(largest: Vector, n: int, pairs: int, alpha: float) -> float:
    """The value that the largest difference exceeds with probability alpha.

    It is never less than that of a single difference: where only a few examples differ, the flips
    have only a few values, and none of them may be as large.

    Where alpha is too small to be read from the flips, as many independent differences are taken as
    would give what is read at a larger one, half as many again for their growing independence.
    """
    if pairs == 0:
        return student(alpha, n - 1)
    readable = max(alpha, _LEAST_TAIL / FLIPS)
    found = float(np.quantile(largest, 1 - readable, method="higher"))
    found = max(found, student(readable, n - 1))
    if readable == alpha:
        return found
    equivalent = max(1.0, readable / normal_alpha(found)) * 1.5
    return max(found, student(alpha / min(float(pairs), equivalent), n - 1))
