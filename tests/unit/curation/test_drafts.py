"""From rows to demonstrations, by hand."""

import pytest

from core.curation import (
    FileTable,
    Mapping,
    count_triples,
    guess_mapping,
    parse_mapping,
    read_table,
    to_drafts,
)
from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import InvalidInput


def drafted(rows, mapping=None, *, format="json"):
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = FileTable(columns=columns, rows=rows, encoding="utf-8", format=format, name="f")
    chosen = parse_mapping(mapping, table) if mapping else guess_mapping(table)
    return to_drafts(table, chosen)


def texts(incorrect):
    return tuple(wrong.text for wrong in incorrect)


def summary(result):
    return [(d.query, d.answer, texts(d.incorrect), d.best) for d in result.drafts]


def test_a_row_with_lists():
    row = {"query": " Q? ", "answers": ["a", " b "], "incorrect": ["x", "y"], "tags": ["t", "u"]}
    assert drafted([row]).drafts == [
        Draft(" Q? ", "a", incorrect_answers(("x", "y")), ("t", "u"), best=True),
        Draft(" Q? ", " b ", incorrect_answers(("x", "y")), ("t", "u")),
    ]


def test_best_names_one_of_the_answers():
    row = {"query": "q", "answers": ["a", "b"], "best": " b"}
    assert summary(drafted([row])) == [("q", "a", (), False), ("q", "b", (), True)]


def test_a_best_answer_that_the_list_lacks_is_added():
    row = {"question": "q", "best_answer": "c", "correct_answers": ["a", "b"]}
    assert summary(drafted([row])) == [
        ("q", "c", (), True),
        ("q", "a", (), False),
        ("q", "b", (), False),
    ]


@pytest.mark.parametrize(
    ("best", "marked"),
    [(True, True), (False, False), ("true", True), ("TRUE", True), ("1", True), ("yes", True),
     ("false", False), ("no", False), ("0", False), ("", False), (None, False), ("a", True)],
)  # fmt: skip
def test_best_as_a_word_on_a_row_with_one_answer(best, marked):
    assert summary(drafted([{"query": "q", "answer": "a", "best": best}])) == [
        ("q", "a", (), marked)
    ]


def test_answers_that_are_words_for_yes_and_no():
    rows = [
        {"query": "q", "answer": "false", "best": "false"},
        {"query": "q", "answer": "true", "best": "true"},
        {"query": "r", "answer": ["true", "false"], "best": "false"},
    ]
    assert summary(drafted(rows)) == [
        ("q", "false", (), False),
        ("q", "true", (), True),
        ("r", "true", (), False),
        ("r", "false", (), True),
    ]


def test_a_query_has_one_best_answer():
    rows = [
        {"query": "q ", "answer": "a", "best": True},
        {"query": "q", "answer": "b", "best": True},
        {"query": "Q", "answer": "c", "best": True},
    ]
    assert [d.best for d in drafted(rows).drafts] == [True, False, True]


def test_columns_of_one_answer_each():
    rows = [{"q": "q", "a1": "a", "a2": "", "w1": "x", "w2": "y"},
            {"q": "r", "a1": "", "a2": "b", "w1": "", "w2": "z"}]  # fmt: skip
    result = drafted(rows, "query=q,answer=a1|a2,incorrect=w1|w2")
    assert summary(result) == [("q", "a", ("x", "y"), True), ("r", "b", ("z",), True)]
    assert result.dropped == {}


def test_repeated_rows_join_their_incorrect_answers_and_tags():
    rows = [{"query": "q", "answer": "a", "incorrect": "x", "tags": "t"},
            {"query": " q", "answer": "a\n", "incorrect": "y", "tags": "u"},
            {"query": "q", "answer": "b", "incorrect": "y", "tags": ""},
            {"query": "q", "answer": "a", "incorrect": "x", "tags": "t"}]  # fmt: skip
    result = drafted(rows)
    assert result.drafts == [
        Draft("q", "a", incorrect_answers(("x", "y")), ("t", "u")),
        Draft("q", "b", incorrect_answers(("y",))),
    ]
    assert (result.rows, result.merged, result.dropped) == (4, 1, {"double answer": 1})
    assert count_triples(result.drafts) == (1, 4)


