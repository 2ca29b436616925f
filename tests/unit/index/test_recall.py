"""Recall against hand-made indexes that miss a known share."""

import numpy as np
import pytest

from core.index import INDEXES, measure_recall


class Missing:
    """Finds every second of the true best."""

    def __init__(self, rows):
        self.flat = INDEXES["flat"].build(rows)

    def search(self, query, c, *, lambda_b=1.0):
        indices, values = self.flat.search(query, c)
        return indices[::2], values[::2]


def rows_of(n):
    angles = np.linspace(0, 1, n)
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def test_known_shares():
    rows = rows_of(20)
    assert measure_recall(INDEXES["flat"].build(rows), rows, rows[:5], 10) == 1.0
    assert measure_recall(Missing(rows), rows, rows[:5], 10) == 0.5
    assert measure_recall(Missing(rows), rows, rows[:5], 5) == pytest.approx(3 / 5)


def test_either_of_two_equal_rows_counts():
    rows = np.repeat(rows_of(5), 2, axis=0)
    reversed_index = INDEXES["flat"].build(rows)

    class OtherDouble:
        def search(self, query, c, *, lambda_b=1.0):
            indices, values = reversed_index.search(query, c)
            return indices ^ 1, values

    assert measure_recall(OtherDouble(), rows, rows[:3], 3) == 1.0


def test_more_candidates_than_rows_are_cut():
    rows = rows_of(4)
    assert measure_recall(INDEXES["flat"].build(rows), rows, rows, 100) == 1.0


@pytest.mark.parametrize(("n", "q", "c"), [(0, 1, 5), (3, 0, 5), (3, 1, 0)])
def test_nothing_to_measure(n, q, c):
    rows = rows_of(5)
    with pytest.raises(ValueError, match="at least one"):
        measure_recall(INDEXES["flat"].build(rows[:n]), rows[:n], rows[:q], c)
