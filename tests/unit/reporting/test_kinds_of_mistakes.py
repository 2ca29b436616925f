"""DPO by kind of incorrect answer in tables, sentences, reports and the terminal."""

from dataclasses import replace

from core.commands.printing import as_text
from core.reporting.html.reports import comparison_report
from core.reporting.tables.results import comparison_sheet
from core.reporting.tables.runs import KINDS_TITLE, kinds_table
from core.reporting.words.comparison_findings import kinds_finding, leaders_of_kind
from core.reporting.words.reading import read_comparison
from tests.unit.reporting.summaries import (
    METRICS,
    comparison,
    interval,
    method,
    two_methods_by_kind,
)


def test_the_table_names_kinds_as_text_and_marks_the_best():
    summary = two_methods_by_kind()
    table = kinds_table(summary)
    assert "<b>myth" not in table
    assert "&lt;b&gt;myth&lt;/b&gt;</th>" in table
    assert '<span class="best">-0.400</span><small>-0.450 to -0.350</small>' in table
    assert '<span class="best">-0.100</span>' in table
    assert table.count("best") == 2
    assert summary.kinds == ("<b>myth</b>", "slip")


def test_methods_that_are_equal_have_no_leader():
    summary = comparison(
        a=method("a", -0.5, kinds={"k": -0.2}), b=method("b", -0.5, kinds={"k": -0.2})
    )
    assert leaders_of_kind(summary, "k") == set()


def test_without_kinds_nothing_is_added():
    summary = comparison(a=method("a", -0.5), b=method("b", -0.4, lead=0.1))
    assert (kinds_table(summary), kinds_finding(summary, "a")) == ("", "")
    assert "kind" not in " ".join(read_comparison(summary).sentences)
    assert KINDS_TITLE not in comparison_report(summary)
    assert summary.kinds == ()


def test_a_sentence_says_against_which_kind_the_context_does_best_and_worst():
    sentence = (
        "By kind of incorrect answer, rel+div does best against 'slip', -0.100 [-0.150, -0.050], "
        "and worst against '<b>myth</b>', -0.600 [-0.650, -0.550]."
    )
    reading = read_comparison(two_methods_by_kind())
    assert sentence in reading.sentences
    assert sentence not in read_comparison(two_methods_by_kind(), "mc1").sentences
    one = comparison(a=method("a", -0.5, kinds={"k": -0.2}))
    assert kinds_finding(one, "a") == ""


def test_the_report_has_the_table():
    report = comparison_report(two_methods_by_kind())
    assert KINDS_TITLE in report
    assert kinds_table(two_methods_by_kind()) in report


def test_the_terminal_shows_differences_from_each_reference_and_the_kinds():
    rows = {
        name: method(name, -0.5, **dict.fromkeys(METRICS, -0.5), kinds={"slip": mean})
        for name, mean in (("rel", -0.25), ("none", -0.75))
    }
    less = dict.fromkeys(METRICS, interval(0.0, 0.1)) | {"mc1": interval(0.5, 0.25)}
    rows["rel"] = replace(rows["rel"], differences={"none": less})
    text = as_text(comparison_sheet(comparison(**rows)))
    assert "rel less none" in text
    assert "0.500 [0.250, 0.750]" in text
    assert "dpo_per_triple by kind" in text
    assert "-0.750 [-0.800, -0.700]" in text
    assert "none less" not in text
