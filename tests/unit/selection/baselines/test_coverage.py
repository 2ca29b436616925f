"""Set coverage against plain loops, the best set, and cases worked by hand."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.selection.baselines.coverage import coverage

EAST, NORTH, WEST, NORTH_EAST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.6, 0.8)


def chosen(query, lists, k, **options):
    return coverage(query, lists, k, relevance=np.zeros(len(lists)), **options)


def cosine(one, other):
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def covered(query, lists, members):
    """The coverage of the query by a set, as the paper writes it."""
    tokens = [token for member in members for token in lists[member]]
    nearest = (max((cosine(x, z) for z in tokens), default=-1.0) for x in query)
    return math.fsum(nearest) / len(query)


def greedy(query, lists, k, excluded=(), groups=None):
    """Algorithm 1 of the paper, one step at a time, with the coverage after every pick."""
    picks, values, cover, reached = [], [], [], -math.inf

    def is_open(index):
        taken = index in picks or (
            groups is not None and groups[index] in [groups[pick] for pick in picks]
        )
        return index not in excluded and not taken

    while len(picks) < k:
        rest = [index for index in range(len(lists)) if is_open(index)]
        if not rest:
            break
        would = {index: covered(query, lists, [*cover, index]) for index in rest}
        most = max(would.values())
        if most > reached + 1e-12:
            best = next(index for index in rest if would[index] >= most - 1e-12)
            picks.append(best)
            cover.append(best)
            values.append(would[best])
            reached = would[best]
        else:
            cover, reached = [], -math.inf
    return picks, values


def directions(positive=False):
    """Unit rows of which many are equal, and of which many are as near to one as to another."""
    numbers = st.integers(0 if positive else -2, 2)
    row = st.tuples(numbers, numbers, numbers).filter(any)
    return row.map(lambda each: tuple(number / math.hypot(*each) for number in each))


def token_lists(positive=False, least=0):
    return st.lists(directions(positive), min_size=least, max_size=3)


def as_arrays(lists):
    return [np.array(rows, dtype=float).reshape(-1, 3) for rows in lists]


@given(
    st.lists(directions(), min_size=1, max_size=4),
    st.lists(token_lists(), max_size=7),
    st.integers(0, 9),
    st.sets(st.integers(0, 6)),
)
def test_equals_plain_loops(query, lists, k, excluded):
    mask = np.array([index in excluded for index in range(len(lists))], dtype=bool)
    found = chosen(query, as_arrays(lists), k, excluded=mask)
    picks, values = greedy(query, lists, k, excluded)
    assert found.indices.tolist() == picks
    np.testing.assert_allclose(found.values, values, atol=1e-12)
    assert len(picks) == min(k, int((~mask).sum()))


@given(
    st.lists(directions(), min_size=1, max_size=3),
    st.lists(st.tuples(token_lists(), st.integers(0, 2)), min_size=1, max_size=6),
    st.integers(0, 7),
)
def test_at_most_one_of_each_group(query, rows, k):
    lists, groups = zip(*rows, strict=True)
    found = chosen(query, as_arrays(lists), k, groups=np.array(groups))
    assert found.indices.tolist() == greedy(query, lists, k, groups=groups)[0]
    assert len(found.indices) == min(k, len(set(groups)))


@given(
    st.lists(directions(positive=True), min_size=1, max_size=5),
    st.lists(token_lists(positive=True, least=1), min_size=1, max_size=7),
    st.integers(1, 4),
)
def test_greedy_reaches_its_share_of_the_best_set(query, lists, k):
    """Nemhauser, Wolsey and Fisher 1978: coverage is submodular, and grows where none is negative.

    Of k picks the first may already cover all that can be; the coverage of the set is then the
    best there is.
    """
    k = min(k, len(lists))
    found = chosen(query, as_arrays(lists), k)
    best = max(covered(query, lists, members) for members in combinations(range(len(lists)), k))
    reached = covered(query, lists, found.indices.tolist())
    assert reached == pytest.approx(found.values.max(), abs=1e-12)
    assert reached >= (1 - 1 / math.e) * best - 1e-12


@given(
    st.lists(directions(), min_size=1, max_size=5),
    st.lists(token_lists(least=1), min_size=1, max_size=7),
    st.integers(1, 4),
)
def test_with_negative_cosines_it_reaches_its_share_above_minus_one(query, lists, k):
    """1 + cosine is never negative, and the greedy choice by it is the same."""
    k = min(k, len(lists))
    reached = 1 + chosen(query, as_arrays(lists), k).values.max()
    best = max(covered(query, lists, members) for members in combinations(range(len(lists)), k))
    assert reached >= (1 - 1 / math.e) * (1 + best) - 1e-12


def test_one_demonstration_is_worth_bertscores_recall():
    """Two tokens of the query: the nearest token of the one is at 0.8, of the other at 0.6."""
    found = chosen([NORTH, EAST], [[NORTH_EAST, WEST]], 1)
    assert found.values.tolist() == [pytest.approx((0.8 + 0.6) / 2)]
    # Tokens of the demonstration that are near to none of the query's cost nothing: a recall.
    assert chosen([NORTH, EAST], [[NORTH_EAST, WEST, WEST]], 1).values == pytest.approx(0.7)
    assert chosen([NORTH], [[NORTH_EAST], [EAST, NORTH]], 1).values.tolist() == [1.0]


def test_two_that_complete_each_other_come_before_two_that_are_alike():
    query = [EAST, EAST, NORTH]
    found = chosen(query, [[NORTH_EAST], [NORTH_EAST, WEST], [EAST], [NORTH]], 4)
    # Alone, north-east covers 0.6 + 0.6 + 0.8 of 3, as much as east does and more than north.
    assert found.indices.tolist() == [0, 2, 3, 1]
    np.testing.assert_allclose(found.values, [2 / 3, 2.8 / 3, 1.0, 2 / 3], atol=1e-12)


def test_a_new_cover_begins_once_nothing_is_gained():
    """The two that cover all come first, then their doubles in the same order, then the rest."""
    query, worst = [EAST, NORTH, EAST], [WEST]
    lists = [worst, [NORTH], [EAST], [EAST], [NORTH]]
    found = chosen(query, lists, 5)
    assert found.indices.tolist() == [2, 1, 3, 4, 0]
    np.testing.assert_allclose(found.values, [2 / 3, 1, 2 / 3, 1, -2 / 3], atol=1e-12)


def test_the_choice_for_one_token_is_a_ranking_by_recall():
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((40, 3, 5))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    query = np.eye(5)[:1]
    recall = rows[:, :, 0].max(axis=1)
    found = chosen(query, list(rows), 40)
    assert found.indices.tolist() == np.argsort(-recall, kind="stable").tolist()
    np.testing.assert_allclose(found.values, np.sort(recall)[::-1], atol=1e-12)


def test_equal_token_lists_go_by_index_wherever_they_stand_and_in_any_order_of_tokens():
    generator = np.random.default_rng(1)
    query = generator.standard_normal((9, 64)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    rows = generator.standard_normal((7, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    lists = [rows[generator.permutation(7)] for _ in range(23)]
    assert chosen(query, lists, 23).indices.tolist() == list(range(23))


@pytest.mark.parametrize(("k", "indices"), [(0, []), (1, [1]), (2, [1, 0]), (3, [1, 0])])
def test_k_is_cut_to_what_there_is(k, indices):
    found = chosen([NORTH], [[EAST], [NORTH]], k)
    assert found.indices.tolist() == indices
    assert found.indices.dtype == np.int64
    parts = (found.values, found.relevance, found.quality_bias, found.redundancy)
    assert [len(part) for part in parts] == [len(indices)] * 4


@pytest.mark.parametrize("k", [0, 1, 6])
def test_an_empty_pool_and_one_that_is_excluded_give_nothing(k):
    assert chosen([NORTH], [], k).indices.tolist() == []
    assert chosen([NORTH], [[EAST]], k, excluded=[True]).indices.tolist() == []


def test_without_tokens_a_demonstration_covers_by_minus_one_and_comes_last():
    found = chosen([NORTH, EAST], [np.empty((0, 2)), [WEST], np.empty((0, 2))], 3)
    assert found.indices.tolist() == [1, 0, 2]
    np.testing.assert_allclose(found.values, [-0.5, -1.0, -1.0], atol=1e-12)


def test_a_query_without_tokens_is_covered_by_nothing_in_the_order_of_the_pool():
    found = chosen(np.empty((0, 2)), [[EAST], [NORTH], [WEST]], 2)
    assert (found.indices.tolist(), found.values.tolist()) == ([0, 1], [0.0, 0.0])


def test_relevance_is_passed_on_and_the_other_parts_are_undefined():
    found = coverage([NORTH], [[EAST], [NORTH]], 2, relevance=[0.25, -0.5])
    assert (found.indices.tolist(), found.relevance.tolist()) == ([1, 0], [-0.5, 0.25])
    assert np.isnan([found.quality_bias, found.redundancy]).all()


def test_no_coverage_leaves_its_range():
    row = np.full(3, np.float32(0.5773503), dtype=np.float64)
    assert np.dot(row, row) > 1
    assert chosen([row], [[row], [-row]], 2).values.tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("given_query", "lists", "options", "message"),
    [
        ([1.0, 0.0], [[EAST]], {}, "query_tokens has shape"),
        ([NORTH], [EAST], {}, r"token_lists\[0\] has shape \(2,\)"),
        ([NORTH], [[EAST], [(1.0, 0.0, 0.0)]], {}, r"token_lists\[1\] has shape \(1, 3\)"),
        ([NORTH], [[(math.nan, 1.0)]], {}, r"token_lists\[0\] contains a value that is not finite"),
        ([(math.inf, 1.0)], [[EAST]], {}, "query_tokens contains"),
        ([NORTH], [[EAST]], {"relevance": [0.0, 1.0]}, "relevance has shape"),
        ([NORTH], [[EAST]], {"excluded": [0]}, "excluded has"),
        ([NORTH], [[EAST]], {"groups": [0, 1]}, "groups have"),
        ([NORTH], [[EAST]], {"k": -1}, "k is -1"),
    ],
)
def test_arrays_that_do_not_fit_are_named(given_query, lists, options, message):
    arguments = {"k": 1, "relevance": np.zeros(len(lists)), **options}
    with pytest.raises(ValueError, match=message):
        coverage(given_query, lists, **arguments)


def test_tokens_of_what_is_excluded_are_not_read():
    found = chosen([NORTH], [[(math.nan,)], [NORTH]], 2, excluded=[True, False])
    assert found.indices.tolist() == [1]
