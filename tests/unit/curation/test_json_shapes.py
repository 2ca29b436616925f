"""JSON that is no plain list of rows: each known shape, in every format that allows it."""

import csv
import io
import json

import pytest

from core.curation import import_file, preview, read_table
from core.curation.files.shapes.registry import SHAPES


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def system(text):
    return {"role": "system", "content": text}


@pytest.fixture(params=["json", "jsonl", "parquet"])
def table_of(request, write, tmp_path):
    """The table that is read from rows written in each of the formats that have objects."""

    def table_of(rows):
        if request.param == "json":
            return read_table(write("a.json", rows))
        if request.param == "jsonl":
            return read_table(write("a.jsonl", "\n".join(map(json.dumps, rows))))
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
        return read_table(tmp_path / "a.parquet")

    return table_of


def pairs(table):
    return [(row["query"], row["answer"]) for row in table.rows]


PANDAS = {
    "split": (
        {"columns": ["question", "answer"], "index": [0, 1], "data": [["q1", "a1"], ["q2", "a2"]]},
        "columns, index and data of pandas",
    ),
    "split without an index": (
        {"columns": ["question", "answer"], "data": [["q1", "a1"], ["q2", "a2"]]},
        "columns, index and data of pandas",
    ),
    "by its rows": (
        {"0": {"question": "q1", "answer": "a1"}, "1": {"question": "q2", "answer": "a2"}},
        "a table by its rows, as pandas writes it",
    ),
    "by its columns": (
        {"question": {"0": "q1", "1": "q2"}, "answer": {"0": "a1", "1": "a2"}},
        "a table by its columns, as pandas writes it",
    ),
    "with a schema": (
        {"schema": {"fields": [{"name": "index"}], "pandas_version": "1.4.0"},
         "data": [{"index": 0, "question": "q1", "answer": "a1"},
                  {"index": 1, "question": "q2", "answer": "a2"}]},
        "schema and data of pandas",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize("orient", PANDAS)
def test_tables_as_pandas_writes_them(write, name, orient):
    content, shape = PANDAS[orient]
    table = read_table(write(name, content))
    assert table.rows == [
        {"question": "q1", "answer": "a1"}, {"question": "q2", "answer": "a2"},
    ]  # fmt: skip
    assert (table.shape, table.warnings) == (shape, ())


@pytest.mark.parametrize(
    "content",
    [
        {"columns": ["question", "answer"], "index": ["x", "y"], "data": [["q1", "a"], ["q2", 2]]},
        {"x": {"question": "q1", "answer": "a"}, "y": {"question": "q2", "answer": 2}},
        {"question": {"x": "q1", "y": "q2"}, "answer": {"x": "a", "y": 2}},
    ],
)
def test_labels_that_do_more_than_count_are_a_column(write, content):
    assert read_table(write("a.json", content)).rows == [
        {"index": "x", "question": "q1", "answer": "a"},
        {"index": "y", "question": "q2", "answer": "2"},
    ]


def test_columns_of_pandas_that_are_named_like_a_tracer_s(write):
    table = read_table(write("a.json", {"input": {"0": "q1", "1": "q2"}, "output": {"0": "a1",
                                        "1": "a2"}}))  # fmt: skip
    assert table.rows == [{"input": "q1", "output": "a1"}, {"input": "q2", "output": "a2"}]


def test_a_split_row_that_is_too_long_is_one_sentence(write, one_sentence):
    path = write("a.json", {"columns": ["question", "answer"], "data": [["q", "a"], ["q", "a", 1]]})
    with one_sentence("row 2 of its data has 3 values for 2 columns"):
        read_table(path)


@pytest.mark.parametrize("column", ["messages", "conversations", "conversation", "chat", "talk"])
def test_a_chat_is_a_row(table_of, column):
    table = table_of([
        {"id": "x", column: [user("Who?"), assistant("Ann")]},
        {"id": "y", column: [user("What?"), assistant("Tar")]},
    ])  # fmt: skip
    assert table.rows == [
        {"query": "Who?", "answer": "Ann", "id": "x"},
        {"query": "What?", "answer": "Tar", "id": "y"},
    ]
    assert table.columns == ["query", "answer", "id"]
    assert (table.shape, table.warnings) == ("chat messages", ())


def test_earlier_turns_and_a_system_message_are_part_of_the_query(table_of):
    table = table_of([
        {"messages": [user("Jar?"), assistant("Honey"), user("And the pail?"), assistant("Milk")]},
        {"messages": [system("Be brief."), user("Who?"), assistant("Ann")]},
        {"messages": [system(""), user("What?"), assistant("Tar")]},
    ])  # fmt: skip
    assert pairs(table) == [
        ("User: Jar?\nAssistant: Honey\nUser: And the pail?", "Milk"),
        ("System: Be brief.\nUser: Who?", "Ann"),
        ("What?", "Tar"),
    ]
    assert table.warnings == (
        "Chats with several turns: 1; all that comes before the last answer is the query, each "
        'message on a line such as "User: ...".',
        'Chats with a system message: 1; it is part of the query, on a line "System: ...".',
    )


def test_a_chat_without_a_last_word_has_no_answer(table_of, write):
    table = table_of([
        {"messages": [user("Who?"), assistant("Ann"), user("Thanks")]},
        {"messages": [user("What?"), assistant("Tar")]},
        {"messages": [user("Where?")]},
    ])  # fmt: skip
    assert pairs(table) == [
        ("User: Who?\nAssistant: Ann\nUser: Thanks", ""), ("What?", "Tar"), ("Where?", ""),
    ]  # fmt: skip


def test_what_has_no_answer_is_dropped_and_counted(write, store):
    rows = [{"messages": [user("Who?")]}, {"messages": [user("What?"), assistant("Tar")]}]
    report = import_file(store, write("a.json", rows), "chats")
    assert (report.demonstrations, report.dropped) == (1, {"empty answer": 1})


CHATS = {
    "sharegpt": {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]},
    "langchain": {"messages": [{"type": "human", "content": "q"}, {"type": "ai", "content": "a"}]},
    "parts": {"messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]},
                           {"role": "assistant", "content": [{"type": "text", "text": "a"}]}]},
    "a model": {"messages": [{"role": "User", "content": "q"}, {"role": "model", "content": "a"}]},
    "a prompt and a completion": {"prompt": [user("q")], "completion": [assistant("a")]},
    "a prompt that is a text": {"prompt": "q", "completion": [assistant("a")]},
    "an answer that is a text": {"prompt": [user("q")], "completion": "a"},
    "a prompt and an answer": {"prompt": [user("q")], "answer": "a"},
    "one message as the answer": {"prompt": [user("q")], "completion": assistant("a")},
}  # fmt: skip


