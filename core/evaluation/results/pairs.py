"""Two rows of a comparison against each other: wins by metric, and whether sums go with answers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...interval import Interval, defined
from ...metrics.bounds.intervals import ALPHA
from ...metrics.bounds.sequential import FIRST_LOOK, alpha_for_every_look
from ...metrics.pairs import Wins, differences, own_values, rank_correlation, wins_of_pairs
from ...metrics.registry import METRICS
from ...metrics.scores import OfContext
from ...recorded import Recorded
from .outcomes import RequestResult
from .run_figures import RecordedRequest

BY_EMBEDDINGS = frozenset(OfContext.__annotations__)
"""The metrics of a context's embeddings: two rows share a scale only with the same embeddings."""

PairWins: TypeAlias = Mapping[tuple[str, str], Mapping[str, Wins]]
"""By two rows, the earlier one first, the wins of the first in each metric that both have."""


def same_embeddings(one: RecordedRequest, other: RecordedRequest) -> bool:
    """Whether both rows choose by the same embeddings, so that their cosines can be compared."""
    return one.embed is other.embed


def comparable(one: RecordedRequest, other: RecordedRequest, metric: str) -> bool:
    """Whether the two rows' numbers of the metric are on one scale."""
    return metric not in BY_EMBEDDINGS or same_embeddings(one, other)


@dataclass(frozen=True)
class SumAndAnswers(Recorded):
    """Whether a larger cosine of the sum goes with better answers, for a row and its reference.

    `rho` is Spearman's rank correlation over the examples, in [-1, 1], of the row's difference from
    the reference in `cos_sum` with its difference in `metric`: above 0 where better sums go with
    better answers. Its interval is that of this one pair of rows.
    """

    KEYS = {
        "metric": "metric", "rho": "rho.mean", "low": "rho.low", "high": "rho.high", "n": "rho.n",
        "needed": "rho.needed",
    }  # fmt: skip
    metric: str
    rho: Interval


def pairs_from_json(rows: list[Mapping[str, Any]]) -> PairWins:
    """The wins that `pairs_to_json` wrote."""
    names = ("wins", "ties", "losses", "max_diff", "max_diff_reverse")
    return {
        (row["row"], row["other"]): {
            metric: Wins(*(each[name] for name in names)) for metric, each in row["metrics"].items()
        }
        for row in rows
    }


def pairs_to_json(pairs: PairWins, alpha: float | None) -> list[dict[str, Any]]:
    """The same for JSON, with the interval of each share of wins at that level, unless it is None.

    The intervals have four decimals and are not read back: they follow from the counts.
    """
    return [
        {
            "row": row,
            "other": other,
            "metrics": {metric: _wins_to_json(each, alpha) for metric, each in metrics.items()},
        }
        for (row, other), metrics in pairs.items()
    ]


def _wins_to_json(wins: Wins, alpha: float | None) -> dict[str, Any]:
    ends = (math.nan, math.nan) if alpha is None else wins.interval(alpha)
    return {
        "wins": wins.wins,
        "ties": wins.ties,
        "losses": wins.losses,
        "n": wins.n,
        "interval": [defined(round(end, 4)) for end in ends],
        "max_diff": wins.max_diff,
        "max_diff_reverse": wins.max_diff_reverse,
    }


SUM = "cos_sum"


@dataclass(frozen=True, eq=False)
class SumDifferences:
    """A row minus its reference, example by example, shape (q,) each; NaN where undefined.

    `sums` are the differences in `cos_sum`, `answers` those in `metric`.
    """

    metric: str
    sums: NDArray[np.float64]
    answers: NDArray[np.float64]

    @classmethod
    def of(cls, row: RequestResult, reference: RequestResult, metric: str) -> "SumDifferences":
        """The differences between two rows over the same examples."""
        sums, answers = (
            differences(own_values(*row.sums(name)), own_values(*reference.sums(name)))
            for name in (SUM, metric)
        )
        return cls(metric, sums, answers)

    def correlation(self, *, every_look: bool = False) -> SumAndAnswers:
        """The correlation of the two over the examples that have both.

        The interval is valid at this one number of examples, or with `every_look` at all of them
        simultaneously, from `FIRST_LOOK` on.
        """
        n = len(self.sums)
        alpha = alpha_for_every_look(n) if every_look and n else ALPHA
        found = rank_correlation(self.sums, self.answers, alpha)
        if every_look and n < FIRST_LOOK:
            found = found.without_ends(FIRST_LOOK)
        return SumAndAnswers(self.metric, found)


def wins_by_pair(
    results: Mapping[str, RequestResult], requests: Mapping[str, RecordedRequest]
) -> PairWins:
    """Every row against every later one, in each metric that both have on at least one example.

    Left out are metrics of embeddings where the two rows' embeddings differ.

    Args:
        results: The rows' outcomes over the same examples.
        requests: The recorded request of each row.
    """
    names = list(results)
    found: dict[tuple[str, str], dict[str, Wins]] = {pair: {} for pair in combinations(names, 2)}
    for metric in METRICS:
        values = [own_values(*result.sums(metric)) for result in results.values()]
        for (first, second), wins in wins_of_pairs(np.array(values)).items():
            pair = names[first], names[second]
            if wins.n and comparable(requests[pair[0]], requests[pair[1]], metric):
                found[pair][metric] = wins
    return found


def sums_and_answers(
    results: Mapping[str, RequestResult],
    requests: Mapping[str, RecordedRequest],
    references: Sequence[str],
    metric: str,
    *,
    every_look: bool = False,
) -> dict[str, dict[str, SumAndAnswers]]:
    """By row and by reference, whether a larger cosine of the sum goes with better answers.

    Without the rows whose embeddings are not the reference's.

    Args:
        results: The rows' outcomes over the same examples.
        requests: The recorded request of each row.
        references: The rows that the others are compared with.
        metric: The measure of how good the answers are: the metric that leads.
        every_look: As in `SumDifferences.correlation`.
    """
    return {
        row: {
            reference: SumDifferences.of(results[row], results[reference], metric).correlation(
                every_look=every_look
            )
            for reference in references
            if reference != row and same_embeddings(requests[row], requests[reference])
        }
        for row in results
    }
