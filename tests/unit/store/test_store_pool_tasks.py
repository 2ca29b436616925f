"""The task that is written down for a pool: read back, replaced, gone with the pool."""

import pytest

from core.errors import InvalidInput
from core.store import Store


def test_a_task_is_read_back_as_it_was_written(store, pool):
    assert store.pools.task(pool.id) == ""
    for task in ('{"name": "moods"}', "ä 'quoted' {x}\n", ""):
        store.pools.set_task(pool.id, task)
        assert store.pools.task(pool.id) == task


def test_choosing_makes_a_new_version_and_leaves_the_content(store, pool, filled):
    before = store.pools.get("myths")
    for task in ("a", "b", "", ""):
        store.pools.set_task(pool.id, task)
        after = store.pools.get("myths")
        assert after.version == after.edition > before.version
        before = after
    assert store.demonstrations.all(pool.id) == filled
    assert [action.what for action in store.history.actions(pool.id)] == ["import"]


def test_each_pool_has_its_own_and_a_rename_keeps_it(store, pool):
    other = store.pools.create("other")
    store.pools.set_task(pool.id, "a")
    store.pools.set_task(other.id, "b")
    store.pools.rename("other", "another")
    assert (store.pools.task(pool.id), store.pools.task(other.id)) == ("a", "b")
    store.pools.delete("myths")
    assert (store.pools.task(pool.id), store.pools.task(other.id)) == ("", "b")
    with pytest.raises(InvalidInput, match="no pool with the id"):
        store.pools.set_task(pool.id, "a")
    assert store.pools.create("myths").id != pool.id


def test_it_outlives_the_process(store, pool, tmp_path):
    store.pools.set_task(pool.id, "a")
    store.close()
    with Store.open(tmp_path / "workspace") as again:
        assert again.pools.task(again.pools.get("myths").id) == "a"