@pytest.mark.parametrize("chat", CHATS)
def test_relatives_of_a_chat(write, chat):
    for name, content in (("a.json", [CHATS[chat]] * 2), ("b.json", CHATS[chat])):
        table = read_table(write(name, content))
        assert [dict(row) for row in table.rows] == [{"query": "q", "answer": "a"}] * len(
            table.rows
        )
        assert table.shape in ("chat messages", "chats with answers apart")
    assert len(read_table(write("a.jsonl", CHATS[chat])).rows) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", f"{json.dumps([user('q'), assistant('a')])}\n" * 2),
        ("a.json", [[user("q"), assistant("a")], [user("q"), assistant("a")]]),
        ("a.json", {"chats": [{"m": [user("q"), assistant("a")]}] * 2}),
    ],
)
def test_lists_of_messages_are_rows(write, name, content):
    assert read_table(write(name, content)).rows == [{"query": "q", "answer": "a"}] * 2


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_file_of_messages_is_one_chat(write, name):
    messages = [user("q"), assistant("a")]
    assert read_table(write(name, messages)).rows == [{"query": "q", "answer": "a"}]
    lines = "\n".join(map(json.dumps, messages))
    assert read_table(write("b.jsonl", lines)).rows == [{"query": "q", "answer": "a"}]


