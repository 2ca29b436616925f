"""What labelling tools, evaluation tools and trainers write, in every format that allows it."""

import json

import pytest

from core.curation import preview
from core.curation.files.shapes.texts import messages_written_in
from core.demonstration.demonstration import Status
from tests.support.written_files import write_rows

TEXTS = ("It is loud and it leaks.", "It is loud.", "The lid is stuck.")
LABELS = (["noise", "leak"], ["noise"], ["lid"])


@pytest.fixture
def look(tmp_path):
    """The preview of rows in a file of a format."""

    def look(rows, format="jsonl", **more):
        return preview(write_rows(tmp_path / f"f.{format}", format, rows), **more)

    return look


def pairs(found):
    assert found.report is not None, found.problem
    return [(row.query, row.answer) for row in found.drafts]


def triples(found):
    assert found.report is not None, found.problem
    return [(row.query, row.answer, [each.text for each in row.incorrect]) for row in found.drafts]


LABELLED = [(text, label) for text, labels in zip(TEXTS, LABELS, strict=True) for label in labels]


def result(labels, name="topic", about="text", kind="choices"):
    return {"value": {kind: labels}, "from_name": name, "to_name": about, "type": kind}


def task(n, text, *results, cancelled=False, **more):
    annotation = {"id": 10 + n, "was_cancelled": cancelled, "result": list(results)}
    return {"id": n, "annotations": [annotation], "data": {"text": text}, **more}


@pytest.mark.parametrize("format", ["json", "jsonl"])
@pytest.mark.parametrize("name", ["topic", "sentiment", "urgency"])
def test_tasks_of_label_studio_with_their_labels(look, format, name):
    rows = [
        task(n, text, result(labels, name))
        for n, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    found = look(rows, format)
    assert pairs(found) == LABELLED
    assert found.report.shape == "Label Studio's tasks"
    assert found.report.unread_keys == ("annotations.id",)


def test_a_task_that_was_skipped_comes_in_as_excluded_and_two_who_labelled_count_both(look):
    rows = [
        task(0, TEXTS[0], result(["noise"])),
        task(1, TEXTS[1], result(["lid"]), cancelled=True),
    ]
    rows[0]["annotations"].append({"id": 5, "result": [result(["leak"]), result(["noise"])]})
    rows[0]["annotations"].append({"id": 6, "was_cancelled": True, "result": [result(["lid"])]})
    found = look(rows)
    assert [(row.answer, row.status) for row in found.drafts] == [
        ("noise", Status.INCLUDED), ("leak", Status.INCLUDED), ("lid", Status.EXCLUDED),
    ]  # fmt: skip
    assert found.report.excluded == {"skipped": 1}


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"text": ["a typed text"]}, "a typed text"),
        ({"text": "a typed text"}, "a typed text"),
        ({"rating": 4}, "4"),
        ({"number": 12}, "12"),
        ({"taxonomy": [["tools", "hand", "saw"]]}, "tools / hand / saw"),
    ],
)
def test_what_else_is_said_about_a_task(look, value, answer):
    rows = [task(n, text, {**result([]), "value": value}) for n, text in enumerate(TEXTS)]
    assert pairs(look(rows)) == [(text, answer) for text in TEXTS]


def test_several_things_that_are_said_are_columns_of_their_own(look):
    rows = [
        task(n, text, result(labels), result(["now"], "urgency"))
        for n, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    found = look(rows)
    assert found.columns == ["query", "topic", "urgency", "status", "id"]
    found = look(rows, mapping="query=query,answer=topic,tags=urgency")
    assert pairs(found) == LABELLED
    assert found.drafts[0].tags == ("now",)


@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx", "json", "jsonl"])
@pytest.mark.parametrize("column", ["topics", "sentiment", "my labels"])
def test_a_table_of_annotations_has_its_labels_as_answers(look, format, column):
    tables = format in ("csv", "tsv", "xlsx")
    rows = []
    for n, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True)):
        several = {"choices": labels}
        cell = labels[0] if len(labels) == 1 else json.dumps(several) if tables else several
        row = {"id": n, "text": text, column: cell, "annotator": 1, "annotation_id": 10 + n}
        rows.append({**row, "created_at": "2024-01-01", "lead_time": 3.2})
    found = look(rows, format)
    assert pairs(found) == LABELLED
    assert found.report.shape.endswith("Label Studio's annotations")
    assert set(found.report.unused_columns) == {
        "id", "annotator", "annotation_id", "created_at", "lead_time",
    }  # fmt: skip


