"""How often each demonstration of a pool is retrieved: counted once, for the pool as it is."""

import threading

import numpy as np
import pytest

from core.demonstration.demonstration import Status
from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.retrieval.retrieved import count_retrieved
from core.settings import Embed
from core.store import RETRIEVED, SearchOrder
from core.studio import Setup
from core.studio.map.pool_map import pool_map, with_retrieved
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.retrieved import count_in_background, retrieved_now
from tests.unit.studio.exploring import wait_for

SETUP = Setup("small", None, None)
KNOBS = Knobs("rel+div", 2, lambda_d=0.6)


def counted(studio, knobs=KNOBS):
    job = count_in_background(studio, SETUP, knobs)
    assert job.wait(60)
    assert job.state == "finished", job.error
    found, none = retrieved_now(studio, SETUP, knobs)
    assert none is None
    return found


@pytest.mark.parametrize("embed", Embed)
def test_the_job_counts_what_the_library_counts(studio, embed):
    knobs = Knobs("rel+div", 2, lambda_d=0.6, embed=embed)
    found = counted(studio, knobs)
    view = studio.view(SETUP, embed=embed)
    vectors = np.array([studio.query_vector(None, query) for query in view.distinct_queries])
    assert found.shares == count_retrieved(view, vectors, knobs).shares
    assert found.counts.sum() == 2 * len(view.distinct_queries)


def test_a_page_waits_for_no_embedding(studio, monkeypatch):
    studio.view(SETUP)
    asked = threading.Event()
    whole = studio.view

    def view(setup, *, embed=Embed.QUERY, **more):
        if embed is Embed.QUERY_AND_ANSWER:
            assert threading.current_thread() is not threading.main_thread()
            asked.set()
        return whole(setup, embed=embed, **more)

    monkeypatch.setattr(studio, "view", view)
    knobs = Knobs("rel+div", 2, lambda_d=0.6, embed=Embed.QUERY_AND_ANSWER)
    assert retrieved_now(studio, SETUP, knobs) == (None, None)
    assert counted(studio, knobs).asked == len(whole(SETUP).distinct_queries)
    assert asked.is_set()


def test_it_is_known_for_these_knobs_and_until_the_pool_changes(studio):
    assert retrieved_now(studio, SETUP, KNOBS) == (None, None)
    found = counted(studio)
    assert retrieved_now(studio, SETUP, KNOBS)[0] is found
    assert retrieved_now(studio, SETUP, Knobs("rel+div", 3, lambda_d=0.6)) == (None, None)
    action = demonstrations.set_status(studio, [int(found.ids[0])], Status.EXCLUDED)
    assert retrieved_now(studio, SETUP, KNOBS) == (None, None)
    now = counted(studio)
    assert int(found.ids[0]) not in now.shares
    demonstrations.undo(studio, action)
    assert len(counted(studio).ids) == len(found.ids)


def test_a_tag_changes_nothing(studio):
    found = counted(studio)
    demonstrations.add_tag(studio, [int(found.ids[0])], "seen")
    assert retrieved_now(studio, SETUP, KNOBS)[0] is found


def test_the_table_is_sorted_by_it(studio):
    found = counted(studio)
    request = TableRequest("small", order=SearchOrder(RETRIEVED, descending=True))
    rows = [row.id for row in demonstrations.table(studio, request, found.shares).rows]
    assert rows == sorted(found.shares, key=lambda id: (-found.shares[id], id))


def test_the_map_has_the_shares_and_none_of_excluded_ones(studio):
    (out,) = demonstrations.table(studio, TableRequest("small", size=1)).rows
    demonstrations.set_status(studio, [out.id], Status.EXCLUDED)
    found = counted(studio)
    view = studio.view(SETUP)
    wait_for(lambda: pool_map(studio, SETUP, view)[0])
    drawn, _ = pool_map(studio, SETUP, view)
    assert with_retrieved(drawn, None).retrieved is None
    shares = dict(zip(drawn.ids.tolist(), with_retrieved(drawn, found).retrieved, strict=True))
    assert np.isnan(shares.pop(out.id))
    assert shares == found.shares


def test_what_cannot_be_counted_is_refused_at_once(studio):
    with pytest.raises(InvalidInput, match="asks the language model for every query"):
        count_in_background(studio, SETUP, Knobs("mdl"))
    with pytest.raises(InvalidInput, match="'bias' cannot choose yet"):
        count_in_background(studio, SETUP, Knobs("bias"))
    with pytest.raises(InvalidInput, match="run evaluate, calibrate or Compare first|has no run"):
        count_in_background(studio, SETUP, Knobs("neighbours"))
    for name in ("mdl", "bias", "neighbours"):
        assert retrieved_now(studio, SETUP, Knobs(name)) == (None, None)
