"""Sentences: what was compared, what leads, whether beyond chance, what to mind."""

from dataclasses import replace

import pytest

from core.evaluation.results.run_figures import End, SkippedExample, SkipReason
from core.interval import Interval
from core.metrics.preference import NO_EFFECT
from core.reporting.words.advice import end_sentence
from core.reporting.words.calibration_findings import line_of
from core.reporting.words.provenance import calibration_what, comparison_what, provenance
from core.reporting.words.reading import read_calibration, read_comparison
from core.text import three_decimals
from tests.unit.reporting.summaries import (
    DEFAULTS,
    calibration,
    cell,
    comparison,
    helps_then_hurts,
    interval,
    method,
    recommendation,
    three_methods,
)

TOO_LONG = SkippedExample("", SkipReason.TOO_LONG)


def words_of(reading):
    return " ".join(reading.sentences)


def test_a_calibration_is_read_with_its_figures():
    reading = read_calibration(helps_then_hurts())
    assert reading.headline == (
        "From lambda_d 0.50 to 0.80 nothing is clearly worse than the best; both ends, diversity "
        "only and relevance only, are clearly worse; the paper's defaults (lambda_d 0.75 with "
        "lambda_b 0.95 and k 6) are clearly behind. Recommended: lambda_d 0.60 with lambda_b 0.95 "
        "and k 6."
    )
    assert reading.sentences[0] == (
        "Compared: 5 values of lambda_d 0.00, 0.50, 0.60, 0.80, 1.00, lambda_b 0.95, k 6, on "
        "40 evaluation examples of pool beliefs, with model tiny."
    )
    assert (
        "DPO per triple: at 0 the context would make the model certain of every correct answer "
        "over every incorrect one; a context that changes nothing has -0.69. Losses weigh more in "
        "it than gains, so that a mean above -0.69 shows that contexts help, but one below shows "
        "harm only where delta is below 0 too." in words_of(reading)
    )
    assert "The best context clearly beats no context." in words_of(reading)
    assert (
        "Measured on examples that were not used to choose it, the best reaches -0.520 "
        "[-0.560, -0.480] (nats per triple) and gains 0.060 [0.020, 0.100] over the paper's "
        "defaults (lambda_d 0.75 with lambda_b 0.95 and k 6)." in words_of(reading)
    )
    assert (
        "nothing that was tried is better than the best by more than 0.030 nats per triple (95 %, "
        "wherever one stops); the margin is 0.050, so the choice is settled."
        in words_of(reading).lower()
    )
    assert reading.warnings == ()


@pytest.mark.parametrize(
    ("gain", "without", "best", "words"),
    [
        (0.06, Interval(0.045, 0.0, 0.09), 1.0,
         "gains 0.045 [0.000, 0.090]: 25 % of its gain is leakage."),
        (0.06, Interval(-0.01, -0.05, 0.03), 0.5,
         "gains -0.010 [-0.050, 0.030]: 100 % of its gain is leakage; the best would then be "
         "lambda_d 0.50 with lambda_b 0.95 and k 6."),
        (0.01, Interval(0.005, -0.03, 0.04), 1.0, "gains 0.005 [-0.030, 0.040]."),
    ],
)  # fmt: skip
def test_what_leaks_have_to_do_with_the_gain_is_a_sentence(gain, without, best, words):
    cells = cell(0.5, -0.52, 0.02), cell(1.0, -0.5)
    advice = replace(
        recommendation(cells[1].knobs, gain=gain),
        gain_without_leaks=without,
        best_without_leaks=next(each.knobs for each in cells if each.lambda_d == best),
    )
    reading = read_calibration(calibration(*cells, advice=advice))
    (sentence,) = [each for each in reading.sentences if "leak" in each]
    assert sentence == f"With leaks left out, the same choice {words}"
    silent = read_calibration(calibration(*cells, advice=recommendation(cells[1].knobs)))
    assert "leak" not in words_of(silent)


