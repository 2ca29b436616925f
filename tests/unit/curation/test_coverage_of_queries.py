"""Coverage against brute force: the nearest of another query, holes, and what fills them."""

import numpy as np
import pytest

from core.curation import coverage
from core.curation.coverage import cover
from core.demonstration.demonstration import Draft, Status
from core.errors import Cancelled
from core.retrieval.pool_view import load_pool_view
from core.watcher import Watcher


@pytest.fixture
def view(store, hashing_encoder):
    """Seven included demonstrations of five queries, two of them but for their case."""
    pool = store.pools.create("some")
    texts = ("Do bats see?", "do bats SEE?", "Do moles see?", "Is glass liquid?", "How deep?")
    drafts = [Draft(text, answer) for text in texts for answer in ("Yes", "No")][:8]
    store.demonstrations.add(pool.id, [*drafts, Draft("out", "x", status=Status.EXCLUDED)])
    return load_pool_view(store, "some", hashing_encoder)


def brute_force(view, encoder, query):
    """The id and the cosine of the nearest demonstration of another query."""
    vector = encoder.encode([query])[0]
    found = [
        (-float(row @ vector), int(id))
        for row, id, group in zip(view.matrix, view.ids, view.queries, strict=True)
        if group.casefold() != query.casefold()
    ]
    return min((value, id) for value, id in found) if found else None


@pytest.mark.parametrize("block", [1, 2, 64])
def test_the_nearest_of_another_query(view, hashing_encoder, monkeypatch, block):
    monkeypatch.setattr(coverage, "BLOCK", block)
    queries = [*dict.fromkeys(view.queries), "Are bats blind?", "DO BATS SEE?"]
    seen = []
    found = cover(
        view,
        queries,
        hashing_encoder.encode(queries),
        watcher=Watcher(on_progress=lambda done, total: seen.append((done, total))),
    )
    assert found.queries == tuple(queries)
    for query, id, similarity in zip(queries, found.nearest, found.similarity, strict=True):
        value, wanted = brute_force(view, hashing_encoder, query)
        assert id == wanted
        assert similarity == pytest.approx(-value, abs=1e-6)
    assert seen[-1] == (len(queries), len(queries))


def test_a_query_with_nothing_beside_its_own_has_none(store, hashing_encoder):
    pool = store.pools.create("one")
    store.demonstrations.add(pool.id, [Draft("Do bats see?", "Yes"), Draft("do bats see?", "No")])
    view = load_pool_view(store, "one", hashing_encoder)
    found = cover(view, ["Do bats see?"], hashing_encoder.encode(["Do bats see?"]))
    assert (found.nearest.tolist(), found.similarity.tolist()) == ([0], [-1.0])
    assert found.holes(1.0).tolist() == [0]


def test_an_empty_pool_and_no_queries(store, hashing_encoder):
    store.pools.create("empty")
    view = load_pool_view(store, "empty", hashing_encoder)
    found = cover(view, ["x"], hashing_encoder.encode(["x"]))
    assert (found.nearest.tolist(), found.similarity.tolist()) == ([0], [-1.0])
    none = cover(view, [], np.empty((0, hashing_encoder.dimensions), np.float32))
    assert (none.at_share(0.5), none.holes(1.0).tolist(), none.fills(1.0).tolist()) == (0.0, [], [])


def covered(similarity, vectors=None):
    size = len(similarity)
    rows = np.eye(size, dtype=np.float32) if vectors is None else np.asarray(vectors)
    names = tuple(f"q{n}" for n in range(size))
    return coverage.Coverage(names, rows, np.arange(size), np.asarray(similarity))


def test_holes_are_below_the_farthest_first_ties_in_order():
    found = covered([0.5, 0.2, 0.9, 0.2, 0.4])
    assert found.holes(0.5).tolist() == [1, 3, 4]
    assert found.holes(-1.0).tolist() == []
    assert found.holes(1.0).tolist() == [1, 3, 4, 0, 2]
    assert found.at_share(0.0) == 0.2
    assert found.at_share(0.5) == 0.4
    assert found.at_share(1.0) == 0.9


def test_a_demonstration_at_one_hole_ends_those_that_are_near_it():
    side = np.sqrt(0.5)
    found = covered([0.1, 0.2, 0.3, 0.9], [[1, 0], [side, side], [0, 1], [1, 0]])
    assert found.holes(0.6).tolist() == [0, 1, 2]
    assert found.fills(0.6).tolist() == [1, 2, 1]
    assert found.fills(0.8).tolist() == [0, 0, 0]


def test_it_can_be_stopped(view, hashing_encoder):
    with pytest.raises(Cancelled):
        cover(view, ["x"], hashing_encoder.encode(["x"]), watcher=Watcher(cancelled=lambda: True))
