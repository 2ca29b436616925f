import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from core.metrics import METRICS, AnswerScores, estimate, mean_interval, paired_difference
from core.metrics.bounds.intervals import paired_sums
from core.metrics.bounds.quantiles import LEAST, ONE_CARRIES
from core.metrics.preference import dpo_per_triple


def examples_of(seed, q, gain=0.0):
    """q examples of unequal size; `gain` is what the context adds to each correct answer."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(q):
        a, b = generator.integers(1, 6, size=2)
        alone, incorrect_alone = -5 * generator.random(a), -5 * generator.random(b)
        made.append(
            AnswerScores(
                alone + gain + generator.normal(size=a) + generator.normal(),
                incorrect_alone + generator.normal(size=b),
                alone,
                incorrect_alone,
            )
        )
    return made


def hall_by_hand(values, skewness, t):
    """The ends of Hall's interval, his transform inverted numerically."""
    n, error = len(values), values.std(ddof=1) / math.sqrt(len(values))
    bend = 1.5 * skewness / math.sqrt(n)

    def transformed(x):
        return x + bend / 3 * x**2 + bend**2 / 27 * x**3 + bend / 6

    below, above = (optimize.brentq(lambda x, y=y: transformed(x) - y, -99, 99) for y in (t, -t))
    return values.mean() - below * error, values.mean() - above * error


def test_a_skewed_mean_has_hall_s_end_on_the_tail_s_side_and_student_s_on_the_other():
    values = np.random.default_rng(1).gamma(1.0, size=60)
    interval = mean_interval(values)
    t = stats.t.ppf(0.975, 59)
    low, high = hall_by_hand(values, stats.skew(values, bias=False), t)
    assert low > values.mean() - t * stats.sem(values), "shorter away from the tail"
    assert interval.mean == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - t * stats.sem(values))
    assert interval.high == pytest.approx(high)
    mirrored = mean_interval(-values)
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low))


def test_mean_interval_is_that_of_the_normal_formula():
    values = np.random.default_rng(3).normal(5, 2, size=500)
    interval = mean_interval(values)
    half = 1.959964 * values.std(ddof=1) / math.sqrt(500)
    assert interval.low == pytest.approx(values.mean() - half, abs=0.15 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.15 * half)


def test_per_triple_interval_clusters_by_example():
    # The standard error of a ratio of sums, by linearisation over examples.
    examples = examples_of(4, 400)
    metric = METRICS["delta"]
    numerators, denominators = metric.numerators(examples), metric.denominators(examples)
    ratio = numerators.sum() / denominators.sum()
    residuals = (numerators - ratio * denominators) / denominators.mean()
    half = stats.t.ppf(0.975, 399) * residuals.std(ddof=1) / math.sqrt(400)
    interval = estimate(metric, examples)
    assert interval.mean == pytest.approx(ratio)
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.05)


def test_what_was_not_seen_yet_widens_the_interval_towards_no_effect():
    """Thirty queries on which the context helps alike, give or take a little."""
    seen = [
        AnswerScores([-1.0 + gain], [-3.0], [-3.0], [-3.0]) for gain in np.linspace(-0.01, 0.01, 30)
    ]
    metric = METRICS["dpo_per_triple"]
    interval = estimate(metric, seen)
    values = metric.numerators(seen)
    squares = ((values - values.mean()) ** 2).sum() + 2 * (-math.log(2) - values.mean()) ** 2
    reach = stats.t.ppf(0.975, 29) * math.sqrt(squares / 29 / 30)
    assert interval.low == pytest.approx(values.mean() - reach)
    assert interval.high - values.mean() < reach / 10


def test_paired_difference_is_narrower_than_two_intervals():
    metric = METRICS["delta"]
    before = examples_of(8, 120)
    after = [replace(one, correct=one.correct + 0.25) for one in before]
    difference = paired_difference(metric, after, before)
    # Every delta grows by 0.25 exactly; the next example's need not.
    assert difference.mean == pytest.approx(0.25)
    assert 0.2 < difference.low < 0.25 < difference.high < 0.3
    assert difference.n == 120
    assert estimate(metric, after).low < estimate(metric, before).high