def test_preferences_between_messages(table_of):
    table = table_of([
        {"prompt": [user("q")], "chosen": [assistant("a")], "rejected": [assistant("b")]},
        {"prompt": [user("q")], "chosen": [user("q"), assistant("c")],
         "rejected": [user("q"), assistant("d")]},
    ])  # fmt: skip
    assert table.rows == [
        {"query": "q", "answer": "a", "incorrect": "b"},
        {"query": "q", "answer": "c", "incorrect": "d"},
    ]
    assert (table.shape, table.warnings) == ("chats with answers apart", ())


def test_preferences_whose_prompt_is_in_what_was_chosen(table_of):
    turns = [user("q"), assistant("a"), user("r")]
    table = table_of([
        {"prompt": "r", "chosen": [*turns, assistant("c")], "rejected": [*turns, assistant("d")],
         "messages": [*turns, assistant("c")]},
    ])  # fmt: skip
    assert table.rows[0]["query"] == "User: q\nAssistant: a\nUser: r"
    assert (table.rows[0]["answer"], table.rows[0]["incorrect"]) == ("c", "d")


def test_preferences_as_a_model_s_provider_takes_them(write):
    row = {
        "input": {"messages": [user("q")]},
        "preferred_output": [assistant("a")],
        "non_preferred_output": [assistant("b")],
    }
    assert read_table(write("a.jsonl", row)).rows == [
        {"query": "q", "answer": "a", "incorrect": "b"}
    ]


def test_parts_that_are_no_text_are_counted(write):
    image = {"type": "image_url", "image_url": {"url": "x"}}
    content = [{"type": "text", "text": "q"}, image, {"type": "text", "text": "r"}]
    table = read_table(write("a.json", [{"messages": [user(content), assistant("a")]}]))
    assert pairs(table) == [("q\nr", "a")]
    assert table.warnings == ("Parts of messages that are no text: 1; they were left out.",)


def test_what_a_chat_s_row_has_beside_it_stays(write):
    row = {"messages": [user("q"), assistant("a")], "answer": "42", "meta": {"split": "base"}}
    table = read_table(write("a.json", [row]))
    assert table.rows == [{"query": "q", "answer": "a", "other answer": "42", "meta.split": "base"}]
    assert str(preview(table).mapping) == "query=query,answer=answer"


SQUAD = [
    {"id": "1", "question": "Who?", "answers": [{"text": "Ruth", "answer_start": 0},
                                                {"text": "Ruth", "answer_start": 0},
                                                {"text": "Ruth L.", "answer_start": 0}]},
    {"id": "2", "question": "Why?", "is_impossible": True, "answers": [],
     "plausible_answers": [{"text": "Dusk", "answer_start": 3}]},
]  # fmt: skip
PARAGRAPH = {"context": "Ruth lit it.", "qas": SQUAD}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"version": "2", "data": [{"title": "Lamps", "paragraphs": [PARAGRAPH]}]}),
        ("a.json", [{"title": "Lamps", "paragraphs": [PARAGRAPH]}]),
        ("a.jsonl", {"title": "Lamps", "paragraphs": [PARAGRAPH]}),
        ("a.jsonl", {"data": [{"title": "Lamps", "paragraphs": [PARAGRAPH]}]}),
        ("a.json", {"title": "Lamps", **PARAGRAPH}),
    ],
)
def test_questions_about_passages(write, store, name, content):
    path = write(name, content)
    table = read_table(path)
    assert [(row["query"], row["answers"], row["title"]) for row in table.rows] == [
        ("Ruth lit it.\nWho?", ["Ruth", "Ruth L."], "Lamps"), ("Ruth lit it.\nWhy?", [], "Lamps"),
    ]  # fmt: skip
    assert table.shape == "SQuAD's paragraphs"
    assert table.warnings == (
        "Questions that their passage does not answer: 1; they have no answer here.",
    )
    report = import_file(store, path, "lamps")
    assert (report.demonstrations, report.dropped) == (2, {"empty answer": 1})


