"""Reports: one document with figures, tables, settings; users' texts are never markup."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html.parser import HTMLParser

import pytest

from core.errors import InvalidInput
from core.reporting.html.reports import (
    calibration_report,
    comparison_report,
    finished_at,
    write_report,
)
from core.reporting.tables.runs import (
    calibration_figures,
    difference_table,
    method_table,
    text_table,
)
from core.reporting.tables.table import Column, Table
from tests.unit.reporting.summaries import (
    calibration,
    cell,
    comparison,
    helps_then_hurts,
    method,
    three_methods,
)

EVIL = "<script>alert('x')</script> & \"quoted\""


class Document(HTMLParser):
    """Counts the tags and collects what a reader sees; `drawn` are the figures' data."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.drawn, self.titles = [], "", [], []
        self._inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._inside = (tag, dict(attributes))

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        tag, attributes = self._inside or ("", {})
        if tag == "script" and "data-figure" in attributes:
            self.drawn.append(json.loads(data))
        elif tag not in ("script", "style"):
            self.text += data + " "
        if tag == "h3":
            self.titles.append(data)


def test_a_calibration_report_holds_figures_table_settings_and_reading():
    document = Document(
        calibration_report(helps_then_hurts(finished=datetime(2026, 3, 4, 5, 6, tzinfo=UTC)))
    )
    assert document.titles[0] == "More diversity is better until lambda_d 0.80 and worse below 0.50"
    assert len(document.drawn) == 2
    (dpo,) = [t for t in document.drawn[0]["data"] if t.get("name") == "DPO per triple"]
    assert dpo["y"] == [-0.9, -0.52, -0.5, -0.53, -0.7]
    for words in (
        "Calibration of pool beliefs",
        "2026-03-04 05:06 UTC. On 40 evaluation examples of pool beliefs, with model",
        "Recommended: lambda_d 0.60",
        "reaches -0.520 [-0.560, -0.480] (nats per triple) and gains 0.060 [0.020, 0.100] over",
        "by cross-fitting (5 folds of examples)",
        "asymptotic confidence sequence (Waudby-Smith",
        "pool beliefs, version 3",
        "/models/tiny",
        "float32 on cpu",
        "qa (" + "a" * 32 + ")",
        "all-MiniLM-L6-v2",
        "40 of pool beliefs",
        "drawn with seed 0",
        "same normalised query",
        "bounded all together (max-T over sign flips)",
        "123 pairs of prompt and answer",
        "clearly behind",
        "-0.530",
    ):
        assert words in document.text, words


def test_titles_and_captions_name_intervals_only_where_there_are_any():
    rows = {"none": method("none", -0.69, None), "rel": method("rel", -0.5, None)}
    few = comparison_report(comparison(**rows))
    assert "<h2>Every method</h2>" in few
    assert "<h2>Each method minus none, paired</h2>" in few
    assert "40 examples, seed 0</figcaption>" in few
    assert "intervals over examples" not in few
    enough = comparison_report(three_methods())
    assert "<h2>Every method, with 95 % intervals</h2>" in enough
    assert "<h2>Each method minus none, paired, with 95 % intervals</h2>" in enough
    assert "40 examples, seed 0; 95 % intervals over examples</figcaption>" in enough


def test_the_heat_map_and_the_curve_over_k_come_along_when_there_are_any():
    cells = [
        cell(d, -0.5 - d / 9, k=k, lambda_b=b) for k in (2, 6) for b in (0.5, 1.0) for d in (0, 1)
    ]
    document = Document(calibration_report(calibration(*cells)))
    assert [each["data"][0]["type"] for each in document.drawn][2:] == ["heatmap", "scatter"]


def test_a_comparison_report_holds_every_method_and_metric():
    document = Document(comparison_report(three_methods()))
    assert len(document.drawn) == 3
    assert document.titles[1] == "Against no demonstrations: 1 of 2 clearly better"
    for words in (
        "rel+div",
        "Relevance and diversity",
        "No demonstrations; reference",
        "-0.680",
        "+0.193",
    ):
        assert words in document.text, words
    assert "MC2" not in document.text, "a metric without a figure has no column"


def test_a_report_is_one_file_that_asks_the_network_for_nothing():
    report = calibration_report(helps_then_hurts())
    assert report.count("Plotly.newPlot(place") == 1
    without_library = re.sub(r"<script>/\*\*.*?</script>", "", report, count=1, flags=re.S)
    assert len(without_library) < 100_000 < len(report)
    assert not re.search(r"(src|href)\s*=", without_library)
    assert "prefers-color-scheme: dark" in without_library
    assert "@media print" in without_library


def test_users_texts_are_shown_and_never_interpreted():
    evil = dict.fromkeys(("pool", "examples_from", "model", "encoder_name"), EVIL)
    for report, result in (
        (calibration_report, helps_then_hurts()),
        (comparison_report, three_methods()),
    ):
        plain = Document(report(result))
        made = Document(report(replace(result, settings=replace(result.settings, **evil))))
        assert "<script>alert('x')</script>" in made.text
        assert made.tags == plain.tags


