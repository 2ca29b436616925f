"""What a run shows as values, before any sentence is made of it."""

import pytest

from core.evaluation.results.comparison import Front
from core.reporting.words.calibration_findings import (
    CellVerdict,
    LambdaDEffect,
    effect_of_lambda_d,
    verdict_of_cell,
)
from core.reporting.words.comparison_findings import Leading, lead_of, verdicts
from core.reporting.words.rows import RowWord, row_word
from tests.unit.reporting.summaries import cell, comparison, method, three_methods

BEST = cell(0.5, -0.5)


def line(*behind):
    """Cells at lambda_d 0, 0.25, ..., 1, clearly behind or not, the best at 0.5."""
    places = [0.0, 0.25, 0.5, 0.75, 1.0]
    cells = [cell(at, -0.6, 0.1, clear=each) for at, each in zip(places, behind, strict=True)]
    return [*cells[:2], BEST, *cells[3:]]


@pytest.mark.parametrize(
    ("behind", "effect"),
    [
        ((False, False, False, False, False), LambdaDEffect.NO_DIFFERENCE),
        ((True, False, False, False, True), LambdaDEffect.BEST_BETWEEN),
        ((False, False, False, False, True), LambdaDEffect.RELEVANCE_ONLY_BEHIND),
        ((True, True, False, False, False), LambdaDEffect.DIVERSITY_ONLY_BEHIND),
        ((False, True, False, False, False), LambdaDEffect.SOME_BEHIND),
    ],
)
def test_the_effect_of_lambda_d_is_by_which_ends_are_clearly_behind(behind, effect):
    assert effect_of_lambda_d(line(*behind), BEST) is effect


def test_a_line_without_the_best_cell_says_so_whatever_is_behind():
    other = cell(0.5, -0.4, k=3)
    assert effect_of_lambda_d(line(*[True] * 5), other) is LambdaDEffect.BEST_IS_ELSEWHERE


def test_the_verdict_of_a_cell_against_the_best():
    cells = line(True, False, False, False, False)
    assert [verdict_of_cell(each, BEST) for each in cells] == [
        CellVerdict.BEHIND,
        CellVerdict.NOT_BEHIND,
        CellVerdict.BEST,
        CellVerdict.NOT_BEHIND,
        CellVerdict.NOT_BEHIND,
    ]


@pytest.mark.parametrize(
    ("best", "needed", "leading"),
    [
        (("rel",), 0, Leading.ONE),
        (("rel", "bm25"), 0, Leading.SEVERAL),
        (("rel", "bm25", "none"), 0, Leading.ALL),
        (("rel", "bm25", "none"), 50, Leading.TOO_FEW),
        ((), 0, None),
    ],
)
def test_who_leads(best, needed, leading):
    rows = {name: method(name, mean) for name, mean in (("none", -0.7), ("rel", -0.5))}
    found = comparison(best=best, needed=needed, **rows, bm25=method("bm25", -0.6))
    assert found.fronts["dpo_per_triple"] == Front(best, 40, needed)
    assert lead_of(found, "dpo_per_triple").verdict is leading


@pytest.mark.parametrize(
    ("lead", "clear", "found"),
    [
        (0.2, True, (("rel",), (), ())),
        (-0.2, True, ((), ("rel",), ())),
        (0.2, False, ((), (), ("rel",))),
    ],
)
def test_a_row_against_its_reference(lead, clear, found):
    rows = {"none": method("none", -0.7), "rel": method("rel", -0.5, lead=lead, clear=clear)}
    seen = verdicts(comparison(**rows), "dpo_per_triple")
    assert (seen.better, seen.worse, seen.unclear) == found
    assert verdicts(comparison(**rows), "mc1").counted == 0, "undefined"


def test_rows_are_methods_until_one_has_a_name_of_its_own():
    found = three_methods()
    assert row_word(found) is RowWord.METHOD
    named = comparison(wide=method("rel", -0.5), none=method("none", -0.7))
    assert row_word(named) is RowWord.SETTING