def test_where_the_defaults_are_not_behind_they_stay_and_the_cost_of_more_is_said():
    advice = recommendation(DEFAULTS, gain=-0.01, gap=0.2, clear=False, sharpen=1437)
    cells = cell(0.0, -0.52, 0.02), cell(1.0, -0.5)
    reading = read_calibration(calibration(*cells, advice=advice))
    assert reading.headline == (
        "No clear difference between the values of lambda_d; the paper's defaults (lambda_d 0.75 "
        "with lambda_b 0.95 and k 6) are not clearly worse either: keep them."
    )
    assert "gains -0.010 [-0.050, 0.030]" in words_of(reading)
    assert "more than 0.200 nats per triple" in words_of(reading)
    assert "so more examples may change it." in words_of(reading)
    assert "takes about 1,400 more examples." in words_of(reading)
    assert "clear" not in words_of(reading).replace("clearly beats no context", "")


def test_a_cell_that_the_rule_leaves_beside_is_not_behind():
    """Beyond chance, but by less than the margin: the rule says so in `is_behind`."""
    rows = [
        replace(cell(0.0, -0.9, 0.4, clear=True), is_behind=True),
        replace(cell(0.5, -0.52, 0.02, clear=True), is_behind=False),
        replace(cell(1.0, -0.5), is_behind=False),
    ]
    assert read_calibration(calibration(*rows)).headline.startswith(
        "From lambda_d 0.50 to 1.00 nothing is clearly worse than the best; the paper's defaults"
    )


def test_where_too_few_are_there_nothing_is_said_but_how_many_it_takes():
    best = cell(1.0, -0.5)
    few = {"examples": 12, "total": 40, "advice": recommendation(best.knobs, needed=30)}
    reading = read_calibration(calibration(cell(0.0, -0.9, 0.4, clear=True), best, **few))
    assert reading.headline == (
        "So far, after 12 of 40 examples: too few to say what lambda_d does. It takes about 30."
    )
    assert len(reading.sentences) == 1


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (End.STOPPED, "Stopped after 12 of 40 examples; what was scored is kept."),
        (
            End.SETTLED,
            "Settled after 12 of 40 examples: nothing that was tried is better than the best by "
            "more than 0.050 nats per triple.",
        ),
    ],
)
def test_a_run_that_ended_early_says_why_and_recommends(end, words):
    found = helps_then_hurts(examples=11, skipped=[TOO_LONG], total=40, end=end)
    assert end_sentence(found) == words
    headline = read_calibration(found).headline
    assert headline.startswith(f"{end.capitalize()} after 12 of 40 examples: From lambda_d 0.50")
    assert "Recommended: lambda_d 0.60" in headline
    assert end_sentence(helps_then_hurts(end=End.ALL)) == ""


@pytest.mark.parametrize(
    ("dpo", "delta", "words"),
    [
        (-0.5, 0.4, "The best context clearly beats no context."),
        (-0.7, 0.4, "The best context is not clearly different from no context."),
        (
            -0.9,
            -0.4,
            "Even the best context clearly harms: DPO per triple is below -0.69 and delta below 0 "
            "(-0.400 [-0.450, -0.350] nats per triple), so this model does better alone.",
        ),
        (
            -0.9,
            0.4,
            "Even with the best context some queries lose much: DPO per triple is clearly below "
            "-0.69, but delta is not clearly below 0 (0.400 [0.350, 0.450] nats per triple).",
        ),
    ],
)
def test_the_best_is_held_against_no_context(dpo, delta, words):
    best = cell(1.0, dpo, delta=delta)
    assert read_calibration(calibration(best)).sentences[-1] == words


def test_a_zero_has_no_sign():
    assert str(Interval(-0.0001, -0.0004, 0.0003)) == "0.000 [0.000, 0.000]"
    assert three_decimals(-0.0004, sign="+") == "+0.000"
    assert three_decimals(-0.0006) == "-0.001"


def test_no_effect_is_half_a_chance():
    assert pytest.approx(-0.693147, abs=1e-4) == NO_EFFECT


