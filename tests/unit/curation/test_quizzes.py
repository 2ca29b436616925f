"""Quizzes: a letter, a position, a label or a text becomes the answer that it names."""

import pytest

from core.curation import parse_mapping, preview, to_drafts
from core.errors import InvalidInput
from core.reporting.words.importing import how_it_was_read


def read(path, mapping=None):
    """Each demonstration of a file as (query, answer, incorrect answers), and the mapping."""
    found = preview(path, mapping=mapping, limit=100)
    assert found.problem == ""
    rows = [(one.query, one.answer, [each.text for each in one.incorrect]) for one in found.drafts]
    return rows, str(found.mapping)


OPTIONS = "query=question,answer=answer,options=options"
BEES = ("Who bakes?", "A baker", ["A tailor"])
JAR = ("What is red?", "Blood", ["Milk"])


@pytest.mark.parametrize(
    ("name", "content", "mapping"),
    [
        ("letters.csv", "question,A,B,answer\nWho bakes?,A tailor,A baker,B\n"
         "What is red?,Blood,Milk,a\n", "query=question,answer=answer,options=A|B"),
        ("columns.csv", "question,Option 1,Option 2,correct\nWho bakes?,A tailor,A baker,2\n"
         "What is red?,Blood,Milk,1\n", "query=question,answer=correct,options=Option 1|Option 2"),
        ("texts.csv", "question,choice1,choice2,answer\nWho bakes?,A tailor,A baker,a baker\n"
         "What is red?,Blood,Milk,Blood\n", "query=question,answer=answer,options=choice1|choice2"),
        ("from0.csv", "goal,sol1,sol2,label\nWho bakes?,A tailor,A baker,1\n"
         "What is red?,Blood,Milk,0\n", "query=goal,answer=label,options=sol1|sol2"),
        ("lists.json", [
            {"question": "Who bakes?", "choices": ["A tailor", "A baker"], "answer": 1},
            {"question": "What is red?", "choices": ["Blood", "Milk"], "answer": 0},
        ], "query=question,answer=answer,options=choices"),
        ("from1.json", [
            {"question": "Who bakes?", "choices": ["A tailor", "A baker"], "label": "2"},
            {"question": "What is red?", "choices": ["Blood", "Milk"], "label": "1"},
        ], "query=question,answer=label,options=choices"),
        ("race.json", [
            {"question": "Who bakes?", "options": ["A tailor", "A baker"], "answer": "B"},
            {"question": "What is red?", "options": ["Blood", "Milk"], "answer": "A"},
        ], "query=question,answer=answer,options=options"),
        ("labels.json", [
            {"question": "Who bakes?", "answerKey": "2",
             "choices": {"label": ["1", "2"], "text": ["A tailor", "A baker"]}},
            {"question": "What is red?", "answerKey": "C",
             "choices": {"label": ["C", "D"], "text": ["Blood", "Milk"]}},
        ], "query=question,answer=answerKey,options=choices"),
        ("objects.jsonl", '{"question": "Who bakes?", "options": [{"id": "t", "text": "A tailor"}, '
         '{"id": "b", "text": "A baker"}], "answer": "b"}\n'
         '{"question": "What is red?", "options": [{"id": "b", "text": "Blood"}, '
         '{"id": "m", "text": "Milk"}], "answer": "b"}\n',
         "query=question,answer=answer,options=options"),
        ("written.csv", 'question,choices,answer\nWho bakes?,"[""A tailor"", ""A baker""]",1\n'
         'What is red?,"[""Blood"", ""Milk""]",0\n',
         "query=question,answer=answer,options=choices"),
    ],
)  # fmt: skip
def test_a_quiz_is_guessed_and_its_options_become_answers(write, name, content, mapping):
    rows, guessed = read(write(name, content))
    assert rows == [BEES, JAR]
    assert guessed == mapping


def test_several_options_may_be_right(write):
    rows = [
        {"text": "Sort it.", "options": [{"id": "A", "text": "Pay"}, {"id": "B", "text": "Ship"},
         {"id": "C", "text": "Chat"}], "accept": ["A", "C"]},
        {"text": "No.", "options": [{"id": "A", "text": "Pay"}, {"id": "B", "text": "Ship"}],
         "accept": []},
    ]  # fmt: skip
    found, _ = read(write("rows.json", rows))
    assert found == [("Sort it.", "Pay", ["Ship"]), ("Sort it.", "Chat", ["Ship"])]


@pytest.mark.parametrize(("first", "answer"), [("0", "two"), ("1", "one")])
def test_numbers_that_could_count_from_either_are_asked_about(write, first, answer):
    row = {"question": "Which?", "choices": ["one", "two", "three"], "answer": 1}
    path = write("rows.json", [row])
    problem = preview(path).problem
    assert problem == (
        'The answers in "answer" are numbers, and whether they count the options in "choices" from '
        "0 or from 1 cannot be seen from them: write first=0 or first=1 into the mapping."
    )
    rows, _ = read(path, f"query=question,answer=answer,options=choices,first={first}")
    assert rows[0][1] == answer


def test_answers_that_name_no_options_are_refused(write):
    rows = [
        {"question": "Who bakes?", "options": ["A tailor", "A baker"], "answer": "A smith"},
        {"question": "What is red?", "options": ["Blood", "Milk"], "answer": "Wine"},
    ]
    found = preview(
        write("rows.json", rows), mapping="query=question,answer=answer,options=options"
    )
    assert found.problem == (
        'rows.json: row 1 has the answer "A smith", which names none of its options (A tailor, A '
        "baker), and neither do most others: choose other columns for answer and options."
    )


def test_a_table_whose_answers_name_no_options_is_no_quiz(write):
    rows = [{"question": "Who bakes?", "options": ["fast", "slow"], "answer": "A baker"}]
    assert read(write("rows.json", rows))[1] == "query=question,answer=answer"


def test_without_options_in_a_row_its_letter_is_no_answer(write):
    rows = [
        {"question": "Who bakes?", "options": ["A tailor", "A baker"], "answer": "B"},
        {"question": "What is red?", "options": [], "answer": "A"},
    ]
    found = preview(
        write("rows.json", rows), mapping="query=question,answer=answer,options=options"
    )
    assert [one.answer for one in found.drafts] == ["A baker"]
    assert found.report.dropped == {"empty answer": 1}


def test_labels_and_options_of_different_number_are_refused(write):
    row = {"question": "q", "choices": {"label": ["A"], "text": ["x", "y"]}, "answer": "A"}
    mapping = "query=question,answer=answer,options=choices"
    assert "1 labels of 2 options" in preview(write("rows.json", [row]), mapping=mapping).problem


def test_the_report_says_how_the_options_were_named(write):
    content = "question,A,B,answer\nWho bakes?,A tailor,A baker,B\n"
    report = preview(write("quiz.csv", content)).report
    assert list(how_it_was_read(report)) == [
        'The answers in "answer" name the options in "A", "B" by their labels: each became '
        "the text of its option, and the other options incorrect answers (rows: 1)."
    ]


def test_first_is_zero_or_one(write):
    table = preview(write("quiz.csv", "question,A,B,answer\nq,x,y,A\n")).table
    with pytest.raises(InvalidInput, match="write first=0 or first=1"):
        parse_mapping("query=question,answer=answer,options=A|B,first=2", table)
    mapping = parse_mapping("query=question,answer=answer,options=A|B,first=1", table)
    assert parse_mapping(str(mapping), table) == mapping
    assert [one.answer for one in to_drafts(table, mapping).drafts] == ["x"]
