"""What demonstrations are worth, as a service: cost, a run in the background, going on, figures."""

from dataclasses import replace

import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.results.run_figures import PoolEdits
from core.evaluation.runs.running import RunOptions
from core.retrieval.choosing import knobs_from_json
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.pools import rename
from core.studio.runs import worth
from core.studio.runs.worth import WorthRequest, figures_of, worths
from core.watcher import Watcher

QUERIES = ("Is the moon cheese?", "Do bats see?", "Is glass a liquid?", "Do bulls hate red?")


@pytest.fixture
def pool_drafts():
    return [
        Draft(query, f"{word}, said {number}", incorrect_answers(("Maybe so", "Ask again")))
        for number, query in enumerate(QUERIES)
        for word in ("No", "Never")
    ]


@pytest.fixture
def request_(tiny_lm_folder):
    return WorthRequest(setup=Setup("small", None, str(tiny_lm_folder)), knobs=Knobs("rel", 2))


def judged(studio, request):
    return worth.run(studio, request, Watcher()).summary()


@pytest.mark.parametrize(
    ("knobs", "limit", "contexts"),
    [
        (Knobs("rel", 0), None, 4 * 2),
        (Knobs("rel", 2), None, 4 * 4),
        (Knobs("rel", 2), 3, 3 * 4),
        (knobs_from_json({"method": "mdl", "k": 2, "sets": 5}), 1, 3 * (1 + 5) + 1),
    ],
    ids=str,
)
def test_what_it_costs(studio, request_, knobs, limit, contexts):
    request = replace(request_, knobs=knobs, options=RunOptions(limit=limit))
    assert worth.contexts_at_most(studio, request) == contexts
    assert worth.cost(studio, request) == f"At most {contexts} contexts"


def test_a_run_scores_no_more_than_that(studio, request_):
    found = judged(studio, request_)
    assert found.distinct_sets < worth.contexts_at_most(studio, request_)


def test_the_latest_run_is_what_they_are_worth(studio, request_):
    assert worths(studio, "small") is None
    found = judged(studio, replace(request_, options=RunOptions(limit=3, seed=1)))
    assert figures_of(studio, "small") == {each.id: each for each in found.demonstrations}
    assert worths(studio, "small") == {
        each.id: each.worth.mean for each in found.demonstrations if each.worth.mean is not None
    }
    assert worth.RUNS.latest(studio, "small").edits is None
    rename(studio, "small", "other")
    assert worth.RUNS.latest(studio, "other").edits is None
    demonstrations.set_status(studio, [1], Status.EXCLUDED)
    assert worth.RUNS.latest(studio, "other").edits == PoolEdits(1)
    assert set(figures_of(studio, "other")) == {each.id for each in found.demonstrations}


def test_after_a_run_without_demonstrations_in_its_contexts_none_has_a_worth(studio, request_):
    assert judged(studio, replace(request_, knobs=Knobs("rel", 0))).demonstrations == ()
    assert worths(studio, "small") == {}


def test_in_the_background_it_is_the_same(studio, request_):
    job = worth.RUNS.start(studio, request_)
    assert job.wait(120)
    assert job.snapshot().error is None
    found = worth.RUNS.latest(studio, "small")
    again = judged(studio, request_)
    assert found.demonstrations == again.demonstrations
    assert again.language_model_calls == 0


def test_a_run_goes_on_with_its_settings(studio, request_):
    options = RunOptions(limit=2, seed=5, leave_out_leaks=True)
    knobs = Knobs("rel+div", 2, lambda_d=0.5, lambda_b=1.0, seed=5)
    request = replace(request_, knobs=knobs, options=options)
    found = judged(studio, request)
    assert worth.resumed(request.setup, found.settings) == request


def test_quality_that_is_missing_is_scored_first(studio, request_):
    said = []
    request = replace(request_, knobs=Knobs("rel+div+bias", 2, lambda_b=0.5))
    worth.run(studio, request, Watcher(on_note=said.append))
    assert said == ["scoring the quality bias of 8 demonstrations first"]


def test_methods_that_need_what_is_not_there_are_refused(studio, request_):
    with pytest.raises(InvalidInput, match="no finished comparison"):
        judged(studio, replace(request_, knobs=Knobs("neighbours", 2)))
