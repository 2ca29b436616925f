"""Rows without a direction are refused by the name of their text."""

import numpy as np
import pytest

from core.embedding import unit_rows, unit_token_rows
from core.errors import InvalidInput


def test_rows_keep_their_direction_and_get_length_one():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, -0.5]]), ["a", "b"], "fake")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, -1.0]], atol=1e-7)


def test_very_small_and_very_large_rows_are_no_zeros():
    rows = unit_rows(np.array([[3e-11, 4e-11], [3e30, 4e30]], np.float32), ["a", "b"], "fake")
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.6, 0.8]], atol=1e-6)


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [1e-20, 0.0]])
def test_the_text_is_named(bad):
    with pytest.raises(InvalidInput, match="fake.*'the culprit';"):
        unit_rows(np.array([[1.0, 0.0], bad]), ["fine", "the culprit"], "fake")


def test_the_others_are_counted_and_a_long_text_is_cut():
    with pytest.raises(InvalidInput, match=f"'{'x' * 77}[.]{{3}}' and 2 more"):
        unit_rows(np.zeros((3, 2)), ["x" * 500, "y", "z"], "fake")


def test_no_rows():
    assert unit_rows(np.empty((0, 4)), [], "fake").shape == (0, 4)


def test_a_token_without_direction_is_left_out_and_one_that_is_not_finite_is_refused():
    rows = unit_token_rows(np.array([[0.0, 0.0], [3.0, 4.0], [1e-20, 0.0]]), "a b c", "fake")
    np.testing.assert_allclose(rows, [[0.6, 0.8]], atol=1e-7)
    assert unit_token_rows(np.zeros((2, 3)), "a b", "fake").shape == (0, 3)
    assert unit_token_rows(np.empty((0, 3)), "", "fake").shape == (0, 3)
    for bad in (np.nan, np.inf):
        with pytest.raises(InvalidInput, match="fake.*'a b';"):
            unit_token_rows(np.array([[bad, 1.0], [0.0, 1.0]]), "a b", "fake")