def test_answers_of_passages_may_be_plain_texts(write):
    asked = [{"qid": "1", "question": "Who?", "answers": ["Ruth", "Ruth L."]}]
    rows = [{"header": {"dataset": "x"}},
            {"context": "Ruth lit it.", "qas": asked}, {"context": "X.", "qas": asked}]  # fmt: skip
    table = read_table(write("a.jsonl", "\n".join(map(json.dumps, rows))))
    assert [row["query"] for row in table.rows] == ["Ruth lit it.\nWho?", "X.\nWho?"]
    assert table.rows[0]["answers"] == ["Ruth", "Ruth L."]


def test_flat_squad_is_rows_already(table_of):
    row = {"context": "c", "question": "q", "answers": {"text": ["a"], "answer_start": [0]}}
    table = table_of([row, row])
    assert [(row["question"], row["answers"]["text"]) for row in table.rows] == [("q", ["a"])] * 2
    assert table.shape == ""


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"inputs": {"question": "q"}}, {"outputs": {"answer": "a"}}),
        ({"inputs": {"text": "q"}}, {"outputs": {"text": "a"}}),
        ({"input": {"x": "q"}}, {"expected_output": {"y": "a"}}),
        ({"inputs": {"x": "q"}}, {"reference_outputs": "a"}),
        ({"inputs": {"messages": [user("q")]}}, {"outputs": {"message": assistant("a")}}),
        ({"inputs": {"messages": [user("q")]}}, {"outputs": assistant("a")}),
    ],
)
def test_inputs_and_outputs_with_one_text_each(table_of, inputs, outputs):
    table = table_of([{**inputs, **outputs, "metadata": {"split": "base"}}] * 2)
    assert table.rows == [{"query": "q", "answer": "a", "metadata.split": "base"}] * 2
    assert table.shape == "inputs and outputs"


def test_inputs_with_several_texts_are_columns(table_of):
    row = {"inputs": {"question": "q", "context": "c"}, "outputs": {"answer": "a"}}
    table = table_of([row])
    assert table.rows == [{"answer": "a", "inputs.question": "q", "inputs.context": "c"}]


def test_an_annotator_s_records(write):
    def record(value, verdict, **more):
        given = [{"value": value, "user_id": "u", "status": verdict}]
        return {"fields": {"question": "q"}, "responses": {"answer": given}, **more}

    rows = [
        record("a", "submitted", id="1", status="completed"),
        record("b", "discarded", id="2", status="pending"),
        {"fields": {"question": "q"}, "responses": {}, "suggestions": {"answer": {"value": "s"}}},
    ]
    table = read_table(write("a.json", rows))
    assert table.rows == [
        {"question": "q", "answer": "a", "status": "submitted", "id": "1"},
        {"question": "q", "answer": "b", "status": "discarded", "id": "2"},
        {"question": "q", "answer.suggestion": "s", "status": "pending"},
    ]
    assert table.shape == "Argilla's records"


def test_an_annotator_s_records_of_earlier_forms(write):
    rows = [
        {"fields": {"question": "q"}, "suggestions": [{"question_name": "answer", "value": "s"}],
         "responses": [{"values": {"answer": {"value": "a"}}, "status": "submitted"},
                       {"values": {"answer": {"value": "b"}}, "status": "submitted"},
                       {"values": {"answer": {"value": "c"}}, "status": "draft"}]},
        {"fields": {"question": "q"}, "status": "discarded",
         "responses": [{"question_name": "answer", "value": "d", "status": "submitted"}]},
    ]  # fmt: skip
    assert read_table(write("a.json", rows)).rows == [
        {"question": "q", "answer": ["a", "b"], "answer.suggestion": "s", "status": "submitted"},
        {"question": "q", "answer": "d", "status": "discarded"},
    ]


def test_rows_that_a_viewer_wraps(write):
    rows = [
        {"row_idx": place, "row": {"question": f"q{place}", "answer": "a"}, "truncated_cells": []}
        for place in range(2)
    ]
    table = read_table(write("a.json", {"features": [{"name": "question"}], "rows": rows}))
    assert table.rows == [{"question": "q0", "answer": "a"}, {"question": "q1", "answer": "a"}]
    assert table.warnings == ('Only the list "rows" was read; not read were "features".',)


