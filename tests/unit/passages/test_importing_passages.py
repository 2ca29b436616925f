"""Files into collections: the report, what is left out, and its sentences."""

import json

import pytest

from core.curation.files.decoding import Sureness
from core.errors import Cancelled, InvalidInput
from core.passages.columns import Columns
from core.passages.importing import (
    PassageImport,
    cut_sentence,
    import_documents,
)
from core.passages.reading import read_documents
from core.passages.splitting import USUAL, Lengths
from core.watcher import Watcher

ROWS = [
    {"title": "Bats", "text": "one two three four five six"},
    {"title": "Glass", "text": "one two three"},
    {"title": "Glass", "text": " one two three\n"},
    {"title": "Empty", "text": " \u200b"},
    {"title": "Other", "text": "one two three", "url": "x"},
]
REPORT = PassageImport(
    collection="facts",
    source="facts.jsonl",
    format="jsonl",
    documents=5,
    passages=4,
    doubles=1,
    empties=1,
    split=1,
    longest=6,
    size=4,
    overlap=1,
    encoding="utf-8",
    encoding_sureness=Sureness.CERTAIN,
    columns=Columns("text", "title"),
    unused_columns=("url",),
    first_ids=(1, 2, 3, 4),
)


def import_passages(store, path, name, lengths=USUAL, **how):
    return import_documents(store, read_documents(path, **how), name, lengths)


@pytest.fixture
def facts(tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


def test_what_becomes_of_a_file(store, facts):
    assert import_passages(store, facts, "facts", Lengths(4, 1)) == REPORT
    _, rows = store.passages.snapshot("facts")
    assert [(r.id, r.title, r.text, r.source, r.document, r.part) for r in rows] == [
        (1, "Bats", "one two three four", "facts.jsonl", 1, 1),
        (2, "Bats", "four five six", "facts.jsonl", 1, 2),
        (3, "Glass", "one two three", "facts.jsonl", 2, 1),
        (4, "Other", "one two three", "facts.jsonl", 5, 1),
    ]


def test_the_same_file_again_adds_nothing(store, facts):
    import_passages(store, facts, "facts", Lengths(4, 1))
    before = store.passages.snapshot("facts")
    again = import_passages(store, facts, "facts", Lengths(4, 1))
    assert (again.passages, again.doubles, again.first_ids) == (0, 5, ())
    assert store.passages.snapshot("facts") == before, "not even a version"


def test_a_file_without_any_text_makes_no_collection(store, tmp_path):
    path = tmp_path / "blank.txt"
    path.write_text("\n \n")
    with pytest.raises(InvalidInput, match=r"blank.txt has no text \(1 empty\)"):
        import_passages(store, path, "facts")
    assert store.passages.all() == []


def large(tmp_path, count):
    path = tmp_path / "large.jsonl"
    path.write_text("".join(json.dumps({"text": f"Fact {n}."}) + "\n" for n in range(count)))
    return read_documents(path)


def test_the_documents_of_a_large_file_are_counted(store, tmp_path):
    seen = []
    watcher = Watcher(on_phase=seen.append, on_progress=lambda *step: seen.append(step))
    report = import_documents(store, large(tmp_path, 1_200), "facts", watcher=watcher)
    assert (report.documents, report.passages) == (1_200, 1_200)
    counted = [(500, 1_200), (1_000, 1_200), (1_200, 1_200)]
    assert seen == ["splitting documents", *counted, "writing 1,200 passages"]


def test_a_stop_between_documents_writes_nothing(store, tmp_path):
    seen = []
    watcher = Watcher(on_progress=lambda *step: seen.append(step), cancelled=lambda: bool(seen))
    with pytest.raises(Cancelled, match="nothing was written"):
        import_documents(store, large(tmp_path, 1_200), "facts", watcher=watcher)
    assert seen == [(500, 1_200)]
    assert store.passages.names() == []


def test_the_report_in_sentences():
    assert list(REPORT.sentences()) == [
        'Texts are from the column "text", titles from "title", a guess from the names. Columns '
        "that are not used: url.",
        "Documents longer than 4 words, which became several passages: 1 of 5; the longest has 6 "
        "words, and a passage repeats 1 words of the one before.",
        "Documents left out because they have no text: 1.",
        "Passages left out because the collection has the same title and text: 1.",
    ]


def test_an_unsure_encoding_is_named(store, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("naïve café".encode("cp1252"))
    report = import_passages(store, path, "a")
    first, *others = report.sentences()
    assert first.startswith(f"a.txt was read as {report.encoding}, which is unsure (it could be ")
    assert others == []
    assert report.to_json()["encoding_sureness"] == "unsure"


def test_passages_over_the_window_are_counted_and_named():
    assert cut_sentence([], 3) == ""
    assert cut_sentence([4, 7], 1200).startswith(
        "Passages longer than the encoder's window: 2 of 1,200 (ids 4, 7); only"
    )
    assert "(ids 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 2 more)" in cut_sentence(range(1, 13), 20)
