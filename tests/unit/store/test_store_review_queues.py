"""Queues of demonstrations to review: their order, their place, what is left, what is refused."""

import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.store import Change, Store

NOON = "2026-11-27T12:00:00"


@pytest.fixture
def filled(store):
    """The store with a pool of five demonstrations; the pool's id and theirs."""
    pool = store.pools.create("some")
    added = store.demonstrations.add(pool.id, [Draft(f"query {n}", "answer") for n in range(5)])
    return store, pool.id, list(added.ids)


def test_a_queue_has_its_demonstrations_in_order_each_once(filled):
    store, pool, ids = filled
    queue = store.review_queues.start(pool, "some of them", [ids[3], ids[0], ids[3], ids[4]])
    assert (queue.pool_id, queue.name, queue.size) == (pool, "some of them", 3)
    assert (queue.place, queue.left) == (0, 3)
    assert store.review_queues.ids(queue.id) == [ids[3], ids[0], ids[4]]
    assert [store.review_queues.at(queue.id, place) for place in range(-1, 4)] == [
        None, ids[3], ids[0], ids[4], None
    ]  # fmt: skip


@pytest.mark.parametrize(("wanted", "kept"), [(-1, 0), (0, 0), (1, 1), (3, 3), (4, 3)])
def test_the_place_is_within_the_queue_and_outlives_the_store(filled, tmp_path, wanted, kept):
    store, pool, ids = filled
    queue = store.review_queues.start(pool, "three", ids[:3])
    store.review_queues.move(queue.id, wanted)
    folder = store.folder
    store.close()
    with Store.open(folder) as again:
        assert again.review_queues.get(queue.id).place == kept


def test_left_are_those_that_nobody_decided_about_and_that_are_there(filled):
    store, pool, ids = filled
    queue = store.review_queues.start(pool, "all", ids)
    store.demonstrations.change([Change(ids[0], 1, reviewed=(NOON,))], what="reviewed")
    action = store.demonstrations.change([Change(ids[1], 1, deleted=True)], what="deleted")
    assert store.review_queues.get(queue.id).left == 3
    assert store.review_queues.get(queue.id).size == 5
    assert [store.review_queues.next_left(queue.id, place) for place in (0, 2, 3, 4, 5, 6)] == [
        2, 2, 3, 4, 5, 5
    ]  # fmt: skip
    store.history.undo(action)
    assert store.review_queues.get(queue.id).left == 4
    assert store.review_queues.next_left(queue.id, 0) == 1
    with pytest.raises(InvalidInput, match="no review queue 99"):
        store.review_queues.next_left(99, 0)


def test_what_was_reviewed_before_a_queue_began_is_left_in_it(filled):
    store, pool, ids = filled
    store.demonstrations.change([Change(ids[1], 1, reviewed=(NOON,))], what="reviewed")
    queue = store.review_queues.start(pool, "two", [ids[1], ids[0]])
    assert (queue.left, store.review_queues.next_left(queue.id, 0)) == (2, 0)
    twice = Change(ids[1], 2, reviewed=(NOON, "2026-11-27T13:00:00"))
    store.demonstrations.change([twice], what="again")
    assert store.review_queues.get(queue.id).left == 1
    assert store.review_queues.next_left(queue.id, 0) == 1


def test_unreviewed_are_those_of_the_pool_without_a_time_of_review(filled):
    store, pool, ids = filled
    other = store.demonstrations.add(store.pools.create("other").id, [Draft("q", "a")])
    store.demonstrations.change([Change(ids[2], 1, reviewed=(NOON,))], what="reviewed")
    store.demonstrations.change([Change(ids[4], 1, deleted=True)], what="deleted")
    assert store.review_queues.unreviewed(pool) == [ids[0], ids[1], ids[3]]
    assert store.review_queues.unreviewed(store.pools.get("other").id) == list(other.ids)


def test_the_latest_queue_of_a_pool_comes_first_and_an_unknown_one_is_refused(filled):
    store, pool, ids = filled
    first, second = (store.review_queues.start(pool, name, ids[:1]) for name in "ab")
    assert [queue.name for queue in store.review_queues.of_pool(pool)] == ["b", "a"]
    assert store.review_queues.of_pool(pool) == [second, first]
    unknown = max(first.id, second.id) + 1
    with pytest.raises(InvalidInput, match=f"no review queue {unknown}"):
        store.review_queues.get(unknown)
    with pytest.raises(InvalidInput, match=f"no review queue {unknown}"):
        store.review_queues.move(unknown, 1)


def test_what_cannot_be_queued_is_refused_and_nothing_is_begun(filled):
    store, pool, ids = filled
    other = store.pools.create("other")
    with pytest.raises(InvalidInput, match="nothing to review"):
        store.review_queues.start(pool, "none", [])
    with pytest.raises(InvalidInput, match="Of 2 demonstrations 1 are not in this pool"):
        store.review_queues.start(pool, "strangers", [ids[0], 10_000])
    with pytest.raises(InvalidInput, match="Of 5 demonstrations 5 are not in this pool"):
        store.review_queues.start(other.id, "anothers", ids)
    assert store.review_queues.of_pool(pool) == store.review_queues.of_pool(other.id) == []


def test_a_pool_takes_its_queues_with_it(filled):
    store, pool, ids = filled
    queue = store.review_queues.start(pool, "all", ids)
    store.pools.delete("some")
    assert store.review_queues.of_pool(pool) == []
    assert store.review_queues.ids(queue.id) == []
