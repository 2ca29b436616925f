"""A file with other values for what a pool has already: reported, and brought over as chosen."""

import pytest

from core.curation import OnDifference, import_file
from core.curation.importing import settle_differences
from core.demonstration.demonstration import Status
from core.reporting.words.importing import how_it_differs
from core.store import Change

FIRST = [
    {"query": "Which metal rusts?", "answer": "Iron", "incorrect": ["Gold"], "tags": ["metal"]},
    {"query": "Which gas do we breathe in?", "answer": "Oxygen", "note": "ours"},
    {"query": "Which sea is salty?", "answer": "Every", "incorrect": ["None"]},
]
SECOND = [
    {"query": "Which metal rusts?", "answer": "Iron", "incorrect": ["Tin", "Lead"],
     "tags": ["chemistry"]},
    {"query": "Which gas do we breathe in?", "answer": "Oxygen", "incorrect": ["Argon"],
     "status": "excluded", "note": "theirs"},
    {"query": "Which sea is salty?", "answer": "Every", "incorrect": ["None"]},
    {"query": "Which gas is noble?", "answer": "Argon"},
]  # fmt: skip


@pytest.fixture
def imported(write, store):
    """Imports both files; gives the second one's report and the pool's rows."""

    def imported(how):
        import_file(store, write("first.json", FIRST), "pool")
        report = import_file(store, write("second.json", SECOND), "pool", on_difference=how)
        return report, store.demonstrations.all(store.pools.get("pool").id)

    return imported


def seen(row):
    return (tuple(each.text for each in row.incorrect), row.tags, row.status, row.note)


def test_what_differs_is_left_as_it_is_and_named(imported):
    report, rows = imported(OnDifference.LEAVE)
    assert [(one.id, one.fields) for one in report.differing] == [
        (1, ("incorrect", "tags")),
        (2, ("incorrect", "status", "note")),
    ]
    assert list(how_it_differs(report)) == [
        "2 rows differ from the pool in incorrect, tags, status, note; the pool keeps its own "
        "values."
    ]
    assert [seen(row) for row in rows[:2]] == [
        (("Gold",), ("metal",), Status.INCLUDED, ""),
        ((), (), Status.INCLUDED, "ours"),
    ]
    assert (report.demonstrations, report.already_there, report.changed) == (1, 3, 0)


def test_adding_brings_over_what_is_new(imported):
    report, rows = imported(OnDifference.ADD)
    assert [seen(row) for row in rows[:2]] == [
        (("Gold", "Tin", "Lead"), ("metal", "chemistry"), Status.INCLUDED, ""),
        (("Argon",), (), Status.INCLUDED, "ours"),
    ]
    assert report.changed == 2


def test_replacing_takes_the_files_values_and_history_takes_it_back(imported, store):
    report, rows = imported(OnDifference.REPLACE)
    assert [seen(row) for row in rows[:2]] == [
        (("Tin", "Lead"), ("chemistry",), Status.INCLUDED, ""),
        (("Argon",), (), Status.EXCLUDED, "theirs"),
    ]
    assert report.changed == 2
    pool = store.pools.get("pool").id
    latest = store.history.actions(pool)[0]
    assert latest.what == "import second.json: replace what differs"
    store.history.undo(latest.id)
    assert seen(store.demonstrations.all(pool)[0]) == (("Gold",), ("metal",), Status.INCLUDED, "")
    assert len(store.demonstrations.all(pool)) == 4


def test_the_choice_can_be_made_after_the_import(imported, store):
    report, _ = imported(OnDifference.LEAVE)
    settled = settle_differences(store, report, OnDifference.ADD, what="import")
    assert (settled.on_difference, settled.changed) == (OnDifference.ADD, 2)
    again = settle_differences(store, report, OnDifference.ADD, what="import")
    assert again.changed == 0


def test_what_was_deleted_meanwhile_is_passed_over(imported, store):
    report, rows = imported(OnDifference.LEAVE)
    store.demonstrations.change([Change(1, rows[0].revision, deleted=True)], what="delete")
    assert settle_differences(store, report, OnDifference.REPLACE, what="import").changed == 1


def test_a_file_that_says_nothing_of_a_field_differs_in_nothing(write, store):
    import_file(store, write("first.json", FIRST), "pool")
    bare = [{"query": row["query"], "answer": row["answer"]} for row in FIRST]
    assert import_file(store, write("bare.json", bare), "pool").differing == ()
    assert import_file(store, write("first.json", FIRST), "pool").differing == ()


def test_a_kind_that_the_pool_lacks_is_a_difference(write, store):
    import_file(store, write("first.json", FIRST[:1]), "pool")
    kinds = [{**FIRST[0], "incorrect_kinds": ["noble"]}]
    report = import_file(store, write("kinds.json", kinds), "pool", on_difference=OnDifference.ADD)
    assert report.differing_fields == ("incorrect",)
    (row,) = store.demonstrations.all(store.pools.get("pool").id)
    assert row.incorrect == (("Gold", "noble"),)


def test_in_json_what_differs_is_ids_and_fields(imported):
    report, _ = imported(OnDifference.LEAVE)
    found = report.to_json()["differing"]
    assert (found["rows"], found["fields"]) == (2, ["incorrect", "tags", "status", "note"])
    assert found["demonstrations"][1] == {
        "id": 2,
        "query": "Which gas do we breathe in?",
        "answer": "Oxygen",
        "fields": ["incorrect", "status", "note"],
    }
