"""How often intervals cover, and words that claim a difference are wrong: simulated, with seeds.

Each check allows for three standard errors of its own simulation; each is shown to fail for the
rules used before (`old_rules`). The same checks appear twice: over a few runs, which the old rules
fail as well, and, marked `thorough`, over so many that a smaller error shows.
"""

import numpy as np
import old_rules
import pytest
from simulation import allowed, at_least, flipped, permuted, service_desk

from core.metrics import METRICS, mean_interval
from core.metrics.bounds.intervals import metric_interval, paired_interval
from core.metrics.bounds.sequential import FIRST_LOOK, alpha_for_every_look, last_look
from core.metrics.bounds.simultaneous import family

METHODS = ("none", "random", "fix", "bias", "rel", "rel+bias", "rel+div", "rel+div+bias")
DPO, MC1 = METRICS["dpo_per_triple"], METRICS["mc1"]
COVERS = {30: 0.92, 100: 0.94}


def few_or(many, few):
    """A test over few runs, and, if it is asked to be thorough, over many."""
    thorough = pytest.param(many, id="many", marks=pytest.mark.thorough)
    return pytest.mark.parametrize("runs", [pytest.param(few, id="few"), thorough])


FEW = 100
FEW_OR_MANY, FEW_OR_MANY_SLOW = few_or(400, FEW), few_or(200, 60)


def covers(interval, truth):
    """True, False, or None where no interval is given."""
    return None if interval.low is None else interval.low <= truth <= interval.high


def share_that_covers(intervals, truth):
    """Of the samples with an interval the share that covers, and how many there are."""
    covered = [found for each in intervals if (found := covers(each, truth)) is not None]
    return np.mean(covered), len(covered)


@FEW_OR_MANY
@pytest.mark.parametrize("n", COVERS)
@pytest.mark.parametrize("method", METHODS[1:])
def test_dpo_of_the_service_desk_is_covered(method, n, runs):
    population, row = service_desk(), METHODS.index(method)
    random, found = np.random.default_rng(n), []
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        found.append(metric_interval(DPO, numerators[row], denominators, idle=population.idle))
    share, given = share_that_covers(found, population.truth[row])
    assert share >= at_least(COVERS[n], given)
    assert given >= 0.85 * runs, "an interval is given nearly always"


@FEW_OR_MANY
@pytest.mark.parametrize("n", COVERS)
@pytest.mark.parametrize("method", METHODS)
def test_mc1_of_the_service_desk_is_covered_and_never_without_width(method, n, runs):
    population, row = service_desk(metric="mc1"), METHODS.index(method)
    random, found = np.random.default_rng(n), []
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        found.append(metric_interval(MC1, numerators[row], denominators))
    share, given = share_that_covers(found, population.truth[row])
    assert given == runs
    assert share >= at_least(0.95, runs), "exact: 95 % at least at every n"
    assert min(each.high - each.low for each in found) > 1 / n


@FEW_OR_MANY
@pytest.mark.parametrize("n", COVERS)
@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("sign", [1, -1])
def test_log_normal_means_are_covered(sign, sigma, n, runs):
    random, truth = np.random.default_rng(n), sign * np.exp(sigma**2 / 2)
    found = [mean_interval(sign * random.lognormal(0, sigma, n)) for _ in range(runs)]
    share, given = share_that_covers(found, truth)
    assert share >= at_least(COVERS[n], given)
    assert given >= 0.85 * runs


@FEW_OR_MANY
@pytest.mark.parametrize("n", COVERS)
def test_log_normal_ratios_of_clusters_are_covered(n, runs):
    random, found = np.random.default_rng(n), []
    for _ in range(runs):
        triples = random.integers(1, 13, n).astype(float)
        numerators = -triples * random.lognormal(0, 1, n)
        found.append(metric_interval(DPO, numerators, triples))
    share, given = share_that_covers(found, -np.exp(0.5))
    assert share >= at_least(COVERS[n], given)


@FEW_OR_MANY
@pytest.mark.parametrize("n", COVERS)
@pytest.mark.parametrize("metric", ["dpo", "mc1"])
@pytest.mark.parametrize(
    "pair",
    [
        ("rel+div", "none"),
        ("rel+div", "rel"),
        ("rel+bias", "rel"),
        ("rel+div+bias", "rel+div"),
        ("bias", "none"),
        ("fix", "random"),
    ],
)
def test_paired_differences_of_the_service_desk_are_covered(pair, metric, n, runs):
    population, rows = service_desk(metric=metric), [METHODS.index(name) for name in pair]
    truth = population.truth[rows[0]] - population.truth[rows[1]]
    random, found = np.random.default_rng(n), []
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        found.append(
            paired_interval(
                numerators[rows], denominators, share=population.share, idle=population.idle
            )
        )
    share, given = share_that_covers(found, truth)
    assert share >= at_least(COVERS[n], given)
    widths = [each.high - each.low for each in found if each.low is not None]
    assert min(widths) > 0


