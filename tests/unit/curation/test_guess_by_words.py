"""Columns are guessed by words in their names and by their cells; where several fit, we ask."""

import csv
import random
from dataclasses import replace

import pytest

from core.curation import FileTable, Undecided, guess_mapping, preview
from core.curation.files.grid import plain
from core.demonstration.demonstration import IncorrectAnswer
from core.reporting.words.importing import (
    what_became_of_it,
    what_became_of_the_rows,
    what_each_column_is,
)
from tests.support.judged_files import judged_file
from tests.unit.curation.conftest import advice_of

THINGS = ("password", "parcel", "invoice", "voucher", "router", "card")
KINDS = ("Account access", "Delivery", "Billing", "Billing", "Technical", "Account access")
HEADER = ("Customer question", "Agent reply", "Bad replies seen", "Category")


def support_row(number):
    thing, kind = THINGS[number % 6], KINDS[number % 6]
    wrong = (f"Ask a neighbour about the {thing}.", f"Wait {number + 2} weeks.")
    return [
        f"How do I change my {thing}, number {number}?",
        f"Open the page of your {thing} and confirm; your case is {number}.",
        "; ".join(wrong[: number % 3]),
        kind,
    ]


def messy_rows():
    """300 rows of a support desk: doubled ones, white space and missing cells among them."""
    rows = [support_row(number) for number in range(252)]
    chance = random.Random(1)
    rows[7][1], rows[8][0] = "", "  "
    rows[9] = [f" {cell} " for cell in rows[9]]
    rows += [list(rows[chance.randrange(20, 252)]) for _ in range(44)]
    rows += [[*rows[30][:2], "Call the police.", "Billing"], [f"{rows[31][0]} ", *rows[31][1:]]]
    return [*rows, ["", "", "", ""], ["What now?", "", "", ""]]


def table_of(columns, rows):
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return FileTable(columns=list(columns), rows=records, encoding="", format="csv", name="f.csv")


def support_table(*columns, places=(0, 1, 2, 3), rows=12):
    every = [support_row(number) for number in range(rows)]
    return table_of(columns, [[row[place] for place in places] for row in every])


