"""What to mind of a run's examples, in sentences, also of runs that were recorded before."""

from dataclasses import replace

from core.evaluation.results.run_figures import Leaks, SkippedExample, SkipReason
from core.interval import Interval
from core.reporting.words.cautions import (
    doubt_counts,
    leak_sentence,
    leaks_counted,
    skipped_sentences,
)
from core.reporting.words.reading import read_comparison
from core.retrieval.context import Doubt
from tests.unit.reporting.summaries import calibration, cell, comparison, method

LONG = "Why " + "so " * 40 + "long?"


def leaks(contexts, there=None, elsewhere=None):
    return Leaks(contexts, 40, there, elsewhere)


def test_examples_passed_over_are_named_by_reason_the_first_three_of_each():
    queries = [LONG, *(f"Query {number}?" for number in range(1, 5))]
    rows = [SkippedExample(query, SkipReason.TOO_LONG) for query in queries]
    rows.insert(1, SkippedExample("Which?", SkipReason.WITHOUT_TOKENS, "}"))
    assert skipped_sentences(calibration(skipped=rows)) == [
        "5 examples did not fit the window even without context and could not be used: "
        f"{LONG[:57] + '...'!r}; 'Query 1?'; 'Query 2?'; and 2 more.",
        "1 example had an answer that this model's tokenizer turns into no tokens and could not be "
        "used: 'Which?' with the answer '}'.",
    ]
    assert skipped_sentences(calibration()) == []


def test_without_leaks_they_are_counted_and_nothing_is_said():
    found = comparison(none=method("none", -0.7), rel=method("rel", -0.5))
    assert leak_sentence(found) == ""
    assert leaks_counted(found) == "none 0 of 40, rel 0 of 40"


def test_the_method_or_cell_that_leaks_most_is_named_with_its_figures():
    counts = {"none": leaks(0), "rel": leaks(5, -0.25, -1.5), "rel+div": leaks(4)}
    leaking = {name: replace(method(name, -0.5), leaks=count) for name, count in counts.items()}
    found = comparison(**leaking)
    assert leak_sentence(found) == (
        "Leaks: with rel, in 5 of 40 examples the context gives the answer away under another "
        "query. There DPO per triple is -0.25, elsewhere -1.50. Leaks can be left out."
    )
    assert leaks_counted(found) == "none 0 of 40, rel 5 of 40, rel+div 4 of 40"
    leaking["rel"] = replace(leaking["rel"], leakage=Interval(0.12, 0.05, 0.19))
    assert (
        "elsewhere -1.50. They change its DPO per triple by 0.120 [0.050, 0.190] over all examples "
        "(nats per triple). Leaks can be left out."
    ) in leak_sentence(comparison(**leaking))
    grid = calibration(
        replace(cell(0.0, -0.7), leaks=leaks(1)), replace(cell(1.0, -0.5), leaks=leaks(40, -0.25))
    )
    assert leak_sentence(grid) == (
        "Leaks: with lambda_d 1.00, lambda_b 0.95, k 6, in 40 of 40 examples the context gives "
        "the answer away under another query. Leaks can be left out."
    )
    assert leaks_counted(grid) == "at most 40 of 40 at one combination"


def test_doubts_about_contexts_are_counted_where_there_are_most():
    counts = {
        "none": {},
        "rel": {Doubt.CUT: 3, Doubt.SAME_EMBEDDING: 12},
        "rel+div": {Doubt.SAME_EMBEDDING: 9, Doubt.TOO_FEW: 1},
    }
    found = comparison(
        **{name: replace(method(name, -0.5), doubts=each) for name, each in counts.items()}
    )
    sentences = doubt_counts(found)
    assert [sentence[:37] for sentence in sentences] == [
        "With rel, in 3 of 40 examples the que",
        "With rel, in 12 of 40 examples a demo",
        "With rel+div, in 1 of 40 examples few",
    ]
    assert set(sentences) <= set(read_comparison(found).warnings)
    assert doubt_counts(comparison(none=method("none", -0.7))) == []
    again = type(found).from_json(found.to_json())
    assert {name: each.doubts for name, each in again.methods.items()} == counts