def test_doubles_are_the_same_query_and_answer_but_for_what_nobody_sees():
    rows = [
        {"query": "What is it?", "answer": "a"},
        {"query": "\tWhat is\u200b it?", "answer": " a"},
        {"query": "What is it?", "answer": "A"},
        {"query": "What  is it?", "answer": "a"},
        {"query": "WHAT is it?", "answer": "a"},
    ]
    result = drafted(rows)
    assert [(d.query, d.answer) for d in result.drafts] == [
        ("What is it?", "a"), ("What is it?", "A"), ("What  is it?", "a"), ("WHAT is it?", "a"),
    ]  # fmt: skip
    assert result.dropped == {"double answer": 1}
    assert count_triples(result.drafts) == (3, 0)


def test_only_the_same_text_joins_answers_into_one_query():
    rows = [
        {"query": "What is 3²?", "answer": "9", "incorrect": ["6", "32"]},
        {"query": "What is 32?", "answer": "thirty-two", "incorrect": ["thirty-one", "nine"]},
        {"query": "What is Co?", "answer": "cobalt", "incorrect": ["copper"]},
        {"query": "What is CO?", "answer": "carbon monoxide", "incorrect": ["cobalt"]},
        {"query": "What is 1½ + 1?", "answer": "2½", "incorrect": ["2"]},
        {"query": "Is polish made of wax?", "answer": "Often, yes.", "incorrect": ["Never."]},
    ]
    assert count_triples(drafted(rows).drafts) == (6, 8)


def test_code_is_kept_as_it_was_written_and_counted():
    prompt, solution = 'def double(x):\n    """Twice x."""\n', "    y = x + x\n    return y\n"
    rows = [{"prompt": prompt, "canonical_solution": solution, "incorrect": ["    return x\n"]}]
    result = drafted(rows, "query=prompt,answer=canonical_solution,incorrect=incorrect")
    assert summary(result) == [(prompt, solution, ("    return x\n",), False)]
    assert result.warnings == (
        "Texts that begin or end with white space: 3 (1 of 1 answers, 1 of 1 incorrect answers); "
        "they are kept as written.",
    )


def test_a_best_answer_is_found_in_other_white_space_and_keeps_its_own():
    row = {"query": "q", "answers": ["    return x\n", "    return y\n"], "best": "return y"}
    assert summary(drafted([row])) == [
        ("q", "    return x\n", (), False),
        ("q", "    return y\n", (), True),
    ]
    lacking = {"query": "q", "answers": ["a"], "best": " c\n"}
    assert summary(drafted([lacking])) == [("q", " c\n", (), True), ("q", "a", (), False)]


def test_the_parts_of_a_split_text_leave_the_white_space_to_its_delimiters():
    rows = [{"query": " q", "answer": "  a ; b;c  "}, {"query": "r", "answer": "  whole "}]
    result = drafted(rows, "query=query,answer=answer,split=;", format="csv")
    assert [(d.query, d.answer) for d in result.drafts] == [
        (" q", "a"), (" q", "b"), (" q", "c"), ("r", "  whole "),
    ]  # fmt: skip


def test_everything_dropped_is_counted():
    rows = [{"query": "q", "answer": ["a", "", " a ", None], "incorrect": ["x", " ", "x", "y", ""]},
            {"query": " ", "answer": ["b"], "incorrect": []},
            {"query": "r", "answer": [], "incorrect": ["x"]},
            {"answer": "c"}]  # fmt: skip
    result = drafted(rows)
    assert summary(result) == [("q", "a", ("x", "y"), True)]
    assert result.dropped == {
        "empty answer": 3,
        "double answer": 1,
        "empty incorrect answer": 2,
        "double incorrect answer": 1,
        "empty query": 2,
    }


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['Bobby Scott', \"O'Neil\"]", ["Bobby Scott", "O'Neil"]),
        ("[1, 2.50]", ["1", "2.50"]),
        ('["[1, 2]"]', ["[1, 2]"]),
        ("[citation needed]", ["[citation needed]"]),
        ("[[1], [2]]", ["[[1], [2]]"]),
        ("a; b", ["a; b"]),
        ("[", ["["]),
    ],
)
def test_lists_written_in_a_cell(cell, answers):
    result = drafted([{"query": "q", "answer": cell}], format="csv")
    assert [d.answer for d in result.drafts] == answers


