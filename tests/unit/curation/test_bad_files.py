"""Every mistake with a file: one sentence, and the workspace as it was."""

import gzip
import random

import pytest

from core.curation import import_file, preview

GOOD = "query,answer\nq,a\n"


def parquet_bytes(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"query": ["q"] * 50, "answer": ["a"] * 50}), tmp_path / "whole")
    return (tmp_path / "whole").read_bytes()


def xlsx_bytes(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["query", "answer"])
    book.active.append(["q", "a"])
    book.save(tmp_path / "whole.xlsx")
    return (tmp_path / "whole.xlsx").read_bytes()


def mangled(content):
    middle = len(content) // 2
    return content[: middle - 40] + b"\x00" * 80 + content[middle + 40 :]


GARBAGE = random.Random(0).randbytes(3000)
QUESTIONS = [{"question": "q", "answer": "a"}]

CASES = {
    "no such file": ("missing.csv", None, {}, "There is no file"),
    "a folder": ("folder.csv", "folder", {}, "is a folder"),
    "empty": ("a.csv", b"", {}, "a.csv is empty"),
    "white space only": ("a.jsonl", b" \n\r\n ", {}, "a.jsonl is empty"),
    "empty gzip": ("a.csv.gz", "", {}, "has no rows"),
    "header only": ("a.csv", "query,answer\n", {}, "has a header .query, answer. but no rows"),
    "empty list": ("a.json", [], {}, "has no rows"),
    "empty object": ("a.json", {}, {}, "has no rows"),
    "unknown extension": ("a.docx", GOOD, {}, "is not clear from its name"),
    "no extension": ("a", GOOD, {}, "is not clear from its name"),
    "unknown format": ("a.csv", GOOD, {"format": "xml"}, 'Unknown format "xml": choose one of tr'),
    "not truthfulqa": ("a.csv", GOOD, {"format": "truthfulqa"}, "not in TruthfulQA's format"),
    "wrong columns": ("a.csv", "x,y\n1,2\n", {}, "looks like the query; its columns are x, y"),
    "no answer column": ("a.csv", "query,y\n1,2\n", {}, "looks like the answer; its columns"),
    "no header": ("a.csv", "Why.,Because.\nHow.,So.\n", {}, "its columns are column 1, column 2"),
    "mapping to a missing column": (
        "a.csv", GOOD, {"mapping": "query=Q,answer=answer"},
        'There is no column "Q" in a.csv: its columns are query, answer',
    ),
    "mapping without an answer": ("a.csv", GOOD, {"mapping": "query=query"}, "column for answer"),
    "mapping with an unknown key": (
        "a.csv", GOOD, {"mapping": "question=query,answer=answer"}, "with the keys query, answer",
    ),
    "mapping that is no mapping": ("a.csv", GOOD, {"mapping": "query"}, "is not understood"),
    "mapping twice": (
        "a.csv", GOOD, {"mapping": "query=query,query=answer,answer=answer"}, "query twice",
    ),
    "one column for two": (
        "a.csv", GOOD, {"mapping": "query=query,answer=query"}, "more than one of query, answer",
    ),
    "garbage csv": ("a.csv", GARBAGE, {}, "not a text file"),
    "garbage jsonl": ("a.jsonl", GARBAGE, {}, "not a text file"),
    "garbage parquet": ("a.parquet", GARBAGE, {}, "cannot be read as parquet"),
    "garbage xlsx": ("a.xlsx", GARBAGE, {}, "cannot be read as an Excel workbook"),
    "old excel": ("a.xlsx", b"\xd0\xcf\x11\xe0" + GARBAGE, {}, "save it as .xlsx without"),
    "text named parquet": ("a.parquet", GOOD, {}, "cannot be read as parquet"),
    "text named xlsx": ("a.xlsx", GOOD, {}, "cannot be read as an Excel workbook"),
    "damaged gzip": ("a.csv", gzip.compress(b"query,answer\n" * 99)[:-12], {}, "gzip data are dam"),
    "damaged utf-16": ("a.csv", b"\xff\xfeq\x00\x00\xd8,", {}, "damaged at byte"),
    "damaged json": ("a.json", '[{"query": "q", "answer": ', {}, "is not JSON .Expecting value at"),
    "json of numbers": ("a.json", [1, 2], {}, "entry 1 of its list is a single value"),
    "json text": ("a.json", '"hello"', {}, "contains a single value; give a list"),
    "deep json": ("a.json", "[" * 100_000, {}, "not JSON|too deeply"),
    "two lists": (
        "a.json", {"train": QUESTIONS, "test": QUESTIONS}, {},
        r"several lists of objects \(train with 1, test with 1\)",
    ),
    "bad line": (
        "a.jsonl", '{"query": "q", "answer": "a"}\n{"query": \n', {},
        r"line 2 is not JSON \(Expecting value at column 10\)",
    ),
    "line that is a list": ("a.jsonl", '{"query": "q"}\n["a"]\n', {}, "line 2 is a list"),
    "too many cells": (
        "a.csv", "query,answer\nq,a\nwhy, then,b\n", {}, "line 3 has 3 cells but the header",
    ),
    "unclosed quote": (
        "a.csv", 'query,answer\nq,a\n"r,b\ns,c\n', {}, "on line 3 has a quote that is never closed",
    ),
    "text after a quote": (
        "a.csv", 'query,answer\n"r" s,b\n', {}, "on line 2 has a quote that closes before its cell",
    ),
    "all queries empty": ("a.csv", "query,answer\n,a\n  ,b\n", {}, "No row .* 2 x empty query"),
    "all answers empty": ("a.jsonl", '{"query":"q","answer":[" ",null]}', {}, "2 x empty answer"),
    "objects as answers": (
        "a.json", [{"query": "q", "answer": {"a": 1}}], {},
        "answer; its columns are query, answer.a",
    ),
    "unknown status": (
        "a.csv", "query,answer,s\nq,a,done\n", {"mapping": "query=query,answer=answer,status=s"},
        'row 1 has the status "done": allowed are included, excluded, pinned, an',
    ),
    "a best that is a number": ("a.csv", "query,answer,best\nq,a,3\n", {}, 'row 1 has "3"'),
    "no name for the pool": ("a.csv", GOOD, {"pool_name": "  "}, "name is empty"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_nothing_written(case, write, tmp_path, store, one_sentence):
    name, content, options, message = CASES[case]
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        write(name, content)
    options = {"pool_name": "new"} | options
    with one_sentence(message):
        import_file(store, path, **options)
    assert store.pools.all() == []


@pytest.mark.parametrize(("kind", "whole"), [("parquet", parquet_bytes), ("xlsx", xlsx_bytes)])
@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b[:-7], mangled])
def test_damaged_binary_files(kind, whole, damage, write, tmp_path, store, one_sentence):
    path = write(f"a.{kind}", damage(whole(tmp_path)))
    with one_sentence("cannot be read as"):
        import_file(store, path, "new")
    assert store.pools.all() == []


