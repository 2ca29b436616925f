"""A table in a zip archive, tables in YAML, and objects that are written over several lines."""

import gzip
import json
import zipfile

import pytest

from core.curation import find_encoding, import_file, preview
from core.curation.files import objects
from tests.support.written_files import write_rows

ROWS = [{"question": f"q{n}", "answer": f"a{n}"} for n in range(3)]
PAIRS = [(row["question"], row["answer"]) for row in ROWS]


def pairs(found):
    assert found.report is not None, found.problem
    return [(row.query, row.answer) for row in found.drafts]


@pytest.fixture
def zipped(tmp_path):
    """A zip archive with the files of these names and contents."""

    def zipped(files):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    return zipped


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet", "xlsx"])
@pytest.mark.parametrize("folder", ["", "export/data/"])
def test_the_one_table_of_an_archive_is_read(tmp_path, zipped, store, format, folder):
    content = write_rows(tmp_path / f"f.{format}", format, ROWS).read_bytes()
    files = {f"{folder}f.{format}": content, "__MACOSX/._f": b"x", f"{folder}.DS_Store": b"y"}
    report = import_file(store, zipped(files), "pool")
    rows = store.demonstrations.all(store.pools.get("pool").id)
    assert [(row.query, row.answer) for row in rows] == PAIRS
    assert (report.format, report.warnings) == (format, ())


def test_other_files_are_named_and_a_table_may_be_packed_twice(zipped):
    content = gzip.compress("\n".join(map(json.dumps, ROWS)).encode())
    found = preview(zipped({"a/rows.jsonl.gz": content, "README.txt": "read me"}))
    assert pairs(found) == PAIRS
    assert found.report.warnings == (
        'Only "a/rows.jsonl.gz" of the archive was read; not read: README.txt.',
    )


def test_the_encoding_of_a_file_in_an_archive_is_found(zipped):
    text = "question,answer\nWhere?,im Süden\n"
    assert find_encoding(zipped({"a.csv": text.encode("utf-16")})).name == "utf-16"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.csv": "x", "b.json": "y"}, r"contains several tables \(a.csv, b.json\): unpack it"),
        ({"a.doc": "x"}, r"contains no table of a known format \(a.doc\): unpack it"),
        ({}, "contains no file: pack one table into it"),
    ],
)
def test_an_archive_without_one_table_is_refused(zipped, one_sentence, files, message):
    with one_sentence(message):
        preview(zipped(files))


def test_a_damaged_archive_is_refused(write, zipped, one_sentence):
    with one_sentence("cannot be read as a zip archive"):
        preview(write("a.zip", b"PK\x03\x04 and no more"))
    content = bytearray(zipped({"a.csv": "question,answer\nq,a\n" * 50}).read_bytes())
    content[45] ^= 0xFF
    with one_sentence("cannot be read as a zip archive"):
        preview(write("b.zip", bytes(content)))


YAML = """
# examples of a kind
- question: "What is it?"
  answer: 'It''s 1.10'
  tags: [a, b]
- question: |
    two
    lines
  answer: no
  incorrect: [yes, 2024-01-01, 0x1F]
- question: third
  answer: ~
- {question: fourth, answer: null, note: 12}
"""


def test_values_of_yaml_stay_as_they_are_written(write):
    for name in ("f.yaml", "f.yml", "f.yaml.gz"):
        found = preview(write(name, YAML))
        assert pairs(found) == [("What is it?", "It's 1.10"), ("two\nlines\n", "no")]
        assert found.drafts[0].tags == ("a", "b")
        assert [each.text for each in found.drafts[1].incorrect] == ["yes", "2024-01-01", "0x1F"]
        assert found.report.dropped == {"empty answer": 2}


@pytest.mark.parametrize(
    "text",
    [
        "examples:\n- {question: q0, answer: a0}\n- {question: q1, answer: a1}\n"
        "- {question: q2, answer: a2}\n",
        "\n---\n".join(f"question: q{n}\nanswer: a{n}" for n in range(3)),
        "question: [q0, q1, q2]\nanswer: [a0, a1, a2]\n",
        "- &one {question: q0, answer: a0}\n- {<<: *one, question: q1, answer: a1}\n"
        "- {question: q2, answer: a2}\n",
        json.dumps(ROWS),
    ],
)
def test_the_shapes_of_json_are_those_of_yaml(write, text):
    assert pairs(preview(write("f.yaml", text))) == PAIRS


def test_equal_keys_and_merged_ones(write):
    text = "- &b {question: q, answer: a, answer: b}\n- {<<: *b, question: r}\n"
    found = preview(write("f.yaml", text))
    assert pairs(found) == [("q", "a"), ("q", "b"), ("r", "a"), ("r", "b")]
    assert found.report.warnings[0].startswith("Objects that have a key twice, by the key:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a: [1, 2\n- b", "is not YAML .* at line"),
        ("- !!python/object/apply:os.system [ls]\n", "entry 1 of its list is"),
        ("just a text", "contains a single value"),
        ("[" * 3000 + "]" * 3000, "nest"),
    ],
)
def test_yaml_that_is_refused(write, one_sentence, text, message):
    with one_sentence(message):
        preview(write("f.yaml", text))


def test_a_yaml_file_of_nothing_is_refused(write, one_sentence):
    for text in ("---\n", "# only a remark\n", "~\n"):
        with one_sentence("has no rows"):
            preview(write("f.yaml", text))


def test_a_small_file_that_repeats_values_without_end_is_refused(write, one_sentence, monkeypatch):
    monkeypatch.setattr(objects, "_ALWAYS_ALLOWED", 100)
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with one_sentence("repeats values by their names too often"):
        preview(write("f.yaml", "\n".join(["a0: &a0 [x, x, x]", *levels])))
    with one_sentence("too often|too deeply"):
        preview(write("g.yaml", "a: &a [*a]\n"))


PRETTY = "\n".join(json.dumps(row, indent=2) for row in ROWS)


@pytest.mark.parametrize("name", ["f.jsonl", "f.json", "f.ndjson"])
@pytest.mark.parametrize(
    "text",
    [
        PRETTY,
        PRETTY.replace("}\n{", "}\n\n{"),
        PRETTY.replace("}\n{", "},\n{"),
        PRETTY.replace("}\n{", "} {"),
        PRETTY.replace("}\n{", "}\n\x1e{"),
        f"{json.dumps(ROWS[0])}\n" + "\n".join(json.dumps(row, indent=1) for row in ROWS[1:]),
        PRETTY.replace("\n", "\r\n"),
    ],
)
def test_objects_over_several_lines_one_after_another(write, name, text):
    assert pairs(preview(write(name, text))) == PAIRS


def test_a_damaged_object_among_them_is_named_by_its_line(write, one_sentence):
    text = PRETTY.replace('"answer": "a1"', '"answer": a1')
    with one_sentence("f.jsonl is not JSON .* at line 7, .* mend it there"):
        preview(write("f.jsonl", text))
