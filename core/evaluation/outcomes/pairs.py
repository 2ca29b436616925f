"""Rows of a comparison against each other, from their outcomes example by example."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...metrics.bounds.intervals import ALPHA
from ...metrics.bounds.sequential import FIRST_LOOK, alpha_for_every_look
from ...metrics.pairs.rank_correlation import rank_correlation
from ...metrics.pairs.wins import Wins, differences, own_values, wins_of_pairs
from ...metrics.registry import METRICS
from ..results.pairs import PairWins, SumAndAnswers, comparable, same_embeddings
from ..results.run_figures import RecordedRequest
from .outcomes import RequestResult

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
