"""The report of an import accounts for every column and every key of the file."""

import csv
import io
import json
import random

import pytest
from openpyxl import Workbook

from core.curation import preview
from core.passages.reading import read_documents

MARK = "zz{}zz"


class Marker:
    """Puts a key of its own into an object, and knows all that it has put."""

    def __init__(self, random):
        self.random = random
        self.marks = []

    def __call__(self, entries, *, always=False):
        entries = list(entries.items())
        for _ in range(self.random.choice([0, 1, 2]) + always):
            mark = MARK.format(len(self.marks))
            self.marks.append(mark)
            value = self.random.choice(["x", "3.5 m", None, {"a": "b"}, ["u", "v", "w"]])
            entries.insert(self.random.randrange(len(entries) + 1), (mark, value))
        return dict(entries)


def user(mark, text):
    return mark({"role": "user", "content": text})


def assistant(mark, text):
    return mark({"role": "assistant", "content": text})


def chat(mark, number):
    return [user(mark, f"q{number}"), assistant(mark, f"a{number}")]


def parts(mark, number):
    content = [mark({"type": "text", "text": f"q{number}"})]
    return [mark({"role": "user", "content": content}), assistant(mark, f"a{number}")]


def share(mark, number):
    return [
        mark({"from": "human", "value": f"q{number}"}),
        mark({"from": "gpt", "value": f"a{number}"}),
    ]


def squad(mark, rows):
    asked = [
        mark({"id": str(n), "question": f"q{n}", "answers": [mark({"text": f"a{n}"})]})
        for n in range(rows)
    ]
    paragraphs = [mark({"context": "c", "qas": asked})]
    return mark({"version": "1", "data": [mark({"title": "t", "paragraphs": paragraphs})]})


def viewer(mark, rows, *, features):
    wrapped = [
        mark({"row_idx": n, "row": mark({"question": f"q{n}", "answer": f"a{n}"}),
              "truncated_cells": []})
        for n in range(rows)
    ]  # fmt: skip
    types = [{"feature_idx": 0, "name": "question", "type": {"dtype": "string", "_type": "Value"}}]
    return mark({"features": types, "rows": wrapped}) if features else mark({"rows": wrapped})


def argilla(mark, n):
    given = [mark({"value": f"a{n}", "status": "submitted", "user_id": "u"})]
    return mark(
        {
            "fields": mark({"query": f"q{n}"}),
            "responses": {"answer": given},
            "suggestions": {"answer": mark({"value": "s", "agent": "m"})},
        }
    )


def older_argilla(mark, n):
    values = {"answer": mark({"value": f"a{n}"})}
    return mark(
        {
            "fields": {"query": f"q{n}"},
            "responses": [mark({"values": values, "status": "submitted"})],
            "vectors": {"v": [1, 2]},
        }
    )


def label_studio(mark, n):
    value = mark({"choices": [f"a{n}"]})
    result = mark({"value": value, "from_name": "topic", "to_name": "text", "type": "choices"})
    annotation = mark({"id": n, "was_cancelled": False, "result": [result]})
    return mark({"annotations": [annotation], "data": mark({"text": f"q{n}"}), "predictions": [{}]})


def cases_of_promptfoo(mark, rows):
    checks = [{"type": "equals", "value": f"a{n}"} for n in range(rows)]
    tests = [mark({"vars": mark({"query": f"q{n}"}), "assert": [checks[n]]}) for n in range(rows)]
    return mark({"prompts": ["p"], "tests": tests})


def saved_program(mark, rows):
    demos = [mark({"question": f"q{n}", "answer": f"a{n}"}) for n in range(rows)]
    return mark({"answer.predict": mark({"demos": demos, "signature": {"instructions": "i"}})})


def each(make):
    """A file of rows that are made one by one."""
    return lambda mark, rows: [make(mark, number) for number in range(rows)]


