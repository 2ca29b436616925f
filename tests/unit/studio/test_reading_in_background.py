"""The states of a pool's texts are read once, beside the pages."""

import threading

import numpy as np
import pytest

from core.background import Urgency
from core.demonstration.demonstration import Status
from core.retrieval.choosing import settled
from core.retrieval.knobs import Knobs
from core.retrieval.methods.pgra import prompt_of
from core.store import Change
from core.studio import Setup, Studio
from core.studio.session.readiness import read_in_background, states_in_memory
from tests.support.planted_model import NO_STATES, PlantedModel, moods

SETUP = Setup("small")
N = 30


@pytest.fixture
def pool_drafts():
    return moods(N)


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture
def load_model(model):
    return lambda name: model


def asked(studio, seed=0):
    view = studio.view(SETUP)
    return view, prompt_of(view, settled(Knobs("pgra", seed=seed)))


def read(studio, seed=0):
    """Let every job do its work; how many there were, and the pool's states."""
    view, prompt = asked(studio, seed)
    jobs = 0
    while job := read_in_background(studio, SETUP, view, prompt):
        assert job.wait(60)
        assert job.state == "finished", job.error
        jobs += 1
    return jobs, states_in_memory(studio, SETUP, view, prompt)


def test_first_the_model_is_loaded_then_every_text_is_read_once(studio, model):
    view, prompt = asked(studio)
    assert read_in_background(studio, SETUP, view, prompt).label.startswith("Loading")
    jobs, found = read(studio)
    assert jobs <= 2
    assert len(model.read) == N
    assert {prefix for prefix, _ in model.read} == {prompt.prefix()}
    expected = np.eye(2, dtype=np.float32)[[int(answer) for answer in view.answers]]
    np.testing.assert_allclose(found.states, expected, atol=2e-3)
    assert found.exemplars == len(prompt.pairs)
    assert read(studio)[0] == 0
    assert read(studio, seed=1)[0] == 1
    assert len(model.read) == 2 * N


def test_while_it_reads_the_same_job_says_what_it_does_and_how_far_it_is(studio, model):
    studio.language_model(None)
    model.go_on.clear()
    view, prompt = asked(studio)
    job = read_in_background(studio, SETUP, view, prompt)
    assert job.label == f"Reading {N} texts for the task plain"
    assert model.began.wait(60)
    assert read_in_background(studio, SETUP, view, prompt) is job
    assert states_in_memory(studio, SETUP, view, prompt) is None
    model.go_on.set()
    assert job.wait(60)
    assert (job.done, job.total, job.result) == (N, N, N)


def test_what_was_read_is_kept_over_a_restart(studio, model, encoder):
    read(studio)
    folder = studio.store.folder
    studio.close()
    with Studio.open(
        folder, load_encoder=lambda name: encoder, load_model=lambda name: model
    ) as again:
        _, found = read(again)
    assert len(model.read) == N
    assert found.read.sum() == N


def test_a_changed_pool_reads_what_is_new_and_what_stands_before_it_if_that_changed(studio, model):
    read(studio)
    view, prompt = asked(studio)
    pool = studio.store.pools.get("small").id
    row = next(
        row
        for row in studio.store.demonstrations.all(pool)
        if row.query not in {pair[0] for pair in prompt.pairs}
    )
    change = Change(row.id, row.revision, status=Status.EXCLUDED)
    studio.store.demonstrations.change([change], what="one away")
    jobs, found = read(studio)
    assert (jobs, len(found.states)) == (1, N - 1)
    assert len(model.read) == N, "the same exemplars precede the same texts"
    studio.store.demonstrations.add(pool, moods(1, start=N))
    _, prompt_now = asked(studio)
    _, found = read(studio)
    assert len(found.states) == N
    new = 1 if prompt_now.prefix() == prompt.prefix() else N
    assert len(model.read) == N + new


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_says_so_once_and_is_not_asked_again(studio):
    studio.language_model(None)
    view, prompt = asked(studio)
    job = read_in_background(studio, SETUP, view, prompt)
    assert job.wait(60)
    assert (job.state, job.error) == ("failed", NO_STATES)
    assert read_in_background(studio, SETUP, view, prompt) is job
    studio.model_worker.forget(job.slot)
    assert read_in_background(studio, SETUP, view, prompt) is not job


def test_shorter_work_of_a_person_runs_between_its_chunks(studio, model, pool_drafts):
    studio.store.demonstrations.add(studio.store.pools.get("small").id, moods(200, start=N))
    studio.language_model(None)
    model.go_on.clear()
    view, prompt = asked(studio)
    job = read_in_background(studio, SETUP, view, prompt)
    assert model.began.wait(60)
    done_at, ended = [], threading.Event()

    def short(_):
        done_at.append(job.done)
        ended.set()

    studio.model_worker.submit("short", "A person's", short, urgency=Urgency.SHOWN)
    model.go_on.set()
    assert ended.wait(60)
    assert job.wait(60)
    assert 0 < done_at[0] < job.total == N + 200


def test_cancelled_it_stays_so_and_keeps_what_it_read(studio, model):
    studio.language_model(None)
    model.go_on.clear()
    view, prompt = asked(studio)
    job = read_in_background(studio, SETUP, view, prompt)
    assert model.began.wait(60)
    job.cancel()
    model.go_on.set()
    assert job.wait(60)
    assert job.state == "cancelled"
    assert read_in_background(studio, SETUP, view, prompt) is job
    assert states_in_memory(studio, SETUP, view, prompt) is None