def test_a_messy_file_of_a_support_desk_is_read_and_each_row_counts_once(tmp_path):
    path = tmp_path / "messy.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *messy_rows()])
    found = preview(path, limit=3)
    report = found.report
    assert str(found.mapping) == (
        "query=Customer question,answer=Agent reply,incorrect=Bad replies seen,tags=Category,"
        "split=;,split_in=Bad replies seen"
    )
    assert what_each_column_is(report) == (
        'Read as the query: "Customer question"; as the answer: "Agent reply"; as incorrect '
        'answers: "Bad replies seen"; as tags: "Category".'
    )
    assert found.drafts[2].answer == "Open the page of your invoice and confirm; your case is 2."
    assert [each.incorrect for each in found.drafts] == [
        (),
        (IncorrectAnswer("Ask a neighbour about the parcel."),),
        (
            IncorrectAnswer("Ask a neighbour about the invoice."),
            IncorrectAnswer("Wait 4 weeks."),
        ),
    ]
    assert [each.tags for each in found.drafts] == [
        ("Account access",),
        ("Delivery",),
        ("Billing",),
    ]
    assert report.row_counts == {
        "new demonstrations": 250,
        "adds to an earlier row": 1,
        "repeats an earlier row": 45,
        "empty query": 2,
        "empty answer": 2,
    }
    assert sum(report.row_counts.values()) == report.rows == 300
    assert what_became_of_the_rows(report) == (
        "300 rows: 250 new demonstrations, 1 that adds to an earlier row, 45 that repeat an "
        "earlier row, 4 left out (2 x empty answer, 2 x empty query)."
    )
    assert "invisible characters or how letters are composed: 1." in " ".join(
        what_became_of_it(report)
    )


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        (HEADER, "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("Prompt", "Completion", "Rejected", "Topic"),
         "query={0},answer={1},incorrect={2},tags={3}"),
        (("Frage", "Antwort", "Falsche Antworten", "Kategorie"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("title", "body", "bad answers", "tags"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("Q", "A", "Wrong A", "Area"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("User message", "Assistant message", "Rejected message", "Team"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("Question (customer)", "Answer (bot)", "Incorrect replies", "Product area"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("Ticket subject", "Resolution", "wrong resolution", "Queue"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("What users asked", "What we replied: response", "False responses", "Theme"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
        (("instruction", "input", "output", "category"), "query={0}+{1},answer={2},tags={3}"),
        (("utterance", "channel", "device", "intent"), "query={0},answer={3}"),
        (("text", "channel", "device", "label"), "query={0},answer={3}"),
        (("Message title", "Message body", "Reply", "Category"),
         "query={0}+{1},answer={2},tags={3}"),
        (("column 1", "column 2", "bad", "column 4"),
         "query={0},answer={1},incorrect={2},tags={3},split=;,split_in={2}"),
    ],
)  # fmt: skip
def test_what_people_call_their_columns(columns, mapping):
    assert str(guess_mapping(support_table(*columns))) == mapping.format(*columns)


@pytest.mark.parametrize(
    ("columns", "places", "mapping"),
    [
        (("column 1", "column 2"), (1, 0), "query=column 2,answer=column 1"),
        (("x", "y", "z"), (3, 0, 1), "query=y,answer=z,tags=x"),
        (("Ticket text", "Category"), (0, 3), "query=Ticket text,answer=Category"),
        (("Customer question", "what we wrote"), (0, 1),
         "query=Customer question,answer=what we wrote"),
    ],
)  # fmt: skip
def test_cells_decide_where_names_say_nothing(columns, places, mapping):
    assert str(guess_mapping(support_table(*columns, places=places))) == mapping


@pytest.mark.parametrize("mark", ["|", "\n", ";"])
def test_incorrect_answers_in_a_cell_are_taken_apart_and_answers_are_not(mark):
    rows = [[f"Why {n}?", f"So; it is|{n}.", f"No {n}.{mark} Never {n}."] for n in range(5)]
    found = preview(table_of(HEADER[:3], rows))
    assert [each.answer for each in found.drafts] == [row[1] for row in rows]
    assert [[wrong.text for wrong in each.incorrect] for each in found.drafts] == [
        [f"No {n}.", f"Never {n}."] for n in range(5)
    ]
    written = preview(found.table, mapping=str(found.mapping))
    assert written.drafts == found.drafts


@pytest.mark.parametrize(
    ("columns", "places", "question", "likely"),
    [
        (("First question", "Follow-up question", "Agent reply"), (0, 0, 1),
         'Several columns may be the query: "First question", "Follow-up question".',
         {"query": ("First question", "Follow-up question")}),
        (("Customer question", "Agent reply", "Bot reply"), (0, 1, 1),
         'Several columns may be the answer: "Agent reply", "Bot reply".',
         {"answer": ("Agent reply", "Bot reply")}),
        (("a text", "b text", "c text"), (1, 1, 0),
         'Several columns may be the query: "a text", "b text", "c text". No column of f.csv looks '
         "like the answer.",
         {"query": ("a text", "b text", "c text"), "answer": ("a text", "b text", "c text")}),
    ],
)  # fmt: skip
def test_columns_that_fit_equally_are_asked_about(columns, places, question, likely):
    found = preview(support_table(*columns, places=places))
    assert (found.report, found.mapping) == (None, None)
    assert isinstance(found.undecided, Undecided)
    assert (found.undecided.question, found.undecided.likely) == (question, likely)
    followed = preview(found.table, mapping=advice_of(found.problem))
    assert followed.report is not None


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("Was it right?", ("yes", "no")),
        ("Agent score", ("1", "5")),
        ("Bad reply", ("0", "1")),
        ("column 3", ("true", "false")),
        ("column 3", ("B", "A")),
    ],
)
def test_what_may_judge_answers_is_never_passed_over(header, values):
    rows = [[*support_row(n)[:2], values[n % 2]] for n in range(12)]
    names = ("column 1", "column 2") if header == "column 3" else HEADER[:2]
    found = preview(table_of((*names, header), rows))
    wrong = {row[1] for row in rows if row[2] == values[1]}
    if found.report is not None:
        assert not wrong & {each.answer for each in found.drafts}
    assert found.problem or found.report.quiz is not None


NAMED = {
    "question": "Customer question", "query": "User's question", "prompt": "Prompt text",
    "instruction": "Instruction (user)", "input": "User input", "problem": "Customer problem",
    "answer": "Agent reply", "response": "Bot response", "completion": "Model completion",
    "output": "Model output", "answers": "Final reply", "responses": "Final response",
}  # fmt: skip


@pytest.mark.parametrize(
    "start",
    [0, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(60, 1260, 240))],
)
def test_a_wrong_candidate_under_a_longer_name_never_becomes_a_correct_answer(tmp_path, start):
    resolved = 0
    for seed in range(start, start + (240 if start else 60)):
        file = judged_file(tmp_path, seed)
        table = preview(file.path).table
        names = {column: NAMED.get(plain(column), column) for column in table.columns}
        rows = [{names[key]: value for key, value in row.items()} for row in table.rows]
        found = preview(replace(table, columns=list(names.values()), rows=rows), limit=1000)
        if not found.problem:
            resolved += 1
            answers = {(draft.query.split()[0], draft.answer) for draft in found.drafts}
            assert answers <= file.right, (seed, file.recipe, str(found.mapping))
    assert resolved > 20


def test_columns_can_be_joined_into_one_answer():
    rows = [["Why?", "So.", "Because."], ["How?", "", "Well."]]
    table = table_of(("question", "short", "long"), rows)
    found = preview(table, mapping="query=question,answer=long+short")
    assert [each.answer for each in found.drafts] == ["Because.\nSo.", "Well."]
    assert str(found.mapping) == "query=question,answer=long+short"
    apart = preview(table, mapping="query=question,answer=long|short")
    assert [each.answer for each in apart.drafts] == ["Because.", "So.", "Well."]
    plus = table_of(("question", "a+b"), [["Why?", "So."]])
    assert not preview(plus, mapping="query=question,answer=a+b").mapping.joined


def test_joined_columns_are_no_keys():
    table = table_of(("question", "a", "b", "options"), [["Why?", "A", "B", "x|y"]])
    found = preview(table, mapping="query=question,answer=a+b,options=options,split=|")
    assert found.problem.startswith("Joined columns cannot say which options are right")