SHAPES = {
    "rows": each(lambda mark, n: mark({"query": f"q{n}", "answer": f"a{n}"})),
    "a list": lambda mark, rows: mark(
        {"data": [mark({"query": f"q{n}", "answer": f"a{n}"}) for n in range(rows)]}
    ),
    "a list within": lambda mark, rows: {
        "result": mark({"rows": [mark({"query": f"q{n}", "answer": f"a{n}"}) for n in range(rows)]})
    },
    "chats": each(lambda mark, n: mark({"messages": chat(mark, n)})),
    "parts": each(lambda mark, n: mark({"messages": parts(mark, n)})),
    "ShareGPT": each(lambda mark, n: mark({"conversations": share(mark, n)})),
    "prompt and chosen": each(
        lambda mark, n: mark(
            {
                "prompt": [user(mark, f"q{n}")],
                "chosen": [assistant(mark, f"a{n}")],
                "rejected": [assistant(mark, f"b{n}")],
            }
        )
    ),
    "side by side": each(
        lambda mark, n: mark(
            {
                "conversation_a": [user(mark, f"q{n}"), assistant(mark, f"a{n}")],
                "conversation_b": [{"role": "user", "content": f"q{n}"}, assistant(mark, f"b{n}")],
                "winner": "model_a",
            }
        )
    ),
    "inputs and outputs": each(
        lambda mark, n: mark({"inputs": {"question": f"q{n}"}, "outputs": {"answer": f"a{n}"}})
    ),
    "inputs with messages": each(
        lambda mark, n: mark(
            {
                "inputs": {"messages": [user(mark, f"q{n}")]},
                "outputs": mark({"messages": [assistant(mark, f"a{n}")]}),
            }
        )
    ),
    "SQuAD": squad,
    "the viewer's rows": lambda mark, rows: viewer(mark, rows, features=False),
    "the viewer's answer": lambda mark, rows: viewer(mark, rows, features=True),
    "Argilla": each(argilla),
    "Argilla before": each(older_argilla),
    "Label Studio": each(label_studio),
    "promptfoo": cases_of_promptfoo,
    "DSPy": saved_program,
    "evals": each(lambda mark, n: mark({"input": [user(mark, f"q{n}")], "ideal": f"a{n}"})),
    "nested": each(lambda mark, n: mark({"query": f"q{n}", "answer": f"a{n}", "m": mark({})})),
    "answers as objects": each(
        lambda mark, n: mark({"query": f"q{n}", "answers": [mark({"text": f"a{n}", "id": "i"})]})
    ),
    "options": each(
        lambda mark, n: mark(
            {
                "question": f"q{n}",
                "choices": [
                    mark({"label": label, "text": f"{label}{n}"}) for label in ("A", "B")
                ],
                "answerKey": "B",
            }
        )
    ),
    "pandas' split": lambda mark, rows: mark(
        {
            "columns": ["query", "answer", MARK.format("own")],
            "index": list(range(rows)),
            "data": [[f"q{n}", f"a{n}", "x"] for n in range(rows)],
        }
    ),
    "pandas' table": lambda mark, rows: mark(
        {
            "schema": {"fields": []},
            "data": [mark({"index": n, "query": f"q{n}", "answer": f"a{n}"}) for n in range(rows)],
        }
    ),
}  # fmt: skip


def accounted_for(found):
    """Every name that the report gives, as used, not used or not read; each part by itself."""
    assert found.report is not None, found.problem
    report = found.report
    names = (*report.mapping.columns, *report.unused_columns, *report.unread_keys)
    return {part for name in names for part in name.split(".")} | set(names)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(8))
def test_every_key_of_json_is_used_or_named(write, shape, seed):
    mark = Marker(random.Random(f"{shape} {seed}"))
    document = SHAPES[shape](mark, 3)
    found = preview(write("f.json", document))
    assert set(mark.marks) <= accounted_for(found)
    if isinstance(document, list):
        lines = "\n".join(map(json.dumps, document))
        found = preview(write("f.jsonl", lines))
        assert set(mark.marks) <= accounted_for(found)
    assert found.report.demonstrations == 3


@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx", "parquet"])
@pytest.mark.parametrize("seed", range(4))
def test_every_column_of_a_table_is_used_or_named(tmp_path, format, seed):
    names = [
        "query",
        "answer",
        "incorrect",
        *(MARK.format(n) for n in range(5)),
        "label",
        "created_at",
    ]
    random.Random(seed).shuffle(names)
    rows = [[f"{name} {number}" for name in names] for number in range(3)]
    path = tmp_path / f"f.{format}"
    if format == "parquet":
        import pandas as pd

        index = pd.Index(["x", "y", "z"])
        frame = pd.DataFrame(rows, columns=names, index=index)
        frame.to_parquet(path)
        names = [*names, "__index_level_0__"]
    elif format == "xlsx":
        book = Workbook()
        for row in [names, *rows]:
            book.active.append(row)
        book.save(path)
    else:
        text = io.StringIO()
        delimiter = "," if format == "csv" else "\t"
        csv.writer(text, delimiter=delimiter).writerows([names, *rows])
        path.write_text(text.getvalue(), encoding="utf-8")
    assert set(names) <= accounted_for(preview(path))


def test_keys_beside_a_list_are_named_with_passages_too(write):
    document = {"response_code": 0, "docs": [{"text": "a text", "title": "t", "url": "u"}] * 2}
    found = read_documents(write("f.json", document))
    assert found.unused_columns == ("url", "response_code")


DOUBLED = '{"question": "q1", "answer": "a", "answer": "b", "answer": "c"}'


def test_equal_keys_are_all_read(write):
    rows = [DOUBLED, '{"question": "q2", "answer": "d", "incorrect": "x", "incorrect": "y"}']
    for name, text in (("f.jsonl", "\n".join(rows)), ("f.json", f"[{', '.join(rows)}]")):
        found = preview(write(name, text))
        assert [(each.query, each.answer) for each in found.drafts] == [
            ("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "d"),
        ]  # fmt: skip
        assert [each.text for each in found.drafts[-1].incorrect] == ["x", "y"]
        assert found.report.warnings == (
            'Objects that have a key twice, by the key: "answer" (1), "incorrect" (1); both '
            'values were read, the second as "answer (2)".',
        )


def test_a_second_query_is_named_and_equal_keys_deep_within_are_read(write):
    row = '{"question": "q", "question": "r", "answer": "a", "meta": {"k": 1, "k": 2}}'
    found = preview(write("f.jsonl", f"{row}\n{row}"))
    assert [each.query for each in found.drafts] == ["q"]
    assert found.report.unused_columns == ("question (2)", "meta.k", "meta.k (2)")


def test_a_key_that_is_named_like_a_second_one_stays_apart(write):
    row = '{"question": "q", "answer": "a", "answer (2)": "b", "answer": "c"}'
    found = preview(write("f.jsonl", row))
    assert {each.answer for each in found.drafts} == {"a", "b", "c"}
