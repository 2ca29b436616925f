"""The exact paths over lambda_d and over lambda_b: the same laws apply to both."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_oracle import (
    brute_force,
    exhaustive_path,
    random_pool,
    rational_path,
    redundancies,
    relevance_of,
    tie_gap,
)
from selection_pools import POOLS, duplicated_case, random_case, tied_case

from core.selection import cosines, path_tree
from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path
from core.selection.path_tree import mmr_lambda_b_path

OVER_D, OVER_B = "lambda_d", "lambda_b"
PATHS = {OVER_D: mmr_path, OVER_B: mmr_lambda_b_path}
WIDE = 1e-6
ROUNDING = 1e-15  # of two weighed values
ENDS_AND_BETWEEN = [0.0, 0.25, 0.5, 0.75, 0.95, 1.0]
seeds = st.integers(0, 10_000)


COINCIDING = {
    OVER_D: ("tied", "lattice", "orthogonal", "pencil"),
    OVER_B: ("tied", "lattice", "orthogonal"),
}
"""With bias, lines coincide here though neither relevance nor bias nor redundancy do: rounding
separates them, differently at each lambda."""


@dataclass(frozen=True)
class Case:
    """A pool, and one lambda that runs from 0 to 1 while the other one is fixed."""

    over: str
    pool: str
    arrays: Any  # relevance, rows, bias or None
    k: int
    other: float

    def pieces(self, **more):
        relevance, rows, bias = self.arrays
        fixed = {OVER_B if self.over == OVER_D else OVER_D: self.other}
        pieces = PATHS[self.over](relevance, rows, self.k, quality_bias=bias, **fixed, **more)
        assert_tiles(pieces)
        return pieces

    def lambdas(self, at):
        """lambda_d and lambda_b at a place."""
        return (at, self.other) if self.over == OVER_D else (self.other, at)

    def values(self, lambda_b):
        relevance, _, bias = self.arrays
        return relevance if bias is None else lambda_b * relevance + (1 - lambda_b) * bias

    def chosen(self, at, **more):
        relevance, rows, bias = self.arrays
        lambda_d, lambda_b = self.lambdas(at)
        knobs = {"lambda_d": lambda_d, "lambda_b": lambda_b, "quality_bias": bias}
        return mmr(relevance, rows, self.k, **knobs, **more).indices.tolist()

    def gap(self, some, others, at):
        """How far apart two lists are in value where they first differ; 0 if they agree."""
        lambda_d, lambda_b = self.lambdas(at)
        return tie_gap(self.values(lambda_b), self.arrays[1], some, others, lambda_d)


@st.composite
def cases(draw, most, k=6, pools=tuple(POOLS), biased=False):
    """Any pool of at most so many rows, over either lambda; over lambda_d also without bias."""
    over, pool = draw(st.sampled_from([OVER_D, OVER_B])), draw(st.sampled_from(sorted(pools)))
    relevance, rows, bias = POOLS[pool](draw(seeds), draw(st.integers(1, most)))
    other = draw(st.sampled_from(ENDS_AND_BETWEEN))
    if over == OVER_B:
        # Below the least one relevance and bias are lost in the rounding of the redundancy.
        other = draw(st.just(other) | st.floats(1e-6, 1))
    elif not biased and draw(st.booleans()):
        bias, other = None, 1.0
    return Case(over, pool, (relevance, rows, bias), draw(st.integers(1, k)), other)


def assert_tiles(pieces):
    assert pieces[0].low == 0.0
    assert pieces[-1].high == 1.0
    for piece, following in pairwise(pieces):
        assert piece.low < piece.high == following.low < following.high
        assert piece.indices.tolist() != following.indices.tolist()


def listed(pieces):
    return [(piece.low, piece.high, piece.indices.tolist()) for piece in pieces]


def assert_alike(pieces, same):
    """What is hardly wider than the rounding of its ends may be there in one of the two only."""
    for some, others in ((pieces, same), (same, pieces)):
        for piece in some:
            if piece.high - piece.low > 1e-10:
                middle = (piece.low + piece.high) / 2
                (other,) = [p for p in others if p.low <= middle < p.high]
                assert other.indices.tolist() == piece.indices.tolist()
                assert (other.low, other.high) == pytest.approx((piece.low, piece.high), abs=1e-11)


def test_hand_worked_path_over_lambda_d():
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    # After row 0: row 1 weighs 0.8 x - 0.8 (1 - x) = 1.6 x - 0.8, row 2 weighs 0; they tie at 0.5.
    pieces = mmr_path([1.0, 0.8, 0.0], rows, 2)
    assert listed(pieces) == [(0.0, 0.5, [0, 2]), (0.5, 1.0, [0, 1])]
    assert pieces[0].indices.dtype == np.int64


def test_hand_worked_path_over_lambda_b():
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


@st.composite
def rational_cases(draw):
    """Cosines are quarters, values eighths: exact in float64, and ties are everywhere."""
    n = draw(st.integers(1, 6))
    relevance, rows, bias = tied_case(draw(seeds), n)
    if draw(st.booleans()):
        relevance = np.array(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))) / 8
    over, other = draw(st.sampled_from([OVER_D, OVER_B])), draw(st.integers(0, 4)) / 4
    return Case(over, "tied", (relevance, rows, bias), draw(st.integers(1, 5)), other)


@given(rational_cases())
def test_equals_the_path_in_rational_numbers(case):
    relevance, rows, bias = case.arrays
    expected = rational_path(
        [Fraction(float(r)) for r in relevance],
        [Fraction(float(b)) for b in bias],
        [[Fraction(float(np.dot(a, b))) for b in rows] for a in rows],
        case.k,
        lambda at: tuple(map(Fraction, case.lambdas(at))),
    )
    pieces = case.pieces()
    assert [piece.indices.tolist() for piece in pieces] == [picks for _, _, picks in expected]
    ends = [piece.high for piece in pieces]
    np.testing.assert_allclose(ends, [float(high) for _, high, _ in expected], atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds, n=st.integers(1, 6), k=st.integers(1, 5))
def test_misses_no_wide_piece_of_a_random_pool(seed, n, k):
    relevance, rows, _ = random_pool(seed, n, 4, np.float64)
    cosines = [[Fraction(float(np.dot(a, b))) for b in rows] for a in rows]
    exact = [Fraction(float(v)) for v in relevance]
    pieces = mmr_path(relevance, rows, k)
    for low, high, picks in rational_path(exact, exact, cosines, k, lambda at: (at, Fraction(1))):
        if high - low > WIDE:
            middle = float((low + high) / 2)
            here = next(piece for piece in pieces if piece.low <= middle < piece.high)
            assert here.indices.tolist() == picks
            assert (here.low, here.high) == pytest.approx((float(low), float(high)), abs=WIDE)


@given(cases(most=20, k=5))
def test_misses_no_piece_of_an_exhaustive_path(case):
    def weights_at(end):
        def after(picked):
            lambda_d, lambda_b = case.lambdas(end)
            values = case.values(lambda_b)
            if not picked:
                return values
            return lambda_d * values - (1 - lambda_d) * redundancies(case.arrays[1], picked)

        return after

    steps = min(case.k, len(case.arrays[1]))
    pieces = case.pieces()
    for low, high, picks in exhaustive_path(weights_at(0.0), weights_at(1.0), steps):
        if high - low > WIDE:
            for at in (low + 1e-7, (low + high) / 2, high - 1e-7):
                (here,) = [p for p in pieces if p.low <= at < p.high]
                # Rounded sums separate true ties arbitrarily.
                assert case.gap(picks, here.indices.tolist(), at) <= 1e-14


@given(case=cases(most=25), grid=st.lists(st.floats(0, 1), max_size=10))
def test_agrees_with_mmr_inside_every_piece_and_ties_at_its_ends(case, grid):
    pieces = case.pieces()
    for piece in pieces:
        for share in (0.0, 0.01, 0.5, 0.99, 1.0):
            grid.append(min(piece.low + share * (piece.high - piece.low), 1.0))
    for at in [0.0, 0.5, 1.0, *grid]:
        chosen = case.chosen(at)
        for piece in pieces:
            if piece.low <= at <= piece.high:
                picks = piece.indices.tolist()
                if min(at - piece.low, piece.high - at) <= WIDE:
                    assert case.gap(picks, chosen, at) <= WIDE
                elif case.arrays[2] is not None and case.pool in COINCIDING[case.over]:
                    assert case.gap(picks, chosen, at) <= ROUNDING
                else:
                    assert picks == chosen


@given(cases(most=25))
def test_where_two_pieces_meet_their_lists_tie(case):
    for piece, following in pairwise(case.pieces()):
        assert case.gap(piece.indices.tolist(), following.indices.tolist(), piece.high) <= WIDE


@pytest.mark.parametrize("pool", POOLS)
def test_agrees_with_brute_force_on_a_dense_grid(pool):
    relevance, rows, _ = POOLS[pool](11, 30)
    case = Case(OVER_D, pool, (relevance, rows, None), 5, 1.0)
    pieces = case.pieces()
    for at in np.linspace(0, 1, 301):
        chosen = brute_force(relevance, rows, 5, at)
        for piece in pieces:
            if piece.low <= at <= piece.high:
                near_an_end = min(at - piece.low, piece.high - at) <= WIDE
                gap = case.gap(piece.indices.tolist(), chosen, at)
                assert gap <= (WIDE if near_an_end else ROUNDING)


@given(case=cases(most=40))
def test_a_gram_matrix_changes_nothing(case):
    rows = case.arrays[1]
    gram = (rows @ rows.T).astype(np.float32)
    assert_alike(case.pieces(), case.pieces(gram=gram))


@given(case=cases(most=150))
def test_leaving_out_who_cannot_win_changes_nothing(case):
    def every_open_line(left, right, margin):
        return np.flatnonzero(left > -np.inf)

    pieces = case.pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_tree, "near_highest", every_open_line)
        assert_alike(case.pieces(), pieces)


@given(case=cases(most=60, k=10))
def test_growing_every_order_of_the_same_picks_alone_changes_nothing(case):
    pieces = case.pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_tree, "_picked", lambda prefix: tuple(prefix.chosen))
        assert_alike(case.pieces(), pieces)


@given(case=cases(most=40, k=10), most=st.integers(0, 120))
def test_branches_that_take_turns_change_nothing(case, most):
    pieces = case.pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosines, "MOST_COSINES", most)
        assert_alike(case.pieces(), pieces)


@pytest.mark.parametrize("pool", [random_case, duplicated_case])
@pytest.mark.parametrize("over", PATHS)
@pytest.mark.parametrize("other", [0.0, 0.75, 0.95, 1.0])
def test_agrees_with_mmr_on_a_large_pool_with_bias_and_exclusions(pool, over, other):
    case = Case(over, "large", pool(5, 2846, 64), 6, other)
    excluded = np.random.default_rng(5).random(2846) < 0.1
    pieces = case.pieces(excluded=excluded)
    rows = case.arrays[1]
    assert listed(case.pieces(excluded=excluded, gram=rows @ rows.T)) == listed(pieces)
    for piece in pieces:
        if piece.high - piece.low > WIDE:
            for share in (0.01, 0.5, 0.99):
                at = piece.low + share * (piece.high - piece.low)
                assert case.chosen(at, excluded=excluded) == piece.indices.tolist()


@given(pool=st.sampled_from(["random", "duplicated", "tied"]), seed=seeds)
def test_a_second_pick_grows_in_relevance_and_redundancy_with_lambda_d(pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 20)
    seconds = [piece.indices[1] for piece in mmr_path(relevance, rows, 2)]
    first = mmr(relevance, rows, 1, lambda_d=1).indices[0]
    cosines = relevance_of(rows[first].astype(np.float64), rows)
    assert (np.diff(relevance[seconds]) >= 0).all()
    assert (np.diff(cosines[seconds]) >= 0).all()


@pytest.mark.parametrize("lambda_d", ENDS_AND_BETWEEN)
def test_the_ends_of_lambda_b_are_bias_only_and_relevance_only(lambda_d):
    relevance, rows, bias = random_case(7, 60)
    pieces = mmr_lambda_b_path(relevance, rows, 6, lambda_d=lambda_d, quality_bias=bias)
    only = mmr(relevance, rows, 6, lambda_d=lambda_d, lambda_b=0.0, quality_bias=bias)
    none = mmr(relevance, rows, 6, lambda_d=lambda_d)
    assert pieces[0].indices.tolist() == only.indices.tolist()
    assert pieces[-1].indices.tolist() == none.indices.tolist()
    assert len({piece.indices[0] for piece in pieces}) > 1


def test_one_pick_is_one_piece_over_lambda_d():
    relevance, rows, _ = random_pool(0, 10)
    assert listed(mmr_path(relevance, rows, 1)) == [(0.0, 1.0, [int(np.argmax(relevance))])]


@pytest.mark.parametrize("over", PATHS)
@pytest.mark.parametrize(("n", "k"), [(4, 0), (0, 3)])
def test_nothing_to_choose_is_one_empty_piece(over, n, k):
    case = Case(over, "empty", (np.zeros(n), np.eye(4)[:n], np.zeros(n)), k, 0.5)
    assert listed(case.pieces()) == [(0.0, 1.0, [])]


@pytest.mark.parametrize("over", PATHS)
@pytest.mark.parametrize("k", [6, 7])
def test_all_of_the_pool_and_more(over, k):
    for piece in Case(over, "random", random_case(1, 6), k, 0.5).pieces():
        assert sorted(piece.indices.tolist()) == list(range(6))


@pytest.mark.parametrize("over", PATHS)
def test_a_pool_of_one_row_is_one_piece(over):
    arrays = np.full(9, 0.5), np.tile([0.6, 0.8], (9, 1)), np.full(9, -1.0)
    assert listed(Case(over, "one row", arrays, 4, 0.5).pieces()) == [(0.0, 1.0, [0, 1, 2, 3])]


@pytest.mark.parametrize(
    ("over", "changed", "message"),
    [
        (over, changed, message)
        for over in PATHS
        for changed, message in [
            ({"relevance": np.zeros(3)}, "relevance has shape"),
            ({"embeddings": np.full((4, 4), np.nan)}, "embeddings contain"),
            ({"embeddings": np.full((4, 4), np.inf)}, "embeddings contain"),
            ({"k": -1}, "k is -1"),
            ({"quality_bias": np.zeros(3)}, "quality_bias has shape"),
            ({"quality_bias": np.full(4, np.nan)}, "quality_bias contains"),
            ({"excluded": np.zeros(3, bool)}, "excluded has shape"),
            ({"gram": np.zeros((4, 3))}, "gram has shape"),
            ({"gram": np.full((4, 4), np.nan)}, "gram contains"),
        ]
    ]
    + [
        (OVER_D, {"quality_bias": None}, "without quality_bias"),
        (OVER_D, {"lambda_b": 2}, "lambda_b is 2"),
        (OVER_B, {"lambda_d": 1.5}, "lambda_d is 1.5"),
        (OVER_B, {"lambda_d": float("nan")}, "lambda_d is nan"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_the_paths(over, changed, message):
    fixed = OVER_B if over == OVER_D else OVER_D
    arguments = {"relevance": np.zeros(4), "embeddings": np.eye(4), "k": 3, fixed: 0.5}
    with pytest.raises(ValueError, match=message):
        PATHS[over](**arguments | {"quality_bias": -np.ones(4)} | changed)