def test_a_partial_picture_says_so():
    reading = read_calibration(helps_then_hurts(examples=11, skipped=[TOO_LONG], total=40))
    assert reading.headline.startswith("So far, after 12 of 40 examples: From lambda_d 0.50 to")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"skipped": [TOO_LONG] * 2, "total": 42}, "2 examples did not fit the window"),
        (
            {"without_incorrect": 3},
            "37 of 40 examples have incorrect answers; on these rest DPO per triple, DPO, Delta, "
            "Triple accuracy, MC1, MC2, MC3 (ratio) and MC3. On the other 3 rests DPO without "
            "incorrect answers, on all 40 rest Gain per token, Gain per answer, Sameness and "
            "Cosine of the sum.",
        ),
        (
            {"without_incorrect": 40},
            "No example has an incorrect answer, so the figures show how far a context raises the "
            "right answers; incorrect answers would add whether a context raises the right answers "
            "above wrong ones (DPO per triple, DPO, Delta, Triple accuracy, MC1, MC2, MC3 (ratio) "
            "and MC3).",
        ),
    ],
)
def test_warnings_name_what_to_mind(changes, words):
    (warning,) = read_calibration(calibration(cell(1.0, -0.5), **changes)).warnings
    assert words in warning


def test_shortened_contexts_are_warned_of():
    shortened = replace(cell(1.0, -0.5), shortened=4)
    (warning,) = read_calibration(calibration(shortened)).warnings
    assert warning.startswith("In 4 examples the context did not fit the model's window")


def test_nothing_yet_is_read_as_nothing_yet():
    headline = read_calibration(calibration(cell(0.0, None), examples=3, total=40)).headline
    assert headline == "So far, after 3 of 40 examples: DPO per triple: no figures yet."
    headline = read_calibration(calibration(cell(0.0, None), without_incorrect=40)).headline
    assert headline == (
        "No example has incorrect answers, which DPO per triple needs: read DPO without incorrect "
        "answers."
    )
    reading = read_calibration(calibration(cell(0.0, -0.5, half=None), cell(1.0, -0.6, half=None)))
    assert "too few examples to say whether any context helps or harms." in words_of(reading)


def test_a_comparison_is_read_with_its_figures():
    reading = read_comparison(three_methods())
    assert reading.headline == (
        "With rel+div the right answer wins in 20 of 40 queries (95 % interval 45 % to 55 %), in 8 "
        "without demonstrations. rel+div leads in DPO per triple, clearly ahead of every other "
        "method."
    )
    assert "that of rel+div: -0.500 [-0.550, -0.450] (nats per triple)" in words_of(reading)
    assert "Clearly better than no demonstrations: rel+div by 0.193 [0.0" in words_of(reading)
    unclear = "No clear difference from no demonstrations: rel by 0.013 [-0.987, 1.0"
    assert unclear in words_of(reading)
    assert "Clearly worse" not in words_of(reading)


def test_several_methods_in_the_lead_are_all_named():
    rows = {name: method(name, mean) for name, mean in (("rel", -0.5), ("fix", -0.5), ("bias", -1))}
    reading = read_comparison(comparison(best=["rel", "fix"], none=method("none", -0.69), **rows))
    assert (
        reading.headline
        == "rel and fix lead in DPO per triple, with no clear difference among them."
    )
    assert "rel and fix have the same mean." in reading.sentences
    equal = read_comparison(comparison(none=method("none", -0.69), **rows))
    assert equal.headline == (
        "No clear difference between the methods in DPO per triple: any of them will do."
    )


def test_no_demonstrations_that_lead_are_called_so():
    rows = {"rel": method("rel", -0.9, lead=-0.3, clear=True, delta=-0.4)}
    reading = read_comparison(comparison(best=["none"], none=method("none", -0.6), **rows))
    assert reading.headline == (
        "Showing no demonstrations leads in DPO per triple, clearly ahead of every other method."
    )


