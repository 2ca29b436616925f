"""Each row of a file is in one count of its report, and the counts add up to the rows."""

from hypothesis import given
from hypothesis import strategies as st

from core.curation import FileTable, import_file, preview
from core.reporting.words.importing import what_became_of_the_rows

CELL = st.sampled_from(["", " ", "a", "b", " a", "c"])
ROWS = st.lists(st.tuples(CELL, st.lists(CELL, max_size=3), CELL), min_size=1, max_size=12)


def table(rows):
    records = [
        {"query": query, "answer": answers, "incorrect": wrong} for query, answers, wrong in rows
    ]
    return FileTable(
        columns=["query", "answer", "incorrect"], rows=records, encoding="", format="json"
    )


@given(ROWS)
def test_the_counts_of_any_file_add_up_to_its_rows(rows):
    report = preview(table(rows)).report
    if report is not None:
        assert sum(report.row_counts.values()) == report.rows == len(rows)
        assert min(report.row_counts.values()) > 0


@given(rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans()),
                     min_size=1, max_size=10))  # fmt: skip
def test_rows_with_candidates_are_counted_once_too(rows):
    records = [{"query": q, "answer": a, "is_correct": str(right)} for q, a, right in rows]
    columns = ["query", "answer", "is_correct"]
    found = preview(FileTable(columns=columns, rows=records, encoding="", format="json"))
    if found.report is not None:
        assert sum(found.report.row_counts.values()) == len(rows)


FIRST = [("q1", ["a"], "w"), ("q2", ["a", "b"], "")]
SECOND = [("q1", ["a"], "w"), ("q2", ["b", "c"], ""), ("q1", ["a"], "v"), ("q1", ["a"], "w"),
          ("", ["a"], ""), ("q3", [], ""), ("q3", ["a"], "")]  # fmt: skip


def test_what_the_pool_had_before_is_a_count_of_its_own(store):
    first = import_file(store, table(FIRST), "once")
    assert what_became_of_the_rows(first) == "2 rows: 2 with 3 new demonstrations."
    again = import_file(store, table(SECOND), "once")
    assert again.row_counts == {
        "new demonstrations": 2,
        "already there": 1,
        "adds to an earlier row": 1,
        "repeats an earlier row": 1,
        "empty query": 1,
        "empty answer": 1,
    }
    assert what_became_of_the_rows(again) == (
        "7 rows: 2 new demonstrations, 1 already there, 1 that adds to an earlier row, 1 that "
        "repeats an earlier row, 2 left out (1 x empty query, 1 x empty answer)."
    )
    third = import_file(store, table(FIRST), "once")
    assert what_became_of_the_rows(third) == "2 rows: 0 new demonstrations, 2 already there."


def test_texts_left_out_of_rows_that_were_read_are_counted_apart():
    rows = [("q", ["a", "a", ""], ""), ("q", ["a"], ""), ("q", [""], "")]
    report = preview(table(rows)).report
    assert report.dropped == {"double answer": 2, "empty answer": 2}
    assert report.left_out == {"double answer": 1, "empty answer": 1}