def test_percentile_intervals_covered_far_less():
    """What the bounds above would have failed for, over few runs as well."""
    population, random = service_desk(), np.random.default_rng(1)
    row, covered, runs = METHODS.index("rel+div"), {30: 0, 100: 0}, 400
    for n in covered:
        for _ in range(runs):
            numerators, denominators = population.draw(random, n)
            (low,), (high,) = old_rules.percentile(numerators[row], denominators)
            covered[n] += low <= population.truth[row] <= high
    assert covered[30] / runs < 0.8 < at_least(COVERS[30], FEW)
    assert covered[100] / runs < 0.85 < at_least(COVERS[100], FEW)


NULLS = {
    "8 methods, permuted": ("method", "dpo", permuted),
    "8 methods, mirrored": ("method", "dpo", flipped),
    "8 methods, MC1 permuted": ("method", "mc1", permuted),
    "21 lambdas, permuted": ("lambda", "dpo", permuted),
    "21 lambdas, mirrored": ("lambda", "dpo", flipped),
    "21 lambdas, MC1 mirrored": ("lambda", "mc1", flipped),
}


def null_samples(name, n, runs):
    rows, metric, make_equal = NULLS[name]
    population, random = service_desk(rows, metric), np.random.default_rng(n)
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        yield make_equal(random, numerators), denominators, population


@FEW_OR_MANY
@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("name", NULLS)
def test_of_equal_methods_any_is_called_better_in_five_of_a_hundred_at_most(name, n, runs):
    """Any word at all: a leader, a clear difference from any reference, a cell left behind."""
    wrong = [
        family(drawn, denominators, share=of.share, idle=of.idle).better.any()
        for drawn, denominators, of in null_samples(name, n, runs)
    ]
    assert np.mean(wrong) <= allowed(0.05, runs)


def test_one_comparison_at_a_time_was_wrong_far_more_often():
    found = [
        old_rules.differ_from_first(drawn, denominators)
        for drawn, denominators, _ in null_samples("8 methods, permuted", 30, 400)
    ]
    often = np.mean([each.any() for each in found])
    assert often > 4 * allowed(0.05, 400)
    assert often > 2 * allowed(0.05, FEW)


@FEW_OR_MANY_SLOW
@pytest.mark.parametrize("rows", ["method", "lambda"])
def test_the_best_is_among_those_called_best_and_no_sign_is_wrong(rows, runs):
    population, random = service_desk(rows), np.random.default_rng(3)
    truth, wrong, lost = population.truth, 0, 0
    not_better = truth[:, None] <= truth[None, :]
    for _ in range(runs):
        numerators, denominators = population.draw(random, 100)
        found = family(numerators, denominators, idle=population.idle)
        wrong += (found.better & not_better).any()
        lost += not found.best[truth.argmax()]
    assert wrong / runs <= allowed(0.05, runs)
    assert lost / runs <= allowed(0.05, runs)


def test_what_differs_much_is_found():
    """So that the error is not small because nothing is ever claimed."""
    population, random = service_desk(), np.random.default_rng(4)
    without, with_diversity = METHODS.index("none"), METHODS.index("rel+div")
    found = [
        family(*population.draw(random, 60), idle=population.idle).better[with_diversity, without]
        for _ in range(50)
    ]
    assert np.mean(found) > 0.9


@FEW_OR_MANY_SLOW
@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("name", ["8 methods, permuted", "21 lambdas, mirrored"])
def test_over_all_looks_together_five_of_a_hundred_runs_are_wrong_at_most(name, planned, runs):
    """Every look of a run that is watched, and its end; with an end that was planned or not."""
    n = 150
    looks = {last_look(seen, planned=planned) for seen in range(n)}
    looks |= {last_look(n, ended=True, planned=planned)}
    wrong = 0
    for drawn, denominators, of in null_samples(name, n, runs):
        wrong += any(
            family(
                drawn[:, : look.n],
                denominators[: look.n],
                share=of.share,
                idle=of.idle,
                alpha=look.alpha,
            ).better.any()
            for look in looks
            if look.n
        )
    assert wrong / runs <= allowed(0.05, runs)


@FEW_OR_MANY_SLOW
def test_the_interval_of_a_mean_holds_at_all_looks_together(runs):
    population, random = service_desk(), np.random.default_rng(5)
    row, missed = METHODS.index("fix"), {"every look": 0, "one look": 0}
    for _ in range(runs):
        numerators, denominators = population.draw(random, 240)
        out = dict.fromkeys(missed, False)
        for n in range(FIRST_LOOK, 241, 15):
            for name, alpha in (("every look", alpha_for_every_look(n)), ("one look", 0.05)):
                found = metric_interval(
                    DPO, numerators[row, :n], denominators[:n], alpha, idle=population.idle
                )
                out[name] |= not found.low <= population.truth[row] <= found.high
        for name in missed:
            missed[name] += out[name]
    assert missed["every look"] / runs <= allowed(0.05, runs)
    assert missed["one look"] / runs > allowed(0.05, runs)