@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("variable", ["question", "input", "prompt"])
def test_test_cases_of_promptfoo(look, format, variable):
    checks = [
        "contains: Lima", "equals: 4", "contains-any: argon, neon", "icontains: ice", "plain text",
        "similar(0.8): much the same", "Note: a text", "not-contains: wrong",
    ]  # fmt: skip
    rows = [{variable: f"q{n}", "__expected": check} for n, check in enumerate(checks)]
    rows += [
        {variable: "q8", "__expected": "is-json"},
        {variable: "q9", "__expected": "javascript: x"},
    ]
    found = look(rows, format)
    assert pairs(found) == [
        ("q0", "Lima"), ("q1", "4"), ("q2", "argon"), ("q2", "neon"), ("q3", "ice"),
        ("q4", "plain text"), ("q5", "much the same"), ("q6", "Note: a text"),
    ]  # fmt: skip
    assert found.report.warnings == (
        "Checks that name no answer and were not read: is-json (1), javascript (1).",
    )
    assert found.report.dropped == {"empty answer": 3}


def test_several_expectations_and_what_must_not_be_said(look):
    rows = [
        {"question": "q", "__expected1": "equals: a", "__expected2": "not-equals: b",
         "__metric": "m"},
        {"question": "r", "__expected1": "c", "__expected2": "", "__metric": ""},
    ]  # fmt: skip
    found = look(rows, "csv")
    assert triples(found) == [("q", "a", ["b"]), ("r", "c", [])]
    assert found.report.unused_columns == ("__metric",)


CASES = {
    "prompts": ["Answer: {{question}}"],
    "providers": ["echo"],
    "tests": [
        {"vars": {"question": "q"}, "assert": [{"type": "equals", "value": "a"}]},
        {"vars": {"question": "r"}, "assert": [{"type": "contains-any", "value": ["b", "c"]}],
         "description": "d"},
        {"vars": {"question": "s"}, "assert": [{"type": "is-json"}]},
    ],
}  # fmt: skip


def test_texts_with_commas_and_the_other_keys_of_a_check(look):
    checks = [
        {"type": "icontains-any", "value": ["b, then c", "d"], "weight": 2},
        {"type": "not-contains-any", "value": ["e", "f, g"], "threshold": 0.5},
        "no check",
    ]
    found = look([{"vars": {"question": "q"}, "assert": checks}])
    assert triples(found) == [("q", "b, then c", ["e", "f, g"]), ("q", "d", ["e", "f, g"])]
    assert found.report.unread_keys == ("assert.weight", "assert.threshold")


def test_the_configuration_of_promptfoo_in_json_and_yaml(write):
    text = """
prompts: ["Answer: {{question}}"]
providers: [echo]
tests:
  - vars: {question: q}
    assert: [{type: equals, value: a}]
  - vars: {question: r}
    description: d
    assert:
      - type: contains-any
        value: [b, c]
  - vars:
      question: s
    assert:
      - type: is-json
"""
    for path in (write("f.json", CASES), write("f.yaml", text)):
        found = preview(path)
        assert pairs(found) == [("q", "a"), ("r", "b"), ("r", "c")]
        assert found.report.unused_columns == ("description",)
        assert found.report.unread_keys == ("prompts", "providers")


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_samples_of_evals(look, format):
    rows = [
        {"input": [{"role": "user", "content": "q"}], "ideal": "a"},
        {"input": [{"role": "user", "content": "r"}], "ideal": ["b", "B"]},
    ]
    assert pairs(look(rows, format)) == [("q", "a"), ("r", "b"), ("r", "B")]
    plain = [{"input": "q", "ideal": "a"}, {"input": "r", "ideal": "b"}]
    assert pairs(look(plain, format)) == [("q", "a"), ("r", "b")]


