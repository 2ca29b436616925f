import pytest

from core.demonstration.criteria import Words
from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import InvalidInput, StaleRevision
from core.store import Change, Pool, PoolSummary


def test_a_pool_is_found_by_its_name(store):
    made = store.pools.create("  my   myths ", seed=7)
    assert made == Pool(made.id, "my myths", 7, made.version, made.version)
    assert store.pools.get("my myths") == made
    other = store.pools.create("My myths")
    assert other.id != made.id
    assert [pool.name for pool in store.pools.all()] == ["My myths", "my myths"]


def test_an_unknown_pool_is_answered_with_those_there_are(store):
    with pytest.raises(InvalidInput, match="no pool named 'x' .there is none yet"):
        store.pools.get("x")
    store.pools.create("b")
    store.pools.create("a")
    for call in (store.pools.get, store.pools.summary, store.pools.delete):
        with pytest.raises(InvalidInput, match="there are 'a', 'b'"):
            call("x")


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_an_empty_name_is_refused(store, name):
    with pytest.raises(InvalidInput, match="name is empty"):
        store.pools.create(name)
    store.pools.create("a")
    with pytest.raises(InvalidInput, match="name is empty"):
        store.pools.rename("a", name)
    assert store.pools.get("a").name == "a"


def test_half_a_character_is_refused(store, pool):
    for call in (store.pools.create, store.pools.get):
        with pytest.raises(InvalidInput, match="half a character"):
            call("a\udcff")
    with pytest.raises(InvalidInput, match="half a character"):
        store.demonstrations.search(pool.id, [Words("\udcff")])


def test_a_name_is_taken_once(store):
    store.pools.create("a")
    store.pools.create("b")
    with pytest.raises(InvalidInput, match="'a' already"):
        store.pools.create("a")
    with pytest.raises(InvalidInput, match="'b' already"):
        store.pools.rename("a", "b")
    assert store.pools.rename("a", "a").name == "a"


def test_a_renamed_pool_keeps_what_it_has(store, pool, filled):
    before = store.pools.summary("myths")
    assert store.pools.rename("myths", "beliefs").id == pool.id
    after = store.pools.summary("beliefs")
    assert (after.demonstrations, after.version) == (3, before.version)
    assert after.name == "beliefs"


def test_the_counts_of_a_worked_example(store, pool, filled):
    # bats: 2 answers x 3 distinct incorrect ones = 6; glass has none.
    version = store.pools.get("myths").version
    assert store.pools.all() == [
        PoolSummary(
            name="myths", demonstrations=3, queries=2, triples=6, excluded=0, version=version
        )
    ]
    first, second, third = filled
    store.demonstrations.change(
        [
            Change(first.id, 1, incorrect=incorrect_answers(("They are blind.",))),
            Change(
                third.id,
                1,
                incorrect=incorrect_answers(("Yes.", "Sometimes.")),
                status=Status.EXCLUDED,
            ),
        ],
        what="mend",
    )
    # bats: 2 x 1; glass, excluded but present: 1 x 2.
    summary = store.pools.summary("myths")
    assert (summary.demonstrations, summary.queries, summary.triples, summary.excluded) == (
        3,
        2,
        4,
        1,
    )
    store.demonstrations.change([Change(second.id, 1, deleted=True)], what="delete")
    summary = store.pools.summary("myths")
    assert (summary.demonstrations, summary.queries, summary.triples, summary.excluded) == (
        2,
        2,
        3,
        1,
    )


def test_an_empty_pool_counts_nothing(store, pool):
    assert store.pools.summary("myths") == PoolSummary(
        name="myths", demonstrations=0, queries=0, triples=0, excluded=0, version=pool.version
    )
    assert store.demonstrations.all(pool.id) == []


def test_versions_grow_with_every_change_and_never_come_back(store, pool):
    seen = [pool]

    def changed():
        seen.append(store.pools.get("myths"))

    added = store.demonstrations.add(pool.id, [Draft("q", "a")])
    changed()
    action = store.demonstrations.change([Change(added.ids[0], 1, answer="b")], what="edit")
    changed()
    store.history.undo(action)
    changed()
    store.pools.set_fixed_ids(pool.id, added.ids)
    changed()
    store.pools.delete("myths")
    seen.append(store.pools.create("myths"))
    assert len(seen) == 6
    for numbers in ([one.version for one in seen], [one.edition for one in seen]):
        assert numbers == sorted(set(numbers))


