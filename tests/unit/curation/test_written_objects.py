"""Objects that programs write into cells: read where that is certain, else kept and named."""

import csv
import io
import json

import numpy as np
import pytest

from core.curation import import_file, preview
from core.curation.files.shapes.written import writes_an_object
from core.reporting.words.importing import how_it_was_read
from tests.support.written_files import write_rows


def squad(*answers):
    """The record of a question's answers, as SQuAD has it."""
    starts = range(len(answers))
    return {"text": list(answers), "answer_start": list(starts)}


def as_numpy_prints(record):
    """The record with arrays in place of lists, printed."""
    arrays = {
        key: np.array(value, dtype=object if key == "text" else np.int64)
        for key, value in record.items()
    }
    return str(arrays)


ANSWERS = (("Ruth",), ("1901", "in 1901"), ('it\'s "ninety"', "90"))


@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("column", ["answers", "answer", "gold_answers"])
@pytest.mark.parametrize("print_", [as_numpy_prints, str, json.dumps])
def test_printed_records_of_answers_are_read(tmp_path, format, column, print_):
    rows = [{"question": f"q{n}", column: print_(squad(*texts))} for n, texts in enumerate(ANSWERS)]
    path = write_rows(tmp_path / f"f.{format}", format, rows)
    found = preview(path, mapping=f"query=question,answer={column}")
    assert [(each.query, each.answer) for each in found.drafts] == [
        (f"q{n}", text) for n, texts in enumerate(ANSWERS) for text in texts
    ]
    assert found.report.unused_columns == (f"{column}.answer_start",)
    assert found.report.warnings == (
        f'Cells with an object written out as text, read as the object: "{column}": 3.',
    )


def lines(rows):
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("{'text': 'Ruth', 'answer_start': 28}", ["Ruth"]),
        ("{'text': ['Ruth']}", ["Ruth"]),
        ('{"text": ["Ruth", "Bo"]}', ["Ruth", "Bo"]),
        ("{'text': array(['a', nan], dtype=object), 'start': array([np.int64(3), 4])}", ["a"]),
        ("{'text': [np.str_('x')], 'answer_start': [np.int64(1)]}", ["x"]),
        ("[{'text': 'Ruth', 'answer_start': 28}]", ["Ruth"]),
    ],
)
def test_records_in_whatever_way_they_are_printed(write, cell, texts):
    content = lines([["question", "answers"], ["q1", cell], ["q2", cell], ["q3", ""]])
    found = preview(write("f.csv", content))
    assert [each.answer for each in found.drafts] == texts * 2


def test_a_record_without_an_answer_is_counted(write):
    cells = [as_numpy_prints(squad("a")), as_numpy_prints(squad())]
    content = lines([["question", "answers"], *([f"q{n}", cell] for n, cell in enumerate(cells))])
    report = preview(write("f.csv", content)).report
    assert (report.demonstrations, report.dropped) == (1, {"empty answer": 1})


def test_a_record_with_arrays_under_other_names_becomes_columns_and_is_asked_about(write):
    cell = "{'value': 'Ruth', 'aliases': array(['Ruth', 'Miss Ruth'], dtype=object)}"
    path = write("f.csv", lines([["question", "answer"], ["q1", cell], ["q2", cell]]))
    found = preview(path)
    assert found.columns == ["question", "answer.value", "answer.aliases"]
    assert found.report is None
    assert "answer=answer.aliases" in found.problem
    found = preview(path, mapping="query=question,answer=answer.aliases")
    assert [each.answer for each in found.drafts] == ["Ruth", "Miss Ruth"] * 2


