"""VRSD chooses what brute force chooses, and no more of the cosine than the best set has."""

from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from selection_oracle import duplicated_pool, lattice_pool, random_pool, tied_pool, unit

from core.errors import InvalidInput
from core.interval import NOWHERE
from core.selection import cosines
from core.selection import vrsd as module
from core.selection.vrsd import exhaustive, vrsd

EQUAL = 1e-12
"""Cosines of float64 that are nearer than this differ by rounding."""

seeds = st.integers(0, 10_000)


def opposed_pool(seed, n, d=8):
    """Every other row is the opposite of the one before it: sums vanish, or nearly."""
    _, rows, query = random_pool(seed, n, d)
    rows[1::2] = -rows[0 : 2 * (n // 2) : 2]
    return None, rows, query


def nearly_opposed_pool(seed, n, d=5):
    """Rows at, near and opposite one direction: the shortest sums, where digits are lost."""
    generator = np.random.default_rng(seed)
    axis = unit(generator.standard_normal((1, d)))
    scale = 10.0 ** generator.integers(-8, 0, size=(n, 1))
    side = generator.choice([-1.0, 1.0], size=(n, 1))
    rows = unit(side * axis + scale * generator.standard_normal((n, d)))
    query = unit(axis + generator.choice([0.0, 1e-3, 1.0]) * generator.standard_normal((1, d)))[0]
    return None, rows.astype(generator.choice([np.float32, np.float64])), query


POOLS = {
    "random": random_pool,
    "duplicated": duplicated_pool,
    "tied": tied_pool,
    "lattice": lattice_pool,
    "opposed": opposed_pool,
    "nearly opposed": nearly_opposed_pool,
}
pools = st.sampled_from(sorted(POOLS))


def cosine_of_sum(rows, query):
    """cos(sum of the rows, q), row after row in float64; 0 for a sum that vanishes."""
    query = np.asarray(query, dtype=np.float64)
    total = np.zeros(len(query))
    for row in rows:
        total = total + np.asarray(row, dtype=np.float64)
    length = np.linalg.norm(total)
    return 0.0 if length < NOWHERE else float(np.dot(total, query / np.linalg.norm(query)) / length)


def brute_force(query, rows, k, excluded=None):
    """VRSD as the paper has it: every sum anew, in float64; ties go to the lowest index."""
    unpicked = [i for i in range(len(rows)) if excluded is None or not excluded[i]]
    picked: list[int] = []
    while unpicked and len(picked) < k:
        values = [cosine_of_sum(rows[[*picked, i]], query) for i in unpicked]
        best = next(
            i for i, value in zip(unpicked, values, strict=True) if value >= max(values) - EQUAL
        )
        picked.append(best)
        unpicked.remove(best)
    return picked


def well_told_apart(query, rows, picked, excluded):
    """Whether rounding cannot have decided any step: the best is clearly ahead, or quite equal.

    Clear is what is left of the digits of so short a sum.
    """
    for step in range(len(picked)):
        unpicked = [i for i in range(len(rows)) if not excluded[i] and i not in picked[:step]]
        values = np.array([cosine_of_sum(rows[[*picked[:step], i]], query) for i in unpicked])
        behind = values.max() - values
        if ((behind > 1e-14) & (behind < 1e-10)).any():
            return False
    return True


@given(pool=pools, seed=seeds, n=st.integers(1, 30), k=st.integers(0, 12))
def test_equals_brute_force_on_any_pool(pool, seed, n, k):
    _, rows, query = POOLS[pool](seed, n)
    excluded = np.random.default_rng(seed).random(n) < 0.3
    chosen = vrsd(query, rows, k, excluded=excluded)
    picked = chosen.indices.tolist()
    assume(well_told_apart(query, rows, picked, excluded))
    assert picked == brute_force(query, rows, k, excluded)
    for step, value in enumerate(chosen.values, start=1):
        assert value == pytest.approx(cosine_of_sum(rows[picked[:step]], query), abs=1e-9)


@pytest.mark.parametrize("pool", ["random", "duplicated", "tied", "opposed"])
def test_equals_brute_force_from_memory_and_from_a_cache(pool):
    _, rows, query = POOLS[pool](3, 1500)
    expected = brute_force(query, rows, 4)
    assert vrsd(query, rows, 4).indices.tolist() == expected
    with patch.object(cosines, "_CACHED", 0):
        assert vrsd(query, rows, 4).indices.tolist() == expected


def hand_worked_pool():
    """The query points along the first axis of three; rows 1 and 2 lean to opposite sides."""
    rows = np.array([[0.8, 0.6, 0.0], [0.8, 0.6, 0.0], [0.6, -0.8, 0.0], [0.6, 0.0, 0.8]])
    return np.array([1.0, 0.0, 0.0]), rows


def test_hand_worked_pool():
    query, rows = hand_worked_pool()
    # S = (0.8, 0.6, 0). Row 1 doubles it: 0.8. Row 2: (1.4, -0.2, 0), 1.4 / sqrt(2) = 0.99.
    # Row 3: (1.4, 0.6, 0.8), 1.4 / sqrt(2.96) = 0.81. Then S = (1.4, -0.2, 0) and
    # row 1: (2.2, 0.4, 0), 2.2 / sqrt(5) = 0.984; row 3: (2, -0.2, 0.8), 2 / sqrt(4.68) = 0.924.
    chosen = vrsd(query, rows, 3)
    assert chosen.indices.tolist() == [0, 2, 1]
    np.testing.assert_allclose(chosen.values, [0.8, 1.4 / np.sqrt(2), 2.2 / np.sqrt(5)])
    np.testing.assert_allclose(chosen.relevance, [0.8, 0.6, 0.8])
    np.testing.assert_allclose(chosen.redundancy, [np.nan, 0.0, 1.0], atol=1e-15)
    assert np.isnan(chosen.quality_bias).all()
    assert chosen.indices.dtype == np.int64
    assert chosen.values.dtype == chosen.redundancy.dtype == np.float64


def test_a_later_pick_may_lower_the_cosine():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    chosen = vrsd([1.0, 0.0], rows, 3)
    # A sum of rows 0 and 2 would vanish, which counts as 0: less than 1 / sqrt(2).
    assert chosen.indices.tolist() == [0, 1, 2]
    np.testing.assert_allclose(chosen.values, [1.0, np.sqrt(0.5), 0.0], atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_vanishes_counts_as_zero(dtype):
    generator = np.random.default_rng(1)
    row = unit(generator.standard_normal((1, 384))).astype(dtype)
    query = row[0] + 0.0
    # Before what points away, behind what points to the query ever so little.
    chosen = vrsd(query, np.vstack([row, -row]), 2)
    assert chosen.indices.tolist() == [0, 1]
    assert chosen.values.tolist() == [pytest.approx(1), 0.0]
    away = vrsd(-query, np.vstack([row, row, -row]), 2, excluded=[False, False, True])
    assert away.values.tolist() == [pytest.approx(-1), pytest.approx(-1)]
    assert vrsd(-query, np.vstack([row, -row, row]), 2).values.tolist() == [pytest.approx(1), 0.0]
    turn = 2 * np.pi / 3 * np.arange(3)
    star = np.column_stack([np.cos(turn), np.sin(turn)]).astype(dtype)
    assert vrsd([1.0, 0.0], star, 3).values[-1] == 0.0


def test_equal_rows_go_to_the_lowest_index_wherever_they_stand():
    for d in (1, 3, 7, 8, 31, 33, 384, 385):
        generator = np.random.default_rng(d)
        row = unit(generator.standard_normal((1, d))).astype(np.float32)
        query = unit(row + 0.3 * generator.standard_normal((1, d)))[0]
        assert vrsd(query, np.tile(row, (41, 1)), 5).indices.tolist() == [0, 1, 2, 3, 4]


@given(pool=st.sampled_from(["random", "nearly opposed"]), seed=seeds)
def test_shuffling_the_pool_permutes_the_answer(pool, seed):
    _, rows, query = POOLS[pool](seed, 30)
    straight = vrsd(query, rows, 6).indices
    steps = range(1, 7)
    gaps = [
        np.partition([cosine_of_sum(rows[[*straight[: s - 1], i]], query)
                      for i in range(30) if i not in straight[: s - 1]], -2)[-2:]
        for s in steps
    ]  # fmt: skip
    assume(all(high - low > 1e-9 for low, high in gaps))
    order = np.random.default_rng(seed).permutation(30)
    shuffled = vrsd(query, rows[order], 6).indices
    assert order[shuffled].tolist() == straight.tolist()


@given(pool=pools, seed=seeds)
def test_a_longer_selection_begins_with_the_shorter_one(pool, seed):
    _, rows, query = POOLS[pool](seed, 18)
    longest = vrsd(query, rows, 18).indices.tolist()
    assert sorted(longest) == list(range(18))
    for k in (0, 1, 2, 7, 17, 19):
        assert vrsd(query, rows, k).indices.tolist() == longest[:k]


@given(pool=pools, seed=seeds)
def test_excluding_rows_is_taking_them_out_of_the_pool(pool, seed):
    _, rows, query = POOLS[pool](seed, 24)
    excluded = np.random.default_rng(seed).random(24) < 0.5
    kept = np.flatnonzero(~excluded)
    mask = excluded.copy()
    masked = vrsd(query, rows, 6, excluded=mask)
    smaller = vrsd(query, rows[kept], 6)
    assert masked.indices.tolist() == kept[smaller.indices].tolist()
    np.testing.assert_array_equal(masked.values, smaller.values)
    assert (mask == excluded).all()


@given(pool=pools, seed=seeds)
def test_the_first_pick_is_the_most_similar_and_parts_are_cosines(pool, seed):
    _, rows, query = POOLS[pool](seed, 20)
    chosen = vrsd(query, rows, 5)
    exact = [cosine_of_sum(rows[[i]], query) for i in range(20)]
    assert chosen.relevance[0] == chosen.values[0] == pytest.approx(max(exact), abs=1e-12)
    np.testing.assert_allclose(chosen.relevance, [exact[i] for i in chosen.indices], atol=1e-12)
    picks = rows[chosen.indices].astype(np.float64)
    for step in range(1, 5):
        assert chosen.redundancy[step] == max(np.vecdot(picks[:step], picks[step]))


def test_the_length_of_the_query_does_not_matter():
    _, rows, query = random_pool(2, 50)
    for scale in (1e-6, 0.5, 1e6):
        chosen = vrsd(scale * query.astype(np.float64), rows, 6)
        assert chosen.indices.tolist() == vrsd(query, rows, 6).indices.tolist()


@pytest.mark.parametrize("choose", [vrsd, exhaustive])
@pytest.mark.parametrize("excluded", [None, np.array([], dtype=bool)])
@pytest.mark.parametrize("k", [0, 6])
def test_an_empty_pool_gives_an_empty_selection(choose, excluded, k):
    chosen = choose(np.ones(4), np.empty((0, 4)), k, excluded=excluded)
    for part in (chosen.indices, chosen.values, chosen.relevance, chosen.redundancy):
        assert part.shape == (0,)


@pytest.mark.parametrize("choose", [vrsd, exhaustive])
def test_nothing_wanted_or_everything_excluded_gives_an_empty_selection(choose):
    query, rows = hand_worked_pool()
    assert choose(query, rows, 0).indices.tolist() == []
    assert choose(query, rows, 2, excluded=np.ones(4, bool)).indices.tolist() == []


def test_lists_half_precision_and_column_order_are_taken_too():
    query, rows = hand_worked_pool()
    for given_rows in (rows.tolist(), np.asfortranarray(rows), rows.astype(np.float16)):
        assert vrsd(query.tolist(), given_rows, np.int64(3)).indices.tolist() == [0, 2, 1]


QUERY, ROWS = hand_worked_pool()


@pytest.mark.parametrize("choose", [vrsd, exhaustive])
@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": QUERY[:2]}, "query has shape"),
        ({"query": QUERY * np.nan}, "query contains"),
        ({"query": QUERY * 0}, "query has length 0"),
        ({"embeddings": ROWS[0]}, "embeddings have shape"),
        ({"embeddings": np.where(ROWS == -0.8, np.nan, ROWS)}, "embeddings contain"),
        ({"embeddings": np.where(ROWS == -0.8, np.inf, ROWS)}, "embeddings contain"),
        ({"excluded": [True, False]}, "excluded has shape"),
        ({"excluded": [0, 1, 2, 0]}, "boolean"),
        ({"k": -1}, "k is -1"),
        ({"k": 2.5}, "k is 2.5"),
    ],
)
def test_what_cannot_be_meant_is_refused(choose, changed, message, k):
    with pytest.raises(ValueError, match=message):
        choose(**({"query": QUERY, "embeddings": ROWS, "k": k} | changed))


@given(pool=pools, seed=seeds, n=st.integers(1, 9), k=st.integers(1, 9))
def test_exhaustive_is_the_best_of_all_sets(pool, seed, n, k):
    _, rows, query = POOLS[pool](seed, n)
    excluded = np.random.default_rng(seed).random(n) < 0.2
    candidates = np.flatnonzero(~excluded).tolist()
    sets = list(combinations(candidates, min(k, len(candidates))))
    values = np.array([cosine_of_sum(rows[list(each)], query) for each in sets])
    behind = values.max() - values
    assume(not ((behind > 1e-14) & (behind < 1e-10)).any())
    chosen = exhaustive(query, rows, k, excluded=excluded)
    assert tuple(sorted(chosen.indices.tolist())) == sets[int(np.argmax(behind <= 1e-12))]
    order = sorted(
        chosen.indices.tolist(), key=lambda i: (-round(cosine_of_sum(rows[[i]], query), 10), i)
    )
    assert np.round(chosen.relevance, 10).tolist() == [
        pytest.approx(cosine_of_sum(rows[[i]], query), abs=2e-10) for i in order
    ]
    if len(order):
        assert chosen.values[-1] == pytest.approx(values.max(), abs=1e-9)
    greedy = vrsd(query, rows, k, excluded=excluded)
    assert [*greedy.values, 0.0][len(order) - 1] <= [*chosen.values, 0.0][len(order) - 1] + 1e-9


def test_exhaustive_finds_what_greedy_misses():
    # Greedy begins with row 0; rows 1 and 2 lean to opposite sides and sum to the query itself.
    rows = unit(np.array([[1.0, 0.4, 0.0], [1.0, 0.0, 0.9], [1.0, 0.0, -0.9]]))
    greedy, best = vrsd([1.0, 0, 0], rows, 2), exhaustive([1.0, 0, 0], rows, 2)
    assert greedy.indices.tolist() == [0, 1]
    assert best.indices.tolist() == [1, 2]
    assert greedy.values[-1] < 0.95
    assert best.values[-1] == pytest.approx(1)


def test_exhaustive_orders_by_relevance_then_index():
    query, rows = hand_worked_pool()
    assert exhaustive(query, rows[::-1], 4).indices.tolist() == [2, 3, 0, 1]


def test_exhaustive_tries_every_set_of_twenty_candidates_in_blocks():
    _, rows, query = random_pool(5, 30)
    excluded = np.arange(30) < 12
    with patch.object(module, "_SUBSETS", 1000):
        chosen = exhaustive(query, rows, 5, excluded=excluded)
    sets = np.array(list(combinations(range(12, 30), 5)))
    sums = rows.astype(np.float64)[sets].sum(axis=1)
    values = sums @ query.astype(np.float64) / np.linalg.norm(sums, axis=1)
    assert sorted(chosen.indices.tolist()) == sets[values.argmax()].tolist()
    assert chosen.values[-1] == pytest.approx(values.max() / np.linalg.norm(query), abs=1e-7)


def test_exhaustive_refuses_more_candidates_than_it_can_try():
    _, rows, query = random_pool(0, 26)
    with pytest.raises(InvalidInput, match="There are 26 candidates, .* at most 25"):
        exhaustive(query, rows, 3)
    one_less = np.arange(26) == 7
    assert 7 not in exhaustive(query, rows, 2, excluded=one_less).indices
