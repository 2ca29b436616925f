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
