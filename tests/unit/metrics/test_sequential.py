"""Bounds for every look: by hand, and by simulation that a run that stops is seldom wrong."""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from core.metrics.bounds.sequential import (
    FIRST_LOOK,
    TIGHTEST,
    Look,
    alpha_for_every_look,
    last_look,
    leader,
    one_sided,
    two_sided,
)

MARGIN = 0.05
FEW, MANY = 100, 300
LOOKS = range(FIRST_LOOK, 241, 15)


def allowed(runs):
    """What a rate of 5 % shows in so many runs, with three standard errors of the simulation."""
    return 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_the_half_widths_by_hand():
    rho = math.sqrt((-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / TIGHTEST)
    t = 64
    theorem = math.sqrt(
        2 * (t * rho**2 + 1) / (t**2 * rho**2) * math.log(math.sqrt(t * rho**2 + 1) / 0.05)
    )
    assert two_sided(t, 0.05) == pytest.approx(theorem * math.sqrt(t))
    assert two_sided(100, 0.05) == pytest.approx(3.03, abs=0.01)
    rho = math.sqrt((-2 * math.log(0.1) + math.log(-2 * math.log(0.1) + 1)) / TIGHTEST)
    theorem = math.sqrt(
        2 * (t * rho**2 + 1) / (t**2 * rho**2) * math.log(1 + math.sqrt(t * rho**2 + 1) / 0.1)
    )
    assert one_sided(t, 0.05) == pytest.approx(theorem * math.sqrt(t))


@pytest.mark.parametrize("width", [two_sided, one_sided])
def test_the_bounds_are_wider_than_those_of_one_look_and_for_smaller_alpha(width):
    for n in (2, 30, 100, 1000, 10**6):
        assert width(n, 0.05) > 1.96
        assert width(n, 0.001) > width(n, 0.05)
    nearby = {n: width(n, 0.05) for n in range(10, 1001)}
    assert 0.9 * TIGHTEST <= min(nearby, key=nearby.__getitem__) <= 1.1 * TIGHTEST


def test_looks_are_where_no_outcome_puts_them_and_spend_alpha_once():
    looks = {last_look(n, planned=False) for n in range(30, 1000)}
    assert [look.n for look in sorted(looks, key=lambda look: look.n)] == [
        30,
        45,
        68,
        102,
        152,
        228,
        342,
        513,
        769,
    ]
    assert sum(look.alpha for look in looks) == pytest.approx(0.05 * (1 - 1 / 10))
    assert last_look(29).n == 0
    watched = {last_look(n) for n in range(30, 10**5)}
    assert sum(look.alpha for look in watched) < 0.01
    assert last_look(100, ended=True) == Look(100, pytest.approx(0.04), fixed=True)
    assert last_look(100, ended=True, planned=False) == last_look(85, planned=False)


def test_the_level_of_every_look_gives_back_its_width():
    for n in (30, 100, 1000):
        assert stats.norm.isf(alpha_for_every_look(n) / 2) == pytest.approx(two_sided(n))


def test_one_candidate_is_settled_and_none_is_before_the_first_look():
    values = np.zeros((3, FIRST_LOOK - 1))
    assert leader(values[:1], np.ones(FIRST_LOOK - 1), 0).gap == 0.0
    assert leader(values, np.ones(FIRST_LOOK - 1), 0).gap == math.inf
    padded = np.hstack([values, np.zeros((3, 9))])
    uncounted = np.r_[np.ones(FIRST_LOOK - 1), np.zeros(9)]
    assert leader(padded, uncounted, 0).gap == math.inf, "examples that count for nothing"
    assert leader(np.full((3, 50), np.inf), np.ones(50), 0).gap == math.inf


def test_the_gap_by_hand():
    """Two candidates that differ by 1 in every second of 100 examples of two triples each."""
    first = np.zeros(100)
    second = np.tile([1.0, 0.0], 50) - 0.5
    error = second.std(ddof=1) / 10
    unseen = 0.5 * math.log(1 / 0.05) / 100
    found = leader(np.stack([first, second]), np.full(100, 2.0), 0)
    assert (found.place, found.gap) == (0, pytest.approx((one_sided(100) * error + unseen) / 2))
    worse = leader(np.stack([first, second - 10.0]), np.full(100, 2.0), 0)
    assert worse.gap == 0.0


def test_a_candidate_that_differed_often_is_taken_at_its_own_size():
    """One of two others differs by 1 in every example, the other by 3 in two of a hundred."""
    often, seldom = np.tile([1.0, -1.0], 50), np.zeros(100)
    seldom[[3, 50]] = -3.0, 3.0
    found = leader(np.stack([np.zeros(100), often, seldom]), np.ones(100), 0)
    doubt = math.log(2 / 0.05)
    bounds = [
        one_sided(100, 0.05 / 2) * differences.std(ddof=1) / 10 + size * doubt / 100
        for differences, size in (
            (often, math.sqrt((100 * 1.0 + doubt * 9.0) / (100 + doubt))),
            (seldom, 3.0),
        )
    ]
    assert bounds[0] > bounds[1]
    assert found.gap == pytest.approx(bounds[0])


def test_candidates_that_never_differed_are_not_trusted_at_once():
    values = np.tile(np.random.default_rng(0).normal(-0.7, 0.5, 400), (4, 1))
    gaps = [leader(values[:, :n], np.ones(n), 0).gap for n in (30, 100, 400)]
    spread = [values[0, :n].std() * math.log(3 / 0.05) / n for n in (30, 100, 400)]
    assert gaps == pytest.approx(spread)
    assert gaps[0] > MARGIN > gaps[2]


def scenario(name, random):
    """Six candidates' numerators and denominators, and the means that the candidates have.

    The third is the best, by just more than the margin wherever there is one that is best.
    """
    n, candidates = max(LOOKS), 6
    means = np.zeros(candidates)
    means[2] = 0.0 if name == "all equal" else 1.001 * MARGIN
    triples = random.integers(1, 12, n).astype(float)
    shape = (candidates, n)
    noise = {
        "all equal": lambda: random.normal(0, 0.3, shape),
        "one better by the margin": lambda: random.normal(0, 0.15, shape),
        "heavy tails": lambda: random.standard_t(2.5, shape) * 0.1,
        "rare great losses": lambda: 0.15 - random.exponential(0.15, shape),
        "rare great gains": lambda: random.exponential(0.15, shape) - 0.15,
        "rarely different": lambda: np.zeros(shape),
        "rarely different from one of many": lambda: random.normal(0, 0.15, shape),
    }[name]()
    if name == "rarely different":
        noise[2] = (random.random(n) < means[2]) - means[2]
    if name == "rarely different from one of many":
        noise[2] = noise[0] + (random.random(n) < means[2]) - means[2]
    shared = random.normal(-0.7, 0.5, n)
    return (shared + noise + means[:, None]) * triples, triples, means


def naive_gap(values, triples, place):
    """What 95 % bounds of one look and one comparison would say."""
    ahead = np.delete(values, place, axis=0) - values[place]
    means = ahead.sum(axis=1) / triples.sum()
    influences = ahead - means[:, None] * triples
    errors = influences.std(axis=1, ddof=1) / math.sqrt(len(triples)) / triples.mean()
    return (means + 1.645 * errors).max()


@functools.cache
def stops(gap_of, name, runs):
    """Shares of the runs that stop, and that stop at one worse than the best by over the margin."""
    random = np.random.default_rng(7)
    stopped = wrong = 0
    for _ in range(runs):
        values, triples, means = scenario(name, random)
        for n in LOOKS:
            place = int(values[:, :n].sum(axis=1).argmax())
            if gap_of(values[:, :n], triples[:n], place) <= MARGIN:
                stopped += 1
                wrong += means.max() - means[place] > MARGIN
                break
    return stopped / runs, wrong / runs


def sequential_gap(values, triples, place):
    return leader(values, triples, place).gap


@pytest.mark.parametrize("runs", [FEW, pytest.param(MANY, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "name",
    [
        "all equal",
        "one better by the margin",
        "heavy tails",
        "rare great losses",
        "rare great gains",
        "rarely different",
        "rarely different from one of many",
    ],
)
def test_a_run_that_stops_is_wrong_in_five_of_a_hundred_at_most(name, runs):
    assert stops(sequential_gap, name, runs)[1] <= allowed(runs)


def test_a_run_stops_before_the_last_example_where_it_can():
    stopped, _ = stops(sequential_gap, "one better by the margin", FEW)
    assert stopped > 0.5


@pytest.mark.parametrize("name", ["one better by the margin", "heavy tails"])
def test_looking_again_and_again_at_ordinary_bounds_is_wrong_far_more_often(name):
    """So the simulation can detect a rule that is not valid, over few runs as well."""
    wrong = stops(naive_gap, name, MANY)[1]
    assert wrong > 2 * allowed(MANY) > allowed(FEW)
