"""What a context does against none, in words: of many examples, of one query, of one method."""

from dataclasses import replace

import pytest

from core.commands.printing import as_text
from core.evaluation.results.comparison import Comparison
from core.metrics.preference import NO_EFFECT
from core.reporting.figures.curves import lambda_curve
from core.reporting.html.reports import comparison_report
from core.reporting.results.query import Effect
from core.reporting.results.story import MethodLine
from core.reporting.tables.results import comparison_sheet
from core.reporting.tables.runs import method_table
from core.reporting.words.reading import read_comparison
from core.reporting.words.verdict import short_verdict, verdict_of_effect, verdict_sentences
from tests.unit.reporting.summaries import calibration, cell, comparison, interval, method


def effect(dpo, delta):
    return Effect(
        rows=(),
        triples=2,
        delta=delta,
        dpo=dpo,
        dpo_per_triple=dpo,
        dpo_correct_only=None,
        gain_per_token=0.0,
        gain_per_answer=0.0,
        by_kind={},
    )


def line(dpo, delta, ids=(1, 2)):
    return MethodLine(
        method="rel",
        ids=ids,
        demonstrations=(),
        diversity=None,
        left_out=0,
        dpo_per_triple=dpo,
        dpo_correct_only=None,
        delta=delta,
        gain_per_answer=None,
    )


@pytest.mark.parametrize(
    ("dpo", "delta", "sentence", "short"),
    [
        (
            -0.3,
            1.0,
            "For this query the context helps: DPO per triple is above -0.69, so delta is above 0 "
            "too.",
            "helps",
        ),
        (
            -2.01,
            -1.0,
            "For this query the context harms: DPO per triple is below -0.69, and delta below 0.",
            "harms",
        ),
        (
            -2.01,  # deltas of +6 and -4
            1.0,
            "For this query some pairs of a correct and an incorrect answer lose much: DPO per "
            "triple is below -0.69, but delta is not below 0.",
            "some pairs lose much",
        ),
        (
            NO_EFFECT,
            0.0,
            "For this query the context has no clear effect: DPO per triple is about -0.69.",
            "no clear effect",
        ),
        (None, None, "", ""),
    ],
)
def test_one_query_is_judged_by_both_figures(dpo, delta, sentence, short):
    assert verdict_of_effect(effect(dpo, delta)) == sentence
    assert short_verdict(line(dpo, delta)) == short


def test_an_empty_context_is_not_judged():
    assert short_verdict(line(NO_EFFECT, 0.0, ids=())) == ""


def of_some_that_lose():
    return comparison(
        best=["none"],
        none=method("none", NO_EFFECT, half=None, delta=0.0),
        rel=method("rel", -2.2, lead=-1.5, clear=True, delta=0.9, triple_accuracy=0.75),
    )


def test_command_line_and_report_say_what_the_page_says():
    found = of_some_that_lose()
    (sentence,) = verdict_sentences(found)
    assert sentence.startswith("With rel some queries lose much: DPO per triple")
    assert sentence in as_text(comparison_sheet(found)).splitlines()
    assert sentence in comparison_report(found)
    assert sentence in read_comparison(found, "delta").sentences
    for metric in ("mc1", "gain_per_token", "diversity"):
        assert sentence not in read_comparison(found, metric).sentences


def test_triple_accuracy_stands_in_every_table():
    found = of_some_that_lose()
    assert "Triple accuracy" in method_table(found)
    assert "0.750" in method_table(found)
    head, _, _, rel, *_ = as_text(comparison_sheet(found)).splitlines()
    assert "triple_accuracy" in head
    assert "0.750" in rel


def test_a_run_from_before_a_metric_is_read_without_it():
    found = of_some_that_lose()
    before = {
        name: replace(
            each,
            metrics={key: value for key, value in each.metrics.items() if "triple_" not in key},
        )
        for name, each in found.methods.items()
    }
    before = Comparison.from_json(replace(found, methods=before).to_json())
    assert "Triple accuracy" not in method_table(before)
    assert "triple_accuracy" not in as_text(comparison_sheet(before))
    assert verdict_sentences(before) == verdict_sentences(found)
    assert read_comparison(before, "triple_accuracy").headline == (
        "This run did not record what Triple accuracy needs: run it again to have it."
    )


def test_the_line_of_no_context_says_what_decides_below_it():
    cells = replace(cell(0.0, -0.8), delta=interval(0.4, 0.05)), cell(1.0, -0.6)
    figure = lambda_curve(calibration(*cells))
    texts = [each.text for each in figure.layout.annotations]
    assert "no context: -0.69; below it see delta" in texts
    hovered = [text for trace in figure.data if trace.hovertext for text in trace.hovertext]
    assert any("<br>delta 0.400 [0.350, 0.450]<br>" in text for text in hovered)