def state(*demos):
    return {"traces": [], "train": [], "demos": list(demos), "signature": {"instructions": "i"}}


def test_programs_that_dspy_saved(write):
    first = {"augmented": True, "question": "q", "reasoning": "because", "answer": "a"}
    second = {"question": "r", "answer": "b"}
    one = {"answer.predict": state(first, second), "metadata": {"dspy": "2.6"}}
    found = preview(write("f.json", one))
    assert pairs(found) == [("q", "a"), ("r", "b")]
    assert [row.rationale for row in found.drafts] == ["because", ""]
    assert found.report.unused_columns == ("augmented",)
    assert set(found.report.unread_keys) == {
        "metadata", "answer.predict.traces", "answer.predict.train", "answer.predict.signature",
    }  # fmt: skip
    two = {"first.predict": state(first), "second": state({"question": "s", "answer": "c"})}
    found = preview(write("two.json", two))
    assert pairs(found) == [("q", "a"), ("s", "c")]
    assert "predictor" in found.report.unused_columns
    alone = preview(write("alone.json", state(first)))
    assert pairs(alone) == [("q", "a")]


def test_a_saved_program_without_demonstrations_is_refused(write):
    found = preview(write("f.json", {"answer.predict": state()}))
    assert (found.report, found.drafts) == (None, [])


WAYS = {
    "Human": "\n\nHuman: {}\n\nAssistant: {}",
    "User": "User: {}\nAssistant: {}",
    "###": "### Human: {}### Assistant: {}",
    "### on lines": "### User: {}\n### Assistant: {}\n",
    "Alpaca": "### Instruction:\n{}\n\n### Response:\n{}",
    "Q and A": "Q: {}\nA: {}",
    "Question": "Question: {}\nAnswer: {}",
    "ChatML": "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n",
    "Llama 2": "<s>[INST] {} [/INST] {} </s>",
    "Llama 3": (
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>"
    ),
    "Gemma": "<start_of_turn>user\n{}<end_of_turn>\n<start_of_turn>model\n{}<end_of_turn>\n",
    "Zephyr": "<|user|>\n{}</s>\n<|assistant|>\n{}</s>\n",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["csv", "json", "jsonl", "parquet"])
def test_conversations_in_one_text(look, way, format):
    rows = [{"text": WAYS[way].format(f"How is it {n}?", f"So:\nit is {n}.")} for n in range(3)]
    found = look(rows, format)
    assert pairs(found) == [(f"How is it {n}?", f"So:\nit is {n}.") for n in range(3)]
    assert found.report.shape == "conversations in texts"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_pairs_of_conversations(look, way, format):
    rows = [
        {"chosen": WAYS[way].format(f"How {n}?", f"so {n}"),
         "rejected": WAYS[way].format(f"How {n}?", f"not so {n}"), "source": "s"}
        for n in range(3)
    ]  # fmt: skip
    found = look(rows, format)
    assert triples(found) == [(f"How {n}?", f"so {n}", [f"not so {n}"]) for n in range(3)]
    assert found.report.unused_columns == ("source",)


def test_several_turns_and_a_preamble(look):
    text = "\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: What is a bevel?\n\nAssistant: An edge."
    (first,) = look([{"text": text}]).drafts
    assert first.query == "User: Hi\nAssistant: Hello.\nUser: What is a bevel?"
    alpaca = "Below is a task.\n\n### Instruction:\nAdd.\n\n### Input:\n1 and 2\n\n### Response:\n3"
    (first,) = look([{"text": alpaca}]).drafts
    assert (first.query, first.answer) == ("System: Below is a task.\nUser: Add.\n1 and 2", "3")


@pytest.mark.parametrize(
    "text",
    [
        "Human: How?", "Assistant: So.", "User: a\nAssistant: b\nUser: c", "no turns", "", None,
        3, "Dear Human: this is a letter. Assistant: no", "System: x\nAssistant: y",
        "<|im_start|>tool\nx<|im_end|><|im_start|>assistant\ny",
    ],
)  # fmt: skip
def test_what_is_no_conversation_with_an_answer(text):
    assert messages_written_in(text) is None


