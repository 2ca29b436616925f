"""Labels predicted and labels retrieved: Matthews correlation, chance, Figure 2's counts.

Labels are texts; the caller decides which of them count as the same label.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np


def matthews_correlation(predicted: Sequence[str], labels: Sequence[str]) -> float:
    """The Matthews correlation of predictions with labels, in [-1, 1]; NaN for none.

    1 where every prediction is the label, 0 where they are unrelated, and where all predictions
    or all labels are the same. With two labels it is
    `(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))`, with more Gorodkin's R_K.

    Raises:
        ValueError: As many predictions as labels are needed.

    Source: Matthews 1975; Gorodkin 2004, Comparing two K-category assignments, equation 8.
    """
    if len(predicted) != len(labels):
        raise ValueError(f"{len(predicted)} predictions for {len(labels)} labels; one each")
    n = len(labels)
    if not n:
        return math.nan
    # Integers: differences of nearly equal sums of products lose nothing.
    by_label, by_prediction = Counter(labels), Counter(predicted)
    right = sum(map(str.__eq__, predicted, labels))
    together = sum(by_label[each] * by_prediction[each] for each in by_label)
    of_labels = n * n - sum(count * count for count in by_label.values())
    of_predictions = n * n - sum(count * count for count in by_prediction.values())
    if not of_labels or not of_predictions:
        return 0.0
    return (right * n - together) / math.sqrt(of_labels * of_predictions)


def chance(pool: Sequence[str], labels: Sequence[str]) -> float:
    """The label consistency of kept demonstrations drawn blindly, in [0, 1]; NaN for none.

    Args:
        pool: The labels of all that may be kept.
        labels: Those of the queries; the result is the mean over them of the label's share.
    """
    if not len(pool) or not len(labels):
        return math.nan
    shares = Counter(pool)
    return sum(shares[each] for each in labels) / (len(pool) * len(labels))


def by_consistent(
    consistent: Sequence[int], right: Sequence[bool], d: int
) -> tuple[tuple[int, float | None], ...]:
    """For each number of consistent demonstrations from 0 to d: its queries and their accuracy.

    The accuracy is the share of these queries that is answered right, in [0, 1]; None for none.

    Args:
        consistent: How many of a query's kept demonstrations have its label, one a query, 0 to d.
        right: Whether it is answered right, one a query.
        d: How many demonstrations are kept, >= 0.

    Raises:
        ValueError: Lengths that disagree, or a number outside 0 to d.

    Source: PGRA, figure 2.
    """
    counts, hits = np.asarray(consistent, dtype=np.int64), np.asarray(right, dtype=bool)
    if counts.shape != hits.shape or counts.ndim != 1:
        raise ValueError(f"{len(consistent)} counts and {len(right)} answers; one each is needed")
    if len(counts) and not 0 <= counts.min() <= counts.max() <= d:
        raise ValueError(f"the counts are {counts.min()} to {counts.max()}; they must be 0 to {d}")
    queries = np.bincount(counts, minlength=d + 1)
    answered = np.bincount(counts[hits], minlength=d + 1)
    return tuple(
        (int(n), float(m / n) if n else None) for n, m in zip(queries, answered, strict=True)
    )