def test_nested_objects_are_columns(table_of):
    row = {"question": {"stem": "q", "lang": {"code": "en"}}, "answer": "a", "score": {}}
    row["score"] = {"human": "3"}
    table = table_of([row, row])
    assert (
        table.rows
        == [{"question.stem": "q", "question.lang.code": "en", "answer": "a", "score.human": "3"}]
        * 2
    )
    assert table.shape == "nested objects"


def test_options_and_texts_in_objects_stay_as_they_are(table_of):
    row = {"question": "q", "choices": {"label": ["A", "B"], "text": ["x", "y"]}, "answerKey": "B"}
    table = table_of([row, row])
    assert [dict(each) for each in table.rows] == [row, row]
    assert table.shape == ""


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_row_that_holds_a_list_of_objects_is_one_row(write, name):
    row = {"text": "q", "options": [{"id": "A", "text": "x"}], "answer": "A"}
    assert read_table(write(name, row)).rows == [row]


def test_of_several_lists_the_only_one_that_fits_is_read(write):
    content = {"authors": [{"name": "x"}], "pairs": [{"question": "q", "answer": "a"}]}
    table = read_table(write("a.json", content))
    assert table.rows == [{"question": "q", "answer": "a"}]
    assert table.warnings == ('Only the list "pairs" was read; not read were "authors".',)


def test_a_list_within_an_object_that_holds_nothing_else_is_read(write):
    content = {"data": {"train": [{"question": "q", "answer": "a"}]}}
    assert read_table(write("a.json", content)).rows == [{"question": "q", "answer": "a"}]


CHAT = json.dumps([user("q"), assistant("a")])


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.xlsx"])
def test_chats_that_are_written_into_cells_are_read(write, tmp_path, name):
    rows = [("id", "messages"), ("x", CHAT), ("y", CHAT), ("z", "")]
    if name == "a.xlsx":
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / name)
        table = read_table(tmp_path / name)
    else:
        out = io.StringIO()
        csv.writer(out, delimiter="," if name == "a.csv" else "\t").writerows(rows)
        table = read_table(write(name, out.getvalue()))
    assert table.rows == [
        {"query": "q", "answer": "a", "id": "x"}, {"query": "q", "answer": "a", "id": "y"},
        {"query": "", "answer": "", "id": "z"},
    ]  # fmt: skip
    assert table.shape == "chat messages"


@pytest.mark.parametrize("cell", ['[{"role": "user"}]', "[{role}]", '{"role": "user"}', '["a"]'])
def test_other_objects_that_are_written_into_cells_are_texts(write, cell):
    out = io.StringIO()
    csv.writer(out).writerows([("query", "answer"), ("q", CHAT), ("r", cell)])
    table = read_table(write("a.csv", out.getvalue()))
    assert [row["answer"] for row in table.rows] == [CHAT, cell]
    assert table.shape == ""


@pytest.mark.parametrize("line", ["[]", "[[1]]", "[1]", "null", "3"])
def test_lines_that_are_no_rows_are_one_sentence(write, one_sentence, line):
    with one_sentence("line 2 is"):
        read_table(write("a.jsonl", f'{{"query": "q", "answer": "a"}}\n{line}\n'))
    with one_sentence("line 1 is|list of objects"):
        read_table(write("b.jsonl", f'{line}\n{{"query": "q", "answer": "a"}}\n'))


def test_a_pretty_printed_document_under_the_name_of_lines(write):
    rows = [{"question": "q", "answer": "a"}]
    assert read_table(write("a.jsonl", json.dumps(rows, indent=1))).rows == rows
    assert read_table(write("b.jsonl", json.dumps(rows[0], indent=1))).rows == rows


@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_every_shape_leaves_plain_rows_alone(name, shape):
    assert name
    assert shape([{"query": "q", "answer": ["a", "b"], "choices": {"text": ["x"]}}]) is None
