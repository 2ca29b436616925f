"""The practice model on texts that it does not know: nothing is called best, and it says so."""

from dataclasses import replace

import pytest

from core.evaluation.results.label_figures import CONSISTENCY
from core.interval import Interval
from core.metrics.registry import METRICS
from core.reporting.figures.curves import dpo_by_diversity, lambda_curve
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.html.reports import calibration_report, comparison_report
from core.reporting.tables.runs import calibration_figures, method_table
from core.reporting.tables.worth import worth_counts
from core.reporting.words.calibration_findings import ANOTHER_MODEL, MEANINGLESS, is_meaningless
from core.reporting.words.comparison_findings import best_method, leaders
from core.reporting.words.provenance import NEVER_ACROSS, order_sentences
from core.reporting.words.reading import read_calibration, read_comparison
from core.reporting.words.verdict import verdict_sentences
from core.studio.session.models import NOT_ITS_TASK
from tests.unit.reporting.summaries import helps_then_hurts, three_methods, two_methods_by_kind
from tests.unit.reporting.test_orders_in_words import order, two_models
from tests.unit.reporting.test_worth_in_words import HELPS, summary


def by_a_toy(result):
    return replace(result, settings=replace(result.settings, caution=NOT_ITS_TASK))


def verdicts(calibration):
    table = calibration_figures(calibration)
    return {row[table.names.index("verdict")] for row in table.rows}


def test_a_comparison_has_no_best_method_and_says_why():
    comparison = three_methods()
    assert best_method(comparison, "dpo_per_triple") == "rel+div"
    assert leaders(comparison, "mc1") == {"rel", "rel+div"}
    toy = by_a_toy(comparison)
    assert best_method(toy, "dpo_per_triple") is None
    assert leaders(toy, "mc1") == set()
    assert verdict_sentences(toy) == [ANOTHER_MODEL]
    reading = read_comparison(toy)
    assert reading.headline == ANOTHER_MODEL
    assert reading.sentences[0].startswith(
        "Compared: 3 methods on 40 evaluation examples of pool beliefs"
    )
    assert len(reading.sentences) == 2
    assert reading.sentences[1].startswith("DPO per triple: at 0 the context would make the model")


def test_so_far_is_said_before_it():
    toy = by_a_toy(replace(three_methods(), total=60))
    assert read_comparison(toy).headline == f"So far, after 40 of 60 examples: {ANOTHER_MODEL}"


def test_contexts_alone_are_compared_without_the_model():
    toy = by_a_toy(three_methods())
    assert [name for name in METRICS if not is_meaningless(toy, name)] == [
        "diversity",
        "cos_sum",
        CONSISTENCY,
    ]
    assert read_comparison(toy, "diversity").headline == (
        read_comparison(three_methods(), "diversity").headline
    )


def test_pictures_and_tables_mark_no_method():
    right, toy = three_methods(), by_a_toy(three_methods())
    for draw in (method_dots, method_differences):
        assert draw(toy, "dpo_per_triple").layout.title.text == MEANINGLESS
        assert draw(right, "dpo_per_triple").layout.title.text != MEANINGLESS
    assert method_table(right).count('class="best"') == 3  # two share MC1
    assert method_table(toy).count('class="best"') == 0


def test_a_kind_of_incorrect_answer_has_no_leader():
    sentence = "By kind of incorrect answer"
    assert sentence in " ".join(read_comparison(two_methods_by_kind()).sentences)
    assert sentence not in " ".join(read_comparison(by_a_toy(two_methods_by_kind())).sentences)


def test_a_calibration_recommends_nothing():
    calibration = helps_then_hurts()
    assert verdicts(calibration) == {"best", "clearly behind", "not clearly behind"}
    toy = by_a_toy(calibration)
    reading = read_calibration(toy)
    assert reading.headline == ANOTHER_MODEL
    assert [sentence.partition(":")[0] for sentence in reading.sentences] == [
        "Compared",
        "DPO per triple",
    ]
    assert verdicts(toy) == {""}
    for draw in (lambda_curve, dpo_by_diversity):
        assert draw(toy).layout.title.text == MEANINGLESS
        assert "best" not in {each.text for each in draw(toy).layout.annotations}


@pytest.mark.parametrize(
    ("report", "result", "crowned"),
    [
        (comparison_report, three_methods, "leads in DPO per triple"),
        (calibration_report, helps_then_hurts, "clearly worse than the best"),
    ],
)
def test_a_report_says_it_first(report, result, crowned):
    assert crowned in report(result())
    text = report(by_a_toy(result()))
    assert crowned not in text
    assert text.index(NOT_ITS_TASK) < text.index(ANOTHER_MODEL)


def test_models_are_not_compared_with_it():
    both = two_models(order(Interval(0.866, 0.5, 1.0, 40)))
    assert order_sentences(both)[0].startswith("What is better for <i>a tends to be better for b")
    assert order_sentences(by_a_toy(both)) == (
        f"{MEANINGLESS}, so there is no order by which <i>a and b compare.",
        NEVER_ACROSS,
    )


def test_no_demonstration_is_worth_anything_by_it():
    assert worth_counts(summary(HELPS)).startswith("Of 1 included demonstrations 1 help")
    assert worth_counts(by_a_toy(summary(HELPS))) == ANOTHER_MODEL