def test_paired_difference_has_a_sign():
    metric = METRICS["dpo_per_triple"]
    worse, better = examples_of(9, 60), examples_of(9, 60, gain=1.0)
    there, back = (
        paired_difference(metric, better, worse),
        paired_difference(metric, worse, better),
    )
    assert there.low > 0
    assert there.mean == pytest.approx(dpo_per_triple(better) - dpo_per_triple(worse))
    assert back.mean == -there.mean
    # Mirrored, up to which draw an end falls on.
    assert back.low == pytest.approx(-there.high, abs=1e-12)
    assert back.high == pytest.approx(-there.low, abs=1e-12)


def test_where_all_is_equal_there_is_no_interval():
    metric = METRICS["mc3_normalised"]
    examples = examples_of(10, 30)
    difference = paired_difference(metric, examples, examples)
    assert (difference.mean, difference.n, difference.needed) == (0, 30, 0)
    assert difference.low is None
    assert difference.high is None
    constant = mean_interval([0.25] * 40)
    assert (constant.mean, constant.needed) == (0.25, 0)
    assert constant.low is None


@pytest.mark.parametrize(("wins", "n"), [(30, 30), (0, 30), (93, 100), (479, 480)])
def test_a_share_has_the_exact_interval_of_scipy(wins, n):
    win, loss = (AnswerScores([-1.0], [other], [-1.0], [other]) for other in (-2.0, -0.5))
    interval = estimate(METRICS["mc1"], [win] * wins + [loss] * (n - wins))
    exact = stats.binomtest(wins, n).proportion_ci(0.95, "exact")
    assert interval.mean == pytest.approx(wins / n)
    assert (interval.low, interval.high) == pytest.approx((exact.low, exact.high))


def won_of(a, b, wins):
    """An example of a correct and b incorrect answers; `wins` correct ones beat all of them."""
    correct = [-1.0] * wins + [-3.0] * (a - wins)
    return AnswerScores(correct, [-2.0] * b, [-5.0] * a, [-5.0] * b)


def test_triple_accuracy_counts_triples_and_clusters_them_by_example():
    generator = np.random.default_rng(11)
    examples = [
        won_of(a, b, generator.integers(0, a + 1))
        for a, b in generator.integers(1, 6, size=(400, 2)).tolist()
    ]
    metric = METRICS["triple_accuracy"]
    won, triples = metric.numerators(examples), metric.denominators(examples)
    residuals = (won - won.sum() / triples.sum() * triples) / triples.mean()
    half = stats.t.ppf(0.975, 399) * residuals.std(ddof=1) / math.sqrt(400)
    interval = estimate(metric, examples)
    assert interval.mean == won.sum() / triples.sum()
    assert (interval.low, interval.high) == pytest.approx(
        (interval.mean - half, interval.mean + half), abs=0.1 * half
    )


def test_triple_accuracy_of_examples_of_one_size_has_the_interval_of_their_shares():
    """With one incorrect answer each, MC2 is the same share, and with one triple so is MC1."""
    for sizes, same in (((2, 1), "mc2"), ((1, 1), "mc1")):
        examples = [won_of(*sizes, at % (sizes[0] + 1)) for at in range(31)]
        assert estimate(METRICS["triple_accuracy"], examples) == estimate(METRICS[same], examples)


@pytest.mark.parametrize("wins", [0, 1])
def test_triple_accuracy_stays_in_its_range_where_every_triple_is_alike(wins):
    examples = [won_of(a, 2, wins * a) for a in (1, 2, 3, 4) * 10]
    interval = estimate(METRICS["triple_accuracy"], examples)
    ends = (interval.low, interval.high)[::-1] if wins else (interval.low, interval.high)
    assert interval.mean == ends[0] == wins
    assert 0.02 < abs(ends[1] - wins) < 0.2
    assert estimate(METRICS["triple_accuracy"], examples[:19]).low is None


def test_paired_shares_that_hardly_differ_still_have_a_width():
    """One of thirty queries is won by one method alone: 1 / 30, as Bonett and Price bound it."""
    win, loss = (AnswerScores([-1.0], [other], [-1.0], [other]) for other in (-2.0, -0.5))
    found = paired_difference(METRICS["mc1"], [win] * 30, [win] * 29 + [loss])
    error = math.sqrt((1 - 1 / 30 + 2) / 29 / 30)
    assert found.mean == pytest.approx(1 / 30)
    assert found.low == pytest.approx(1 / 30 - stats.t.ppf(0.975, 29) * error)


