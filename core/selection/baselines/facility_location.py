"""Facility location: relevant demonstrations, so that every candidate is near one of them."""

import numpy as np
from numpy.typing import ArrayLike

from ..pool_arrays import Selection, checked_lambda
from .choice import GreedyChoice


def facility_location(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that greedily balance relevance and coverage of the candidates.

    A set has F(S) = lambda_d * (sum of its relevance) + (1 - lambda_d) * coverage. Its coverage is
    the sum, over the c rows that are not excluded, of the largest cosine with a member, in [0, c];
    a negative cosine covers nothing and counts as 0. Each pick adds most to F, the first one too.
    Equal values go to the lowest index. F is submodular; where no relevance is negative it is also
    monotone, and the greedy set then has at least 1 - 1/e = 63 % of the largest F of any k (half of
    it with `groups`).

    Relevance is summed over k, coverage over c rows, so coverage weighs more with more
    candidates: with 50, the two are about even at lambda_d = 0.9. With the mean over the
    rows in place of the sum, lambda_d = 0.75 would leave nearly nothing of coverage.

    The arguments are those of `dpp`. At lambda_d = 0 only coverage counts, whatever the query but
    for the candidates. An excluded demonstration need not be covered; one that a pick rules out
    by `groups` still counts for the coverage.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are what
        each adds to F; `redundancy` is shown but not part of the value.

    Raises:
        InvalidInput: More than 4,096 rows are not excluded.
        ValueError: Shapes that disagree, a value that is not finite, lambda_d outside [0, 1], a
            negative k.

    Source: Lin and Bilmes 2011, A class of submodular functions for document summarization (a
    weighted sum of submodular parts); submodlib's FacilityLocation (the coverage, unnormalised);
    Nemhauser, Wolsey and Fisher 1978, parts I and II (the bounds of the greedy).
    """
    lambda_d = checked_lambda("lambda_d", lambda_d)
    choice = GreedyChoice(relevance, embeddings, k, excluded, groups)
    cosines = choice.all_cosines()
    covered = np.zeros(len(cosines))  # the largest cosine with one of those chosen, or 0
    while len(choice) < choice.k:
        nearer = np.maximum(cosines - covered, 0.0).sum(axis=1)  # row i: what choosing i adds
        gains = lambda_d * choice.relevance + (1 - lambda_d) * nearer
        place = choice.best(gains)
        choice.pick(place, gains[place])
        np.maximum(covered, cosines[place], out=covered)
    return choice.selection()
