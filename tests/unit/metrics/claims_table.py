"""How often intervals cover and claims are wrong, before and now: the tables of docs/statistics.md.

    python tests/unit/metrics/claims_table.py --runs 2000

Samples are drawn from the outcomes of the service desk's 480 examples, kept beside the tests, and
from log-normal distributions; where methods are to be equal, from the same outcomes in a random
order of the methods, or mirrored at each example's mean. "Before" are percentile bootstrap
intervals, one comparison at a time. A few minutes on one core.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import old_rules
from simulation import flipped, permuted, service_desk

from core.metrics import METRICS, mean_interval
from core.metrics.bounds.intervals import metric_interval, paired_interval
from core.metrics.bounds.sequential import last_look
from core.metrics.bounds.simultaneous import family

SIZES = (10, 30, 100)
METHODS = ("none", "random", "fix", "bias", "rel", "rel+bias", "rel+div", "rel+div+bias")


def print_line(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def coverage(draw, interval, truth, n, runs):
    """Shares that cover, before and now, and how many samples have an interval now."""
    random, before, now, given = np.random.default_rng(n), 0, 0, 0
    for _ in range(runs):
        numerators, denominators = draw(random, n)
        (low,), (high,) = old_rules.percentile(numerators, denominators)
        before += low <= truth <= high
        found = interval(numerators, denominators)
        if found.low is not None:
            given += 1
            now += found.low <= truth <= found.high
    return before / runs, now / given if given else None, given / runs


def coverage_rows():
    """Each row's name with a function of n and runs that gives its `coverage`."""
    for metric, name in (("dpo", "dpo_per_triple"), ("mc1", "mc1")):
        population = service_desk(metric=metric)
        for row, method in enumerate(METHODS):
            if (metric, method) == ("dpo", "none"):
                continue  # the same by definition
            yield f"{name} of {method}", _of_method(METRICS[name], population, row)
        for pair in (("rel+div", "none"), ("rel+div", "rel"), ("rel+div+bias", "rel+div")):
            rows = [METHODS.index(each) for each in pair]
            yield f"{name}, {pair[0]} less {pair[1]}", partial(_of_pair, population, rows)
    for sigma in (0.5, 1.0, 1.5):
        yield (
            f"log-normal, sigma {sigma}",
            partial(
                coverage,
                lambda random, n, s=sigma: (random.lognormal(0, s, n), np.ones(n)),
                lambda a, b: mean_interval(a),
                np.exp(sigma**2 / 2),
            ),
        )


def _of_method(metric, population, row):
    def drawn(random, n):
        numerators, denominators = population.draw(random, n)
        return numerators[row], denominators

    def interval(numerators, denominators):
        return metric_interval(metric, numerators, denominators, idle=population.idle)

    return partial(coverage, drawn, interval, population.truth[row])


def _of_pair(population, rows, n, runs):
    truth = population.truth[rows[0]] - population.truth[rows[1]]
    random, before, now, given = np.random.default_rng(n), 0, 0, 0
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        (low,), (high,) = old_rules.percentile(
            numerators[rows[0]] - numerators[rows[1]], denominators
        )
        before += low <= truth <= high
        pair = paired_interval(
            numerators[rows], denominators, share=population.share, idle=population.idle
        )
        if pair.low is not None:
            given += 1
            now += pair.low <= truth <= pair.high
    return before / runs, now / given if given else None, given / runs


def tell_coverage(runs, only=""):
    for name, found in coverage_rows():
        if only in name:
            cells = [
                f"{before:.3f} -> " + ("none" if now is None else f"{now:.3f} ({given:.0%} given)")
                for before, now, given in (found(n, runs) for n in SIZES)
            ]
            print_line(f"| {name} | {' | '.join(cells)} |")


def wrong(rows, metric, equal, n, runs):
    """Shares of runs in which any of the equal is called better: before, now, and at some look."""
    population, random = service_desk(rows, metric), np.random.default_rng(n)
    looks = {last_look(seen) for seen in range(n)} | {last_look(n, ended=True)}
    counts = np.zeros(3)
    for _ in range(runs):
        numerators, denominators = population.draw(random, n)
        drawn = equal(random, numerators)
        any_claim = {
            look.n: family(
                drawn[:, : look.n],
                denominators[: look.n],
                share=population.share,
                idle=population.idle,
                alpha=look.alpha,
            ).better.any()
            for look in looks
            if look.n
        }
        best = np.roll(drawn, -int(drawn.sum(axis=1).argmax()), axis=0)
        behind = old_rules.differ_from_first(best, denominators)
        counts += (behind.any(), any_claim[n], any(any_claim.values()))
    return counts / runs


def recentred(population):
    """The same outcomes with each method's mean taken out: equal means, unequal shapes."""
    shift = (population.truth - population.truth.mean())[:, None] * population.denominators
    return type(population)(population.numerators - shift, population.denominators, False)


def tell_wrong(runs):
    for rows, metric, equal, name in (
        ("method", "dpo", permuted, "8 equal methods, permuted"),
        ("method", "dpo", flipped, "8 equal methods, mirrored"),
        ("method", "mc1", permuted, "8 equal methods, permuted, by MC1"),
        ("lambda", "dpo", permuted, "21 equal lambdas, permuted"),
        ("lambda", "dpo", flipped, "21 equal lambdas, mirrored"),
    ):
        found = [wrong(rows, metric, equal, n, runs) for n in SIZES[1:]]
        cells = [f"{b:.3f} -> {now:.3f}, any look {look:.3f}" for b, now, look in found]
        print_line(f"| {name} | {' | '.join(cells)} |")
    for rows in ("method", "lambda"):
        population = service_desk(rows)
        for name, of in (
            ("as it is", population),
            ("equal means by shifting", recentred(population)),
        ):
            cells = [f"{_wrong_sign(of, n, runs // 4):.3f}" for n in SIZES[1:]]
            print_line(f"| any wrong difference, {rows}s {name} | {' | '.join(cells)} |")


def _wrong_sign(population, n, runs):
    random, truth, count = np.random.default_rng(n), population.truth, 0
    not_better = truth[:, None] <= truth[None, :] + 1e-12
    for _ in range(runs):
        found = family(*population.draw(random, n), idle=population.idle)
        count += (found.better & not_better).any()
    return count / runs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", help="the rows of coverage that hold this text, and no others")
    chosen = parser.parse_args()
    print_line(
        f"| coverage, before -> now | {' | '.join(f'n = {n}' for n in SIZES)} |\n|---|---|---|---|"
    )
    tell_coverage(chosen.runs, chosen.only or "")
    if chosen.only is not None:
        sys.exit()
    print_line("\n| any claim that is wrong, before -> now | n = 30 | n = 100 |\n|---|---|---|")
    tell_wrong(chosen.runs)
