"""Sentences: what was compared, what leads, whether beyond chance, what to mind."""

import pytest

from core.studio.advice import how_it_ended
from core.studio.calibration_findings import line_of
from core.studio.estimates import NO_EFFECT, Estimate, three_decimals
from core.studio.provenance import calibration_what, comparison_what, provenance
from core.studio.reading import read_calibration, read_comparison
from tests.unit.studio.summaries import (
    SETTINGS,
    calibration,
    cell,
    comparison,
    helps_then_hurts,
    method,
    recommendation,
    three_methods,
)


def said(reading):
    return " ".join(reading.sentences)


def test_a_calibration_is_read_with_its_figures():
    reading = read_calibration(helps_then_hurts())
    assert reading.headline == (
        "More diversity helps until lambda_d 0.60, then hurts. "
        "Recommended: lambda_d 0.60 with lambda_b 0.95 and k 6."
    )
    assert reading.sentences[0] == (
        "Compared: 5 values of lambda_d 0.00, 0.50, 0.60, 0.80, 1.00, lambda_b 0.95, k 6, on "
        "40 evaluation examples of pool beliefs, with model tiny."
    )
    assert "best mean DPO per triple is -0.500 [-0.550, -0.450]" in said(reading)
    assert (
        "ahead of relevance only (lambda_d 1.00) by 0.200 [0.100, 0.300]: the interval leaves "
        "zero out, so the lead is clear." in said(reading)
    )
    assert "From lambda_d 0.50 to 0.80 nothing is clearly worse than the best." in said(reading)
    assert "0 would mean" in said(reading)
    assert "-0.69 means that the context changes nothing" in said(reading)
    assert "The best context clearly beats no context." in said(reading)
    assert (
        "Over the paper's defaults (lambda_d 0.75 with lambda_b 0.95 and k 6), choosing the best "
        "gains 0.060 [0.020, 0.100] (nats per triple), measured on examples that did not choose "
        "it: a clear gain." in said(reading)
    )
    assert (
        "nothing is better than the best by more than 0.030 nats per triple (95 %, wherever one "
        "stops); the margin of indifference is 0.05, so the choice is settled." in said(reading)
    )
    assert reading.warnings == ()


def test_without_a_clear_gain_the_defaults_stay():
    found = calibration(cell(0.0, -0.52, 0.02), cell(1.0, -0.5))
    found["recommendation"] = recommendation(
        {"k": 6, "lambda_b": 0.95, "lambda_d": 0.75}, gain=-0.01, gap=0.2, clear=False
    )
    reading = read_calibration(found)
    assert reading.headline == (
        "No clear difference between the values of lambda_d. No clear difference from the paper's "
        "defaults: keep lambda_d 0.75 with lambda_b 0.95 and k 6."
    )
    assert "gains -0.010 [-0.050, 0.030] (nats per triple)" in said(reading)
    assert "it: no clear difference." in said(reading)
    assert "more than 0.200 nats per triple" in said(reading)
    assert "so the choice is not settled." in said(reading)
    assert "no clear difference, since the interval holds zero" in said(reading)
    assert "It is relevance only (lambda_d 1.00) itself." in said(reading)


def test_a_sure_gain_within_the_margin_is_no_difference():
    found = calibration(cell(0.0, -0.52, 0.02), cell(1.0, -0.5))
    found["recommendation"] = recommendation(found["best"], gain=0.02, half=0.01, clear=False)
    words = said(read_calibration(found))
    assert "gains 0.020 [0.010, 0.030]" in words
    assert "no clear difference, as it is within the margin of 0.05." in words


def test_before_the_first_look_nothing_is_said_of_gaps():
    found = calibration(cell(1.0, -0.5))
    found["recommendation"] = recommendation(found["best"], None, None, gap=None, clear=False)
    reading = read_calibration(found)
    assert reading.headline.endswith(
        "Too few examples to advise more than the paper's defaults: lambda_d 0.75 with lambda_b "
        "0.95 and k 6."
    )
    words = said(reading)
    assert "too few examples to measure a gain over the paper's defaults" in words
    assert "Whether the choice is settled shows from 30 examples on." in words


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("stopped", "Stopped after 12 of 40 examples; what was scored is kept."),
        (
            "settled",
            "Settled after 12 of 40 examples: nothing that was tried is better than the best by "
            "more than 0.05 nats per triple.",
        ),
    ],
)
def test_a_run_that_ended_early_says_why_and_recommends(end, words):
    rows = helps_then_hurts()["curve"]
    found = calibration(*rows, examples=11, skipped=1, total=40, end=end)
    assert how_it_ended(found) == words
    headline = read_calibration(found).headline
    assert headline.startswith(f"{end.capitalize()} after 12 of 40 examples: More diversity helps")
    assert "Recommended: lambda_d 0.60" in headline
    assert how_it_ended(helps_then_hurts() | {"end": "all"}) == ""


@pytest.mark.parametrize(
    ("dpo", "words"),
    [
        (-0.5, "clearly beats no context"),
        (-0.7, "not clearly different from no context"),
        (-0.9, "Even the best context is clearly below -0.69"),
    ],
)
def test_the_best_is_held_against_no_context(dpo, words):
    assert words in said(read_calibration(calibration(cell(1.0, dpo))))