def losing(name, delta, dpo=-2.2):
    """A method whose DPO per triple is clearly below that of no context."""
    return method(name, dpo, lead=-1.5, clear=True, delta=delta)


def test_contexts_behind_none_are_not_said_to_harm_unless_delta_agrees():
    rows = {
        "random": losing("random", 0.96),
        "fix": losing("fix", 0.01, dpo=-2.6),
        "bias": losing("bias", -0.8),
        "rel": method("rel", -0.72, lead=-0.1, delta=0.3),
        "bm25": method("bm25", -3.0, half=None, lead=-1.5, clear=True, delta=0.1),
    }
    found = comparison(best=["none"], none=method("none", -0.693, half=None), **rows)
    reading = read_comparison(found)
    assert reading.headline == (
        "Showing no demonstrations leads in DPO per triple, clearly ahead of every other method. "
        "With random and fix some queries lose much, while delta is not clearly below 0."
    )
    assert (
        "bias clearly harms: DPO per triple is below -0.69, and delta below 0 "
        "(bias -0.800 [-0.850, -0.750])." in reading.sentences
    )
    assert (
        "With random and fix some queries lose much: DPO per triple, in which losses weigh more "
        "than gains, is clearly below -0.69, but delta is not clearly below 0 (random 0.960 "
        "[0.910, 1.010], fix 0.010 [-0.040, 0.060])." in reading.sentences
    )
    assert "No clear effect against no demonstrations: rel." in reading.sentences
    assert "Too few examples to say whether contexts help or harm: bm25." in reading.sentences
    assert "harm" not in words_of(read_comparison(found, "mc1"))


def test_methods_that_help_are_named_with_what_that_rests_on():
    sentences = read_comparison(three_methods()).sentences
    assert (
        "rel+div clearly helps: DPO per triple is above -0.69, so delta is above 0 too."
        in sentences
    )
    both = {name: method(name, -0.5, lead=0.2, delta=0.5) for name in ("rel", "fix")}
    assert (
        "rel and fix clearly help: DPO per triple is above -0.69, so delta is above 0 too."
        in read_comparison(comparison(none=method("none", -0.69), **both)).sentences
    )


def test_another_method_with_more_right_answers_is_named():
    found = three_methods()
    rel = replace(
        found.methods["rel"], metrics=found.methods["rel"].metrics | {"mc1": interval(0.6, 0)}
    )
    sentences = read_comparison(replace(found, methods=found.methods | {"rel": rel})).sentences
    assert (
        "By MC1 another method has the best mean: with rel the right answer wins in 24 of 40 "
        "queries." in sentences
    )
    assert "By MC1" not in words_of(read_comparison(three_methods()))


def test_a_comparison_of_too_few_examples_names_no_leader():
    row = method("rel", -0.5, lead=0.2, clear=True, mc1=1.0)
    found = comparison(needed=30, none=method("none", -0.69, mc1=0.0), rel=row)
    reading = read_comparison(replace(found, examples=8, total=40))
    assert reading.headline == (
        "So far, after 8 of 40 examples: too few to say which method serves best. It takes "
        "about 30."
    )
    assert len(reading.sentences) == 1


def test_a_metric_without_a_figure_is_read_as_that():
    reading = read_comparison(three_methods(), "dpo_correct_only")
    assert reading.headline == (
        "Every example has incorrect answers, and DPO without incorrect answers counts those that "
        "have none: read DPO per triple."
    )


def only_correct(**rows):
    """A comparison of which no example has incorrect answers; the best mean is that of rel."""
    found = comparison(
        best=["rel"],
        none=method("none", None, dpo_correct_only=-0.7, gain_per_answer=0.0, gain_per_token=0.0),
        rel=method("rel", None, lead=0.1, dpo_correct_only=-0.2, **rows),
    )
    return replace(found, without_incorrect=40, metric="dpo_correct_only")


