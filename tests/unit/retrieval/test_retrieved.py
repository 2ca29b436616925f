"""How often each demonstration is retrieved: against one context at a time."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.errors import Cancelled, InvalidInput
from core.retrieval import retrieved as module
from core.retrieval.choosing import METHODS, choose_context
from core.retrieval.knobs import Knobs
from core.retrieval.retrieved import asked_queries, count_retrieved
from core.watcher import Watcher
from tests.contracts.test_method_contract import pool

VIEW = pool()  # three spellings of "Alpha?", "Beta?" twice


def vectors(view):
    """The unit vectors of the queries that are asked."""
    places = [view.queries.index(query) for query in asked_queries(view)]
    return view.embeddings[view.rows[places]]


@pytest.mark.parametrize("k", [0, 1, 3, len(VIEW), len(VIEW) + 1])
@pytest.mark.parametrize("name", [n for n, m in METHODS.items() if not m.needs_model])
def test_every_query_counts_once(name, k):
    found = count_retrieved(VIEW, vectors(VIEW), Knobs(name, k))
    wanted = Counter()
    for query, vector in zip(asked_queries(VIEW), vectors(VIEW), strict=True):
        context = choose_context(VIEW, query, vector, Knobs(name, k), leave_out=True)
        wanted.update(context.ids.tolist())
    assert (found.asked, found.queries) == (len(asked_queries(VIEW)),) * 2
    assert found.ids.tolist() == VIEW.ids.tolist()
    assert dict(zip(found.ids.tolist(), found.counts.tolist(), strict=True)) == {
        id: wanted[id] for id in VIEW.ids.tolist()
    }
    assert found.shares == {id: wanted[id] / found.asked for id in VIEW.ids.tolist()}


def test_no_query_retrieves_its_own_demonstrations():
    found = count_retrieved(VIEW, vectors(VIEW), Knobs("rel", 99))
    for place, query in enumerate(VIEW.queries):
        own = sum(VIEW.same_query(each)[place] for each in asked_queries(VIEW))
        assert found.counts[place] == found.asked - own, query


def test_a_pinned_one_is_in_every_context_but_its_own():
    view = replace(VIEW, pinned=np.array([6]))
    found = count_retrieved(view, vectors(view), Knobs("rel+div+bias", 2))
    assert found.counts[6] == found.asked - 1


def test_of_many_queries_a_seeded_sample_is_asked(monkeypatch):
    view = pool([f"query {number}" for number in range(40)])
    monkeypatch.setattr(module, "MOST_QUERIES", 10)
    asked = asked_queries(view)
    assert len(asked) == 10
    assert asked == asked_queries(view) != asked_queries(replace(view, seed=1))
    assert [view.queries.index(query) for query in asked] == sorted(map(view.queries.index, asked))
    found = count_retrieved(view, vectors(view), Knobs("rel", 3))
    assert (found.asked, found.queries, found.counts.sum()) == (10, 40, 30)


def test_an_empty_pool_has_nothing_to_count():
    view = pool([])
    found = count_retrieved(view, np.empty((0, 8)), Knobs())
    assert (found.asked, found.counts.tolist(), found.shares) == (0, [], {})


def test_it_reports_and_can_be_stopped():
    seen = []
    count_retrieved(
        VIEW, vectors(VIEW), Knobs(), watcher=Watcher(on_progress=lambda *now: seen.append(now))
    )
    total = len(asked_queries(VIEW))
    assert seen == [(done, total) for done in range(1, total + 1)]
    with pytest.raises(Cancelled):
        count_retrieved(VIEW, vectors(VIEW), Knobs(), watcher=Watcher(cancelled=lambda: True))


def test_a_method_that_asks_the_model_is_refused():
    with pytest.raises(InvalidInput, match="'mdl' asks the language model for every query"):
        count_retrieved(VIEW, vectors(VIEW), Knobs("mdl"))
