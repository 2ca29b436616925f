"""The coverage of a pool as a service: whose queries, found once, again when the pool changes."""

import numpy as np
import pytest

from core.curation.coverage import cover
from core.demonstration.criteria import LENGTH, QUALITY, QUERY_LENGTH
from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.retrieved import CoverageRequest, cover_in_background, coverage_now

SETUP = Setup("small", None, None)
OWN = CoverageRequest(SETUP, "small")


def covered(studio, request=OWN):
    job = cover_in_background(studio, request)
    assert job.wait(60)
    assert job.state == "finished", job.error
    found, none = coverage_now(studio, request)
    assert none is None
    return found


def vectors_of(studio, queries):
    return np.array([studio.query_vector(None, query) for query in queries])


def test_it_is_what_the_library_finds_over_the_pools_own_queries(studio):
    assert coverage_now(studio, OWN) == (None, None)
    found = covered(studio)
    view = studio.view(SETUP)
    assert found.queries == view.distinct_queries
    wanted = cover(view, found.queries, vectors_of(studio, found.queries))
    assert found.nearest.tolist() == wanted.nearest.tolist()
    assert found.similarity == pytest.approx(wanted.similarity)
    assert OWN.own


def test_queries_of_another_pool_are_compared_with_this_one(studio):
    store = studio.store
    view = studio.view(SETUP)
    same, new = view.distinct_queries[0], "Something that nobody asked"
    drafts = [Draft(text, "x") for text in (same, new, new)]
    store.demonstrations.add(store.pools.create("exam").id, [*drafts, Draft(new, "y")])
    request = CoverageRequest(SETUP, "exam")
    assert not request.own
    found = covered(studio, request)
    assert found.queries == (same, new)
    cosines = vectors_of(studio, [new]) @ view.embeddings.T
    assert found.similarity[1] == pytest.approx(cosines.max())


def test_it_is_found_once_and_again_when_the_pool_has_changed(studio):
    first = covered(studio)
    assert coverage_now(studio, OWN)[0] is first
    rows = studio.store.demonstrations.all(1)
    query = rows[0].query
    gone = [row.id for row in rows if row.query == query]
    demonstrations.set_status(studio, gone, Status.EXCLUDED)
    assert coverage_now(studio, OWN) == (None, None)
    again = covered(studio)
    assert query not in again.queries
    assert not set(gone) & set(again.nearest.tolist())


def test_a_pool_that_is_not_there_is_named(studio):
    with pytest.raises(InvalidInput, match="nowhere"):
        coverage_now(studio, CoverageRequest(SETUP, "nowhere"))


def test_lengths_by_tag_are_those_of_the_rows(studio):
    rows = studio.store.demonstrations.all(1)
    view = studio.view(SETUP)
    for measure, field in ((LENGTH, "answer"), (QUERY_LENGTH, "query")):
        found = {each.tag: each for each in demonstrations.by_tag_of(studio, SETUP, view, measure)}
        for tag, each in found.items():
            of_tag = [len(getattr(row, field)) for row in rows if tag in (row.tags or ("",))]
            assert each.count == len(of_tag)
            assert each.quantiles[2] == np.median(of_tag)
    assert demonstrations.by_tag_of(studio, SETUP, view, QUALITY) == []
