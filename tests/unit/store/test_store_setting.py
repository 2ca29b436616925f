"""The setting in use that is kept with a pool: read back, undone, gone with the pool."""

import pytest

from core.errors import InvalidInput, StaleRevision
from core.store import Change, Store

NEAR, FAR = ({"method": "rel+div", "k": 6, "lambda_d": value} for value in (0.9, 0.3))
BEFORE = {"method": "rel", "k": 6}


def test_it_is_read_back_and_an_undo_brings_back_what_was_there(store, pool, filled):
    assert store.history.setting(pool.id) == {}
    first = store.history.use_setting(pool.id, NEAR, BEFORE, "put in use: near")
    assert store.history.setting(pool.id) == NEAR
    undone = store.history.undo(first)
    assert store.history.setting(pool.id) == BEFORE
    store.history.undo(undone)
    assert store.history.setting(pool.id) == NEAR
    whats = [(each.what, each.changes, each.undone) for each in store.history.actions(pool.id)]
    assert whats[:3] == [
        ("redo: put in use: near", 1, False),
        ("undo: put in use: near", 1, True),
        ("put in use: near", 1, False),
    ]


def test_a_later_choice_is_undone_first(store, pool, filled):
    first = store.history.use_setting(pool.id, NEAR, BEFORE, "near")
    second = store.history.use_setting(pool.id, FAR, NEAR, "far")
    with pytest.raises(StaleRevision, match="another setting is in use since: undo the later"):
        store.history.undo(first)
    assert store.history.setting(pool.id) == FAR
    store.history.undo(second)
    store.history.undo(first)
    assert store.history.setting(pool.id) == BEFORE


def test_it_is_no_edit_of_the_pool(store, pool, filled):
    before = store.pools.get("myths")
    store.history.use_setting(pool.id, NEAR, BEFORE, "near")
    after = store.pools.get("myths")
    assert after.version == before.version
    assert after.edition > before.edition
    assert store.history.edits(pool.id) == 0
    when = store.history.actions(pool.id)[0].when
    assert store.history.edits_since(pool.id, before.version, when) == 0
    assert store.demonstrations.all(pool.id) == filled
    store.demonstrations.change([Change(filled[0].id, 1, note="n")], what="note")
    assert store.history.edits(pool.id) == 1
    assert store.history.setting(pool.id) == NEAR


def test_each_pool_has_its_own_and_it_outlives_the_process(store, pool, filled, tmp_path):
    other = store.pools.create("other")
    store.history.use_setting(pool.id, NEAR, {}, "near")
    store.history.use_setting(other.id, FAR, {}, "far")
    store.close()
    with Store.open(tmp_path / "workspace") as again:
        assert again.history.setting(again.pools.get("myths").id) == NEAR
        again.pools.delete("myths")
        assert again.history.setting(pool.id) == {}
        assert again.history.setting(other.id) == FAR
        with pytest.raises(InvalidInput, match="no pool with the id"):
            again.history.use_setting(pool.id, NEAR, {}, "near")
