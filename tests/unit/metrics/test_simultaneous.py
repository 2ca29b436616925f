"""Families of differences: the single difference, ties, and metrics without a bound."""

import warnings

import numpy as np
import pytest

from core.metrics.bounds.simultaneous import family


def outcomes(n=60):
    generator = np.random.default_rng(3)
    one = generator.normal(size=n)
    return np.stack([one, one - 1.0 + 0.1 * generator.normal(size=n), generator.normal(size=n)])


def test_a_difference_is_that_of_the_means_and_its_bounds_mirror_each_other():
    values, counted = outcomes(), np.ones(60)
    found = family(values, counted)
    means = values.mean(axis=1)
    assert found.differences == pytest.approx(means[:, None] - means[None, :])
    assert pytest.approx(-found.highs, nan_ok=True) == found.lows.T
    assert found.better[0, 1]
    assert not found.better[1, 0]
    assert list(found.best) == [True, False, found.best[2]]


def test_bounds_of_several_differences_are_wider_than_that_of_one():
    values, counted = outcomes(), np.ones(60)
    alone, together = family(values[:2], counted), family(values, counted)
    assert together.lows[0, 1] < alone.lows[0, 1] < alone.differences[0, 1] < alone.highs[0, 1]


@pytest.mark.parametrize("right", [1, 2, 4])
@pytest.mark.parametrize("equals", [2, 3])
def test_a_method_that_few_examples_set_apart_from_equal_ones_is_not_clearly_better(right, equals):
    """With so few examples that differ the flips have few values: no bound is read from them."""
    first, other = (np.arange(40) < 20).astype(float), (np.arange(40) < 20 + right).astype(float)
    alone = family(np.stack([first, other]), np.ones(40), share=True)
    found = family(np.stack([first] * equals + [other]), np.ones(40), share=True)
    assert not alone.better.any()
    assert not found.better.any()
    assert found.lows[-1, 0] <= alone.lows[1, 0] < 0 < found.differences[-1, 0]
    assert np.isnan(found.lows[0, 1]), "two that never differ have no bounds"


def test_the_order_of_methods_does_not_matter():
    values, counted, permuted = outcomes(), np.ones(60), [2, 0, 1]
    found, other = family(values, counted), family(values[permuted], counted)
    assert other.lows == pytest.approx(found.lows[np.ix_(permuted, permuted)], nan_ok=True)


def test_values_of_any_size_have_differences_without_bounds_where_none_are_asked_for():
    values = np.array([np.full(40, 1e232), np.full(40, 2e232)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = family(values, np.ones(40), alpha=0.0)
    assert found.differences[1, 0] == pytest.approx(1e232)
    assert np.isnan(found.lows).all()
    assert np.isnan(found.highs).all()
    assert found.needed == 0
    assert not found.better.any()


def test_no_method_one_method_and_no_example_have_no_bounds():
    assert family(np.empty((0, 30)), np.ones(30)).differences.shape == (0, 0)
    assert family(np.ones((1, 30)), np.ones(30)).best.tolist() == [True]
    assert np.isnan(family(np.ones((2, 30)), np.zeros(30)).differences).all()


def test_too_few_examples_say_how_many_it_takes():
    found = family(outcomes(19), np.ones(19))
    assert np.isnan(found.lows).all()
    assert found.needed == 20