def test_a_zero_has_no_sign():
    assert str(Estimate(-0.0001, -0.0004, 0.0003)) == "0.000 [0.000, 0.000]"
    assert three_decimals(-0.0004, sign="+") == "+0.000"
    assert three_decimals(-0.0006) == "-0.001"


def test_no_effect_is_half_a_chance():
    assert pytest.approx(-0.693147, abs=1e-4) == NO_EFFECT


def test_a_partial_picture_says_so_and_recommends_nothing():
    rows = helps_then_hurts()["curve"]
    reading = read_calibration(calibration(*rows, examples=11, skipped=1, total=40))
    assert reading.headline.startswith("So far, after 12 of 40 examples: More diversity helps")
    assert "Recommended" not in reading.headline
    assert not any("Only 11" in warning for warning in reading.warnings)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"examples": 12, "total": 12}, "Only 12 evaluation examples"),
        ({"examples": 1, "total": 1}, "Only 1 evaluation example:"),
        ({"skipped": 2, "total": 42}, "2 examples did not fit the window"),
        ({"without_incorrect": 3}, "3 examples without incorrect answers: counted in"),
        ({"without_incorrect": 40}, "No example has an incorrect answer"),
    ],
)
def test_warnings_name_what_to_mind(changes, words):
    (warning,) = read_calibration(calibration(cell(1.0, -0.5), **changes)).warnings
    assert words in warning


def test_shortened_contexts_are_warned_of():
    row = cell(1.0, -0.5) | {"shortened": 4}
    (warning,) = read_calibration(calibration(row)).warnings
    assert warning.startswith("In 4 examples the context did not fit the model's window")


def test_nothing_yet_is_read_as_nothing_yet():
    assert read_calibration(calibration(cell(0.0, None))).headline == "No figures yet."
    reading = read_calibration(calibration(cell(0.0, -0.5, half=None), cell(1.0, -0.6, half=None)))
    assert "too few examples to say whether any context helps" in said(reading)


def test_a_comparison_is_read_with_its_figures():
    reading = read_comparison(three_methods())
    assert reading.headline == "rel+div leads in DPO per triple, clearly ahead of none."
    assert "that of rel+div: -0.500 [-0.550, -0.450] (nats per triple)" in said(reading)
    assert "Clearly better than none: rel+div by 0.193 [0.0" in said(reading)
    assert "No clear difference from none: rel by 0.013 [-0.987, 1.013]." in said(reading)
    assert "Clearly worse" not in said(reading)


def test_many_comparisons_are_warned_of():
    rows = {f"m{n}": method("rel", -0.6, lead=0.01) for n in range(3)}
    reading = read_comparison(comparison(none=method("none", -0.69), **rows))
    assert "With 3 comparisons at 95 % each" in said(reading)
    assert reading.headline.startswith("No clear difference between the methods")


def test_a_reference_that_leads_is_named():
    rows = {
        "rel": method("rel", -0.9, lead=-0.3, clear=True),
        "fix": method("fix", -0.7, lead=-0.1),
    }
    reading = read_comparison(comparison(none=method("none", -0.6), **rows))
    assert reading.headline == "none leads in DPO per triple, clearly ahead of rel."


def test_a_metric_without_a_figure_is_read_as_that():
    reading = read_comparison(three_methods(), "dpo_correct_only")
    assert reading.headline == "DPO without incorrect answers: no figures yet."


def test_provenance_names_everything_a_figure_depends_on():
    summary = helps_then_hurts()
    assert provenance(summary, calibration_what(line_of(summary))) == (
        "rel+div+bias, k 6, lambda_b 0.95, lambda_d 0.00, 0.50, 0.60, 0.80, 1.00; "
        "pool beliefs, version 3; model tiny (float32 on cpu); template qa; "
        "encoder all-MiniLM-L6-v2; 40 examples, seed 0; 95 % bootstrap interval over examples"
    )
    elsewhere = summary | {"settings": SETTINGS | {"examples_from": "other"}}
    assert "40 examples from pool other, seed 0" in provenance(elsewhere, "x")


def test_a_comparison_names_the_lambdas_that_its_methods_can_turn():
    # rel holds lambda_d at 1, whichever method comes first.
    rel, free = method("rel", -0.5), method("rel+div+bias", -0.4)
    rel["request"] |= {"lambda_d": 1.0, "lambda_b": 1.0}
    assert comparison_what(comparison(rel=rel)) == "k 6"
    assert comparison_what(three_methods()) == "k 6, lambda_d 0.75"
    assert comparison_what(comparison(rel=rel, free=free)) == "k 6, lambda_d 0.75, lambda_b 0.95"
    biased = {"rel+bias": method("rel+bias", -0.4)}
    assert comparison_what(comparison(rel=rel, **biased)) == "k 6, lambda_b 0.95"
    assert comparison_what(comparison()) == "no methods"


def test_numbers_too_large_to_read_stand_in_powers_of_ten():
    assert str(Estimate(3.29e21, 0.11, 9.9e21)) == "3.3e+21 [0.110, 9.9e+21]"
    assert str(Estimate(None, None, None)) == "-"
    assert str(Estimate(0.5, None, None)) == "0.500"
