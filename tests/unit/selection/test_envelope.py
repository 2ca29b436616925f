from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.selection import path_tree

heights = st.integers(-8, 8).map(lambda height: height / 8)
lines = st.lists(st.tuples(heights, heights), min_size=1, max_size=12)


def lines_of(left, right):
    """Lines from left[i] at 0 to right[i] at 1."""
    return path_tree.Lines(np.array([left, right]), np.eye(2))


def breakpoints(left, right, low, high):
    """Where the highest line changes, both ends included."""
    return [start for start, _ in path_tree.highest(lines_of(left, right), low, high)] + [high]


def test_heights_and_leads_by_hand():
    # Three parts, weighed 1, 0, -1 at 0 and 0.5, 1, -1 at 1.
    lines = path_tree.Lines(
        np.array([[2.0, 1.0], [0.0, 3.0], [0.5, 0.25]]),
        np.array([[1.0, 0.0, -1.0], [0.5, 1.0, -1.0]]),
    )
    np.testing.assert_allclose(
        lines.heights([0.0, 0.5, 1.0]), [[1.5, 0.75], [1.0, 2.0], [0.5, 3.25]]
    )
    np.testing.assert_allclose(lines.leads(0), [[0.0, 0.75], [0.0, -2.75]])


def test_three_lines_by_hand():
    # 0.5 flat, -1 -> 1 and 0 -> 0.75 meet it at 0.75 and 2/3; the last two meet at 0.8.
    left, right = np.array([0.5, -1.0, 0.0]), np.array([0.5, 1.0, 0.75])
    assert breakpoints(left, right, 0.0, 1.0) == pytest.approx([0, 2 / 3, 0.8, 1])
    assert breakpoints(left, right, 0.7, 0.75) == pytest.approx([0.7, 0.75])
    assert breakpoints(left, right, 0.5, 0.7) == pytest.approx([0.5, 2 / 3, 0.7])


def test_lines_through_one_point_have_one_breakpoint():
    left = np.array([-0.25, -0.5, -0.75, -1.0])
    assert breakpoints(left, -left, 0.0, 1.0) == [0.0, 0.5, 1.0]


def test_a_tie_at_an_end_is_no_breakpoint():
    assert breakpoints(np.zeros(3), np.array([0.1, 0.3, 0.2]), 0.0, 1.0) == [0.0, 1.0]
    assert breakpoints(np.array([0.1, 0.3, 0.2]), np.zeros(3), 0.0, 1.0) == [0.0, 1.0]


def test_equal_and_parallel_lines_have_no_breakpoint():
    left, right = np.array([0.0, 0.0, 0.1]), np.array([0.5, 0.5, 0.6])
    assert breakpoints(left, right, 0.0, 1.0) == [0.0, 1.0]


@given(lines=lines, ends=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_between_breakpoints_one_line_is_the_highest(lines, ends):
    left, right = np.array(lines).T
    found = breakpoints(left, right, *ends)
    winners = [line for _, line in path_tree.highest(lines_of(left, right), *ends)]
    assert found[0] == ends[0]
    assert found[-1] == ends[1]
    assert found == sorted(found)

    def height(x):
        return x * right + (1 - x) * left

    slopes = []
    for (low, high), line in zip(pairwise(found), winners, strict=True):
        highest = line
        for x in (low, (2 * low + high) / 3, (low + 2 * high) / 3, high):
            assert height(x)[highest] >= height(x).max() - 1e-12
        slopes.append((right - left)[highest])
    if ends[1] - ends[0] > 1e-9:
        assert (np.diff(slopes) > 0).all()


def shortfalls(left, right):
    """How far below the envelope each line stays at least, from all crossings of all lines."""
    places = [0.0, 1.0]
    for (a, b), (c, d) in combinations(zip(left, right, strict=True), 2):
        if (a - c) * (b - d) < 0:
            places.append((a - c) / (a - c - b + d))
    share = np.array(places)[:, None]
    heights = (1 - share) * left + share * right
    return (heights.max(axis=1)[:, None] - heights).min(axis=0)


def test_near_the_highest_by_hand():
    # The first two meet at 0.5 and height 0.5; the third passes 0.02 below, the fourth 0.2 below.
    left, right = np.array([1.0, 0.0, 0.48, 0.3]), np.array([0.0, 1.0, 0.48, 0.3])
    assert path_tree.near_highest(left, right, 0.01).tolist() == [0, 1]
    assert path_tree.near_highest(left, right, 0.03).tolist() == [0, 1, 2]
    # Above the crossing it takes part in the envelope.
    assert path_tree.near_highest(left + [0, 0, 0.1, 0], right + [0, 0, 0.1, 0], 0.01).tolist() == [
        0,
        1,
        2,
    ]


@given(lines=lines, margin=st.sampled_from([1e-5, 0.01, 0.1]), closed=st.sets(st.integers(0, 11)))
def test_near_the_highest_misses_no_line(lines, margin, closed):
    left, right = np.array(lines).T
    shut = [line for line in closed if line < len(lines) - 1]
    left[shut] = right[shut] = -np.inf
    found = path_tree.near_highest(left, right, margin)
    rest = np.setdiff1d(np.arange(len(lines)), shut)
    short = np.full(len(lines), np.inf)
    short[rest] = shortfalls(left[rest], right[rest])
    assert set(np.flatnonzero(short <= margin - 1e-12)) <= set(found)
    assert (short[found] <= 2 * margin + 1e-12).all()
    assert (np.diff(found) > 0).all()
