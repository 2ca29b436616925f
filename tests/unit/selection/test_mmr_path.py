from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_oracle import (
    brute_force,
    duplicated_pool,
    exhaustive_path,
    lattice_pool,
    random_pool,
    rational_path,
    redundancies,
    relevance_of,
    tie_gap,
    tied_pool,
    unit,
)

from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path

WIDE = 1e-6
ROUNDING = 1e-15  # of two weighed values that brute force compares
POOLS = {"random": random_pool, "duplicated": duplicated_pool, "tied": tied_pool}
seeds = st.integers(0, 10_000)


def equal_slopes_pool(seed, n):
    """Value and redundancy after the first pick add up to the same for all: parallel lines."""
    _, rows, _ = random_pool(seed, n, 8, np.float64)
    relevance = 0.5 - relevance_of(rows[0], rows)
    relevance[0] = 2.0
    return relevance, rows, None


def pencil_pool(seed, n):
    """The query is a row of the pool: after it is picked all lines meet at one half."""
    _, rows, _ = random_pool(seed, n, 8, np.float64)
    return relevance_of(rows[0], rows), rows, None


def almost_tied_pool(seed, n):
    """Duplicates moved by less than a millionth: lines that almost coincide."""
    generator = np.random.default_rng(seed)
    _, rows, query = duplicated_pool(seed, n, 8, np.float64)
    rows = unit(rows + 10.0 ** generator.integers(-12, -6) * generator.standard_normal(rows.shape))
    return relevance_of(query, rows), rows, None


def orthogonal_pool(seed, n):
    """Nothing is redundant: every choice at lambda_d = 0 is a tie."""
    return np.random.default_rng(seed).integers(0, 4, size=n) / 4, np.eye(n), None


def irrelevant_pool(seed, n):
    """Nothing is relevant: only redundancy tells, and the first pick is a tie of all."""
    _, rows, _ = duplicated_pool(seed, n, 6, np.float64)
    return np.zeros(n), rows, None


def collinear_pool(seed, n):
    """Rows near one arc of a circle: lines that nearly run through one another."""
    generator = np.random.default_rng(seed)
    angles = np.sort(generator.random(n)) * 10.0 ** generator.integers(-6, 1)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return relevance_of(rows[generator.integers(n)], rows), rows, None


HARD = POOLS | {
    "lattice": lattice_pool,
    "irrelevant": irrelevant_pool,
    "collinear": collinear_pool,
    "equal slopes": equal_slopes_pool,
    "pencil": pencil_pool,
    "almost tied": almost_tied_pool,
    "orthogonal": orthogonal_pool,
}


def assert_tiles(pieces):
    assert pieces[0].low == 0.0
    assert pieces[-1].high == 1.0
    for piece, following in pairwise(pieces):
        assert piece.low < piece.high == following.low < following.high
        assert piece.indices.tolist() != following.indices.tolist()


def assert_agrees(relevance, rows, pieces, lambda_d, chosen, rounding=0.0):
    """Inside a piece the same list, or but for `rounding` as good a one; at its ends a tie."""
    for piece in pieces:
        if piece.low <= lambda_d <= piece.high:
            picks = piece.indices.tolist()
            if min(lambda_d - piece.low, piece.high - lambda_d) <= WIDE:
                assert tie_gap(relevance, rows, picks, chosen, lambda_d) <= WIDE, (piece, chosen)
            elif rounding:
                gap = tie_gap(relevance, rows, picks, chosen, lambda_d)
                assert gap <= rounding, (piece, chosen)
            else:
                assert picks == chosen, piece


def test_hand_worked_path():
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    # After row 0: row 1 weighs 0.8 x - 0.8 (1 - x) = 1.6 x - 0.8, row 2 weighs 0; they tie at 0.5.
    pieces = mmr_path([1.0, 0.8, 0.0], rows, 2)
    assert [(piece.low, piece.high) for piece in pieces] == [(0.0, 0.5), (0.5, 1.0)]
    assert [piece.indices.tolist() for piece in pieces] == [[0, 2], [0, 1]]
    assert pieces[0].indices.dtype == np.int64


@st.composite
def rational_pools(draw):
    """Cosines are quarters, values eighths: float64 holds them, and ties are everywhere."""
    n = draw(st.integers(1, 6))
    _, rows, _ = tied_pool(draw(seeds), n)
    values = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    return np.array(values) / 8, rows, draw(st.integers(1, 5))


