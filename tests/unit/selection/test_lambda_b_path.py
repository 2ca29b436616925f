from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_oracle import (
    duplicated_pool,
    exhaustive_path,
    lattice_pool,
    random_pool,
    rational_lambda_b_path,
    redundancies,
    relevance_of,
    tie_gap,
    tied_pool,
    unit,
)

from core.selection.lambda_b_path import mmr_lambda_b_path
from core.selection.mmr import mmr

WIDE = 1e-6
ENDS_AND_BETWEEN = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0]
seeds = st.integers(0, 10_000)
# Below the least one relevance and bias are lost in the rounding of the redundancy.
lambda_ds = st.sampled_from(ENDS_AND_BETWEEN) | st.floats(1e-6, 1)


def few_biases(seed, n):
    return -np.random.default_rng(seed).integers(1, 9, size=n) / 4


def many_biases(seed, n):
    return -5 * np.random.default_rng(seed).random(n)


def random_case(seed, n):
    relevance, rows, _ = random_pool(seed, n, 8)
    return relevance, rows, many_biases(seed, n)


def duplicated_case(seed, n):
    relevance, rows, _ = duplicated_pool(seed, n, 8)
    return relevance, rows, many_biases(seed, n)


def lattice_case(seed, n):
    relevance, rows, _ = lattice_pool(seed, n)
    return relevance, rows, few_biases(seed, n)


def tied_case(seed, n):
    relevance, rows, _ = tied_pool(seed, n)
    return relevance, rows, few_biases(seed, n)


def pencil_case(seed, n):
    """The bias is a constant less relevance: every value meets at one half."""
    relevance, rows, _ = random_pool(seed, n, 8, np.float64)
    return relevance, rows, -relevance - 1


def almost_tied_case(seed, n):
    """Rows and biases that differ by less than a millionth."""
    generator = np.random.default_rng(seed)
    _, rows, query = duplicated_pool(seed, n, 8, np.float64)
    size = 10.0 ** generator.integers(-12, -6)
    rows = unit(rows + size * generator.standard_normal(rows.shape))
    return relevance_of(query, rows), rows, -1 + size * generator.standard_normal(n)


def constant_case(seed, n):
    """The bias tells nothing: lambda_b only weighs relevance against redundancy."""
    relevance, rows, _ = random_pool(seed, n, 8)
    return relevance, rows, np.full(n, -1.5)


CASES = {
    "random": random_case,
    "duplicated": duplicated_case,
    "lattice": lattice_case,
    "tied": tied_case,
    "pencil": pencil_case,
    "almost tied": almost_tied_case,
    "constant": constant_case,
}
COINCIDING = ("tied", "lattice")
"""Here lines coincide though neither relevance nor bias nor redundancy do: rounding tells them
apart, at each lambda_b anew."""


def assert_tiles(pieces):
    assert pieces[0].low == 0.0
    assert pieces[-1].high == 1.0
    for piece, following in pairwise(pieces):
        assert piece.low < piece.high == following.low < following.high
        assert piece.indices.tolist() != following.indices.tolist()


def gap_at(case, some, others, lambda_d, lambda_b):
    """How far apart two lists of picks are in value where they first differ; 0 if they agree."""
    relevance, rows, bias = case
    values = lambda_b * relevance + (1 - lambda_b) * bias
    return tie_gap(values, rows, some, others, lambda_d)


def test_hand_worked_path():
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    # Values at x: row 0 is x - 2 (1 - x) = 3 x - 2, row 1 is 1.8 x - 1, row 2 is x - 1: row 1
    # passes row 2 at 0 and row 0 passes row 1 at 5 / 6.
    # At lambda_d = 0.5, after row 1 come row 0 at 1.5 x - 1.4 and row 2 at 0.5 x - 0.8: at 0.6;
    # after row 0 come row 1 at 0.9 x - 0.9 and row 2 at 0.5 x - 0.5: always row 2.
    pieces = mmr_lambda_b_path(
        [1.0, 0.8, 0.0], rows, 2, lambda_d=0.5, quality_bias=[-2.0, -1.0, -1.0]
    )
    assert [piece.indices.tolist() for piece in pieces] == [[1, 2], [1, 0], [0, 2]]
    assert [piece.high for piece in pieces] == pytest.approx([0.6, 5 / 6, 1.0])
    assert pieces[0].indices.dtype == np.int64


@settings(max_examples=60)
@given(
    seed=seeds, n=st.integers(1, 5), k=st.integers(1, 4), lambda_d=st.sampled_from([0, 1, 2, 3, 4])
)
def test_equals_the_path_in_rational_numbers(seed, n, k, lambda_d):
    relevance, rows, bias = tied_case(seed, n)
    cosines = [[Fraction(float(np.dot(a, b))) for b in rows] for a in rows]
    expected = rational_lambda_b_path(
        [Fraction(float(r)) for r in relevance],
        [Fraction(float(b)) for b in bias],
        cosines,
        k,
        Fraction(lambda_d, 4),
    )
    pieces = mmr_lambda_b_path(relevance, rows, k, lambda_d=lambda_d / 4, quality_bias=bias)
    assert_tiles(pieces)
    assert [piece.indices.tolist() for piece in pieces] == [picks for _, _, picks in expected]
    ends = [piece.high for piece in pieces]
    np.testing.assert_allclose(ends, [float(high) for _, high, _ in expected], atol=1e-12)