def test_what_changes_nothing_keeps_version_and_edition(store, pool, filled):
    before = store.pools.get("myths")
    store.demonstrations.add(pool.id, [Draft("Is glass a liquid?", " No.")])
    store.demonstrations.change([Change(filled[0].id, 1, note="")], what="nothing")
    assert store.pools.get("myths") == before


@pytest.mark.parametrize(
    ("values", "new_version"),
    [
        ({"note": "n"}, False),
        ({"tags": ("t",)}, False),
        ({"note": "n", "tags": ()}, False),
        ({"note": "n", "best": True}, True),
        ({"query": "Do bats see at night?"}, True),
        ({"answer": "They do."}, True),
        ({"incorrect": ()}, True),
        ({"incorrect": incorrect_answers(["No, they are blind."], ["myth"])}, True),
        ({"status": Status.EXCLUDED}, True),
        ({"deleted": True}, True),
    ],
)
def test_notes_and_tags_make_a_new_edition_and_no_new_version(
    store, pool, filled, values, new_version
):
    before = store.pools.get("myths")
    change = Change(filled[0].id, 1, **values)
    action = store.demonstrations.change([change], what="edit")
    after = store.pools.get("myths")
    assert after.edition > before.edition
    assert after.version == (after.edition if new_version else before.version)
    with pytest.raises(StaleRevision):
        store.demonstrations.change([change], what="late")
    assert store.pools.summary("myths").version == after.version
    store.history.undo(action)
    undone = store.pools.get("myths")
    assert undone.edition > after.edition
    assert (undone.version > after.version) == new_version


def test_of_a_change_of_many_one_text_is_enough_for_a_new_version(store, pool, filled):
    before = store.pools.get("myths")
    changes = [Change(filled[0].id, 1, note="n"), Change(filled[2].id, 1, answer="It is not.")]
    store.demonstrations.change(changes, what="edit")
    assert store.pools.get("myths").version > before.edition


def test_deleting_a_pool_leaves_the_others(store, pool, filled):
    other = store.pools.create("other")
    kept = store.demonstrations.add(other.id, [Draft("q", "a")])
    run = store.runs.start("evaluate", pool.id, {})
    store.runs.append(run, [{"x": 1}])
    store.pools.set_fixed_ids(pool.id, [filled[0].id])
    store.pools.delete("myths")
    assert [summary.name for summary in store.pools.all()] == ["other"]
    assert [d.id for d in store.demonstrations.all(other.id)] == kept.ids
    with pytest.raises(InvalidInput, match="no run"):
        store.runs.get(run)
    for gone in (store.demonstrations.all, store.history.actions, store.demonstrations.search):
        with pytest.raises(InvalidInput, match="no pool with the id"):
            gone(pool.id)
    with pytest.raises(InvalidInput, match="no demonstration"):
        store.demonstrations.by_ids([filled[0].id])


def test_fixed_demonstrations_keep_their_order(store, pool, filled):
    ids = [d.id for d in filled]
    assert store.pools.fixed_ids(pool.id) == []
    store.pools.set_fixed_ids(pool.id, [ids[2], ids[0]])
    assert store.pools.fixed_ids(pool.id) == [ids[2], ids[0]]
    action = store.demonstrations.change([Change(ids[2], 1, deleted=True)], what="delete")
    assert store.pools.fixed_ids(pool.id) == [ids[0]]
    store.history.undo(action)
    assert store.pools.fixed_ids(pool.id) == [ids[2], ids[0]]
    store.pools.set_fixed_ids(pool.id, [])
    assert store.pools.fixed_ids(pool.id) == []


def test_fixed_demonstrations_are_of_this_pool_and_distinct(store, pool, filled):
    other = store.pools.create("other")
    stranger = store.demonstrations.add(other.id, [Draft("q", "a")]).ids[0]
    store.pools.set_fixed_ids(pool.id, [filled[0].id])
    for wanted in ([filled[0].id, stranger], [filled[0].id] * 2, [10**9]):
        with pytest.raises(InvalidInput, match="distinct demonstrations of this pool"):
            store.pools.set_fixed_ids(pool.id, wanted)
    assert store.pools.fixed_ids(pool.id) == [filled[0].id]