def test_json_has_lists_of_its_own_so_its_texts_are_texts():
    result = drafted([{"query": "q", "answer": '["a", "b"]'}])
    assert [d.answer for d in result.drafts] == ['["a", "b"]']


def test_splitting_when_asked_for():
    rows = [{"query": "q", "answer": "a; b;", "incorrect": "x;;y"}]
    result = drafted(rows, "query=query,answer=answer,incorrect=incorrect,split=;", format="csv")
    assert summary(result) == [("q", "a", ("x", "y"), True), ("q", "b", ("x", "y"), False)]
    assert result.dropped == {"empty answer": 1, "empty incorrect answer": 1}


def test_squads_answers():
    answers = {"text": ["Denver", "Denver"], "answer_start": [3, 9]}
    result = drafted([{"question": "q", "answers": answers}], format="parquet")
    assert summary(result) == [("q", "Denver", (), True)]


def test_values_that_are_no_texts():
    rows = [{"query": "q", "answer": value} for value in (True, 7, 2.0, 0.5, float("nan"))]
    result = drafted(rows)
    assert [d.answer for d in result.drafts] == ["true", "7", "2", "0.5"]
    assert result.dropped == {"empty answer": 1}


def test_letters_that_cannot_be_stored_are_replaced():
    result = drafted([{"query": "q\0", "answer": "a\ud800b"}])
    assert (result.drafts[0].query, result.drafts[0].answer) == ("q\ufffd", "a\ufffdb")


def test_status_and_note():
    rows = [{"query": "q", "answer": "a", "status": "Excluded", "note": "look\nhere"},
            {"query": "r", "answer": "b", "status": "", "note": None}]  # fmt: skip
    first, second = drafted(rows).drafts
    assert (first.status, first.note) == (Status.EXCLUDED, "look\nhere")
    assert (second.status, second.note) == (Status.INCLUDED, "")


def test_odd_things_are_kept_and_told():
    assert drafted([{"query": "q", "answer": "a", "incorrect": ["a", "b"]}]).warnings == (
        "Answers that are also among their own incorrect answers: 1; they were kept, look at them.",
    )


def test_the_columns_must_be_the_tables():
    table = FileTable(
        columns=["query", "answer"],
        rows=[{"query": "q", "answer": "a"}],
        encoding="utf-8",
        format="csv",
        name="f.csv",
    )
    with pytest.raises(InvalidInput, match='no column "reply" in f.csv: its columns are query, an'):
        to_drafts(table, Mapping(query=("query",), answer=("reply",)))


@pytest.mark.parametrize(
    ("name", "demonstrations", "queries", "triples", "not_first"),
    [("v1/TruthfulQA.csv", 2837, 817, 12352, 75), ("TruthfulQA.csv", 2775, 790, 12074, None)],
)
def test_truthfulqa(shared, name, demonstrations, queries, triples, not_first):
    table = read_table(shared / "data" / "truthfulqa" / name)
    result = to_drafts(table, guess_mapping(table))
    assert len(result.drafts) == demonstrations
    assert count_triples(result.drafts) == (queries, triples)
    assert result.dropped == {
        "empty answer": 7,
        "double answer": 2,
        "empty incorrect answer": 17,
        "double incorrect answer": 1,
    }
    named = {row["Question"]: row["Best Answer"] for row in table.rows}
    assert {draft.query: draft.answer for draft in result.drafts if draft.best} == named
    assert {draft.query: draft.tags for draft in result.drafts} == {
        row["Question"]: (row["Category"],) for row in table.rows
    }
    first = {}
    for draft in result.drafts:
        first.setdefault(draft.query, draft)
    if not_first is not None:
        assert sum(not draft.best for draft in first.values()) == not_first


