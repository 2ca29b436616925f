"""How similar the demonstrations of a context are to each other."""

import math

import numpy as np
from numpy.typing import ArrayLike

from .metric import RAGSYS, Group, MetricInfo
from .scores import per_example

diversity_numerators = per_example(lambda one: 0.0 if math.isnan(one.diversity) else one.diversity)
diversity_denominators = per_example(lambda one: not math.isnan(one.diversity))


def diversity(embeddings: ArrayLike) -> float:
    """The mean cosine over the pairs of a context, in [-1, 1]; lower is more diverse.

    Args:
        embeddings: Unit rows of the chosen demonstrations, shape (k, d).

    Returns:
        The mean of the k (k - 1) / 2 cosines; NaN for fewer than two rows.

    Raises:
        ValueError: `embeddings` is not a matrix of finite numbers.

    Source: RAGSys, section 4 (the horizontal axis of Figure 1).
    """
    rows = np.asarray(embeddings, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(f"embeddings of shape {rows.shape}; give a matrix of finite numbers")
    if len(rows) < 2:
        return float("nan")
    pairs = np.triu_indices(len(rows), 1)
    # Rows of float32 are of unit length to 1e-7: equal ones may have a cosine above 1.
    return float((rows @ rows.T)[pairs].mean().clip(-1.0, 1.0))


DIVERSITY = MetricInfo(
    name="diversity",
    label="Sameness",
    explanation=(
        "How similar the demonstrations of a context are: the mean cosine over its pairs, "
        "1 when all ask the same, near 0 when they have nothing in common."
    ),
    unit="mean cosine of pairs, lower is more diverse",
    higher_is_better=None,
    source=f"{RAGSYS} (the horizontal axis of Figure 1)",
    numerators=diversity_numerators,
    denominators=diversity_denominators,
    ends=("more diverse", "less diverse"),
    group=Group.CONTEXT,
)
