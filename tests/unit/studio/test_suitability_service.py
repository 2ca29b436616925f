"""Whether diversity can pay as a service: in the background, once for each version of a pool."""

import threading
import weakref

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.evaluation.results.suitability import Criterion, suitability_of
from core.studio import Setup
from core.studio.pools import demonstrations, pools
from core.studio.pools.pools import suitability

SMALL = Setup("small")
THINGS = ("door", "phone", "printer", "lamp")
WRONG = ("Never.",)


@pytest.fixture
def pool_drafts():
    return [
        Draft(f"How do I mend the {thing}?", answer, incorrect_answers(WRONG if number else ()))
        for number, thing in enumerate(THINGS)
        for answer in (f"Open the {thing}.", f"Call someone for the {thing}.")
    ]


def in_background(studio, setup=SMALL):
    found, job = suitability(studio, setup, studio.view(setup))
    assert found is None
    assert job.wait(60)
    found, job = suitability(studio, setup, studio.view(setup))
    assert job is None
    return found


def test_the_figures_are_those_of_the_view_and_of_the_stores_counts(studio):
    found = in_background(studio)
    assert (found.demonstrations, found.queries, found.with_incorrect) == (8, 4, 3)
    assert found == suitability_of(studio.view(SMALL), 3)
    assert found.sampled == 4
    assert found.incorrect is Criterion.SUITS


def test_the_same_version_is_looked_at_once_whatever_is_said_of_its_rows(studio):
    found = in_background(studio)
    ids = studio.view(SMALL).ids.tolist()
    demonstrations.add_tag(studio, ids, "seen")
    again, job = suitability(studio, SMALL, studio.view(SMALL))
    assert again is found
    assert job is None


def test_another_version_and_a_new_name_are_looked_at_anew(studio):
    assert in_background(studio).demonstrations == 8
    first = studio.view(SMALL).ids.tolist()[:2]
    demonstrations.set_status(studio, first, "excluded")
    found = in_background(studio)
    assert (found.demonstrations, found.queries, found.with_incorrect) == (6, 3, 3)
    pools.rename(studio, "small", "other")
    assert in_background(studio, Setup("other")) == found
    demonstrations.set_status(studio, studio.view(Setup("other")).ids.tolist(), "excluded")
    assert in_background(studio, Setup("other")).demonstrations == 0


def test_a_page_gets_the_job_that_waits_and_nothing_of_one_that_was_cancelled(studio):
    go_on = threading.Event()
    studio.pool_worker.submit("test", "Holds the worker", lambda job: go_on.wait(60))
    view = studio.view(SMALL)
    _, job = suitability(studio, SMALL, view)
    assert suitability(studio, SMALL, view) == (None, job)
    job.cancel()
    assert suitability(studio, SMALL, view) == (None, None)
    go_on.set()


def test_it_keeps_no_arrays_of_a_version_that_is_gone(studio):
    in_background(studio)
    kept = weakref.ref(studio.view(SMALL))
    demonstrations.delete(studio, studio.view(SMALL).ids.tolist()[:1])
    in_background(studio)
    assert kept() is None
