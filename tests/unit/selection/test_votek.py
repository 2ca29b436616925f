"""Vote-k elects what the votes counted anew elect, exactly, and what the authors' code does."""

from fractions import Fraction

import numpy as np
import pytest
from baselines_oracle import POOLS, some_closed
from hypothesis import assume, given
from hypothesis import strategies as st
from selection_oracle import duplicated_pool, random_pool, unit

from core.selection.baselines.votek import votek

seeds = st.integers(0, 10_000)


def neighbours_of(rows, count):
    """For each row the places of those nearest to it, itself left out, equals by index."""
    rows = np.asarray(rows, dtype=np.float64)
    found = []
    for v, row in enumerate(rows):
        nearness = np.round([np.dot(row, other) for other in rows], 10)
        others = [u for u in np.argsort(-nearness, kind="stable") if u != v]
        found.append([int(u) for u in others[:count]])
    return found


def elected(relevance, rows, k, count, groups=None):
    """(picks, scores, whether rounding can have decided nothing), with scores as fractions."""
    near = neighbours_of(rows, count)
    still, picked, scores, clear = set(range(len(rows))), [], [], True
    while still and len(picked) < k:
        discount = [sum(u in picked for u in near[v]) for v in range(len(rows))]
        score = {
            u: sum(
                (Fraction(1, 10 ** discount[v]) for v in range(len(rows))
                 if v not in picked and u in near[v]),
                Fraction(0),
            )
            for u in still
        }  # fmt: skip
        highest = max(score.values())
        clear &= all(s == highest or s < highest * (1 - Fraction(1, 10**9)) for s in score.values())
        best = min((u for u in still if score[u] == highest),
                   key=lambda u: (-round(relevance[u], 10), u))  # fmt: skip
        picked.append(best)
        scores.append(float(highest))
        still.discard(best)
        if groups is not None:
            still = {u for u in still if groups[u] != groups[best]}
    return picked, scores, clear


@given(
    pool=st.sampled_from(["random", "duplicated", "tied"]), seed=seeds, n=st.integers(1, 20),
    k=st.integers(0, 10), count=st.sampled_from([1, 2, 5, 19, 150]), closed=st.booleans(),
)  # fmt: skip
def test_equals_votes_counted_anew(pool, seed, n, k, count, closed):
    relevance, rows, _ = POOLS[pool](seed, n)
    excluded, groups = some_closed(seed, n) if closed else (np.zeros(n, bool), np.arange(n))
    kept = np.flatnonzero(~excluded)
    picked, scores, clear = elected(relevance[kept], rows[kept], k, count, groups[kept])
    assume(clear)
    chosen = votek(relevance, rows, k, neighbours=count, excluded=excluded, groups=groups)
    assert chosen.indices.tolist() == kept[picked].tolist()
    np.testing.assert_allclose(chosen.values, scores, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_late_scores_are_told_apart_however_small(seed):
    relevance, rows, _ = random_pool(seed, 40)
    picked, scores, clear = elected(relevance, rows, 38, 22)
    assert clear
    assert 0 < scores[33] < 1e-15
    chosen = votek(relevance, rows, 38, neighbours=22)
    assert chosen.indices.tolist() == picked
    np.testing.assert_allclose(chosen.values, scores, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_equal_neighbours_go_to_the_lowest_index_wherever_they_stand(seed):
    relevance, rows, _ = duplicated_pool(seed, 97, d=385)
    picked, _, clear = elected(relevance, rows, 8, 5)
    assert clear
    assert votek(relevance, rows, 8, neighbours=5).indices.tolist() == picked


def five_directions():
    """At 0, 10, 25, 90 and 95 degrees: who is nearest to whom is plain."""
    angle = np.deg2rad([0.0, 10.0, 25.0, 90.0, 95.0])
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_hand_worked_pool():
    rows = five_directions()
    relevance = rows @ rows[4]
    chosen = votek(relevance, rows, 5, neighbours=1)
    # 0 and 2 vote for 1, 1 for 0, 3 and 4 for each other. 1 has two votes. Then 0 has none left,
    # since its voter is chosen; 3 and 4 have one each, and 4 is more relevant. The rest have none.
    assert chosen.indices.tolist() == [1, 4, 3, 2, 0]
    assert chosen.values.tolist() == [2.0, 1.0, 0.0, 0.0, 0.0]


def test_a_vote_counts_a_tenth_for_each_neighbour_chosen():
    rows = five_directions()
    chosen = votek(rows @ rows[0], rows, 3, neighbours=2)
    # 0: 1 2, 1: 0 2, 2: 1 0, 3: 4 2, 4: 3 2. 2 is elected by 0, 1, 3, 4. Each of them has one
    # neighbour chosen now: 0 and 1 have 0.1 each, and 0.1 for 3 and for 4 (2 is chosen, and votes
    # no more); 0 is the most relevant. Then 1 has the vote of 0 no more; 3 has that of 4, at 0.1.
    assert chosen.indices.tolist() == [2, 0, 3]
    np.testing.assert_allclose(chosen.values, [4.0, 0.1, 0.1])


@pytest.mark.parametrize("count", [19, 20, 150])
def test_where_all_are_neighbours_the_most_relevant_are_elected(count):
    relevance, rows, _ = random_pool(6, 20)
    chosen = votek(relevance, rows, 20, neighbours=count)
    assert chosen.indices.tolist() == np.argsort(-relevance).tolist()
    assert chosen.values[0] == 19
    np.testing.assert_allclose(chosen.values[1:], [(19 - m) / 10**m for m in range(1, 20)])


def authors(rows, k, count):
    """As `fast_votek` of the authors' code counts, from the paper's formula: no tie is settled."""
    near = neighbours_of(rows, count)
    voters = {u: [v for v in range(len(rows)) if u in near[v]] for u in range(len(rows))}
    picked, times = [], np.zeros(len(rows))
    while len(picked) < k:
        score = {
            u: sum(10.0 ** -times[v] for v in voters[u] if v not in picked)
            for u in voters
            if u not in picked
        }
        first, second = sorted(score.values(), reverse=True)[:2]
        if first - second < 1e-9:
            return picked
        picked.append(max(score, key=lambda u: score[u]))
        times[voters[picked[-1]]] += 1
    return picked


def test_equals_the_authors_until_two_tie():
    agreed = 0
    for seed in range(40):
        rows = unit(np.random.default_rng(seed).standard_normal((60, 12)))
        expected = authors(rows, 6, 8)
        chosen = votek(rows @ rows[0], rows, 6, neighbours=8)
        assert chosen.indices.tolist()[: len(expected)] == expected
        agreed += len(expected)
    assert agreed > 60


@pytest.mark.parametrize("neighbours", [0, -1, 2.5, None])
def test_neighbours_below_one_are_refused(neighbours):
    with pytest.raises(ValueError, match="neighbours is .*; give a whole number, 1 or more"):
        votek(np.ones(4), np.eye(4), 2, neighbours=neighbours)
