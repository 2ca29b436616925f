"""The triangle of weights: its cells tile it, and in each `mmr` chooses just that list."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_oracle import random_pool, rational_picks, tie_gap
from selection_pools import POOLS, duplicated_case, random_case, tied_case

from core.selection import cosines
from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path
from core.selection.mmr_triangle import by_context, mmr_triangle
from core.selection.path_tree import mmr_lambda_b_path

SIMILAR, LIKELY, DIVERSE = np.eye(3)
WIDE = 1e-6
ROUNDING = 1e-15  # of two weighed values
COINCIDING = ("tied", "lattice", "orthogonal", "pencil")
"""Planes coincide here though neither relevance nor bias nor redundancy do: rounding separates
them, differently at each place."""

seeds = st.integers(0, 10_000)
weights = st.tuples(*[st.floats(1e-3, 1)] * 3).map(lambda w: np.array(w) / sum(w))


def triangle_of(arrays, k, **more):
    relevance, rows, bias = arrays
    cells = mmr_triangle(relevance, rows, k, quality_bias=bias, **more)
    assert sum(cell.share for cell in cells) == pytest.approx(1, abs=1e-9)
    for cell in cells:
        assert len(cell.polygon) >= 3
        np.testing.assert_allclose(cell.polygon.sum(axis=1), 1, atol=1e-12)
        assert (cell.polygon >= 0).all()
        assert is_convex(cell.polygon[:, :2])
    return cells


def is_convex(corners):
    """Every corner is on one side of every edge, but for rounding."""
    edges, to_corner = np.roll(corners, -1, axis=0) - corners, corners - corners[:, None]
    across = edges[:, :1] * to_corner[:, :, 1] - edges[:, 1:] * to_corner[:, :, 0]
    return (across > -1e-15).all() or (across < 1e-15).all()


def lambdas(place):
    x, y, z = map(float, place)
    return {"lambda_d": min(1.0, max(0.0, 1 - z)), "lambda_b": x / (x + y) if x + y else 1.0}


def chosen_at(arrays, k, place, **more):
    relevance, rows, bias = arrays
    picks = mmr(relevance, rows, k, quality_bias=bias, **lambdas(place), **more)
    return picks.indices.tolist()


def gap_at(arrays, some, others, place):
    """How far apart two lists are in value where they first differ; 0 if they agree."""
    relevance, rows, bias = arrays
    knobs = lambdas(place)
    values = knobs["lambda_b"] * relevance + (1 - knobs["lambda_b"]) * bias
    return tie_gap(values, rows, some, others, knobs["lambda_d"])


def depth(cell, place):
    """How far inside a cell a place is: its distance from the nearest edge; outside, below 0."""
    corners = cell.polygon[:, :2]
    edges = np.roll(corners, -1, axis=0) - corners
    to_place = np.asarray(place)[:2] - corners
    across = edges[:, 0] * to_place[:, 1] - edges[:, 1] * to_place[:, 0]
    distances = across / np.linalg.norm(edges, axis=1)
    return max(distances.min(), (-distances).min())


def cell_at(cells, place):
    return max(cells, key=lambda cell: depth(cell, place))


@st.composite
def pools(draw, most, biggest_k=6):
    """The arrays of any pool of at most so many rows, its name, and a k."""
    name = draw(st.sampled_from(sorted(POOLS)))
    arrays = POOLS[name](draw(seeds), draw(st.integers(1, most)))
    return arrays, name, draw(st.integers(1, biggest_k))


def assert_exact(arrays, k):
    """In exact arithmetic every cell's list wins at its middle and just inside each of its corners.

    The places where one list wins are convex, so it wins in all of the cell; and the cells leave
    nothing of the triangle over.
    """
    relevance, rows, bias = arrays
    relevance = [Fraction(float(r)) for r in relevance]
    bias = [Fraction(float(b)) for b in bias]
    rows = rows.astype(np.float64)
    cosines = [[Fraction(float(np.vecdot(a, b))) for b in rows] for a in rows]
    for cell in triangle_of(arrays, k):
        middle = cell.polygon.mean(axis=0)
        for corner in [middle, *cell.polygon]:
            x, y, z = map(Fraction, map(float, corner + 1e-6 * (middle - corner)))
            values = [(x * r + y * b) / (x + y) for r, b in zip(relevance, bias, strict=True)]
            picks = rational_picks(values, cosines, k, (x + y) / (x + y + z))
            assert picks == cell.indices.tolist()


def any_exact_pool(seed):
    """Half of them tie in many ways; the others are random, in few dimensions."""
    generator = np.random.default_rng(seed)
    n, k = int(generator.integers(1, 10)), int(generator.integers(1, 6))
    if seed % 2:
        return tied_case(seed, n), k
    relevance, rows, _ = random_pool(seed, n, 4, np.float64)
    return (relevance, rows, -5 * generator.random(n)), k


@settings(max_examples=60)
@given(seed=seeds)
def test_is_exact(seed):
    assert_exact(*any_exact_pool(seed))


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_is_exact_on_ten_thousand_pools():
    for seed in range(20_000, 30_000):
        assert_exact(*any_exact_pool(seed))


@given(case=pools(most=25), places=st.lists(weights, max_size=8))
def test_agrees_with_mmr_inside_every_cell(case, places):
    arrays, name, k = case
    cells = triangle_of(arrays, k)
    for cell in cells:
        middle = cell.polygon.mean(axis=0)
        places += [middle, *(0.9 * cell.polygon + 0.1 * middle)]
    for place in places:
        here = cell_at(cells, place)
        picks, chosen = here.indices.tolist(), chosen_at(arrays, k, place)
        if depth(here, place) <= WIDE:
            assert gap_at(arrays, picks, chosen, place) <= WIDE
        elif name in COINCIDING:
            assert gap_at(arrays, picks, chosen, place) <= ROUNDING
        else:
            assert picks == chosen


@given(case=pools(most=20), place=weights)
def test_no_two_cells_overlap(case, place):
    arrays, _, k = case
    cells = triangle_of(arrays, k)
    assert sum(depth(cell, place) > 1e-9 for cell in cells) <= 1


@given(case=pools(most=20), place=weights)
def test_its_sections_are_the_paths(case, place):
    """Where a line goes through the middle of a cell, the path along it has the cell's list."""
    arrays, name, k = case
    relevance, rows, bias = arrays
    cells = triangle_of(arrays, k)
    knobs = lambdas(place)
    over_d = mmr_path(relevance, rows, k, lambda_b=knobs["lambda_b"], quality_bias=bias)
    over_b = mmr_lambda_b_path(relevance, rows, k, lambda_d=knobs["lambda_d"], quality_bias=bias)
    edge = knobs["lambda_b"] * SIMILAR + (1 - knobs["lambda_b"]) * LIKELY
    left, right = (knobs["lambda_d"] * end + (1 - knobs["lambda_d"]) * DIVERSE
                   for end in (LIKELY, SIMILAR))  # fmt: skip
    for pieces, start, end in ((over_d, DIVERSE, edge), (over_b, left, right)):
        for piece in pieces:
            at = (piece.low + piece.high) / 2
            here = cell_at(cells, start + at * (end - start))
            if piece.high - piece.low > WIDE and depth(here, start + at * (end - start)) > WIDE:
                picks, listed = here.indices.tolist(), piece.indices.tolist()
                if name in COINCIDING:
                    place = start + at * (end - start)
                    assert gap_at(arrays, picks, listed, place) <= ROUNDING
                else:
                    assert picks == listed


