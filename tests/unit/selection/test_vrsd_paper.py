"""What the paper of VRSD says of it, by hand-worked angles and brute force; and what is not so."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selection_oracle import random_pool

from core.metrics import cos_sum, wins
from core.selection.mmr import mmr
from core.selection.vrsd import exhaustive, vrsd

A, B, C, D = range(4)
QUERY = np.array([1.0, 0.0])
seeds = st.integers(0, 10_000)


def at(*degrees):
    turns = np.radians(degrees)
    return np.column_stack([np.cos(turns), np.sin(turns)])


ANGLES = at(10, 15, -40, 80)


def sums(indices, rows=ANGLES):
    """The cosine of the sum after each pick."""
    return [cos_sum(rows[indices[: step + 1]], QUERY) for step in range(len(indices))]


def test_vrsd_on_four_angles():
    chosen = vrsd(QUERY, ANGLES, 4)
    assert chosen.indices.tolist() == [A, B, C, D]
    np.testing.assert_allclose(chosen.values, [0.984808, 0.976296, 0.997017, 0.965926], atol=1e-6)


@pytest.mark.parametrize(
    ("lambda_d", "order", "values"),
    [
        (0.0, [A, D, C], [0.984808, 0.707107, 0.965926]),
        (0.5, [A, C, B], [0.984808, 0.965926, 0.997017]),
        (1.0, [A, B, C], [0.984808, 0.976296, 0.997017]),
    ],
)
def test_mmr_on_four_angles(lambda_d, order, values):
    chosen = mmr(ANGLES @ QUERY, ANGLES, 3, lambda_d=lambda_d, lambda_b=1.0)
    assert chosen.indices.tolist() == order
    np.testing.assert_allclose(sums(order), values, atol=1e-6)


@given(seed=seeds, n=st.integers(1, 9), lambda_d=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_with_as_many_candidates_as_are_chosen_only_the_order_differs(seed, n, lambda_d):
    _, rows, query = random_pool(seed, n)
    ours = vrsd(query, rows, n).indices
    theirs = mmr(rows @ query, rows, n, lambda_d=lambda_d, lambda_b=1.0).indices
    assert set(ours.tolist()) == set(theirs.tolist())
    one, other = [cos_sum(rows[ours], query)], [cos_sum(rows[theirs], query)]
    found = wins(one, other)
    assert (found.win_rate, found.ties, found.n) == (0.0, 1, 1)


@given(seed=seeds, n=st.integers(2, 12), k=st.integers(1, 6))
def test_no_method_is_ahead_of_the_best_set(seed, n, k):
    _, rows, query = random_pool(seed, n)
    best = exhaustive(query, rows, k).values[-1]
    assert cos_sum(rows[vrsd(query, rows, k).indices], query) <= best + 1e-6
    for lambda_d in (0.0, 0.5, 1.0):
        chosen = mmr(rows @ query, rows, k, lambda_d=lambda_d, lambda_b=1.0)
        assert cos_sum(rows[chosen.indices], query) <= best + 1e-6


@given(pairs=st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=20))
def test_wins_ties_and_losses_sum_to_one_and_one_side_is_ahead(pairs):
    ours, theirs = np.array(pairs).T
    found = wins(ours, theirs)
    assert found.wins + found.ties + found.losses == found.n == len(pairs)
    assert found.max_diff >= -found.max_diff_reverse


def test_k_subset_sum_is_the_question_whether_a_sum_points_at_the_query():
    # Rows (t, 1) and the query (s, k): the sum of k rows is (sum t, k), which points exactly at the
    # query where sum t = s. The rows are no unit vectors, so `exhaustive` cannot be asked.
    numbers, k, target = np.array([3, 5, 7, 11, 13]), 3, 23
    rows = np.column_stack([numbers, np.ones(5)])
    query = np.array([target, k], dtype=float)

    def cosine(members):
        total = rows[list(members)].sum(axis=0)
        return total @ query / np.linalg.norm(total) / np.linalg.norm(query)

    tried = {members: cosine(members) for members in combinations(range(5), k)}
    assert len(tried) == 10
    exact = [members for members, value in tried.items() if value > 1 - 1e-12]
    assert [numbers[list(members)].tolist() for members in exact] == [[3, 7, 13], [5, 7, 11]]


def test_the_rest_is_not_chosen_by_its_cosine_with_the_query_less_the_first():
    first, b, c = np.array([0.8, 0.6]), np.array([0.1**0.5, -(0.9**0.5)]), np.array([0.8, -0.6])
    chosen = vrsd(QUERY, np.stack([first, b, c]), 2)
    assert chosen.indices.tolist() == [0, 2]
    assert chosen.values[-1] == pytest.approx(1)
    assert cos_sum([first, b], QUERY) == pytest.approx(0.9545, abs=5e-5)
    rest = (QUERY - first) / np.linalg.norm(QUERY - first)
    assert rest @ b == pytest.approx(1)
    assert rest @ c == pytest.approx(0.8222, abs=5e-5)
    assert math.isclose(np.linalg.norm(b), 1)
