"""Explore with methods that ask the language model: a job asks, `rel` serves meanwhile."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.retrieval.methods.pgra import METHOD, prompt_of
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.latest import LatestResults
from tests.support.planted_model import NO_STATES, PlantedModel, moods

N = 40
SETUP = Setup("small")
READS_QUERY = "Reading the query for the task"


@pytest.fixture
def pool_drafts():
    return moods(N)


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture
def load_model(model):
    return lambda name: model


@pytest.fixture
def latest(studio):
    results = LatestResults(studio, pause=0.0)
    yield results
    results.close()


def asked(query="A text of a glad day", k=6, method="pgra", **given):
    own = tuple(given.pop("own", {}).items())
    return ExploreRequest(SETUP, query, Knobs(method, k, own_values=own), **given)


def settled(studio, latest, request):
    """What is there in the end, and the labels of the jobs on the way."""
    labels = []
    for _ in range(6):
        found, job = latest.explored(resolve(studio, request))
        if job is None:
            return found, labels
        labels.append(job.label)
        assert job.wait(60)
        assert job.state == "finished", job.error
    raise AssertionError(labels)


def test_rel_serves_until_the_model_has_read_pool_and_query(studio, latest, model):
    request = asked()
    assert latest.explored(resolve(studio, request))[1].label.startswith("Loading")
    studio.language_model(None)
    found, job = latest.explored(resolve(studio, request))
    assert job is not None
    assert found == explore(resolve(studio, request.with_knobs(method="rel")))
    found, labels = settled(studio, latest, request)
    # The first of them may have ended before it was asked for again.
    assert list(dict.fromkeys([job.label, *labels]))[-2:] == [
        f"Reading {N} texts for the task plain",
        "Reading the query for the task",
    ]
    assert found.request.knobs.method == "pgra"
    assert [pick.answer for pick in found.picks] == ["1"] * 6
    assert [text for _, text in model.read].count("A text of a glad day\nThe answer is") == 1
    read = len(model.read)
    assert read == N + 1
    assert settled(studio, latest, request)[1] == []
    assert len(settled(studio, latest, request.with_knobs(k=3))[0].picks) == 3
    assert settled(studio, latest, asked("Another sad day"))[1] == [READS_QUERY]
    assert len(model.read) == read + 1


def test_the_order_says_what_was_kept_and_what_the_first_stage_would_have_kept(
    studio, latest, model
):
    request = asked(answers=("1",))
    found, _ = settled(studio, latest, request)
    view, order = studio.view(SETUP), found.order
    prompt = prompt_of(view, METHOD.settle(request.knobs))
    closed = [view.queries[place] for place in prompt.indices]
    by_text = sorted(
        (place for place in range(N) if view.queries[place] not in closed),
        key=lambda place: (-view.relevance(found.resolved.vector)[place], place),
    )
    assert [pick.stage_1 for pick in found.picks] == [
        1 + by_text.index(view.positions([pick.id])[0]) for pick in found.picks
    ]
    assert {pick.label for pick in found.picks} == {"1"}
    assert order.words == ("1",)
    assert (order.kept, order.consistent) == (6, 6)
    assert order.consistent_first == sum(view.answers[place] == "1" for place in by_text[:6])
    assert order.chance == 0.5
    assert order.candidates == N - len(prompt.pairs)
    assert order.exemplars == tuple(view.ids[list(prompt.indices)].tolist())
    assert (order.shown, order.own, order.shortened, order.skipped) == (
        len(prompt.pairs), False, 0, ()
    )  # fmt: skip
    assert order.text == prompt.prefix() + "A text of a glad day\nThe answer is"
    assert (order.text.removesuffix("A text of a glad day\nThe answer is"),) == (
        next(prefix for prefix, text in model.read if text.startswith("A text of a glad")),
    )


def test_an_answer_that_is_no_label_is_compared_with_nothing(studio, latest):
    found, _ = settled(studio, latest, asked(answers=("neither",)))
    assert (found.order.words, found.order.consistent, found.order.chance) == ((), 0, 0.0)


def test_a_query_of_the_exemplars_is_named_as_one(studio, latest):
    prompt = prompt_of(studio.view(SETUP), METHOD.settle(asked().knobs))
    shown = studio.view(SETUP).queries[prompt.indices[0]]
    answer = studio.view(SETUP).answers[prompt.indices[0]]
    found, _ = settled(studio, latest, asked(shown, leave_out=True, answers=(answer,)))
    assert found.order.own
    # Chance is that of the demonstrations of other queries, as in a comparison.
    assert found.order.chance == pytest.approx((N / 2 - 1) / (N - 1))
    none = asked(shown, leave_out=True, own={"exemplars": 0})
    assert not settled(studio, latest, none)[0].order.own


@pytest.mark.parametrize("model", [{"window": 60}], indirect=True)
def test_a_small_window_holds_fewer_exemplars_and_says_before_what(studio, latest, model):
    # An exemplar has 10 words: "Text 3 about a glad day", "The answer is" and the label.
    long = "Text about a very" + " very" * 20 + " glad day"
    studio.store.demonstrations.add(studio.store.pools.get("small").id, [Draft(long, "1")])
    huge = "Text about a very" + " very" * 70 + " glad day"
    studio.store.demonstrations.add(studio.store.pools.get("small").id, [Draft(huge, "1")])
    found, _ = settled(studio, latest, asked("A glad day"))
    order = found.order
    assert order.shown == 4  # 3 + 4 * 10 + 9 = 52 of 60 words, and 5 would have 62
    assert len(order.exemplars) >= 8
    assert (order.shortened, order.skipped_texts) == (1, (huge,))
    assert order.text.count("The answer is") == 5
    middling = "A" + " very" * 40 + " glad day"
    fewer, _ = settled(studio, latest, asked(middling))
    assert fewer.order.shown == 1
    with pytest.raises(InvalidInput, match="does not fit into the 60 tokens"):
        settled(studio, latest, asked(huge))


@pytest.mark.parametrize("model", [{"window": 12}], indirect=True)
def test_where_no_text_fits_it_says_so_in_a_sentence(studio, latest):
    with pytest.raises(InvalidInput, match="No text of pool 'small' fits the language model's"):
        settled(studio, latest, asked("Glad", own={"task": "acceptability"}))


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_leaves_rel_and_one_job_that_says_why(studio, latest):
    studio.language_model(None)
    found, job = latest.explored(resolve(studio, asked()))
    assert job.wait(60)
    assert job.error == NO_STATES
    assert found.request.knobs.method == "rel"
    assert latest.explored(resolve(studio, asked()))[1] is job


def test_a_pool_without_labels_says_so_in_a_sentence(studio, latest):
    pool = studio.store.pools.create("free").id
    studio.store.demonstrations.add(pool, [Draft(f"q {n}", f"answer {n}") for n in range(9)])
    request = replace(asked(), setup=Setup("free"))
    with pytest.raises(InvalidInput, match="pool 'free' are not labels"):
        latest.explored(resolve(studio, request))
    named = request.with_knobs(own_values=(("task", "sentiment"),))
    with pytest.raises(InvalidInput, match="label of the task 'sentiment'"):
        latest.explored(resolve(studio, named))
    without = request.with_knobs(own_values=(("task", "sentiment"), ("exemplars", 0)))
    assert latest.explored(resolve(studio, without))[1] is not None


def test_a_newer_query_takes_the_place_of_an_older_one_that_still_waits(studio, latest, model):
    settled(studio, latest, asked())
    go_on, running = threading.Event(), threading.Event()

    def holding(_):
        running.set()
        go_on.wait(60)

    studio.model_worker.submit("test", "Holds the worker", holding)
    assert running.wait(60)
    read = len(model.read)
    _, first = latest.explored(resolve(studio, asked("An older glad day")))
    _, second = latest.explored(resolve(studio, asked("A newer glad day")))
    assert first is not second
    assert first.state == "cancelled"
    go_on.set()
    assert second.wait(60)
    assert [text.splitlines()[0] for _, text in model.read[read:]] == ["A newer glad day"]
    latest.explored(resolve(studio, asked("A newer glad day", method="rel")))
    assert latest.explored(resolve(studio, asked("A newer glad day")))[1] is None


def test_what_the_worker_forgets_is_tried_again(studio, latest, model):
    settled(studio, latest, asked())
    model.hidden = False
    _, failed = latest.explored(resolve(studio, asked("A new glad day")))
    assert failed.wait(60)
    assert failed.error == NO_STATES
    assert latest.explored(resolve(studio, asked("A new glad day")))[1] is failed
    model.hidden = True
    studio.model_worker.forget(failed.slot)
    assert settled(studio, latest, asked("A new glad day"))[0].picks


def test_another_task_another_model_and_another_pool_are_read_anew(studio, latest, model):
    settled(studio, latest, asked())
    read = len(model.read)
    named = asked(own={"task": "sentiment"})
    labels = settled(studio, latest, named)[1]
    assert labels[0] == f"Reading {N} texts for the task sentiment"
    assert len(model.read) == 2 * read
    studio.store.demonstrations.add(studio.store.pools.get("small").id, moods(1, start=N))
    labels = settled(studio, latest, named)[1]
    assert labels[0] == f"Reading {N + 1} texts for the task sentiment"
    model.fingerprint = "another"
    assert settled(studio, latest, named)[1][0] == f"Reading {N + 1} texts for the task sentiment"


def test_least_hesitation_is_asked_beside_the_page_too(studio, latest, model):
    studio.language_model(None)
    request = asked("A text of a glad day", k=3, method="mdl")
    found, job = latest.explored(resolve(studio, request))
    assert found == explore(resolve(studio, request.with_knobs(method="rel")))
    found, labels = settled(studio, latest, request)
    # It may have ended before it was asked for again.
    assert [job.label, *labels][-1] == "Asking the language model about 10 contexts"
    whole = explore(resolve(studio, request, ask=True))
    assert found.picks == whole.picks
    assert found.order is None
    asked_before = len(model.asked)
    assert settled(studio, latest, request)[1] == []
    assert len(model.asked) == asked_before
    assert np.isfinite(found.diversity)


def test_methods_that_ask_nothing_choose_at_once(studio, latest):
    request = asked(method="rel+div")
    found, job = latest.explored(resolve(studio, request))
    assert (found, job) == (explore(resolve(studio, request)), None)
