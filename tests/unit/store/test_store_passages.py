"""Collections of passages: names, ids, doubles, versions, removal."""

from datetime import UTC

import pytest

from core.errors import InvalidInput
from core.store import CollectionSummary, PassageDraft, Store

DRAFTS = [
    PassageDraft("They see.", "Bats", "a.md", 1, 1),
    PassageDraft("They hear.", "Bats", "a.md", 1, 2),
    PassageDraft("A solid.", "Glass", "a.md", 2, 1),
]


def texts(store, name):
    return [(row.id, row.title, row.text) for row in store.passages.snapshot(name)[1]]


def test_what_is_added_is_read_back_with_its_place(store):
    added = store.passages.add("  facts  of life ", DRAFTS)
    assert (added.collection.name, added.ids, added.doubles) == ("facts of life", (1, 2, 3), 0)
    collection, rows = store.passages.snapshot("facts of life")
    assert collection == added.collection == store.passages.get("facts of life")
    found = [PassageDraft(r.text, r.title, r.source, r.document, r.part) for r in rows]
    assert found == DRAFTS
    assert {row.created.tzinfo for row in rows} == {UTC}
    assert store.passages.by_ids([3, 1, 3]) == [rows[2], rows[0], rows[2]]


def test_the_same_title_and_text_are_counted_and_not_added(store):
    store.passages.add("facts", DRAFTS[:1])
    before = store.passages.get("facts").version
    again = store.passages.add(
        "facts",
        [
            PassageDraft(" They\u200b see. ", "Bats ", "b.md", 7, 7),
            PassageDraft("They see.", "BATS"),
            PassageDraft("They see.", "BATS"),
            PassageDraft("they see.", "Bats"),
        ],
    )
    assert (again.ids, again.doubles) == ((2, 3), 2)
    assert texts(store, "facts") == [
        (1, "Bats", "They see."), (2, "BATS", "They see."), (3, "Bats", "they see."),
    ]  # fmt: skip
    assert again.collection.version > before
    assert store.passages.add("facts", DRAFTS[:1]).collection == again.collection
    assert store.passages.add("other", DRAFTS[:1]).ids == (4,), "each collection has its own"


def test_every_collection_is_counted(store):
    assert store.passages.all() == []
    store.passages.add("b", DRAFTS + [PassageDraft("x", source="c.txt")])
    store.passages.add("a", [])
    assert store.passages.names() == ["a", "b"]
    a, b = store.passages.all()
    assert (a.name, a.passages, a.documents, a.sources) == ("a", 0, 0, 0)
    expected = CollectionSummary(
        name="b", passages=4, documents=3, sources=2, version=b.version, created=b.created
    )
    assert b == expected
    assert store.passages.snapshot("a")[1] == []


def test_a_removed_collection_is_gone_and_its_ids_do_not_come_again(store):
    store.passages.add("facts", DRAFTS)
    store.passages.add("others", DRAFTS[:1])
    assert store.passages.remove("facts") == 3
    assert [each.name for each in store.passages.all()] == ["others"]
    with pytest.raises(InvalidInput, match="no passage with the id 2"):
        store.passages.by_ids([4, 2])
    assert store.passages.add("facts", DRAFTS).ids == (5, 6, 7)


def test_a_pool_may_have_the_same_name(store):
    pool = store.pools.create("facts")
    store.passages.add("facts", DRAFTS)
    store.passages.remove("facts")
    assert store.pools.get("facts") == pool


def test_passages_outlive_the_process(tmp_path):
    with Store.open(tmp_path) as first:
        first.passages.add("facts", DRAFTS)
        before = first.passages.snapshot("facts")
    with Store.open(tmp_path) as second:
        assert second.passages.snapshot("facts") == before


@pytest.mark.parametrize(
    ("name", "drafts", "message"),
    [
        (" ", DRAFTS, "name of the collection of passages is empty"),
        ("a", [*DRAFTS, PassageDraft(" \n")], "text of passage 4 is empty"),
        ("a", [PassageDraft("x\ud800")], "half a character"),
    ],
)
def test_what_is_wrong_writes_nothing(store, name, drafts, message):
    with pytest.raises(InvalidInput, match=message):
        store.passages.add(name, drafts)
    assert store.passages.all() == []


def test_an_unknown_collection_is_named_with_those_there_are(store):
    with pytest.raises(InvalidInput, match=r"named 'x' \(there is none yet\)"):
        store.passages.get("x")
    store.passages.add("facts", DRAFTS)
    for call in (store.passages.get, store.passages.snapshot, store.passages.remove):
        with pytest.raises(InvalidInput, match=r"named 'x' \(there are 'facts'\)"):
            call("x")