@pytest.mark.parametrize("pool", [random_case, duplicated_case])
@pytest.mark.parametrize("share", [0.05, 0.4, 0.95])
def test_a_line_through_it_meets_every_piece_of_the_path(pool, share):
    """The cells that a line runs through for more than 1e-6 are the pieces, in their order."""
    relevance, rows, bias = arrays = pool(3, 60)
    cells = triangle_of(arrays, 5)
    edge = share * SIMILAR + (1 - share) * LIKELY
    left, right = share * LIKELY + (1 - share) * DIVERSE, share * SIMILAR + (1 - share) * DIVERSE
    over_d = mmr_path(relevance, rows, 5, lambda_b=share, quality_bias=bias)
    over_b = mmr_lambda_b_path(relevance, rows, 5, lambda_d=share, quality_bias=bias)
    for pieces, start, end in ((over_d, DIVERSE, edge), (over_b, left, right)):
        crossed = sorted(
            (low, high, cell.indices.tolist())
            for cell in cells
            for low, high in [stretch_inside(cell, start, end)]
            if high - low > WIDE
        )
        wide = [piece for piece in pieces if piece.high - piece.low > WIDE]
        assert [picks for _, _, picks in crossed] == [piece.indices.tolist() for piece in wide]
        np.testing.assert_allclose(
            [(low, high) for low, high, _ in crossed],
            [(piece.low, piece.high) for piece in wide],
            atol=1e-9,
        )
        assert all(before[1] <= after[0] + WIDE for before, after in pairwise(crossed))


