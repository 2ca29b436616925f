"""A result of an older pool says so first: how many edits came since, and what they change."""

from dataclasses import replace

import pytest

from core.evaluation.results.run_figures import PoolEdits
from core.reporting.html.reports import calibration_report, comparison_report
from core.reporting.tables.comparison import runs_table
from core.reporting.words.earlier_runs import examples_in_common, run_line
from core.reporting.words.provenance import edits_sentence
from core.reporting.words.reading import read_calibration, read_comparison
from tests.unit.reporting.summaries import helps_then_hurts, three_methods

EDITS = PoolEdits(41, 22, 50)
SENTENCE = (
    "Judged before 41 edits of the pool; 22 of its 50 examples would have another context or "
    "other answers: "
)


@pytest.mark.parametrize(
    ("edits", "outdated", "sentence"),
    [
        (PoolEdits(1), None, "Judged before 1 edit of the pool: measure again."),
        (EDITS, True, f"{SENTENCE}measure again."),
        (
            PoolEdits(1_200, 1, 1, at_least=True),
            True,
            "Judged before 1,200 edits of the pool; at least 1 of its 1 example would have another "
            "context or other answers: measure again.",
        ),
        (
            PoolEdits(1, 0, 50),
            False,
            "Judged before 1 edit of the pool, which changes none of its 50 contexts.",
        ),
        (
            PoolEdits(2, 0, 50),
            False,
            "Judged before 2 edits of the pool, which change none of its 50 contexts.",
        ),
        (
            PoolEdits(2, 0, 50, at_least=True),
            None,
            "Judged before 2 edits of the pool: measure again.",
        ),
    ],
)
def test_the_sentence_says_what_is_known(edits, outdated, sentence):
    assert edits.outdated is outdated
    assert edits_sentence(edits, "measure again") == sentence


def test_without_edits_nothing_is_said():
    assert edits_sentence(None, "measure again") == ""


@pytest.mark.parametrize(
    ("found", "read", "report", "again"),
    [
        (helps_then_hurts(), read_calibration, calibration_report, "calibrate again."),
        (three_methods(), read_comparison, comparison_report, "compare again."),
    ],
)
def test_headline_and_report_begin_with_it(found, read, report, again):
    before = read(found).headline
    older = replace(found, edits=EDITS)
    assert read(older).headline == f"{SENTENCE}{again} {before}"
    assert f"{SENTENCE}{again}" in report(older)
    assert "Judged before" not in report(found)
    assert older.to_json() == found.to_json(), "it is said of the pool as it is now"


def test_every_model_of_a_comparison_has_its_own():
    found = replace(three_methods(), run=2, earlier=(replace(three_methods(), run=1),))
    edits = {1: PoolEdits(3), 2: PoolEdits(1)}
    older = found.edited(lambda each: edits[each.run])
    assert [each.edits for each in older.models] == [PoolEdits(3), PoolEdits(1)]
    assert found.edited(lambda each: None) is found


def test_a_run_in_a_line():
    found = three_methods()
    line = run_line(found)
    assert line.startswith("model tiny; 40 examples; none, rel, rel+div (")
    assert "edit" not in line
    assert "; before 41 edits of the pool; best " in run_line(replace(found, edits=EDITS))
    assert "; best lambda_d " in run_line(helps_then_hurts())


def test_runs_of_the_same_examples_and_of_others():
    assert examples_in_common({1, 2}, {2, 1}) == "Both runs are of the same 2 examples."
    assert examples_in_common({1, 2, 3}, {3, 4}) == (
        "1 of the 3 examples of this run and of the 2 of the other are the same, answers "
        "included: a difference may come from the others."
    )


def test_two_runs_beside_each_other_have_a_row_for_each_setting():
    one, rows = three_methods(), three_methods().methods
    wider = replace(rows["rel"], request=replace(rows["rel"].request, k=8))
    other = replace(one, methods={"none": rows["none"], "rel": wider})
    table = runs_table(one, other, "dpo_per_triple")
    assert table.names == ("setting", "DPO per triple in this run", "in the other")
    assert table.rows == (
        ("none", "-0.693 [-0.693, -0.693]", "-0.693 [-0.693, -0.693]"),
        ("rel (k 6)", "-0.680 [-0.730, -0.630]", "-"),
        ("rel+div (k 6, lambda_d 0.75)", "-0.500 [-0.550, -0.450]", "-"),
        ("rel (k 8)", "-", "-0.680 [-0.730, -0.630]"),
    )
