"""Everything that happens to a file is in the report of its import."""

import json

import pytest

from core.curation import preview
from core.demonstration.demonstration import Status
from core.reporting.words.importing import (
    how_it_was_read,
    how_to_map_it,
    what_became_of_it,
    what_became_of_the_rows,
    what_it_can_show,
)


def report_of(path, mapping=None):
    found = preview(path, mapping=mapping)
    assert found.problem == ""
    return found.report


def test_instructions_and_inputs_are_one_query(write):
    pairs = (("Norway", "Oslo"), ("Peru", "Lima"), ("", "Which?"))
    rows = [
        {"instruction": "Name the capital.", "input": name, "output": capital}
        for name, capital in pairs
    ]
    found = preview(write("alpaca.json", rows))
    assert [one.query for one in found.drafts] == [
        "Name the capital.\nNorway",
        "Name the capital.\nPeru",
        "Name the capital.",
    ]
    assert list(how_it_was_read(found.report)) == [
        'A query is the texts of "instruction" and "input" together, a line each.'
    ]


@pytest.mark.parametrize("name", ["passage", "context", "article", "paragraph"])
def test_a_passage_stands_before_its_question(write, name):
    rows = [{"question": "Is it open?", name: "The bridge was closed.", "answer": "no"}]
    (one,) = preview(write("rows.json", rows)).drafts
    assert one.query == "The bridge was closed.\nIs it open?"


def test_a_second_part_that_is_always_empty_is_no_part(write):
    rows = [{"instruction": "Say hi.", "input": "", "output": "Hi."}]
    assert str(preview(write("rows.json", rows)).mapping) == "query=instruction,answer=output"


def test_columns_that_are_not_used_are_named_and_so_are_the_queries_that_they_told_apart(write):
    rows = [
        {"id": "1", "question": "Is it open?", "place": "Elm bridge", "answer": "no"},
        {"id": "2", "question": "is it  open?", "place": "Oak bridge", "answer": "yes"},
        {"id": "3", "question": "Who bakes?", "place": "", "answer": "A baker"},
    ]
    rows[1]["question"] = "Is it open?"
    report = report_of(write("rows.json", rows))
    assert report.unused_columns == ("id", "place")
    assert (report.blended.queries, report.blended.columns) == (1, ("place",))
    assert list(what_became_of_it(report)) == [
        "Columns that are not used: id, place.",
        "Queries whose rows differ in columns that are not used (place): 1; the answers of such "
        "rows count as answers of one query. If a column belongs to the question, it can be "
        "joined to the query.",
    ]
    assert list(how_to_map_it(report)) == [
        "query=question+COLUMN in the mapping joins a column to the query."
    ]


def test_rows_that_repeat_another_are_counted(write):
    rows = [{"query": "q", "answer": "a"}, {"query": "q", "answer": "a"}]
    report = report_of(write("rows.json", rows))
    assert [(one.by, one.answers) for one in report.joined] == [("same text", 1)]
    assert what_became_of_the_rows(report) == (
        "2 rows: 1 new demonstration, 1 that repeats an earlier row."
    )
    assert list(what_became_of_it(report)) == []


def test_rows_that_differ_in_what_is_not_seen_are_counted_apart(write):
    rows = [{"query": "caf\u00e9", "answer": "a"}, {"query": "cafe\u0301", "answer": "a"}]
    report = report_of(write("rows.json", rows))
    (joined,) = report.joined
    assert list(what_became_of_it(report)) == [
        "Answers that differ from those of an earlier row only in outer white space, invisible "
        "characters or how letters are composed: 1."
    ]
    assert (joined.by, joined.answers) == ("same text but for what is not seen", 1)


def test_cells_that_are_read_as_lists_are_counted_and_can_be_kept_whole(write):
    path = write("rows.csv", 'query,answer\nsorted?,"[1, 2]"\nname?,x\n')
    report = report_of(path)
    assert report.read_as_lists == {"answer": 1}
    assert list(how_it_was_read(report)) == [
        'Cells of text that were read as lists of texts: "answer": 1.'
    ]
    assert list(how_to_map_it(report)) == ["split=none in the mapping keeps every cell whole."]
    whole = preview(path, mapping="query=query,answer=answer,split=none")
    assert [one.answer for one in whole.drafts] == ["[1, 2]", "x"]
    assert whole.report.read_as_lists == {}


