"""Every context that maximal marginal relevance gives a query, over the whole of lambda_b."""

from numpy.typing import ArrayLike

from .path_tree import Way, pieces_along
from .pool_arrays import checked_lambda, pool_arrays
from .selection import PathPiece


def mmr_lambda_b_path(  # noqa: PLR0913 - those of `mmr`
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_d: float,
    quality_bias: ArrayLike,
    excluded: ArrayLike | None = None,
    gram: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> list[PathPiece]:
    """All pieces of lambda_b in [0, 1] on which `mmr` gives one and the same list, ascending.

    The weighed value of a demonstration is a straight line in lambda_b too, also that of the first
    pick. The pieces are as in `mmr_path`.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        lambda_d: Relevance against diversity, in [0, 1]: 1 = relevance only, 0 = diversity only.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        gram: As for `mmr_path`.
        groups: As for `mmr`.
        pinned: As for `mmr`.

    Returns:
        The pieces; one piece without indices for k = 0 and for an empty pool.

    Raises:
        ValueError: As for `mmr_path`.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded, groups, pinned)
    return pieces_along(Way("lambda_b", checked_lambda("lambda_d", lambda_d)), pool, gram)
