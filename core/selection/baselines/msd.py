"""Max-sum diversification: relevant demonstrations whose distances from each other add up."""

import numpy as np
from numpy.typing import ArrayLike

from ..pool_arrays import Selection, checked_lambda
from .choice import GreedyChoice


def msd(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that greedily balance relevance and the sum of their distances.

    The first pick is the most relevant demonstration at every lambda_d, 0 included; each later
    one maximises lambda_d * relevance + (1 - lambda_d) * (sum of 1 - cosine with each chosen).
    The sum grows with every pick where the penalty of `mmr` stays a single cosine, so one lambda_d
    asks for more diversity here. Equal values go to the lowest index.

    The arguments are those of `dpp`.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are what
        each step maximised; `redundancy` is shown but not part of the value.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, lambda_d outside [0, 1], a
            negative k.

    Source: Borodin, Lee and Ye 2012, Max-sum diversification, monotone submodular functions and
    dynamic updates (arXiv 1203.6397, the greedy algorithm; it halves the relevance, which is
    another lambda_d). The values are those of pyversity's MSD.
    """
    lambda_d = checked_lambda("lambda_d", lambda_d)
    choice = GreedyChoice(relevance, embeddings, k, excluded, groups)
    distances = np.zeros(len(choice.relevance))  # summed over those chosen
    while len(choice) < choice.k:
        values = lambda_d * choice.relevance + (1 - lambda_d) * distances
        place = choice.best(values if len(choice) else choice.relevance)
        cosines = choice.pick(place, values[place])
        distances += 1 - cosines.clip(-1.0, 1.0)
    return choice.selection()