@pytest.mark.parametrize(
    "cell",
    [
        '{"name": "Ruth", "age": 3}',
        "{'name': 'Ruth'}",
        '[{"name": "Ruth", "age": 3}]',
        "{'text': array(['a', ..., 'z'], dtype=object)}",
        "{'text': [Ruth, in 1901], 'answer_start': [28, 33]}",
        "{'text': open('x'), 'start': __import__('os').getcwd()}",
    ],
)
def test_other_objects_stay_texts_and_are_named(write, store, cell):
    path = write("f.csv", lines([["question", "answer"], ["q1", cell], ["q2", "plain"]]))
    report = import_file(store, path, "pool")
    rows = store.demonstrations.all(store.pools.get("pool").id)
    assert [row.answer for row in rows] == [cell, "plain"]
    assert report.kept_objects == {"answer": 1}
    sentence = 'Cells with an object written out as text, kept as the text: "answer": 1.'
    assert sentence in list(how_it_was_read(report))


@pytest.mark.parametrize(
    "cell",
    [
        "{x}", "{1, 2}", "{}", "{a: 1}",
        "{'a': 'b'}.pop('a')", "[{'a': 1}][0]", "{" * 5000, "[1, 2]", "plain", None, 3,
    ],
)  # fmt: skip
def test_what_writes_no_object(cell):
    assert not writes_an_object(cell)


@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("column", ["sentiment", "label", "category"])
def test_several_labels_of_a_labelling_tool_are_several_answers(tmp_path, format, column):
    rows = [
        {"text": "It is loud and it leaks.", column: json.dumps({"choices": ["noise", "leak"]})},
        {"text": "It is loud.", column: "noise"},
        {"text": "It is stuck and it leaks.", column: json.dumps({"choices": ["lid", "leak"]})},
    ]
    found = preview(write_rows(tmp_path / f"f.{format}", format, rows))
    assert [each.answer for each in found.drafts] == ["noise", "leak", "noise", "lid", "leak"]


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_several_labels_beside_single_ones_are_read_where_they_are_objects(tmp_path, format):
    rows = [
        {"text": "It is loud and it leaks.", "topic": {"choices": ["noise", "leak"]}},
        {"text": "It is loud.", "topic": "noise"},
    ]
    path = write_rows(tmp_path / f"f.{format}", format, rows)
    found = preview(path, mapping="query=text,answer=topic")
    assert [each.answer for each in found.drafts] == ["noise", "leak", "noise"]
    assert found.columns == ["text", "topic"]


def test_no_other_object_with_one_key_is_a_label(write):
    content = lines([["text", "label"], ["a", '{"choice": ["x"]}'], ["b", '{"choices": "y"}']])
    found = preview(write("f.csv", content))
    assert [each.answer for each in found.drafts] == ['{"choice": ["x"]}', '{"choices": "y"}']


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_cells_that_keep_a_spreadsheet_from_counting_are_bare(write, format):
    delimiter = "," if format == "csv" else "\t"
    rows = [
        ['"=""question"""', "answer"],
        ["Which code?", '"=""0042"""'],
        ["Which other?", '="0817"'],
        ["What says it?", '"=""say """"ah"""""""'],
        ["What is it?", "=1+1"],
    ]
    content = "\n".join(map(delimiter.join, rows))
    found = preview(write(f"f.{format}", content))
    assert found.columns == ["question", "answer"]
    assert [each.answer for each in found.drafts] == ["0042", "0817", 'say "ah"', "=1+1"]
    assert found.report.warnings == (
        'Cells written as ="0042" so that a spreadsheet takes them for texts: 4, in "question", '
        '"answer"; the text in the quotes was read.',
    )


@pytest.mark.parametrize("key", ["weight", "train", "trainable", "train_on_turn", "loss"])
@pytest.mark.parametrize("value", [0, "0", 0.0, False, "false"])
def test_a_turn_that_is_not_to_be_learned_is_no_answer(write, key, value):
    def chat(n, **more):
        messages = [{"role": "user", "content": f"q{n}"}]
        return {"messages": [*messages, {"role": "assistant", "content": f"a{n}", **more}]}

    rows = [chat(0), chat(1, **{key: value}), chat(2, **{key: 1})]
    found = preview(write("f.jsonl", "\n".join(map(json.dumps, rows))))
    assert [each.answer for each in found.drafts] == ["a0", "a2"]
    assert found.report.unread_keys == ()
