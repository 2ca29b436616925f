"""The best setting on a query's neighbours: worked by hand, both ends, ties, gaps, laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.selection.best_on_neighbours import (
    ScoreTable,
    best_on_neighbours,
    best_setting,
    chosen_across_folds,
    nearest,
)

NAN = np.nan


def on_circle(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


HAND = ScoreTable.of(
    [[-1.0, -5.0], [-2.0, -3.0], [-6.0, -1.0], [-9.0, -2.0]], on_circle(0, 20, 60, 90)
)
"""Setting 0 is the better one near 0 degrees, setting 1 near 90 and over all (-2.75, -4.5)."""


@pytest.mark.parametrize(
    ("degrees", "neighbours", "near", "setting", "mean", "overall_mean"),
    [
        (5, 1, [0], 0, -1.0, -5.0),
        (5, 2, [0, 1], 0, -1.5, -4.0),
        (5, 3, [0, 1, 2], 1, -3.0, -3.0),  # -3 under both: to the one that is better over all
        (5, 4, [0, 1, 2, 3], 1, -2.75, -2.75),
        (5, 99, [0, 1, 2, 3], 1, -2.75, -2.75),
        (85, 1, [3], 1, -2.0, -2.0),
        (45, 2, [2, 1], 1, -2.0, -2.0),
    ],
)
def test_by_hand(degrees, neighbours, near, setting, mean, overall_mean):
    found = best_on_neighbours(HAND, on_circle(degrees)[0], neighbours)
    assert found.neighbours.tolist() == near
    assert (found.setting, found.overall) == (setting, 1)
    assert found.mean == pytest.approx(mean)
    assert found.overall_mean == pytest.approx(overall_mean)


def test_what_is_not_allowed_neither_chooses_nor_counts_over_all():
    allowed = np.array([True, True, False, False])
    found = best_on_neighbours(HAND, on_circle(90)[0], 1, allowed)
    assert (found.neighbours.tolist(), found.setting, found.overall) == ([1], 0, 0)
    with pytest.raises(ValueError, match="no example is allowed"):
        best_on_neighbours(HAND, on_circle(90)[0], 1, np.zeros(4, dtype=bool))
    with pytest.raises(ValueError, match="neighbours is 0"):
        best_on_neighbours(HAND, on_circle(90)[0], 0)


def test_equal_settings_go_to_the_first():
    table = ScoreTable.of([[-2.0, -1.0, -1.0]] * 3, on_circle(0, 1, 2))
    assert best_on_neighbours(table, on_circle(0)[0], 2).setting == 1
    assert best_setting([0.1 + 0.2, 0.3, 0.3]) == 0
    assert best_setting([0.3, 0.1 + 0.2]) == 0
    assert best_setting([1.0, 1.0, NAN], then_by=[0.0, 1.0, 9.0]) == 1
    assert best_setting([NAN, NAN]) == -1
    assert best_setting([NAN, 3.0, 2.0]) == 1


def test_duplicates_share_a_rank_in_their_order():
    rows = on_circle(30, 0, 30, 0, 30)
    assert nearest(rows, on_circle(31)[0], 4).tolist() == [0, 2, 4, 1]
    assert nearest(rows, on_circle(31)[0], 0).tolist() == []
    allowed = np.array([False, True, True, True, True])
    assert nearest(rows, on_circle(31)[0], 2, allowed).tolist() == [2, 4]


def test_gaps_and_weights():
    table = ScoreTable.of(
        [[NAN, -1.0, -4.0], [-1.0, NAN, -4.0], [NAN, NAN, NAN], [-9.0, -9.0, NAN]],
        on_circle(0, 10, 20, 30),
        [1.0, 3.0, 1.0, 0.0],
    )
    assert table.usable.tolist() == [True, True, False, False]
    every = np.ones(4, dtype=bool)
    np.testing.assert_array_equal(table.means(every), [-1.0, -1.0, -4.0])
    # Of the nearest example setting 0 has no score, so 1 is chosen; the third is no neighbour.
    found = best_on_neighbours(table, on_circle(0)[0], 1)
    assert (found.setting, found.neighbours.tolist()) == (1, [0])
    assert best_on_neighbours(table, on_circle(30)[0], 3).neighbours.tolist() == [1, 0]
    weighted = ScoreTable.of([[0.0, -1.0], [-4.0, -2.0]], on_circle(0, 1), [3.0, 1.0])
    np.testing.assert_allclose(weighted.means(np.array([0, 1])), [-1.0, -1.25])
    assert best_on_neighbours(weighted, on_circle(0)[0], 2).setting == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([-1.0], [[1.0]]), "scores have shape"),
        ((np.empty((2, 0)), np.eye(2)), "scores have shape"),
        (([[-1.0]], np.eye(2)), "embeddings have shape"),
        (([[-np.inf]], [[1.0]]), "infinite"),
        (([[-1.0]], [[NAN]]), "infinite or NaN"),
        (([[-1.0]], [[1.0]], [-1.0]), "weights must be"),
        (([[-1.0]], [[1.0]], [1.0, 1.0]), "weights have shape"),
    ],
)
def test_what_is_no_table_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ScoreTable.of(*arguments)


def test_across_folds_by_hand():
    folds = np.array([0, 1, 0, 1])
    per_query, overall = chosen_across_folds(HAND, 1, folds)
    # Fold 0 sees examples 1 and 3 (means -5.5, -2.5), fold 1 examples 0 and 2 (-3.5, -3).
    assert per_query.tolist() == [0, 0, 1, 1]
    assert overall.tolist() == [1, 1, 1, 1]
    alone = chosen_across_folds(HAND, 1, np.zeros(4, dtype=np.int64))
    assert [each.tolist() for each in alone] == [[-1] * 4, [-1] * 4]
    with pytest.raises(ValueError, match="folds have shape"):
        chosen_across_folds(HAND, 1, folds[:3])


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))


def random_table(size):
    examples, settings, seed = size
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(examples, 3))
    scores = -generator.exponential(size=(examples, settings))
    return (
        ScoreTable.of(scores, rows / np.linalg.norm(rows, axis=1, keepdims=True)),
        on_sphere(generator),
        generator,
    )


def on_sphere(generator):
    row = generator.normal(size=3)
    return row / np.linalg.norm(row)


@given(SIZES)
def test_all_neighbours_are_the_one_setting_for_all(size):
    table, query, _ = random_table(size)
    found = best_on_neighbours(table, query, size[0])
    assert found.setting == found.overall == int(np.argmax(table.scores.mean(axis=0)))
    folds = np.arange(size[0]) % 3
    per_query, overall = chosen_across_folds(table, size[0], folds)
    assert per_query.tolist() == overall.tolist()


@given(SIZES)
def test_one_neighbour_is_the_nearest_example(size):
    table, query, _ = random_table(size)
    found = best_on_neighbours(table, query, 1)
    place = int(np.argmax(table.embeddings @ query))
    assert found.neighbours.tolist() == [place]
    assert found.setting == int(np.argmax(table.scores[place]))


@given(SIZES, st.integers(1, 10))
def test_the_order_of_settings_and_of_examples_changes_nothing(size, neighbours):
    table, query, generator = random_table(size)
    found = best_on_neighbours(table, query, neighbours)
    settings, examples = generator.permutation(size[1]), generator.permutation(size[0])
    shuffled = ScoreTable.of(
        table.scores[examples][:, settings], table.embeddings[examples], table.weights[examples]
    )
    other = best_on_neighbours(shuffled, query, neighbours)
    assert settings[other.setting] == found.setting
    assert examples[other.neighbours].tolist() == found.neighbours.tolist()
    assert other.mean == pytest.approx(found.mean)


@given(SIZES, st.integers(1, 10))
def test_against_brute_force(size, neighbours):
    table, query, _ = random_table(size)
    near = sorted(range(size[0]), key=lambda at: -float(table.embeddings[at] @ query))[:neighbours]
    means = [np.mean([table.scores[at, s] for at in near]) for s in range(size[1])]
    assert best_on_neighbours(table, query, neighbours).setting == int(np.argmax(means))


@given(
    arrays(np.float64, (6, 3), elements=st.sampled_from([NAN, -2.0, -1.0, 0.0])),
    st.integers(1, 7),
)
def test_a_setting_without_a_score_nearby_is_never_chosen(scores, neighbours):
    table = ScoreTable.of(scores, on_circle(0, 10, 20, 30, 40, 50))
    if not table.usable.any():
        with pytest.raises(ValueError, match="no example"):
            best_on_neighbours(table, on_circle(7)[0], neighbours)
        return
    found = best_on_neighbours(table, on_circle(7)[0], neighbours)
    assert not np.isnan(scores[found.neighbours, found.setting]).all()
    assert found.mean == np.nanmax(table.means(np.sort(found.neighbours)))