@pytest.mark.parametrize(
    ("name", "mapping", "demonstrations", "queries"),
    [
        ("truthfulqa/qa_primer.json", "query=question,answer=answer", 6, 6),
        ("openbookqa/test.json.gz", "query=instruction,answer=answer", 500, 500),
        (
            "mmlu/dev/abstract_algebra_dev.csv.gz",
            "query=question,answer=answer,options=choice0|choice1|choice2|choice3",
            5,
            5,
        ),
        ("lateral_thinking/lateralthinkingpuzzle/dev.xlsx", "query=story,answer=answer", 20, 20),
        ("nq_open/NQ-open.dev.jsonl", "query=question,answer=answer", 6488, 3610),
        ("hotpotqa/hotpot_dev_v1_simplified.json.gz", "query=question,answer=answer", 7405, 7405),
    ],
)
def test_other_real_files(shared, name, mapping, demonstrations, queries):
    table = read_table(shared / "data" / name)
    guessed = guess_mapping(table)
    result = to_drafts(table, guessed)
    assert str(guessed) == mapping
    assert len(result.drafts) == demonstrations
    assert count_triples(result.drafts)[0] == queries


def test_chinese_headers_by_hand(shared):
    folder = shared / "data" / "lateral_thinking" / "lateralthinkingpuzzle_zh"
    table = read_table(folder / "standard.xlsx")
    result = to_drafts(table, parse_mapping("query=汤面,answer=汤底", table))
    assert len(result.drafts) == 50
    assert result.drafts[0].query == table.rows[0]["汤面"]


def kinded(result):
    return [(d.answer, d.incorrect) for d in result.drafts]


def test_kinds_go_with_their_incorrect_answers():
    row = {
        "query": "q",
        "answers": ["a", "b"],
        "incorrect": ["x ", "", "y", "x"],
        "incorrect_kinds": [" wrong value", "lost", "", "later"],
    }
    result = drafted([row])
    assert kinded(result) == [
        ("a", incorrect_answers(("x ", "y"), ("wrong value", ""))),
        ("b", incorrect_answers(("x ", "y"), ("wrong value", ""))),
    ]
    assert result.dropped == {"empty incorrect answer": 1, "double incorrect answer": 1}


@pytest.mark.parametrize("kinds", [None, "", [], ["", ""]])
def test_incorrect_answers_without_kinds(kinds):
    row = {"query": "q", "answer": "a", "incorrect": ["x", "y"], "incorrect_kinds": kinds}
    assert kinded(drafted([row])) == [("a", incorrect_answers(("x", "y")))]


def test_a_repeated_row_adds_the_kinds_that_were_missing():
    rows = [
        {"query": "q", "answer": "a", "incorrect": ["x", "y"], "incorrect_kinds": ["k", ""]},
        {"query": "q", "answer": "a", "incorrect": ["y", "z"], "incorrect_kinds": ["m", "n"]},
        {"query": "q", "answer": "a", "incorrect": ["x"], "incorrect_kinds": ["other"]},
    ]
    result = drafted(rows)
    assert kinded(result) == [("a", incorrect_answers(("x", "y", "z"), ("k", "m", "n")))]
    assert (result.merged, result.dropped) == (1, {"double answer": 1})


def test_kinds_in_columns_and_cells_of_their_own():
    row = {"query": "q", "answer": "a", "wrong 1": "x", "wrong 2": "y", "what": '["k", "m"]'}
    mapping = "query=query,answer=answer,incorrect=wrong 1|wrong 2,incorrect_kinds=what"
    assert kinded(drafted([row], mapping, format="csv")) == [
        ("a", incorrect_answers(("x", "y"), ("k", "m")))
    ]
    parted = {"query": "q", "answer": "a", "incorrect": "x;y", "incorrect_kinds": "k;m"}
    mapping = (
        "query=query,answer=answer,incorrect=incorrect,incorrect_kinds=incorrect_kinds,split=;"
    )
    assert kinded(drafted([parted], mapping, format="csv")) == [
        ("a", incorrect_answers(("x", "y"), ("k", "m")))
    ]


def test_kinds_that_do_not_fit_their_answers_are_refused_by_row():
    good = {"query": "q", "answer": "a", "incorrect": ["x", "y"], "incorrect_kinds": ["k", "m"]}
    with pytest.raises(
        InvalidInput, match="f: row 2: Incorrect answers: 2, kinds of them: 1; give"
    ):
        drafted([good, {**good, "query": "r", "incorrect_kinds": ["k"]}])


def test_a_column_of_kinds_without_incorrect_answers_is_not_guessed():
    row = {"query": "q", "answer": "a", "incorrect_kinds": ["k"]}
    assert kinded(drafted([row])) == [("a", ())]