def test_a_conversation_beside_a_query_and_an_answer_stays_a_text(look):
    talk = WAYS["User"].format("Is it open today, please?", "It is not.")
    rows = [
        {"text": talk, "question": "Was it open on that day?", "answer": f"no {n}"} for n in "ab"
    ]
    found = look(rows)
    assert [row.answer for row in found.drafts] == ["no a", "no b"]
    assert found.report.shape == ""


def test_a_conversation_beside_an_answer_of_one_word_stays_a_text(look):
    rows = [{"text": f"Question: Is it {n}? Answer:", "answer": n} for n in ("early", "late")]
    assert pairs(look(rows)) == [(row["text"], row["answer"]) for row in rows]
    rows = [{"text": WAYS["Question"].format(n, n), "answer": n} for n in ("early", "late")]
    assert pairs(look(rows)) == [(row["text"], row["answer"]) for row in rows]


@pytest.mark.parametrize("format", ["csv", "json", "jsonl", "parquet", "xlsx"])
def test_what_both_texts_of_a_pair_begin_with_is_the_query(look, format):
    rows = [
        {"chosen": "The tide turns at noon.", "rejected": "The tide turns at cheese."},
        {"chosen": "Bread is baked in ovens.", "rejected": "Bread is baked in oven mitts."},
        {"chosen": "One line:\nyes", "rejected": "One line:\nno"},
        {"chosen": "It is so", "rejected": "It is so wrong"},
    ]
    found = look(rows, format)
    assert triples(found) == [
        ("The tide turns at", "noon.", ["cheese."]),
        ("Bread is baked in", "ovens.", ["oven mitts."]),
        ("One line:", "yes", ["no"]),
        ("It is", "so", ["so wrong"]),
    ]
    assert found.report.shape == "pairs with a common beginning"


def test_pairs_without_a_common_beginning_are_left_out_or_refused(look):
    same = {"chosen": "The tide turns at noon.", "rejected": "The tide turns at cheese."}
    other = {"chosen": "Yes.", "rejected": "No."}
    found = look([same, other])
    assert (len(found.drafts), found.report.dropped) == (1, {"empty query": 1})
    found = look([same, other, other])
    assert found.problem.startswith("No column of f.jsonl looks like the query")
    found = look([{"what they wrote": "When it turns", **same}])
    assert found.problem.startswith("No column of f.jsonl looks like the query")
    rows = [{"prompt": f"q{n}", **same} for n in range(2)]
    assert [row.query for row in look(rows).drafts] == ["q0", "q1"]


@pytest.mark.parametrize(
    "value",
    [
        {"start": 4, "end": 8, "text": "pump", "labels": ["PART"]},
        {"selected": "left"},
        {"x": 1, "y": 2, "rectanglelabels": ["PART"]},
    ],
)
def test_a_marked_place_or_side_is_no_answer(write, value):
    result = {"value": value, "from_name": "part", "to_name": "text", "type": "labels"}
    task = {"annotations": [{"result": [result]}], "data": {"text": "The pump is loud."}}
    found = preview(write("f.json", [task, task]))
    assert (found.report, found.drafts) == (None, [])


def test_the_passages_of_a_saved_program_are_one_text(write):
    demo = {"context": ["The mill is old.", "It has two storeys."], "question": "How tall is it?",
            "reasoning": "so", "answer": "two storeys"}  # fmt: skip
    document = {"retrieve": {"k": 3}, "answer": {"demos": [demo], "signature": {}}}
    (first,) = preview(write("f.json", document)).drafts
    assert first.answer == "two storeys"
    assert first.query == "The mill is old.\nIt has two storeys.\nHow tall is it?"


@pytest.mark.parametrize("name", ["sample_text", "prompt", "Dialogue text"])
def test_the_only_column_of_texts_may_be_called_anything(look, name):
    rows = [{name: WAYS["Human"].format(f"How is it {n}?", "It is."), "id": n} for n in range(3)]
    assert pairs(look(rows)) == [(f"How is it {n}?", "It is.") for n in range(3)]