@settings(max_examples=80)
@given(
    case=st.sampled_from(sorted(CASES)),
    seed=seeds,
    n=st.integers(1, 20),
    k=st.integers(1, 5),
    lambda_d=lambda_ds,
)
def test_misses_no_piece_of_an_exhaustive_path(case, seed, n, k, lambda_d):
    relevance, rows, bias = CASES[case](seed, n)

    def weights_with(part):
        def after(picked):
            weight = lambda_d if picked else 1.0
            return weight * part - (1 - weight) * redundancies(rows, picked)

        return after

    expected = exhaustive_path(weights_with(bias), weights_with(relevance), min(k, n))
    pieces = mmr_lambda_b_path(relevance, rows, k, lambda_d=lambda_d, quality_bias=bias)
    assert_tiles(pieces)
    for low, high, picks in expected:
        if high - low > WIDE:
            for at in (low + 1e-7, (low + high) / 2, high - 1e-7):
                (here,) = [p for p in pieces if p.low <= at < p.high]
                chosen = here.indices.tolist()
                assert gap_at((relevance, rows, bias), picks, chosen, lambda_d, at) <= 1e-14


@settings(max_examples=80)
@given(
    case=st.sampled_from(sorted(CASES)),
    seed=seeds,
    n=st.integers(1, 25),
    k=st.integers(1, 6),
    lambda_d=lambda_ds,
)
def test_agrees_with_mmr_inside_every_piece_and_ties_at_its_ends(case, seed, n, k, lambda_d):
    relevance, rows, bias = CASES[case](seed, n)
    pieces = mmr_lambda_b_path(relevance, rows, k, lambda_d=lambda_d, quality_bias=bias)
    assert_tiles(pieces)
    for piece in pieces:
        picks = piece.indices.tolist()
        for share in (0.0, 0.01, 0.5, 0.99, 1.0):
            at = min(piece.low + share * (piece.high - piece.low), 1.0)
            found = mmr(relevance, rows, k, lambda_d=lambda_d, lambda_b=at, quality_bias=bias)
            chosen = found.indices.tolist()
            gap = gap_at((relevance, rows, bias), picks, chosen, lambda_d, at)
            if min(at - piece.low, piece.high - at) <= WIDE:
                assert gap <= WIDE
            elif case in COINCIDING:
                assert gap <= 1e-15
            else:
                assert chosen == picks


@pytest.mark.parametrize("lambda_d", ENDS_AND_BETWEEN)
def test_its_ends_are_bias_only_and_relevance_only(lambda_d):
    relevance, rows, bias = random_case(7, 60)
    pieces = mmr_lambda_b_path(relevance, rows, 6, lambda_d=lambda_d, quality_bias=bias)
    only = mmr(relevance, rows, 6, lambda_d=lambda_d, lambda_b=0.0, quality_bias=bias)
    none = mmr(relevance, rows, 6, lambda_d=lambda_d)
    assert pieces[0].indices.tolist() == only.indices.tolist()
    assert pieces[-1].indices.tolist() == none.indices.tolist()
    assert len({piece.indices[0] for piece in pieces}) > 1


@pytest.mark.parametrize("lambda_d", [0.0, 0.75, 1.0])
def test_agrees_with_mmr_on_a_large_pool_with_exclusions(lambda_d):
    relevance, rows, _ = duplicated_pool(5, 2846, 64)
    knobs = {
        "lambda_d": lambda_d,
        "quality_bias": many_biases(5, 2846),
        "excluded": np.random.default_rng(5).random(2846) < 0.1,
    }
    pieces = mmr_lambda_b_path(relevance, rows, 6, **knobs)
    again = mmr_lambda_b_path(relevance, rows, 6, gram=rows @ rows.T, **knobs)
    assert_tiles(pieces)
    for piece, same in zip(pieces, again, strict=True):
        assert (piece.low, piece.indices.tolist()) == (same.low, same.indices.tolist())
        middle = (piece.low + piece.high) / 2
        chosen = mmr(relevance, rows, 6, lambda_b=middle, **knobs).indices.tolist()
        assert piece.indices.tolist() == chosen


@pytest.mark.parametrize(("n", "k"), [(4, 0), (0, 3)])
def test_nothing_to_choose_is_one_empty_piece(n, k):
    pieces = mmr_lambda_b_path(
        np.zeros(n), np.eye(4)[:n], k, lambda_d=0.5, quality_bias=np.zeros(n)
    )
    assert [(p.low, p.high, p.indices.tolist()) for p in pieces] == [(0.0, 1.0, [])]


def test_all_of_the_pool_and_more():
    relevance, rows, bias = random_case(1, 6)
    for k in (6, 7):
        for piece in mmr_lambda_b_path(relevance, rows, k, lambda_d=0.5, quality_bias=bias):
            assert sorted(piece.indices.tolist()) == list(range(6))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"lambda_d": 1.5}, "lambda_d is 1.5"),
        ({"lambda_d": float("nan")}, "lambda_d is nan"),
        ({"quality_bias": np.zeros(3)}, "quality_bias has shape"),
        ({"quality_bias": np.full(4, np.nan)}, "quality_bias holds"),
        ({"embeddings": np.full((4, 4), np.inf)}, "embeddings hold"),
        ({"k": -1}, "k is -1"),
        ({"gram": np.zeros((3, 3))}, "gram has shape"),
    ],
)
def test_what_cannot_be_meant_is_refused(changed, told):
    arguments = {
        "relevance": np.zeros(4),
        "embeddings": np.eye(4),
        "k": 3,
        "lambda_d": 0.5,
        "quality_bias": -np.ones(4),
    } | changed
    with pytest.raises(ValueError, match=told):
        mmr_lambda_b_path(**arguments)