@settings(max_examples=60)
@given(rational_pools())
def test_equals_the_path_in_rational_numbers(pool):
    relevance, rows, k = pool
    cosines = [[Fraction(float(np.dot(a, b))) for b in rows] for a in rows]
    expected = rational_path([Fraction(float(v)) for v in relevance], cosines, k)
    pieces = mmr_path(relevance, rows, k)
    assert_tiles(pieces)
    assert [piece.indices.tolist() for piece in pieces] == [picks for _, _, picks in expected]
    ends = [piece.high for piece in pieces]
    np.testing.assert_allclose(ends, [float(high) for _, high, _ in expected], atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds, n=st.integers(1, 6), k=st.integers(1, 5))
def test_misses_no_wide_piece_of_a_random_pool(seed, n, k):
    relevance, rows, _ = random_pool(seed, n, 4, np.float64)
    cosines = [[Fraction(float(np.dot(a, b))) for b in rows] for a in rows]
    pieces = mmr_path(relevance, rows, k)
    for low, high, picks in rational_path([Fraction(float(v)) for v in relevance], cosines, k):
        if high - low > WIDE:
            middle = float((low + high) / 2)
            here = next(piece for piece in pieces if piece.low <= middle < piece.high)
            assert here.indices.tolist() == picks
            assert (here.low, here.high) == pytest.approx((float(low), float(high)), abs=WIDE)


@settings(max_examples=80)
@given(
    pool=st.sampled_from(sorted(HARD)),
    seed=seeds,
    n=st.integers(2, 25),
    k=st.integers(1, 6),
    grid=st.lists(st.floats(0, 1), max_size=10),
)
def test_agrees_with_mmr_everywhere(pool, seed, n, k, grid):
    relevance, rows, _ = HARD[pool](seed, n)
    pieces = mmr_path(relevance, rows, k)
    assert_tiles(pieces)
    for piece in pieces:
        for share in (0.0, 0.01, 0.5, 0.99, 1.0):
            grid.append(min(piece.low + share * (piece.high - piece.low), 1.0))
    for lambda_d in [0.0, 0.5, 1.0, *grid]:
        chosen = mmr(relevance, rows, k, lambda_d=lambda_d).indices.tolist()
        assert_agrees(relevance, rows, pieces, lambda_d, chosen)


@settings(max_examples=80)
@given(
    pool=st.sampled_from(sorted(HARD)),
    seed=seeds,
    n=st.integers(1, 20),
    k=st.integers(1, 5),
    lambda_b=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)
def test_misses_no_piece_of_an_exhaustive_path(pool, seed, n, k, lambda_b):
    relevance, rows, _ = HARD[pool](seed, n)
    bias = -np.random.default_rng(seed).integers(1, 9, size=n) / 4
    values = lambda_b * relevance + (1 - lambda_b) * bias
    expected = exhaustive_path(
        lambda picked: -redundancies(rows, picked) if picked else values,
        lambda picked: values,
        min(k, n),
    )
    pieces = mmr_path(relevance, rows, k, lambda_b=lambda_b, quality_bias=bias)
    assert_tiles(pieces)
    for low, high, picks in expected:
        if high - low > WIDE:
            for at in (low + 1e-7, (low + high) / 2, high - 1e-7):
                (here,) = [p for p in pieces if p.low <= at < p.high]
                # Rounded sums tell true ties apart as it happens.
                assert tie_gap(values, rows, picks, here.indices.tolist(), at) <= 1e-14


@given(pool=st.sampled_from(sorted(HARD)), seed=seeds, n=st.integers(1, 40), k=st.integers(0, 6))
def test_a_gram_matrix_changes_nothing(pool, seed, n, k):
    relevance, rows, _ = HARD[pool](seed, n)
    gram = (rows @ rows.T).astype(np.float32)
    plain, faster = mmr_path(relevance, rows, k), mmr_path(relevance, rows, k, gram=gram)
    assert [(p.low, p.high, p.indices.tolist()) for p in plain] == [
        (p.low, p.high, p.indices.tolist()) for p in faster
    ]


def test_a_gram_matrix_with_a_broken_value_is_refused():
    relevance, rows, _ = random_pool(3, 50)
    gram = np.full((50, 50), np.nan)
    with pytest.raises(ValueError, match="gram holds"):
        mmr_path(relevance, rows, 3, gram=gram)