def test_below_the_least_number_there_is_no_interval_but_how_many_it_takes():
    few = mean_interval(np.arange(LEAST - 1.0))
    assert (few.mean, few.n, few.needed) == (9.0, LEAST - 1, LEAST)
    assert few.low is None
    enough = mean_interval(np.arange(float(LEAST)))
    assert (enough.needed, enough.low < 9.5 < enough.high) == (0, True)
    carried = mean_interval([0.0, 1.0] * 14 + [500.0, 0.5])
    assert carried.high is None, "one value carries all of it"
    skewness = stats.skew([0.0, 1.0] * 14 + [500.0, 0.5], bias=False)
    assert carried.needed == math.ceil(ONE_CARRIES * skewness**2) > 30


def of_diversities(*values):
    return [AnswerScores([-1.0], [], [-1.0], [], diversity=value) for value in values]


def test_a_paired_difference_is_the_mean_of_the_differences():
    generator = np.random.default_rng(11)
    a, b = generator.normal(1, 1, 90), generator.normal(0, 1, 90)
    paired = paired_difference(METRICS["diversity"], of_diversities(*a), of_diversities(*b))
    plain = mean_interval(a - b)
    assert paired.mean == pytest.approx(plain.mean)
    # Two differences of the usual size are pretended: 2 / 90 of the squares more.
    usual = np.mean((a - b) ** 2) / np.var(a - b)
    widened = math.sqrt(1 + 2 / 90 * usual)
    assert paired.high - paired.low == pytest.approx((plain.high - plain.low) * widened, rel=0.01)


def test_undefined_values_are_left_out():
    values = [*np.arange(30.0), math.nan]
    assert mean_interval(values) == mean_interval(np.arange(30.0))
    assert mean_interval(values).n == 30
    ours = of_diversities(1.0, math.nan, 3.0, 5.0)
    theirs = of_diversities(0.0, 1.0, math.nan, 3.0)
    paired = paired_difference(METRICS["diversity"], ours, theirs)
    assert (paired.mean, paired.n) == (1.5, 2)


def test_a_method_that_is_undefined_throughout_takes_no_part():
    ours, theirs = of_diversities(1.0, 2.0, math.nan), of_diversities(0.5, math.nan, 0.25)
    nothing = of_diversities(math.nan, math.nan, math.nan)
    values, counted = paired_sums(METRICS["diversity"], [ours, nothing, theirs])
    assert counted.tolist() == [1.0, 0.0, 0.0]
    assert values.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    assert paired_sums(METRICS["diversity"], [nothing, nothing])[1].tolist() == [0.0] * 3


@pytest.mark.parametrize("values", [[], [math.nan]])
def test_nothing_defined_is_nan(values):
    interval = mean_interval(values)
    assert interval.mean is None
    assert interval.low is None
    assert interval.high is None
    assert interval.n == 0


def test_one_value_has_a_mean_and_no_interval():
    interval = mean_interval([2.5])
    assert (interval.mean, interval.n) == (2.5, 1)
    assert interval.low is None
    assert interval.high is None


def test_the_same_values_give_the_same_interval():
    values = np.random.default_rng(12).normal(size=40)
    assert mean_interval(values) == mean_interval(values.copy())


def test_an_unbounded_ratio_has_no_interval():
    finite = [AnswerScores([-1.0], [-2.0], [-1.0], [-2.0])] * 39
    infinite = AnswerScores([-1.0], [-1e4], [-1.0], [-1e4])
    for last, mean in ((finite[0], math.e), (infinite, None)):  # None: no finite number
        interval = estimate(METRICS["mc3"], [*finite, last])
        assert (interval.mean, interval.needed) == (pytest.approx(mean), 0)
        assert interval.low is None
        assert interval.high is None
    difference = paired_difference(METRICS["mc3"], [*finite, infinite], [*finite, infinite])
    assert difference.high is None


def test_other_examples_cannot_be_paired():
    with pytest.raises(ValueError, match="3 examples against 2"):
        paired_difference(METRICS["dpo"], examples_of(1, 3), examples_of(1, 2))
