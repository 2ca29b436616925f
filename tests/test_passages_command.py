"""`passages`: its documents, its lines, and the mistakes that users make."""

import json
from datetime import datetime

import numpy as np
import pytest

from core.commands.main import main
from core.commands.parser import argument_parser
from core.passages.search import SearchBy
from core.passages.splitting import OVERLAP, SIZE
from core.studio.passages import SearchRequest
from tests.support.hashing_encoder import HashingEncoder

NOTES = """\
# Animals
## Bats
Bats see in the dark. They hear well too. They sleep all day in caves.
## Cats
Cats sleep all day.
"""


class ShortEncoder(HashingEncoder):
    """One whose window is forty letters."""

    def cut(self, texts):
        return np.array([len(text) > 40 for text in texts], dtype=bool)


@pytest.fixture
def encoder():
    return ShortEncoder()


@pytest.fixture(autouse=True)
def notes(tmp_path, monkeypatch, every_studio, encoder):
    every_studio(load_encoder=lambda name=None: encoder)
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    path = tmp_path / "notes.md"
    path.write_text(NOTES)
    return path


def run(capsys, *arguments, status=0):
    assert main(["passages", *map(str, arguments)]) == status
    printed = capsys.readouterr()
    return printed.out, printed.err


def run_json(capsys, *arguments):
    out, err = run(capsys, *arguments, "--json")
    return json.loads(out), err


def test_what_is_not_given_is_as_the_library_has_it():
    parse = argument_parser().parse_args
    given = parse(["passages", "import", "x", "--to", "y"])
    assert (given.size, given.overlap) == (SIZE, OVERLAP)
    given = parse(["passages", "search", "x", "--query", "y"])
    usual = SearchRequest(collection="x", query="y")
    assert (given.k, SearchBy(given.by), given.fuse) == (usual.k, usual.by, usual.fuse)


def test_import_list_search_remove(notes, capsys, encoder):
    found, err = run_json(capsys, "import", notes, "--to", "notes", "--size", "9", "--overlap", "2")
    assert found == {
        "collection": "notes", "source": "notes.md", "format": "md", "documents": 2, "passages": 3,
        "doubles": 0, "empties": 0, "split": 1, "longest": 15, "size": 9, "overlap": 2,
        "encoding": "utf-8", "encoding_sureness": "certain", "other_encodings": [],
        "columns": None, "unused_columns": [], "warnings": [], "first_ids": [1, 2, 3],
    }  # fmt: skip
    assert "Documents longer than 9 words, which became several passages: 1 of 2" in err
    assert encoder.encoded == [], "only a search needs embeddings"
    (row,) = run_json(capsys, "list")[0]["collections"]
    assert datetime.fromisoformat(row.pop("created")).tzinfo is not None
    assert row == {"name": "notes", "passages": 3, "documents": 2, "sources": 1, "version": 2}
    found, err = run_json(capsys, "search", "notes", "--query", "sleep all day", "-k", "2")
    assert "embedding: 3 of 3" in err
    assert {name: found[name] for name in ("collection", "by", "fuse", "encoder")} == {
        "collection": "notes", "by": "fused", "fuse": "comb-sum", "encoder": "hashing",
    }  # fmt: skip
    assert found["temperatures"] == {"dense": 0.05, "bm25": 1.0}
    first, second = found["passages"]
    names = ("id", "title", "text", "source", "document", "part")
    assert {name: first[name] for name in names} == {
        "id": 3, "title": "Animals > Cats", "text": "Cats sleep all day.", "source": "notes.md",
        "document": 2, "part": 1,
    }  # fmt: skip
    assert (second["id"], second["part"], second["cut"]) == (2, 2, True)
    assert first["score"] > second["score"]
    assert 0 < second["probability"] < first["probability"] < 1
    assert run_json(capsys, "remove", "notes")[0] == {"collection": "notes", "passages": 3}
    assert run_json(capsys, "list")[0] == {"collections": []}


def test_words_alone_need_no_encoder(notes, capsys, encoder):
    run(capsys, "import", notes, "--to", "notes")
    found, _ = run_json(capsys, "search", "notes", "--query", "caves", "--by", "bm25")
    assert [each["id"] for each in found["passages"]] == [1]
    assert (found["encoder"], found["fuse"], found["temperatures"]) == (None, None, {"bm25": 1.0})
    assert encoder.encoded == []
    assert run_json(capsys, "search", "notes", "--query", "caves", "-k", "0")[0]["passages"] == []


def test_embed_goes_on_where_it_was_and_names_what_is_cut(notes, capsys, encoder):
    run(capsys, "import", notes, "--to", "notes")
    found, err = run_json(capsys, "embed", "notes")
    expected = {"collection": "notes", "reused": 0, "embedded": 2, "dimensions": 64, "cut": [1]}
    assert {name: found[name] for name in expected} == expected
    assert found["notes"] == [
        "Passages longer than the encoder's window: 1 of 2 (ids 1); only their beginnings count in "
        "a dense search: import with a smaller --size."
    ]
    assert "embedding: 2 of 2" in err
    assert run_json(capsys, "embed", "notes")[0]["reused"] == 2
    assert len(encoder.encoded) == 2


def test_for_people(notes, capsys):
    out, _ = run(capsys, "import", notes, "--to", "notes")
    assert "passages           2" in out
    assert "notes  2         2          1" in run(capsys, "list")[0]
    out, _ = run(capsys, "search", "notes", "--query", "bats", "--by", "dense", "-k", "1")
    assert "notes.md  1         1     Animals > Bats  Bats see in the dark." in out
    assert "cut         1" in run(capsys, "embed", "notes")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "none", "--query", "x"], "no collection of passages named 'none'"),
        (["remove", "none"], "no collection of passages named 'none'"),
        (["search", "none", "--query", " "], "The query is empty"),
        (["import", "none.txt", "--to", "a"], "There is no file none.txt"),
        (["import", "none.txt", "--to", "a", "--size", "5", "--overlap", "5"], "from 0 to 4"),
        (["import", "none.txt", "--to", "a", "--size", "0"], "a whole number from 1"),
        (["search", "a", "--query", "x", "--by", "both"], "dense"),
    ],
)
def test_mistakes_are_one_sentence(arguments, message, capsys):
    try:
        status = main(["passages", *arguments])
    except SystemExit as error:  # argparse's own
        status = error.code
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert line.startswith("shotlist passages")
