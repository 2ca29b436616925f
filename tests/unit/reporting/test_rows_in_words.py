"""Rows of a comparison in words: methods or settings, what most share, where each differs."""

from dataclasses import replace

import pytest

from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.html.reports import comparison_report
from core.reporting.tables.runs import difference_table, method_table
from core.reporting.words.comparison_findings import difference_finding, method_finding
from core.reporting.words.provenance import comparison_what, provenance
from core.reporting.words.reading import read_comparison
from core.reporting.words.rows import (
    breakable,
    knobs_of_row,
    row_in_words,
    row_name,
    row_note,
    row_without_demonstrations,
    row_word,
    shared_knobs,
)
from core.settings import Embed
from tests.unit.reporting.summaries import comparison, method, three_methods

VRSD = {"candidates": 20, "embed": Embed.QUERY_AND_ANSWER}
LONG = "rel+div@k=4,lambda_d=0.1"


def row(name, mean, *, lead=None, clear=False, mc1=None, **request):
    """A row of that method; what is not given of its request is as in the other rows."""
    found = method(name, mean, lead=lead, clear=clear, mc1=mc1)
    return replace(found, request=replace(found.request, **request))


def two_settings(best=("close",)):
    """Two settings of one method, no demonstrations under another name, and vrsd."""
    return comparison(
        reference="alone",
        best=list(best),
        alone=row("none", -0.693, mc1=0.2),
        close=row("rel+div", -0.5, lead=0.193, clear=True, mc1=0.5, lambda_d=0.9),
        **{LONG: row("rel+div", -0.7, lead=-0.01, mc1=0.4, lambda_d=0.1, k=4)},
        vrsd=row("vrsd", -0.6, lead=0.09, mc1=0.4, **VRSD),
    )


def test_methods_under_their_own_names_that_share_their_knobs_are_methods():
    found = three_methods()
    assert row_word(found) == "method"
    assert shared_knobs(found) == {"k": 6, "lambda_d": 0.75}
    assert [knobs_of_row(found, name) for name in found.methods] == [{}, {}, {}]
    assert row_note(found, "none") == "No demonstrations; reference"
    assert row_note(found, "rel+div") == "Relevance and diversity"


@pytest.mark.parametrize(
    "rows",
    [
        {"near": row("rel", -0.5), "none": row("none", -0.7)},
        {"rel": row("rel", -0.5), "rel+div": row("rel+div", -0.7, k=4)},
        {"rel": row("rel", -0.5), "vrsd": row("vrsd", -0.7, **VRSD)},
    ],
    ids=["a name", "k", "embed"],
)
def test_a_name_of_its_own_or_a_knob_of_its_own_makes_settings(rows):
    assert row_word(comparison(reference="rel", **rows)) == "setting"


def test_a_knob_that_a_row_does_not_depend_on_makes_no_setting():
    rows = {"none": row("none", -0.6, k=2), "rel": row("rel", -0.5, lambda_d=1.0, seed=7)}
    found = comparison(**rows, **{"rel+div": row("rel+div", -0.5, lambda_d=0.4)})
    assert row_word(found) == "method"
    assert comparison_what(found) == "k 6, lambda_d 0.40"


def test_what_most_rows_share_is_said_once_and_each_row_says_where_it_differs():
    found = two_settings()
    assert shared_knobs(found) == {"k": 6}, "no lambda_d and no candidates of most rows"
    assert knobs_of_row(found, "close") == {"lambda_d": 0.9}
    assert knobs_of_row(found, "vrsd") == VRSD
    assert knobs_of_row(found, "alone") == {}
    assert row_in_words(found, LONG) == "", "its name says all of it"
    what = "k 6; alone: none; close: rel+div, lambda_d 0.90; "
    assert comparison_what(found) == f"{what}vrsd: candidates 20, embed query+answer"
    assert provenance(found, comparison_what(found)).startswith(f"{comparison_what(found)}; pool")


