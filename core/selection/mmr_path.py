"""Every context that maximal marginal relevance gives a query, over the whole of lambda_d."""

from numpy.typing import ArrayLike

from .greedy import valued
from .path_tree import LambdaLine, pieces_along
from .pool_arrays import PathPiece, pool_arrays


def mmr_path(  # noqa: PLR0913 - those of `mmr`
    relevance: ArrayLike,
    embeddings: ArrayLike,
    k: int,
    *,
    lambda_b: float = 1.0,
    quality_bias: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
    gram: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
) -> list[PathPiece]:
    """All pieces of lambda_d in [0, 1] on which `mmr` gives one and the same list, ascending.

    The weighed value of a demonstration is a straight line in lambda_d, so after any picks the
    next one is read off the upper envelope of lines. The pieces are half-open, the last one is
    closed, and they tile [0, 1]. Inside a piece `mmr` chooses these indices in this order; at its
    ends two lists tie. A list that wins at a single point only has no piece.

    Args:
        relevance: Cosine of the query with each demonstration, shape (n,), in [-1, 1].
        embeddings: Unit rows, shape (n, d).
        k: How many to choose, >= 0; cut to the rows that are not excluded.
        lambda_b: Relevance against quality bias, in [0, 1]: 1 = no bias, 0 = bias only.
        quality_bias: Mean log-probability per token of each answer, shape (n,), nats, <= 0.
        excluded: True where a demonstration may not be chosen, shape (n,), boolean.
        gram: embeddings @ embeddings.T where it is at hand, shape (n, n), each cosine within 1e-5.
            What is chosen never depends on it; it saves about a third of the time.
        groups: As for `mmr`.
        pinned: As for `mmr`.

    Returns:
        The pieces; one piece without indices for k = 0 and for an empty pool.

    Raises:
        ValueError: As for `mmr`; a gram of another shape or with a value that is not finite.
    """
    pool = pool_arrays(relevance, embeddings, k, quality_bias, excluded, groups, pinned)
    valued(pool.relevance, pool.quality_bias, lambda_b)  # refuses what lambda_b cannot be
    return pieces_along(LambdaLine("lambda_d", lambda_b), pool, gram)