def test_a_workbook_is_told_from_a_csv(write, tmp_path, store, one_sentence):
    path = write("a.csv", xlsx_bytes(tmp_path))
    with one_sentence("looks like xlsx"):
        import_file(store, path, "new")


def test_a_wrong_file_leaves_an_existing_pool_alone(write, store, one_sentence):
    import_file(store, write("good.csv", GOOD), "pool")
    before = store.pools.summary("pool")
    with one_sentence("line 2 is not JSON"):
        import_file(store, write("bad.jsonl", '{"query":"r","answer":"b"}\n{'), "pool")
    assert store.pools.summary("pool") == before


def test_a_preview_shows_the_table_when_the_mapping_is_the_problem(write):
    shown = preview(write("a.csv", "x,y\n1,2\n"))
    assert (shown.columns, shown.mapping, shown.drafts, shown.report) == (
        ["x", "y"],
        None,
        [],
        None,
    )
    assert shown.problem.startswith("No column of a.csv looks like the query")
    assert preview(shown.table, mapping="query=x,answer=y").drafts[0].answer == "2"


@pytest.mark.parametrize(
    "content", ['"que\nry","answer\n s"\nq,a\n', f"{'x' * 5000},answer\nq,a\n"]
)
def test_messages_stay_short_and_on_one_line(content, write, store, one_sentence):
    with one_sentence("looks like the") as caught:
        import_file(store, write("a.csv", content), "new")
    assert len(str(caught.value)) < 300
