"""Importing into a store: what the report says is what the pool holds."""

import pytest

from core.curation import Mapping, import_file, preview
from core.demonstration.demonstration import Demonstration, incorrect_answers

ROWS = [
    {"query": "Q1", "answers": ["a", "b"], "incorrect": ["x", "y"], "tags": ["t"]},
    {"query": "Q2", "answer": "c", "incorrect": ["z"]},
]


def test_a_new_pool(write, store):
    report = import_file(store, write("rows.json", ROWS[:1]), " my  pool ", who="Ada")
    pool = store.pools.get("my pool")
    assert store.demonstrations.all(pool.id) == [
        Demonstration("Q1", "a", incorrect_answers(("x", "y")), ("t",), True, id=1, revision=1),
        Demonstration("Q1", "b", incorrect_answers(("x", "y")), ("t",), False, id=2, revision=1),
    ]
    assert (report.pool, report.rows, report.demonstrations) == ("my pool", 1, 2)
    assert (report.queries, report.triples, report.already_there) == (1, 4, 0)
    assert (report.format, report.encoding, str(report.mapping)) == (
        "json", "utf-8", "query=query,answer=answers,incorrect=incorrect,tags=tags",
    )  # fmt: skip
    (action,) = store.history.actions(pool.id)
    assert (action.id, action.who, action.what) == (report.action, "Ada", "import rows.json")


def test_importing_again_adds_only_what_is_new(write, store):
    first = write("first.jsonl", '{"query": " Q1", "answer": "a", "best": true}')
    import_file(store, first, "pool")
    report = import_file(store, write("rows.json", ROWS[:1]), "pool")
    assert (report.demonstrations, report.already_there) == (1, 1)
    assert (report.queries, report.triples) == (1, 4)
    pool = store.pools.get("pool")
    assert [(d.answer, d.best) for d in store.demonstrations.all(pool.id)] == [
        ("a", True),
        ("b", False),
    ]
    again = import_file(store, first, "pool")
    assert (again.demonstrations, again.already_there, again.action) == (0, 1, None)


def test_the_first_six_are_told_in_the_order_of_the_file(write, store):
    there = import_file(store, write("there.json", [{"query": "Q3", "answer": "g"}]), "pool")
    rows = [
        {"query": "Q1", "answers": ["a", "b"]},
        {"query": "Q3 ", "answers": ["g"]},
        {"query": "Q1", "answers": ["a"]},
        {"query": "Q2", "answers": ["c", "d", "e", "f"]},
    ]
    report = import_file(store, write("rows.json", rows), "pool")
    (old,) = there.first_ids
    assert [d.answer for d in store.demonstrations.by_ids(report.first_ids)] == [*"abgcde"]
    assert report.first_ids[2] == old
    again = import_file(store, write("rows.json", rows), "pool")
    assert (again.demonstrations, again.first_ids) == (0, report.first_ids)
    assert preview(write("rows.json", rows)).report.first_ids == ()


def test_a_preview_says_what_the_import_then_does(write, store):
    path = write("rows.csv", "question,answer,wrong\nq,a,x\nq,b,x\n,c,\nr,d,\n")
    shown = preview(path, limit=2)
    assert [(d.query, d.answer, d.incorrect) for d in shown.drafts] == [
        ("q", "a", incorrect_answers(["x"])),
        ("q", "b", incorrect_answers(["x"])),
    ]
    assert shown.columns == ["question", "answer", "wrong"]
    assert shown.rows(1) == [{"question": "q", "answer": "a", "wrong": "x"}]
    assert shown.problem == ""
    assert store.pools.all() == []
    report = import_file(store, shown.table, "pool", mapping=shown.mapping)
    assert report.demonstrations == shown.report.demonstrations == 3
    assert (report.queries, report.triples) == (2, 2)
    assert report.dropped == shown.report.dropped == {"empty query": 1}


def test_a_corrected_mapping(write, store):
    path = write("rows.csv", "question,answer,wrong\nq,a,x\n")
    shown = preview(path, mapping=Mapping(query=("wrong",), answer=("question",)))
    assert [(d.query, d.answer) for d in shown.drafts] == [("x", "q")]
    report = import_file(store, path, "pool", mapping="query=wrong,answer=question")
    assert report.mapping == shown.mapping


@pytest.mark.parametrize(
    ("name", "counts"),
    [("v1/TruthfulQA.csv", (2837, 817, 12352)), ("TruthfulQA.csv", (2775, 790, 12074))],
)
def test_truthfulqa_in_the_store(shared, store, name, counts):
    report = import_file(store, shared / "data" / "truthfulqa" / name, "truthfulqa")
    assert (report.demonstrations, report.queries, report.triples) == counts
    summary = store.pools.summary("truthfulqa")
    assert (summary.demonstrations, summary.queries, summary.triples) == counts
    assert report.encoding == ("utf-8-sig" if name.startswith("v1") else "utf-8")
    assert report.format == "truthfulqa"
