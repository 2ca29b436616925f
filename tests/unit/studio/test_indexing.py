"""The index of a large pool is prepared beside the page."""

import threading

import pytest

from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.explore import asking
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from tests.unit.studio.exploring import QUERY


def asked(kind, method="rel+div"):
    return ExploreRequest(Setup("small"), QUERY, Knobs(method, 2, index=kind, candidates=4))


def without_waiting(studio, request):
    """The request as it can be answered at once, and the job."""
    resolved, job = asking.without_waiting(resolve(studio, request))
    return resolved.request, job


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_the_whole_pool_serves_until_the_index_is_there(studio, monkeypatch, kind):
    monkeypatch.setattr(asking, "LARGE_POOL", 9)  # the pool has ten
    go_on = threading.Event()
    studio.pool_worker.submit("test", "Holds the worker", lambda job: go_on.wait(60))
    request = asked(kind)
    meanwhile, job = without_waiting(studio, request)
    assert meanwhile == request.with_knobs(index=None, candidates=0)
    assert explore(resolve(studio, meanwhile)).certainty.kind == "exact"
    assert without_waiting(studio, request)[1] is job
    go_on.set()
    assert job.wait(60)
    assert job.state == "finished", job.error
    assert without_waiting(studio, request) == (request, None)
    assert explore(resolve(studio, request)).certainty.index == kind
    other_lambda = request.with_knobs(lambda_d=0.1)
    assert without_waiting(studio, other_lambda) == (other_lambda, None)


def test_a_small_pool_a_method_without_values_and_a_whole_pool_wait_for_nothing(
    studio, monkeypatch
):
    assert without_waiting(studio, asked("ivf")) == (asked("ivf"), None)
    monkeypatch.setattr(asking, "LARGE_POOL", 0)
    for request in (asked("ivf", "random"), asked("ivf").with_knobs(index=None)):
        assert without_waiting(studio, request) == (request, None)
