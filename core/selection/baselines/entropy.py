"""How undecided a language model is between answers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def entropies(log_probs: ArrayLike) -> NDArray[np.float64]:
    """The entropy of the distribution over the answers after each context, in nats.

    0 where one answer has all the probability, log(a) where all are equally probable. The
    probabilities of the a answers are normalised to sum to 1.

    Args:
        log_probs: log p(answer | query, context), shape (c, a), a >= 1, finite.

    Returns:
        Shape (c,), in [0, log a].

    Raises:
        ValueError: Another shape, no answer, or a value that is not finite.

    Source: Wu, Wang, Ye and Kong 2023, Self-Adaptive In-Context Learning (arXiv 2212.10375,
        section 3.2: the expected code length).
    """
    values = np.asarray(log_probs, dtype=np.float64)
    if values.ndim != 2 or not values.shape[1] or not np.isfinite(values).all():
        raise ValueError(f"log_probs of shape {values.shape}; give finite numbers, (c, a), a >= 1")
    normalised = values - np.logaddexp.reduce(values, axis=1, keepdims=True)
    found: NDArray[np.float64] = -(np.exp(normalised) * normalised).sum(axis=1)
    return np.abs(found)  # no -0.0
