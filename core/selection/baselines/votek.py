"""Vote-k: demonstrations that many candidates have among their neighbours, in new regions."""

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...types import BoolArray
from ..pool_arrays import Selection
from .choice import GreedyChoice

NEIGHBOURS = 10
"""For how many each candidate votes: a fifth of 50. The authors' code has 150 of about 3,000."""

DISCOUNT = 10.0
"""The factor by which each chosen neighbour divides a candidate's vote: the paper's rho."""


def votek(
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    neighbours: int = NEIGHBOURS,
    excluded: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Selection:
    """The k demonstrations that the candidates greedily elect.

    Each candidate votes for those nearest to it. The next pick has the highest score: the sum of
    the votes for it of all that are not chosen, where a vote counts 10 ** -m and m is how many of
    the voter's neighbours are chosen already. So the first pick is where candidates are dense,
    and the next ones where nothing was chosen yet.

    The query matters only for ties, and for which candidates there are. Scores are often equal
    (within 1e-12 of the highest; all of them, if every candidate is everyone's neighbour): ties go
    to the most relevant, then to the lowest index. Neighbours equally near go to the lowest index.

    The arguments are those of `dpp`, and `neighbours` is for how many each candidate votes, >= 1,
    cut to all others: 1 is the nearest only, all the same score for each, so that the most relevant
    are chosen. An excluded one does not vote; one that a pick rules out by `groups` still does.

    Returns:
        The picks in the order chosen; empty for k = 0 and for an empty pool. `values` are their
        scores, >= 0 and at most the number of candidates less one; `redundancy` is shown but not
        part of the value.

    Raises:
        InvalidInput: More than 4,096 rows are not excluded.
        ValueError: Shapes that disagree, a value that is not finite, a negative k, neighbours
            below 1.

    Source: Su et al. 2022, Selective annotation makes language models better few-shot learners
    (arXiv 2209.01975, the paragraphs on vote-k), and `fast_votek` of the authors' code.
    """
    wanted = _whole(neighbours)
    choice = GreedyChoice(relevance, embeddings, k, excluded, groups)
    votes = _votes(choice.all_cosines(), wanted)
    for_whom = votes.astype(np.float64)
    chosen = np.zeros(len(votes), dtype=bool)
    near_chosen = np.zeros(len(votes))  # how many of a voter's neighbours are chosen
    while len(choice) < choice.k:
        weights = np.where(chosen, 0.0, DISCOUNT**-near_chosen)
        scores = weights @ for_whom
        # In proportion to the highest: late scores are tiny, but still distinguish candidates.
        highest = scores[~choice.closed].max()
        place = choice.best(scores / highest if highest else scores, choice.relevance)
        choice.pick(place, scores[place])
        chosen[place] = True
        near_chosen += votes[:, place]
    return choice.selection()


def _votes(cosines: NDArray[np.float64], neighbours: int) -> BoolArray:
    """Row v is True at the neighbours of v, shape (c, c): those of the largest cosines."""
    others = -cosines
    np.fill_diagonal(others, np.inf)  # nobody votes for itself
    count = min(neighbours, max(0, len(cosines) - 1))
    nearest = np.argsort(others, axis=1, kind="stable")[:, :count]
    votes = np.zeros(cosines.shape, dtype=bool)
    np.put_along_axis(votes, nearest, True, axis=1)
    return votes


def _whole(neighbours: int) -> int:
    try:
        wanted = operator.index(neighbours)
    except TypeError:
        wanted = 0
    if wanted < 1:
        raise ValueError(f"neighbours is {neighbours!r}; give a whole number, 1 or more")
    return wanted