def test_a_method_name_from_outside_is_no_markup_in_figures_and_tables():
    summary = comparison(EVIL, **{EVIL: method("rel", -0.5), "b": method("rel", -0.6, lead=-0.1)})
    report = comparison_report(summary)
    assert EVIL not in report
    assert Document(report).drawn[0]["data"]
    assert "<script>" not in method_table(summary) + difference_table(summary)


def test_texts_in_a_table_are_escaped_and_undefined_numbers_are_dashes():
    columns = (Column("answer"), Column("alone", 2), Column("id"), Column("x"))
    table = text_table(Table(columns, ((EVIL, -1.2345, 7, None),)))
    assert "&lt;script&gt;alert" in table
    assert (
        '<td class="number">-1.23</td><td class="number">7</td><td class="number">-</td>' in table
    )
    assert text_table(Table((), ())).count("<td") == 0


def test_a_text_table_shows_zero_without_a_sign_and_a_dash_for_what_is_undefined():
    columns = (Column("setting"), Column("DPO", 3), Column("left out"))
    drawn = text_table(Table(columns, (("rel", -1e-7, 0), ("none", None, 2))))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", drawn)
    assert cells == ["rel", "0.000", "0", "none", "-", "2"]


@pytest.mark.parametrize("dpo", [None, -0.5])
def test_a_calibration_of_one_cell_makes_a_report_with_a_figure_and_without(dpo):
    text = Document(calibration_report(calibration(cell(0.5, dpo, half=None)))).text
    assert "NaN" not in text
    assert "None" not in text


@pytest.mark.parametrize("methods", [{}, {"rel": method("rel", -0.5, half=0.0)}])
def test_empty_and_one_method_comparisons_make_a_report(methods):
    text = Document(comparison_report(comparison("rel", **methods))).text
    assert "NaN" not in text
    assert "None" not in text


def test_examples_without_incorrect_answers_are_compared_by_their_own_metric():
    rows = {
        "none": method("none", None, dpo_correct_only=-3.0),
        "rel": method("rel", None, lead=None, dpo_correct_only=-2.0),
    }
    found = replace(comparison(**rows), without_incorrect=40, metric="dpo_correct_only")
    document = Document(comparison_report(found))
    assert document.drawn[0]["layout"]["xaxis"]["title"]["text"].startswith("DPO without incorrect")
    assert document.drawn[1]["layout"]["xaxis"]["title"]["text"].startswith("DPO without incorrect")
    assert "incorrect answers would add whether a context raises the right answers" in document.text
    assert "no figures yet" not in document.text.lower()


def test_a_report_of_a_mixed_pool_says_how_many_examples_each_figure_rests_on():
    rows = {name: method(name, -0.5, dpo_correct_only=-2.0, mc1=0.5) for name in ("none", "rel")}
    document = Document(comparison_report(replace(comparison(**rows), without_incorrect=15)))
    assert document.drawn[0]["layout"]["xaxis"]["title"]["text"].startswith("DPO per triple")
    assert "25 of 40 examples have incorrect answers; on these rest DPO per triple" in document.text
    assert "40 examples (25 of 40 count in DPO per triple), seed 0" in document.text
    table = method_table(replace(comparison(**rows), without_incorrect=15))
    assert "nats per triple, higher is better; 25 of 40 examples" in table
    assert "nats per query, higher is better; 15 of 40 examples" in table


def test_rows_say_which_cell_is_best_and_which_are_behind():
    table = calibration_figures(helps_then_hurts())
    assert list(table.values("verdict")) == [
        "clearly behind",
        "not clearly behind",
        "best",
        "not clearly behind",
        "clearly behind",
    ]
    assert table.values("DPO per triple")[2] == -0.5
    assert calibration_figures(calibration(cell(0.0, None))).values("verdict") == ("",)


def test_the_best_of_a_column_is_marked_in_words_and_ties_share_it():
    table = method_table(three_methods())
    assert table.count('<span class="best">-0.500</span>') == 1
    assert table.count('<span class="best">0.500</span>') == 2, "rel and rel+div tie on MC1"
    alike = comparison(none=method("none", -0.6), rel=method("rel", -0.6, lead=0.0))
    assert "best" not in method_table(alike)


def test_a_run_that_has_just_ended_is_dated_now():
    made = datetime.strptime(finished_at(calibration()), "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - made).total_seconds()) < 120
    ended = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone(timedelta(hours=2)))
    assert finished_at(calibration(finished=ended)) == "2026-03-04 03:06 UTC"


def test_a_report_appears_whole_or_not_at_all(tmp_path):
    out = tmp_path / "report.html"
    out.write_text("older")
    with pytest.raises(InvalidInput, match="report.html already exists"):
        write_report("<p>new</p>", out)
    assert out.read_text("utf-8") == "older"
    write_report("<p>\u00e9</p>", out, overwrite=True)
    assert out.read_text("utf-8") == "<p>\u00e9</p>"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(InvalidInput, match="There is no folder .*missing: make it first"):
        write_report("x", tmp_path / "missing" / "report.html")
    with pytest.raises(InvalidInput, match="is a folder: name a file in it"):
        write_report("x", tmp_path)