@pytest.mark.parametrize("pool", HARD)
def test_agrees_with_brute_force_on_a_dense_grid(pool):
    relevance, rows, _ = HARD[pool](11, 30)
    pieces = mmr_path(relevance, rows, 5)
    for lambda_d in np.linspace(0, 1, 301):
        chosen = brute_force(relevance, rows, 5, lambda_d)
        assert_agrees(relevance, rows, pieces, lambda_d, chosen, ROUNDING)


@pytest.mark.parametrize("pool", ["random", "duplicated"])
@pytest.mark.parametrize("lambda_b", [0.0, 0.95, 1.0])
def test_agrees_with_mmr_on_a_large_pool_with_bias_and_exclusions(pool, lambda_b):
    relevance, rows, _ = POOLS[pool](5, 2846, 64)
    generator = np.random.default_rng(5)
    knobs = {
        "lambda_b": lambda_b,
        "quality_bias": -generator.random(2846),
        "excluded": generator.random(2846) < 0.1,
    }
    pieces = mmr_path(relevance, rows, 6, **knobs)
    assert_tiles(pieces)
    for piece in pieces:
        if piece.high - piece.low > WIDE:
            for share in (0.01, 0.5, 0.99):
                lambda_d = piece.low + share * (piece.high - piece.low)
                chosen = mmr(relevance, rows, 6, lambda_d=lambda_d, **knobs)
                assert chosen.indices.tolist() == piece.indices.tolist()


@pytest.mark.parametrize("pool", HARD)
def test_where_two_pieces_meet_their_lists_tie(pool):
    relevance, rows, _ = HARD[pool](12, 25)
    for piece, following in pairwise(mmr_path(relevance, rows, 6)):
        left, right = piece.indices.tolist(), following.indices.tolist()
        assert tie_gap(relevance, rows, left, right, piece.high) <= WIDE


@given(pool=st.sampled_from(["random", "duplicated", "tied"]), seed=seeds)
def test_a_second_pick_grows_in_relevance_and_redundancy_with_lambda_d(pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 20)
    seconds = [piece.indices[1] for piece in mmr_path(relevance, rows, 2)]
    first = mmr(relevance, rows, 1, lambda_d=1).indices[0]
    cosines = relevance_of(rows[first].astype(np.float64), rows)
    assert (np.diff(relevance[seconds]) >= 0).all()
    assert (np.diff(cosines[seconds]) >= 0).all()


def test_one_pick_is_one_piece():
    relevance, rows, _ = random_pool(0, 10)
    pieces = mmr_path(relevance, rows, 1)
    assert [(p.low, p.high, p.indices.tolist()) for p in pieces] == [
        (0.0, 1.0, [int(np.argmax(relevance))])
    ]


@pytest.mark.parametrize("k", [0, 3])
def test_nothing_to_choose_is_one_empty_piece(k):
    n = 0 if k else 4
    pieces = mmr_path(np.zeros(n), np.eye(4)[:n], k)
    assert [(p.low, p.high, p.indices.tolist()) for p in pieces] == [(0.0, 1.0, [])]


def test_all_of_the_pool_and_more():
    relevance, rows, _ = random_pool(1, 6)
    for piece in mmr_path(relevance, rows, 7):
        assert sorted(piece.indices.tolist()) == list(range(6))


def test_a_pool_of_one_row_is_one_piece():
    pieces = mmr_path(np.full(9, 0.5), np.tile([0.6, 0.8], (9, 1)), 4)
    assert [piece.indices.tolist() for piece in pieces] == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"relevance": np.zeros(3)}, "relevance has shape"),
        ({"embeddings": np.full((4, 4), np.nan)}, "embeddings hold"),
        ({"k": -1}, "k is -1"),
        ({"lambda_b": 0.5}, "without quality_bias"),
        ({"lambda_b": 2, "quality_bias": -np.ones(4)}, "lambda_b is 2"),
        ({"excluded": np.zeros(3, bool)}, "excluded has shape"),
        ({"gram": np.zeros((4, 3))}, "gram has shape"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_the_path(changed, told):
    arguments = {"relevance": np.zeros(4), "embeddings": np.eye(4), "k": 3} | changed
    with pytest.raises(ValueError, match=told):
        mmr_path(**arguments)
