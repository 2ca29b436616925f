"""One demonstration per cluster: what is left to do once the candidates are clustered."""

import numpy as np
from numpy.typing import ArrayLike

from ..pool_arrays import Selection
from .choice import GreedyChoice


def one_per_cluster(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    clusters: ArrayLike,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k most relevant demonstrations of which no two share a cluster.

    The most relevant demonstration of each cluster, the clusters in the order of that relevance.
    If there are fewer clusters than k, or `groups` leave nothing of one, the rest are the most
    relevant of those not chosen. Equal relevance goes to the lowest index.

    The arguments are those of `dpp`, and `clusters` has the number of each demonstration's cluster,
    shape (n,), integers, ignored where one is excluded. Only `redundancy` goes by the embeddings.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are their
        relevance; `redundancy` is shown but not part of the value.

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, clusters that are not
            integers, a negative k.

    Source: Zhang, Zhang, Li and Smola 2022, Automatic chain of thought prompting (arXiv
    2210.03493, section 4): one question from each of k clusters, there the one nearest to the
    cluster's centre, here the one nearest to the query.
    """
    choice = GreedyChoice(relevance, embeddings, k, excluded, groups)
    numbers = choice.of_candidates("clusters", clusters)
    used = np.zeros(len(numbers), dtype=bool)  # whether a candidate's cluster has one chosen
    while len(choice) < choice.k:
        values = np.where(used, -np.inf, choice.relevance)
        if (used | choice.closed).all():
            values = choice.relevance
        place = choice.best(values)
        choice.pick(place, choice.relevance[place])
        used |= numbers == numbers[place]
    return choice.selection()
