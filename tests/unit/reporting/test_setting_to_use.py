"""Which setting a result recommends: the simplest of those tied with the best, and why."""

from dataclasses import replace

import pytest

from core.evaluation.results.comparison import Front
from core.evaluation.results.run_figures import PoolEdits, RecordedRequest
from core.reporting.words.advice import (
    Grounds,
    setting_in_words,
    setting_of_calibration,
    setting_of_comparison,
    setting_sentence,
    simplicity,
)
from core.retrieval.knobs import Knobs
from core.settings import Embed
from tests.unit.reporting.summaries import (
    calibration,
    cell,
    comparison,
    interval,
    method,
    recommendation,
)

METRIC = "dpo_per_triple"
MEANS = {"none": -0.7, "rel": -0.5, "rel+div": -0.45, "rel+div+bias": -0.4}
LABEL = "DPO per triple"


def row(knobs, mean):
    """The figures of a row with these knobs."""
    return replace(method(knobs.method, mean), request=RecordedRequest.of(knobs))


def of_methods(*names, **changes):
    return comparison(**{name: row(Knobs(name), MEANS[name]) for name in names}, **changes)


ALL = tuple(MEANS)


@pytest.mark.parametrize(
    ("found", "method", "why", "tied"),
    [
        (of_methods(*ALL), "none", Grounds.NONE_BETTER, 4),
        (of_methods(*ALL[1:]), "rel", Grounds.NONE_BETTER, 3),
        (of_methods(*ALL, best=["rel+div+bias"]), "rel+div+bias", Grounds.LEADS, 1),
        (of_methods(*ALL, best=["rel+div+bias", "rel+div"]), "rel+div", Grounds.SIMPLEST, 2),
        (of_methods(*ALL, best=["rel+div", "none"]), "none", Grounds.SIMPLEST, 2),
        (of_methods("rel+div"), "rel+div", Grounds.ALONE, 1),
    ],
    ids=["all tied", "all tied without none", "one leads", "two lead", "none as good", "one row"],
)  # fmt: skip
def test_a_comparison_recommends_the_simplest_of_those_in_the_lead(found, method, why, tied):
    chosen = setting_of_comparison(found, METRIC)
    assert (chosen.knobs, chosen.why, chosen.tied) == (settled_knobs(method), why, tied)


def settled_knobs(name):
    fixed = {"rel": (1.0, 1.0), "none": (1.0, 1.0), "rel+div": (0.75, 1.0)}.get(name, (0.75, 0.95))
    return Knobs(name, lambda_d=fixed[0], lambda_b=fixed[1])


@pytest.mark.parametrize(
    ("lead", "wins", "method", "why", "tied"),
    [
        (ALL, ("rel", "rel+div+bias"), "rel", Grounds.WINS, 2),
        (("none", "rel"), ("rel", "rel+div"), "rel", Grounds.WINS, 1),
        (("none", "rel"), ("rel+div",), "none", Grounds.SIMPLEST, 2),
        (("rel+div",), ("rel",), "rel+div", Grounds.LEADS, 1),
        (ALL, ALL, "none", Grounds.NONE_BETTER, 4),
    ],
    ids=["two of all", "one of two", "others", "one leads", "all in both"],
)
def test_of_those_in_the_lead_one_that_gets_more_answers_right_is_not_given_up(
    lead, wins, method, why, tied
):
    found = comparison(
        **{name: with_wins(row(Knobs(name), MEANS[name])) for name in ALL}, best=lead
    )
    found = replace(found, fronts=dict(found.fronts, mc1=Front(wins, 40, 0)))
    chosen = setting_of_comparison(found, METRIC)
    assert (chosen.knobs.method, chosen.why, chosen.tied) == (method, why, tied)
    too_few = replace(found, fronts=dict(found.fronts, mc1=Front(wins, 40, 60)))
    assert setting_of_comparison(too_few, METRIC).knobs.method == lead[0]


def with_wins(figures):
    return replace(figures, metrics=dict(figures.metrics, mc1=interval(0.5, 0.1)))


@pytest.mark.parametrize(
    "found",
    [
        of_methods(*ALL, needed=60),
        comparison(rel=method("rel", None), none=method("none", None)),
        replace(
            of_methods(*ALL), settings=replace(of_methods(*ALL).settings, caution="a toy")
        ),
        comparison(gone=method("gone", -0.5)),
    ],
    ids=["too few examples", "no figure", "a toy", "a method that is gone"],
)  # fmt: skip
def test_where_nothing_is_known_nothing_is_recommended(found):
    assert setting_of_comparison(found, METRIC) is None


def test_of_one_method_the_fewer_demonstrations_then_the_nearer_to_relevance():
    rows = {
        "wide": row(Knobs("rel+div", k=6), -0.3),
        "near": row(Knobs("rel+div", k=3, lambda_d=0.9), -0.5),
        "far": row(Knobs("rel+div", k=3, lambda_d=0.2), -0.4),
    }
    assert setting_of_comparison(comparison(**rows), METRIC).knobs.lambda_d == 0.9
    del rows["near"]
    assert setting_of_comparison(comparison(**rows), METRIC).knobs.k == 3


