"""Matthews correlation, label consistency, chance and Figure 2's counts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from core.metrics.labels import label_consistency
from studies.pgra.classification import by_consistent, chance, matthews_correlation


def test_matthews_correlation_of_the_paper_s_formula():
    predicted = ["yes"] * 6 + ["no"] * 3 + ["yes"] * 1 + ["no"] * 2
    labels = ["yes"] * 6 + ["no"] * 3 + ["no"] * 1 + ["yes"] * 2
    expected = (6 * 3 - 1 * 2) / math.sqrt((6 + 1) * (6 + 2) * (3 + 1) * (3 + 2))
    assert matthews_correlation(predicted, labels) == pytest.approx(expected)
    assert matthews_correlation(predicted, labels) == pytest.approx(0.4781, abs=5e-5)


@pytest.mark.parametrize("labels", [["a", "b", "a"], ["a", "b", "c"], ["a", "a", "a"]])
def test_a_constant_prediction_correlates_with_nothing(labels):
    assert matthews_correlation(["a"] * 3, labels) == 0.0


def test_both_ends():
    labels = ["a", "b", "a", "b"]
    assert matthews_correlation(labels, labels) == 1.0
    assert matthews_correlation(["b", "a", "b", "a"], labels) == -1.0


pairs = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=60
)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(pairs)
def test_as_scikit_learn_has_it(drawn):
    predicted, labels = zip(*drawn, strict=True)
    assert matthews_correlation(predicted, labels) == pytest.approx(
        matthews_corrcoef(labels, predicted), abs=1e-12
    )


def test_nothing_is_undefined():
    assert math.isnan(matthews_correlation([], []))
    assert math.isnan(label_consistency([], "a"))
    assert math.isnan(chance([], ["a"]))
    assert math.isnan(chance(["a"], []))


def test_as_many_predictions_as_labels():
    with pytest.raises(ValueError, match="1 predictions for 2 labels"):
        matthews_correlation(["a"], ["a", "b"])


def test_label_consistency():
    assert label_consistency(["a"] * 5 + ["b"] * 3, "a") == 0.625
    assert label_consistency(["b"], "a") == 0.0
    assert label_consistency(["a", "a"], "a") == 1.0


def test_chance_is_the_mean_share_of_the_queries_labels():
    pool = ["a", "a", "a", "b"]
    assert chance(pool, ["a"]) == 0.75
    assert chance(pool, ["a", "b", "b", "b"]) == pytest.approx((0.75 + 3 * 0.25) / 4)
    assert chance(pool, ["c"]) == 0.0


def test_chance_is_what_blind_draws_come_to():
    rng = np.random.default_rng(0)
    pool, labels = rng.choice(list("aabc"), 40), rng.choice(list("abc"), 15)
    drawn = [
        label_consistency(rng.permutation(pool)[:8].tolist(), label)
        for _ in range(400)
        for label in labels
    ]
    assert chance(pool.tolist(), labels.tolist()) == pytest.approx(np.mean(drawn), abs=0.01)


def test_figure_2_by_hand():
    found = by_consistent([0, 2, 2, 3, 3, 3], [False, True, False, True, True, True], 4)
    assert found == (
        (1, 0.0),
        (0, None),
        (2, 0.5),
        (3, 1.0),
        (0, None),
    )
    assert by_consistent([], [], 1) == ((0, None), (0, None))
    assert by_consistent([0], [True], 0) == ((1, 1.0),)


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=50))
def test_figure_2_counts_every_query_once(drawn):
    counts, right = zip(*drawn, strict=True)
    found = by_consistent(counts, right, 8)
    assert sum(queries for queries, _ in found) == len(drawn)
    hits = sum(queries * (accuracy or 0.0) for queries, accuracy in found)
    assert hits == pytest.approx(sum(right))


def test_figure_2_refuses_what_cannot_be():
    with pytest.raises(ValueError, match="must be 0 to 2"):
        by_consistent([3], [True], 2)
    with pytest.raises(ValueError, match="must be 0 to 2"):
        by_consistent([-1], [True], 2)
    with pytest.raises(ValueError, match="one each"):
        by_consistent([1, 1], [True], 2)
