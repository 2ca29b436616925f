"""Lists that programs print into cells: read as lists, and nothing is evaluated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation import import_file, preview
from core.curation.files.cells import listed_in, printed_list, texts_of
from core.demonstration.demonstration import incorrect_answers

LISTS = {
    "['banana' 'lemon']": ["banana", "lemon"],
    "['ostrich' 'penguin'\n 'emu']": ["ostrich", "penguin", "emu"],
    "['a', \"O'Neil\"]": ["a", "O'Neil"],
    "[ 'a' ]": ["a"],
    "['a',]": ["a"],
    "[u'a', u'b']": ["a", "b"],
    "[None, 'a' nan]": [None, "a", None],
    "array(['a', 'b'], dtype=object)": ["a", "b"],
    "array(['a' 'b'], dtype='<U1')": ["a", "b"],
    "[np.str_('x'), np.str_(\"y'\")]": ["x", "y'"],
    r"['it\'s' '\x41\u732b\U0001f600\n\\d\d']": ["it's", "A猫😀\n\\d\\d"],
}
TEXTS = [
    "[]", "[1 2]", "['a''b']", "['a' ... 'b']", "['a'", "'a', 'b'", "['a', 1]", "[,'a']", "[None]",
    "[a b]", "['a' + 'b']", "['a'].pop()", "[__import__('os').getcwd()]", "[open('x')]", "['a' b]",
    "['a']['b']", "array(['a'])[0]", "[np.str_('x']", "['\\']",
]  # fmt: skip


@pytest.mark.parametrize("text", LISTS)
def test_a_printed_list_is_read(text):
    assert printed_list(text) == LISTS[text]
    assert listed_in(f" {text}\n", arrays=True) == LISTS[text]


@pytest.mark.parametrize("text", TEXTS)
def test_what_nothing_prints_is_a_text(text):
    assert printed_list(text) is None
    if text != "[]":  # a JSON array
        assert texts_of(text, arrays=True) == [text]


texts = st.lists(st.text(), min_size=1, max_size=6)


@given(texts)
def test_lists_as_python_prints_them(entries):
    assert printed_list(repr(entries)) == entries


@given(texts)
def test_lists_as_numpy_prints_them(entries):
    printed = str(np.array(entries, dtype=object))
    assert printed_list(printed) == entries


@given(st.text(st.sampled_from("[]()'\"\\,nN u\n"), max_size=14))
def test_any_text_is_a_list_of_texts_or_none(text):
    entries = printed_list(text)
    assert entries is None or all(entry is None or isinstance(entry, str) for entry in entries)


def test_a_csv_file_of_numpy_lists(write):
    text = (
        "question,answers,wrong_answers\r\nWhich fruit?,['banana' 'lemon'],['cherry' 'plum']\r\n"
        "Which bird?,\"['ostrich' 'penguin'\n 'emu']\",['swan']\r\n"
    )
    drafts = preview(write("a.csv", text)).drafts
    assert [(d.query, d.answer, d.incorrect) for d in drafts] == [
        ("Which fruit?", "banana", incorrect_answers(("cherry", "plum"))),
        ("Which fruit?", "lemon", incorrect_answers(("cherry", "plum"))),
        ("Which bird?", "ostrich", incorrect_answers(("swan",))),
        ("Which bird?", "penguin", incorrect_answers(("swan",))),
        ("Which bird?", "emu", incorrect_answers(("swan",))),
    ]


CODE = [
    {"query": "sorted([2, 1])", "answer": "[1, 2]", "incorrect": ["[2, 1]"]},
    {"query": "list('a')", "answer": "['a']", "incorrect": ["['b']"]},
    {"query": "[] + []", "answer": "[]", "incorrect": ["None"]},
]


def parquet(path, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("format", ["parquet", "json", "jsonl"])
def test_a_format_with_lists_takes_no_text_apart(write, store, tmp_path, format):
    import json

    if format == "parquet":
        path = parquet(tmp_path / "a.parquet", CODE)
    elif format == "json":
        path = write("a.json", CODE)
    else:
        path = write("a.jsonl", "\n".join(map(json.dumps, CODE)))
    report = import_file(store, path, "code")
    pool = store.pools.get("code")
    assert [(d.answer, d.incorrect[0].text) for d in store.demonstrations.all(pool.id)] == [
        ("[1, 2]", "[2, 1]"), ("['a']", "['b']"), ("[]", "None"),
    ]  # fmt: skip
    assert (report.dropped, report.read_as_lists) == ({}, {})


def test_an_object_with_one_text_is_that_text():
    assert texts_of({"text": "Ruth", "answer_start": "0"}) == ["Ruth"]
    assert texts_of({"text": ["Ruth", "Ann"], "answer_start": ["0", "3"]}) == ["Ruth", "Ann"]
