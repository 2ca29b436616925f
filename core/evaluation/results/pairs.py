"""Two rows of a comparison against each other: wins by metric, and whether sums go with answers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...interval import Interval
from ...metrics.pairs.wins import Wins
from ...metrics.scores import OfContext
from ...recorded import Recorded
from ...undefined import defined
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