def test_a_row_at_a_default_that_most_rows_left_says_so():
    rows = {name: row(name, -0.5, **VRSD) for name in ("rel", "vrsd", "bm25")}
    found = comparison(reference="rel", **rows, plain=row("rel", -0.6))
    assert shared_knobs(found) == {"k": 6, **VRSD}
    assert row_in_words(found, "plain") == "plain: rel, candidates 0, embed query"


def test_no_demonstrations_are_found_by_the_method_whatever_the_row_is_called():
    found = two_settings()
    assert row_without_demonstrations(found) == "alone"
    assert row_name(found, "alone") == "no demonstrations"
    assert row_name(found, "close") == "close"
    fooled = comparison(reference="none", none=row("rel", -0.5), b=row("vrsd", -0.6, lead=-0.1))
    assert row_without_demonstrations(fooled) is None
    assert row_name(fooled, "none") == "none"
    assert difference_finding(fooled, "dpo_per_triple") == "No setting differs clearly from none"


def test_sentences_speak_of_settings_where_rows_are_settings():
    reading = read_comparison(two_settings())
    assert reading.headline == (
        "With close the right answer wins in 20 of 40 queries (95 % interval 45 % to 55 %), in 8 "
        "without demonstrations. close leads in DPO per triple, clearly ahead of every other "
        "setting."
    )
    assert reading.sentences[0] == (
        "Compared: 4 settings on 40 evaluation examples of pool beliefs, with model tiny, each "
        "choosing 4 or 6 demonstrations."
    )
    better = [each for each in reading.sentences if each.startswith("Clearly better than")]
    assert len(better) == 1
    assert better[0].startswith("Clearly better than no demonstrations: close by 0.193")
    tied = two_settings(best=("alone", "close", LONG, "vrsd"))
    finding = method_finding(tied, "dpo_per_triple")
    assert finding == "No clear difference between the settings in DPO per triple"
    assert "any of them will do" in read_comparison(tied).headline
    fronts = {name: replace(each, needed=30) for name, each in tied.fronts.items()}
    few = read_comparison(replace(tied, fronts=fronts))
    assert "too few to say which setting serves best" in few.headline


def test_tables_and_the_report_name_each_setting_with_its_method_and_knobs():
    found = two_settings()
    for table in (method_table(found), difference_table(found)):
        assert "Setting" in table
        assert "Method" not in table
        assert "rel+div: Relevance and diversity; lambda_d 0.90" in table
        assert breakable(LONG) in table
    assert "none: No demonstrations; reference" in method_table(found)
    report = comparison_report(found)
    for words in (
        "Comparison of settings on pool beliefs",
        "Every setting, with 95 % intervals",
        "Each setting minus alone, paired",
        "close: rel+div, lambda_d 0.90",
    ):
        assert words in report, words


def test_long_names_are_broken_beside_the_dots_and_keep_their_place():
    found = two_settings()
    for figure, shown in (
        (method_dots(found), set(found.methods)),
        (method_differences(found), set(found.methods) - {"alone"}),
    ):
        axis = figure.layout.yaxis
        texts = dict(zip(axis.tickvals, axis.ticktext, strict=True))
        assert texts[LONG] == "rel+div@k=4,lambda_d=0.1"
        assert {name for trace in figure.data for name in trace.y} == shown == set(texts)
    assert method_dots(found).data[0].name == "setting"
    assert method_dots(three_methods()).data[0].name == "method"
    longer = comparison(reference="rel", rel=row("rel", -0.5), **{"x" * 60: row("vrsd", -0.6)})
    figure = method_dots(longer)
    assert figure.layout.yaxis.ticktext[1] == "<br>".join(["x" * 25, "x" * 25, "x" * 10])
    assert figure.layout.height == 170 + 2 * 51
    name = "vrsd@candidates=20,embed=query+answer"
    named = comparison(reference="rel", rel=row("rel", -0.5), **{name: row("vrsd", -0.6, **VRSD)})
    broken = method_dots(named).layout.yaxis.ticktext[1]
    assert broken == "vrsd@candidates=20,<br>embed=query+answer"