def test_annotators_words_are_statuses_and_the_report_counts_what_they_exclude(write):
    rows = [{"query": f"q{word}", "answer": "a", "status": word}
            for word in ("submitted", "discarded", "Rejected", "pending", "")]  # fmt: skip
    found = preview(write("rows.json", rows))
    assert [one.status for one in found.drafts] == [
        Status.INCLUDED,
        Status.EXCLUDED,
        Status.EXCLUDED,
        Status.EXCLUDED,
        Status.INCLUDED,
    ]
    assert list(what_became_of_it(found.report)) == [
        "Rows that their own status excludes: 3 (discarded: 1, rejected: 1, pending: 1)."
    ]


def test_an_unknown_status_is_named(write, one_sentence):
    rows = [{"query": "q", "answer": "a", "status": "odd"}]
    found = preview(write("rows.json", rows), mapping="query=query,answer=answer,status=status")
    assert found.problem.startswith('rows.json: row 1 has the status "odd": allowed are included')


def test_an_answer_may_be_a_verdict_where_another_column_has_the_status(write):
    path = write("pool.csv", "query,answer,status\nKeep it?,accept,included\nKeep?,DISCARD,\n")
    found = preview(path)
    assert str(found.mapping) == "query=query,answer=answer,status=status"
    assert [each.answer for each in found.drafts] == ["accept", "DISCARD"]


def test_verdicts_are_no_answers(write):
    rows = [{"text": "It never came.", "label": "COMPLAINT", "answer": "accept"},
            {"text": "Thanks!", "label": "COMPLAINT", "answer": "reject"}]  # fmt: skip
    path = write("rows.jsonl", "\n".join(map(json.dumps, rows)))
    assert preview(path).problem == (
        'The column "answer" of rows.jsonl contains verdicts (accept, reject), not answers; its '
        "columns are text, label, answer: name the one with the answers, as in query=text,"
        "answer=COLUMN,status=answer, or answer=answer where the verdicts are the answers."
    )
    chosen = preview(path, mapping="query=text,answer=label,status=answer")
    assert [(one.answer, one.status) for one in chosen.drafts] == [
        ("COMPLAINT", Status.INCLUDED),
        ("COMPLAINT", Status.EXCLUDED),
    ]


def test_verdicts_can_be_answers_when_a_person_says_so(write):
    rows = [{"query": "Is the loan granted?", "answer": "approved"}]
    found = preview(write("rows.json", rows), mapping="query=query,answer=answer")
    assert [one.answer for one in found.drafts] == ["approved"]


def test_preference_pairs_are_guessed(write):
    rows = [{"prompt": "Who bakes?", "chosen": "A baker", "rejected": "A tailor"}]
    found = preview(write("rows.json", rows))
    assert str(found.mapping) == "query=prompt,answer=chosen,incorrect=rejected"


def sentence_of(write, *rows):
    report = report_of(write("rows.json", [{"query": "q0", "answer": "a"}, *rows]))
    return report.queries_with_incorrect, list(what_it_can_show(report))


def test_a_file_without_incorrect_answers_says_what_it_can_and_cannot_tell(write):
    assert sentence_of(write, {"query": "q1", "answer": "b"}) == (
        0,
        [
            "Queries with incorrect answers: none of 2; contexts and the map work as with any "
            "pool, and Calibrate and Compare can show by how much a context raises the probability "
            "of the right answer, but not whether it raises it above wrong ones (DPO per triple, "
            "MC1 to MC3)."
        ],
    )


def test_a_mixed_file_says_on_how_many_queries_which_figures_rest(write):
    row = {"query": "q1", "answer": "b", "incorrect": ["c"]}
    assert sentence_of(write, row, {"query": "q1", "answer": "d"}) == (
        1,
        [
            "Queries with incorrect answers: 1 of 2; DPO per triple and MC1 to MC3 rest on these "
            "alone, and for the others Calibrate and Compare can show by how much a context raises "
            "the probability of the right answer."
        ],
    )


def test_a_file_with_incorrect_answers_everywhere_says_nothing_of_them(write):
    row = {"query": "q0", "answer": "b", "incorrect": ["c"]}
    assert sentence_of(write, row) == (1, [])
