import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics import diversity


def test_mean_of_three_cosines_by_hand():
    # 0.8, 0 and 0.6 are the cosines of these three rows.
    assert diversity([[1, 0], [0.8, 0.6], [0, 1]]) == pytest.approx(1.4 / 3)


def test_its_ends():
    assert diversity(np.tile([0.6, 0.8], (4, 1))) == pytest.approx(1)
    assert diversity(np.eye(5)) == 0
    assert diversity([[1, 0], [-1, 0]]) == -1


@pytest.mark.parametrize("k", [0, 1])
def test_fewer_than_two_rows_have_none(k):
    assert math.isnan(diversity(np.eye(3)[:k]))


@given(st.integers(0, 1000), st.integers(2, 9))
def test_equals_every_pair_in_turn_in_any_order(seed, k):
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((k, 7))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    pairs = [np.dot(rows[i], rows[j]) for i in range(k) for j in range(i)]
    assert diversity(rows) == pytest.approx(np.mean(pairs), abs=1e-12)
    assert diversity(rows[::-1]) == pytest.approx(diversity(rows), abs=1e-12)


@pytest.mark.parametrize("rows", [[1.0, 0.0], [[1.0, np.nan], [0.0, 1.0]]])
def test_what_is_no_matrix_of_numbers_is_refused(rows):
    with pytest.raises(ValueError, match="embeddings"):
        diversity(rows)
