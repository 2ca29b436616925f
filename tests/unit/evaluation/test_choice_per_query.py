"""What choosing per query gains, on scores made by hand."""

import numpy as np
import pytest

from core.demonstration.demonstration import EvaluationExample, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.results.run_figures import RecordedRequest
from core.evaluation.runs.crossvalidation import ChoicePerQuery, Payoff, choice_per_query, worth_of
from core.evaluation.runs.recorded_scores import RecordedScores
from core.interval import Interval
from core.metrics.preference import delta
from core.metrics.scores import AnswerScores
from core.retrieval.knobs import Knobs
from core.settings import SEED
from tests.unit.reporting.summaries import comparison_settings

NAMES = ("rel", "bm25")


def scored(gain):
    """Scores of one triple whose delta is the gain."""
    return AnswerScores(
        correct=np.array([gain - 3.0]),
        incorrect=np.array([-2.0]),
        correct_alone=np.array([-3.0]),
        incorrect_alone=np.array([-2.0]),
    )


def recorded(gains, *, groups=None, metric="delta", names=NAMES):
    """A run in which example i has under setting s the delta gains[i][s]; None is no score."""
    number = list(range(len(gains))) if groups is None else groups
    return RecordedScores(
        run=4,
        settings=comparison_settings(seed=SEED),
        metric=metric,
        requests={
            name: RecordedRequest.of(Knobs(name.partition("@")[0])) for name in (*names, "mdl")
        },
        examples=tuple(
            EvaluationExample(f"query {at}", (f"answer {number[at]}",), incorrect_answers(("no",)))
            for at in range(len(gains))
        ),
        scores=tuple(
            {name: scored(gain) for name, gain in zip(names, each, strict=True) if gain is not None}
            for each in gains
        ),
    )


def two_kinds(n):
    """Rows of two kinds of queries, and gains: the first setting suits one kind, the second both.

    For the even ones "rel" gains 3 (and "bm25" 1), for the odd ones 0 (and 2.5).
    """
    rows = np.array([[1.0, 0.0] if at % 2 == 0 else [0.0, 1.0] for at in range(n)])
    noise = np.random.default_rng(0).normal(scale=0.1, size=(n, 2))
    return rows, [((3.0, 1.0) if at % 2 == 0 else (0.0, 2.5)) + noise[at] for at in range(n)]


def test_two_kinds_of_queries_get_two_settings():
    rows, gains = two_kinds(40)
    found = choice_per_query(recorded(gains), NAMES, rows, 5)
    per_query = np.mean([each[at % 2] for at, each in enumerate(gains)])
    overall = np.mean([each[1] for each in gains])  # bm25 is better over all
    assert found.per_query.mean == pytest.approx(per_query)
    assert found.overall.mean == pytest.approx(overall)
    assert found.gain.mean == pytest.approx(per_query - overall)
    assert found.gain.low < found.gain.mean < found.gain.high
    assert found.ceiling.mean == pytest.approx(per_query)
    assert found.room == pytest.approx(per_query - overall)
    assert (found.worth, found.best_overall) == (Payoff.GAINS, "bm25")
    uses = [(each.name, each.chosen, each.overall, each.best) for each in found.settings]
    assert uses == [("rel", 20, 0, 20), ("bm25", 20, 40, 20)]
    assert found.settings[0].value.mean == pytest.approx(np.mean([each[0] for each in gains]))
    assert (found.examples, found.groups, found.folds) == (40, 40, 10)
    assert found.left_out == ("mdl",)
    assert ChoicePerQuery.from_json(found.to_json()) == found


def test_all_neighbours_are_one_setting_for_all():
    rows, gains = two_kinds(40)
    found = choice_per_query(recorded(gains), NAMES, rows, 40)
    assert found.worth is Payoff.SAME
    assert found.gain.mean == 0
    assert found.per_query == found.overall


def test_choosing_by_neighbours_that_mislead_costs():
    """On either side of a query on the circle is one of the other kind."""
    _, gains = two_kinds(40)
    angles = np.linspace(0, np.pi, 40)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = choice_per_query(recorded(gains), NAMES, rows, 1)
    assert found.worth is Payoff.LOSES
    assert found.gain.high < 0


def test_without_any_difference_that_shows():
    generator = np.random.default_rng(5)
    gains = generator.normal(size=(40, 2))
    rows = generator.normal(size=(40, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = choice_per_query(recorded(gains), NAMES, rows, 3)
    assert found.worth is Payoff.UNCLEAR
    assert found.ceiling.mean == pytest.approx(gains.max(axis=1).mean())


def test_an_example_of_the_same_group_has_no_part():
    """Each example's double, in its place, has its score: with it every choice would be right."""
    gains = [(2.0, 0.0), (2.0, 0.0), (0.0, 3.0), (0.0, 3.0)]
    rows = np.eye(2)[[0, 0, 1, 1]]
    apart = choice_per_query(recorded(gains), NAMES, rows, 1)
    assert [each.chosen for each in apart.settings] == [2, 2]
    assert apart.per_query.mean == pytest.approx(2.5)
    together = choice_per_query(recorded(gains, groups=[0, 0, 1, 1]), NAMES, rows, 1)
    assert (together.groups, together.folds) == (2, 2)
    assert together.per_query.mean == 0
    assert together.overall.mean == 0


def test_examples_without_a_score_under_every_setting_do_not_count():
    gains = [(2.0, 0.0), (None, 0.0), (0.0, 3.0), (0.0, None), (1.0, 1.0)]
    run, rows = recorded(gains), np.eye(5)
    assert choice_per_query(run, NAMES, rows, 2).examples == 3
    scores, weights = run.table(NAMES)
    np.testing.assert_array_equal(scores, [[2, 0], [np.nan, 0], [0, 3], [0, np.nan], [1, 1]])
    assert weights.tolist() == [1] * 5
    assert scores[0, 0] == delta([scored(2.0)])


@pytest.mark.parametrize(
    ("gains", "names", "neighbours", "message"),
    [
        ([(1.0, 2.0)] * 3, NAMES, 0, "nearest examples is 0"),
        ([(1.0, 2.0)], NAMES, 1, "2 settings that a query can get and 1 examples"),
        ([], NAMES, 1, "and 0 examples"),
        ([(1.0, 2.0)] * 3, ("rel",), 1, "has 1 settings"),
        ([(1.0, 2.0)] * 3, (), 1, "has 0 settings"),
    ],
)
def test_what_cannot_be_compared_is_refused(gains, names, neighbours, message):
    with pytest.raises(InvalidInput, match=message):
        choice_per_query(recorded(gains), names, np.eye(max(len(gains), 1)), neighbours)


def test_worth_by_the_metrics_direction():
    above, around = Interval(1.0, 0.5, 1.5, 40), Interval(0.1, -0.5, 0.7, 40)
    assert worth_of(above) is Payoff.GAINS
    assert worth_of(above, -1.0) is Payoff.LOSES
    assert worth_of(around) is Payoff.UNCLEAR
    assert worth_of(above, same=True) is Payoff.SAME
    assert worth_of(Interval(0.1, None, None, 3, 12)) is Payoff.TOO_FEW