def stretch_inside(cell, start, end):
    """From where to where on the way from start to end a straight line is inside a cell."""
    corners = cell.polygon[:, :2]
    edges = np.roll(corners, -1, axis=0) - corners
    turn = np.sign(edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    low, high = 0.0, 1.0
    for corner, (dx, dy) in zip(corners, edges, strict=True):
        from_corner, way = start[:2] - corner, (end - start)[:2]
        at_0 = turn * (dx * from_corner[1] - dy * from_corner[0])
        rise = turn * (dx * way[1] - dy * way[0])
        if rise > 0:
            low = max(low, -at_0 / rise)
        elif rise < 0:
            high = min(high, -at_0 / rise)
        elif at_0 < 0:
            return 1.0, 0.0
    return low, high


@pytest.mark.thorough
@given(case=pools(most=40))
def test_leaving_out_who_cannot_win_changes_nothing(case):
    def every_open_row(_, parts, closed):
        return np.setdiff1d(np.arange(parts.shape[1]), closed)

    arrays, _, k = case
    cells = triangle_of(arrays, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.selection.mmr_triangle.near_winners", every_open_row)
        assert_same(triangle_of(arrays, k), cells)


@pytest.mark.thorough
@given(case=pools(most=40), most=st.integers(0, 120))
def test_branches_that_take_turns_change_nothing(case, most):
    arrays, _, k = case
    cells = triangle_of(arrays, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosines, "MOST_COSINES", most)
        assert_same(triangle_of(arrays, k), cells)


def assert_same(some, others):
    """What is hardly larger than rounding may be among one of the two only."""
    for cells, same in ((some, others), (others, some)):
        for cell in cells:
            middle = cell.polygon.mean(axis=0)
            if depth(cell, middle) > 1e-9:
                assert cell_at(same, middle).indices.tolist() == cell.indices.tolist()


@pytest.mark.parametrize("pool", [random_case, duplicated_case])
def test_agrees_with_mmr_on_a_large_pool_with_exclusions(pool):
    arrays = pool(5, 2846, 64)
    excluded = np.random.default_rng(5).random(2846) < 0.1
    cells = triangle_of(arrays, 6, excluded=excluded)
    assert len(by_context(cells)) > 20
    for place in np.random.default_rng(6).dirichlet([1, 1, 1], 100):
        here = cell_at(cells, place)
        assert depth(here, place) > 1e-9
        assert here.indices.tolist() == chosen_at(arrays, 6, place, excluded=excluded)


@given(seed=seeds, k=st.integers(1, 5))
def test_of_each_group_one_is_chosen(seed, k):
    arrays = random_case(seed, 12)
    groups = np.random.default_rng(seed).integers(4, size=12)
    for cell in triangle_of(arrays, k, groups=groups):
        picks = cell.indices.tolist()
        assert len({*groups[picks].tolist()}) == len(picks) == min(k, len({*groups.tolist()}))
        middle = cell.polygon.mean(axis=0)
        if depth(cell, middle) > WIDE:
            assert chosen_at(arrays, k, middle, groups=groups) == picks


def test_one_pick_of_two_by_hand():
    """x * 0.8 - y * 3 against x * 0.2 - y * 1 : they tie where 0.6 x = 2 y, whatever z is."""
    cells = mmr_triangle([0.8, 0.2], np.eye(2), 1, quality_bias=[-3.0, -1.0])
    tie = [2 / 2.6, 0.6 / 2.6, 0]
    assert corners_of(cells) == {
        (0,): approx_corners([SIMILAR, tie, DIVERSE]),
        (1,): approx_corners([LIKELY, tie, DIVERSE]),
    }


def test_two_picks_of_three_by_hand():
    """The first pick is always 0. Then 1 has x * 0.5 - y * 2 - z * 0.8, and 2 has - y * 1 : they
    tie where 0.5 x = y + 0.8 z, which is x = 2 / 3 on one edge and x = 0.8 / 1.3 on the other."""
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    cells = mmr_triangle([0.9, 0.5, 0.0], rows, 2, quality_bias=[-0.5, -2.0, -1.0])
    with_bias, with_diversity = [2 / 3, 1 / 3, 0], [8 / 13, 0, 5 / 13]
    assert corners_of(cells) == {
        (0, 1): approx_corners([SIMILAR, with_bias, with_diversity]),
        (0, 2): approx_corners([LIKELY, DIVERSE, with_diversity, with_bias]),
    }
    shares = {tuple(cell.indices.tolist()): cell.share for cell in cells}
    assert shares[0, 1] == pytest.approx((1 / 3) * (5 / 13))


def corners_of(cells):
    return {
        tuple(cell.indices.tolist()): sorted(map(list, cell.polygon.tolist())) for cell in cells
    }


def approx_corners(corners):
    return [pytest.approx(list(map(float, corner))) for corner in sorted(map(list, corners))]


@pytest.mark.parametrize("k", [0, 1, 2, 5, 6, 7])
def test_without_quality_bias_it_is_the_edge_from_similar_to_diverse(k):
    relevance, rows, _ = duplicated_case(4, 6)
    cells = mmr_triangle(relevance, rows, k, quality_bias=None)
    path = mmr_path(relevance, rows, k)
    for cell, piece in zip(cells, path, strict=True):
        assert cell.indices.tolist() == piece.indices.tolist()
        ends = [[piece.low, 0, 1 - piece.low], [piece.high, 0, 1 - piece.high]]
        assert cell.polygon.tolist() == ends
        assert cell.share == pytest.approx(piece.high - piece.low)


@pytest.mark.parametrize(("n", "k"), [(4, 0), (0, 3), (0, 0)])
@pytest.mark.parametrize("biased", [True, False])
def test_nothing_to_choose_is_one_cell_without_indices(n, k, biased):
    bias = np.zeros(n) if biased else None
    (cell,) = mmr_triangle(np.zeros(n), np.eye(4)[:n], k, quality_bias=bias)
    assert cell.indices.tolist() == []
    assert cell.share == 1
    assert cell.polygon.tolist() == (np.eye(3).tolist() if biased else [[0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize("k", [6, 7])
def test_all_of_the_pool_and_more(k):
    cells = triangle_of(random_case(1, 6), k)
    assert {tuple(sorted(cell.indices.tolist())) for cell in cells} == {tuple(range(6))}
    assert len(by_context(cells)) == 1
    assert len(cells) > 1


def test_a_pool_of_one_row_is_one_cell():
    arrays = np.full(9, 0.5), np.tile([0.6, 0.8], (9, 1)), np.full(9, -1.0)
    (cell,) = triangle_of(arrays, 4)
    assert cell.indices.tolist() == [0, 1, 2, 3]


def test_the_corners_are_relevance_only_and_bias_only():
    relevance, rows, bias = random_case(7, 60)
    cells = triangle_of((relevance, rows, bias), 4)
    for corner, order in ((SIMILAR, relevance), (LIKELY, bias)):
        (cell,) = [c for c in cells if (np.abs(c.polygon - corner).max(axis=1) < 1e-12).any()]
        assert cell.indices.tolist() == np.argsort(-order)[:4].tolist()


def test_cells_of_one_context_come_together():
    cells = triangle_of(random_case(8, 30), 5)
    contexts = by_context(cells)
    assert len(contexts) < len(cells)
    assert sum(len(context.cells) for context in contexts) == len(cells)
    for context in contexts:
        assert {frozenset(cell.indices.tolist()) for cell in context.cells} == {context.chosen}
    shares = [context.share for context in contexts]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"relevance": np.zeros(3)}, "relevance has shape"),
        ({"embeddings": np.full((4, 4), np.nan)}, "embeddings contain"),
        ({"k": -1}, "k is -1"),
        ({"quality_bias": np.zeros(3)}, "quality_bias has shape"),
        ({"quality_bias": np.full(4, np.nan)}, "quality_bias contains"),
        ({"excluded": np.zeros(3, bool)}, "excluded has shape"),
        ({"groups": np.zeros(4)}, "groups have shape"),
    ],
)
def test_what_cannot_be_meant_is_refused(changed, message):
    arguments = {"relevance": np.zeros(4), "embeddings": np.eye(4), "k": 3}
    with pytest.raises(ValueError, match=message):
        mmr_triangle(**arguments | {"quality_bias": -np.ones(4)} | changed)