def test_without_incorrect_answers_a_comparison_leads_with_what_the_correct_ones_gain():
    reading = read_comparison(only_correct(gain_per_answer=3.25, gain_per_token=0.5))
    assert reading.headline == (
        "With rel a correct answer gains 3.250 nats (3.200 to 3.300) of log-probability, 0.500 a "
        "token. rel leads in DPO without incorrect answers, clearly ahead of every other method."
    )
    assert "that of rel: -0.200 [-0.250, -0.150] (nats per query)" in words_of(reading)
    assert "incorrect answers would add whether" in reading.warnings[0]
    worse = read_comparison(only_correct(gain_per_answer=-3.25, gain_per_token=-0.5))
    assert worse.headline.startswith(
        "With rel a correct answer loses 3.250 nats (3.200 to 3.300) of log-probability, 0.500 a"
    )


def test_where_few_examples_have_incorrect_answers_the_others_lead_and_both_are_counted():
    found = replace(only_correct(gain_per_answer=3.25, mc1=1.0), without_incorrect=33)
    reading = read_comparison(found)
    assert reading.headline.startswith("With rel a correct answer gains 3.250 nats")
    assert reading.warnings[0].startswith(
        "DPO per triple needs about 20 examples with incorrect answers, so DPO without incorrect "
        "answers leads here; more incorrect answers would add whether"
    )
    assert reading.warnings[1].startswith("7 of 40 examples have incorrect answers; on these rest")
    traced = provenance(found, "x", "dpo_per_triple")
    assert "40 examples (7 of 40 count in DPO per triple), seed 0" in traced
    assert "(" not in provenance(found, "x", "gain_per_token").partition("; model")[0]


def test_too_few_examples_are_those_that_the_metric_counts():
    few = comparison(needed=20, none=method("none", -0.69), rel=method("rel", -0.5, lead=0.2))
    assert read_comparison(replace(few, examples=12, total=12, without_incorrect=5)).headline == (
        "12 examples: too few to say which method serves best. It takes about 20, and 7 of 12 "
        "count in DPO per triple."
    )


def test_provenance_names_everything_a_figure_depends_on():
    summary = helps_then_hurts()
    assert provenance(summary, calibration_what(line_of(summary))) == (
        "rel+div+bias, k 6, lambda_b 0.95, lambda_d 0.00, 0.50, 0.60, 0.80, 1.00; "
        "pool beliefs, version 3; model tiny (float32 on cpu); template qa; "
        "encoder all-MiniLM-L6-v2; 40 examples, seed 0; 95 % intervals over examples"
    )
    few = calibration(cell(0.0, -0.9, half=None, k=1))
    assert provenance(few, "x").endswith("40 examples, seed 0"), "no interval is claimed"
    elsewhere = replace(summary, settings=replace(summary.settings, examples_from="other"))
    assert "40 examples from pool other, seed 0" in provenance(elsewhere, "x")


def test_a_comparison_names_the_lambdas_that_its_methods_can_turn():
    # rel fixes lambda_d at 1, whichever method comes first.
    rel, free = method("rel", -0.5), method("rel+div+bias", -0.4)
    rel = replace(rel, request=replace(rel.request, lambda_d=1.0, lambda_b=1.0))
    assert comparison_what(comparison(rel=rel)) == "k 6"
    assert comparison_what(three_methods()) == "k 6, lambda_d 0.75"
    both = comparison_what(comparison(rel=rel, **{"rel+div+bias": free}))
    assert both == "k 6, lambda_d 0.75, lambda_b 0.95"
    biased = {"rel+bias": method("rel+bias", -0.4)}
    assert comparison_what(comparison(rel=rel, **biased)) == "k 6, lambda_b 0.95"
    assert comparison_what(comparison()) == "no methods"


def test_numbers_too_large_to_read_stand_in_powers_of_ten():
    assert str(Interval(3.29e21, 0.11, 9.9e21)) == "3.3e+21 [0.110, 9.9e+21]"
    assert str(Interval(None, None, None)) == "-"
    assert str(Interval(0.5, None, None)) == "0.500"