def test_whatever_else_a_row_has_is_in_its_setting():
    knobs = Knobs("vrsd", k=4, embed=Embed.QUERY_AND_ANSWER)
    found = setting_of_comparison(comparison(sums=row(knobs, -0.4)), METRIC)
    assert found.knobs.embed is Embed.QUERY_AND_ANSWER
    assert found.knobs.candidates == 0, "those that the method takes by itself are not asked for"
    few = replace(knobs, candidates=30)
    assert setting_of_comparison(comparison(sums=row(few, -0.4)), METRIC).knobs.candidates == 30


def test_from_the_simplest_to_the_most_involved():
    given = [
        Knobs("none", k=50), Knobs("rel", k=2), Knobs("rel", k=6), Knobs("bias"),
        Knobs("rel+div", lambda_d=0.9), Knobs("rel+div", lambda_d=0.5), Knobs("pgra"),
        Knobs("rel+div+bias"), Knobs("random", k=1),
    ]  # fmt: skip
    ranks = [simplicity(each)[0] for each in given]
    assert ranks == sorted(ranks)
    assert simplicity(given[1]) < simplicity(given[2]) < simplicity(given[4]) < simplicity(given[5])
    assert simplicity(Knobs("rel")) < simplicity(Knobs("rel+div", lambda_d=1.0))


CELLS = (
    cell(0.2, -0.9, 0.4, clear=True), cell(0.5, -0.5), cell(0.6, -0.52, 0.02),
    cell(0.75, -0.8, 0.3, clear=True),
)  # fmt: skip


def calibrated(*cells, clear=True, needed=0):
    best = max(cells, key=lambda each: each.dpo.mean)
    knobs = best.knobs if clear else recommendation(None).defaults
    return calibration(*cells, advice=recommendation(knobs, clear=clear, needed=needed))


@pytest.mark.parametrize(
    ("clear", "needed", "in_use", "lambda_d", "why"),
    [
        (False, 0, 0.6, 0.75, Grounds.DEFAULTS),
        (True, 0, 0.6, 0.6, Grounds.IN_USE),
        (True, 0, 0.5, 0.5, Grounds.IN_USE),
        (True, 0, 0.2, 0.5, Grounds.BEST),
        (True, 0, 0.55, 0.5, Grounds.BEST),
        (False, 30, 0.6, 0.75, Grounds.TOO_FEW),
    ],
    ids=["the paper's", "in use", "in use is best", "in use is worse", "never tried", "too few"],
)
def test_a_calibration_recommends_what_is_known_or_in_use_before_the_best(
    clear, needed, in_use, lambda_d, why
):
    found = calibrated(*CELLS, clear=clear, needed=needed)
    chosen = setting_of_calibration(found, Knobs("rel+div+bias", lambda_d=in_use))
    assert chosen.knobs == Knobs("rel+div+bias", k=6, lambda_d=lambda_d, lambda_b=0.95)
    assert (chosen.why, chosen.tied) == (why, 2)


def test_another_method_in_use_is_not_among_the_values_tried():
    chosen = setting_of_calibration(calibrated(*CELLS), Knobs("rel+div", lambda_d=0.6))
    assert (chosen.knobs.lambda_d, chosen.why) == (0.5, Grounds.BEST)


def test_one_cell_is_the_best_and_a_toy_recommends_nothing():
    found = calibrated(CELLS[1])
    assert setting_of_calibration(found, Knobs()).tied == 1
    toy = replace(found, settings=replace(found.settings, caution="a toy"))
    assert setting_of_calibration(toy, Knobs()) is None


def test_a_setting_in_words_has_what_its_choice_depends_on():
    wanted = {
        Knobs("rel+div+bias"): "rel+div+bias with k 6, lambda_d 0.75, lambda_b 0.95",
        Knobs("rel", k=3, lambda_d=0.2): "rel with k 3",
        Knobs("vrsd", embed=Embed.QUERY_AND_ANSWER): "vrsd with k 6, embed query+answer",
        Knobs("none"): "no demonstrations",
    }
    assert {knobs: setting_in_words(knobs) for knobs in wanted} == wanted


def test_a_result_of_an_older_pool_says_so_where_it_may_not_hold():
    found = setting_of_comparison(of_methods("none", "rel", best=["rel"]), METRIC)
    said = f"rel with k 6: clearly better in {LABEL} than every other setting compared."
    assert setting_sentence(found, METRIC) == f"Use {said}"
    older = "For the pool as it was before 2 edits: use "
    assert setting_sentence(found, METRIC, PoolEdits(2)) == older + said
    assert setting_sentence(found, METRIC, PoolEdits(2, differing=3, examples=40)) == older + said
    assert setting_sentence(found, METRIC, PoolEdits(2, differing=0, examples=40)) == f"Use {said}"
    none = setting_of_comparison(of_methods("none", "rel"), METRIC)
    assert setting_sentence(none, METRIC) == (
        "Show no demonstrations: the simplest of 2 settings, none clearly better in DPO per triple."
    )
