"""Workbooks: which sheet is read, and its cells as the sheet shows them."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from core.curation import import_file, read_table
from core.curation.files.workbook_values import shown

QA = [["question", "answer"], ["q", "a"]]
MOMENT = datetime.datetime(1931, 7, 4, 9, 5, 7)


def saved(path, *sheets, hidden=()):
    """A workbook with the sheets, each a name and its rows; those named in `hidden` are that."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if title in hidden else "visible"
    book.active = 0
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("value", "format", "text"),
    [
        (0.15, "0%", "15%"),
        (0.155, "0.0%", "15.5%"),
        (0.1555, "0%", "16%"),
        (2134, "00000", "02134"),
        (5551234, "000-0000", "555-1234"),
        (12345678901, "(000) 000-0000", "(1234) 567-8901"),
        (4.5, '"$"0.00', "$4.50"),
        (1234.5, "$#,##0.00", "$1,234.50"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234.5, '_-* #,##0.00 "kr"_-', "1,234.50 kr"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (-1234.5, "#,##0.0;[Red]-#,##0.0", "-1,234.5"),
        (-3, "0.0", "-3.0"),
        (0, '0;-0;"none"', "none"),
        (3, "0.0", "3.0"),
        (3, "0.##", "3."),
        (3.14159, "0.##", "3.14"),
        (2.675, "0.00", "2.68"),
        (0.005, "0.00", "0.01"),
        (1250000, "#,##0", "1,250,000"),
        (1250000, '#,##0,"k"', "1,250k"),
        (1500000, '0.0,,"M"', "1.5M"),
        (999, "#,##0", "999"),
        (12, "0,000", "0,012"),
        (0.5, ".00", ".50"),
        (1.5, ".00", "1.50"),
        (7, "#", "7"),
        (0, "#", ""),
        (12, '0" kg"', "12 kg"),
        (12, 'General" kg"', "12 kg"),
        (7, "@", "7"),
        (12345, "0.00E+00", "1.23E+04"),
        (0.000123, "0.0E-00", "1.2E-04"),
        (0.1 + 0.2, "General", "0.3"),
        (7.0, "General", "7"),
        (123456789012, "General", "123456789012"),
        (1e-7, "General", "1E-07"),
        (MOMENT, "d mmmm yyyy", "4 July 1931"),
        (MOMENT, "yyyy-mm-dd", "1931-07-04"),
        (MOMENT, "dd/mm/yy", "04/07/31"),
        (MOMENT, "m/d/yyyy", "7/4/1931"),
        (MOMENT, "dd.mm.yyyy hh:mm", "04.07.1931 09:05"),
        (MOMENT, "ddd, d-mmm-yy", "Sat, 4-Jul-31"),
        (MOMENT, "dddd", "Saturday"),
        (MOMENT, "[$-409]d mmm yyyy;@", "4 Jul 1931"),
        (MOMENT, "[$-en-US]mmmm d, yyyy;@", "July 4, 1931"),
        (MOMENT, "[$-407]dd.mm.yyyy", "04.07.1931"),
        (MOMENT, "h:mm:ss AM/PM", "9:05:07 AM"),
        (MOMENT, 'yyyy"-"mm', "1931-07"),
        (MOMENT, "yyyy-mm-dd h:mm:ss", "1931-07-04 9:05:07"),
        (datetime.datetime(1931, 7, 4), "yyyy-mm-dd h:mm:ss", "1931-07-04"),
        (datetime.time(21, 30), "h:mm AM/PM", "9:30 PM"),
        (datetime.time(0, 5), "h:mm AM/PM", "12:05 AM"),
        (datetime.time(12, 0), "h AM/PM", "12 PM"),
        (datetime.time(21, 30, 59), "hh:mm", "21:30"),
        (datetime.time(0, 2, 3, 450000), "mm:ss.0", "02:03.5"),
        (datetime.timedelta(days=1, hours=2, minutes=5), "[h]:mm", "26:05"),
        (datetime.timedelta(hours=2, minutes=5, seconds=9), "[hh]:mm:ss", "02:05:09"),
        (datetime.timedelta(hours=2, minutes=5), "[mm]:ss", "125:00"),
        (datetime.timedelta(minutes=2), "[s]", "120"),
    ],
)
def test_a_value_under_a_format(value, format, text):
    assert shown(value, format) == text


@pytest.mark.parametrize(
    ("value", "format"),
    [
        (0.5, "# ?/?"),
        (5, '[>3]"many";"few"'),
        (5, ";;;"),
        (5, '"hidden"'),
        (5, "##0.0E+0"),
        (5, "[DBNum1]0"),
        (MOMENT, "mm-dd-yy"),
        (MOMENT, "[$-F800]dddd, mmmm dd, yyyy"),
        (MOMENT, "[$-407]d. mmmm yyyy"),
        (MOMENT, "[$-de-DE]d. mmmm yyyy"),
        (MOMENT, "[$-x-sysdate]dddd, mmmm dd, yyyy"),
        (datetime.time(9, 5), "d mmm yyyy"),
        (datetime.timedelta(hours=-1), "[h]:mm"),
    ],
)
def test_a_format_that_is_not_understood(value, format):
    assert shown(value, format) is None


@given(st.integers(-(10**15), 10**15))
def test_thousands_as_python_parts_them(number):
    assert shown(number, "#,##0") == f"{number:,}"
    assert shown(number, "0.00") == f"{number}.00"


@given(st.datetimes(datetime.datetime(1901, 1, 1), datetime.datetime(9999, 1, 1)))
def test_dates_as_python_writes_them(moment):
    assert shown(moment, "yyyy-mm-dd") == (moment + datetime.timedelta(seconds=0.5)).strftime(
        "%Y-%m-%d"
    )


def test_cells_read_as_the_sheet_shows_them(tmp_path):
    book = Workbook()
    sheet = book.active
    rows = [["question", "answer", "wrong answer"], ["How much?", 0.15, 0.4], ["Code?", 2134, 7],
            ["When?", MOMENT, None], ["Which?", "#N/A", "007"], ["So?", True, 1.5]]  # fmt: skip
    for row in rows:
        sheet.append(row)
    sheet["B5"].data_type = "s"  # the words, not the error
    for cell, format in {"B2": "0%", "C2": "0%", "B3": "00000", "C3": "000", "B4": "d mmm"}.items():
        sheet[cell].number_format = format
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert [tuple(row.values()) for row in table.rows] == [
        ("How much?", "15%", "40%"), ("Code?", "02134", "007"), ("When?", "4 Jul", ""),
        ("Which?", "#N/A", "007"), ("So?", "TRUE", "1.5"),
    ]  # fmt: skip
    assert (table.sheet, table.other_sheets, table.warnings) == ("Sheet", (), ())


def test_formats_that_are_not_understood_are_named_with_their_columns(tmp_path):
    book = Workbook()
    for row in [["question", "answer", "day"], ["q", 0.5, MOMENT], ["r", 0.25, MOMENT]]:
        book.active.append(row)
    for place in ("2", "3"):
        book.active[f"B{place}"].number_format = "# ?/?"
        book.active[f"C{place}"].number_format = "mm-dd-yy"
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert table.rows[0] == {"question": "q", "answer": "0.5", "day": "1931-07-04T09:05:07"}
    assert table.warnings == (
        "Number formats that are not understood here, or differ between computers: # ?/?, "
        'mm-dd-yy, in "answer", "day"; plain values were read there, dates as YYYY-MM-DD.',
    )


def test_formulas_without_a_value_and_errors_count_as_empty(tmp_path, store):
    rows = [["question", "answer", "note"], ["q", "=2+5", "=1"], ["r", '="a"&"b"', None],
            ["s", "#DIV/0!", "#N/A"], ["t", "a", None]]  # fmt: skip
    path = saved(tmp_path / "a.xlsx", ("s", rows))
    table = read_table(path)
    assert [row["answer"] for row in table.rows] == ["", "", "", "a"]
    assert table.warnings == (
        'Formulas without a stored value: 3, in "answer", "note"; they count as empty: open and '
        "save the file in Excel, then import it again.",
        'Cells with an error such as #N/A: 2, in "answer", "note"; they count as empty.',
    )
    report = import_file(store, path, "pool")
    assert (report.demonstrations, report.dropped) == (1, {"empty answer": 3})


def test_a_hidden_sheet_is_not_read(tmp_path):
    path = saved(tmp_path / "a.xlsx", ("lists", [["question", "answer"], ["old", "old"]]),
                 ("Demonstrations", QA), hidden=["lists"])  # fmt: skip
    table = read_table(path)
    assert table.rows == [{"question": "q", "answer": "a"}]
    assert (table.sheet, table.other_sheets) == ("Demonstrations", ("lists",))
    assert table.warnings == (
        'Only the sheet "Demonstrations" was read; not read: "lists" (hidden).',
    )
    assert read_table(path, sheet="lists").rows == [{"question": "old", "answer": "old"}]


def test_a_hidden_sheet_is_read_where_no_other_has_rows(tmp_path):
    path = saved(tmp_path / "a.xlsx", ("empty", []), ("lists", QA), hidden=["lists"])
    table = read_table(path)
    assert table.rows == [{"question": "q", "answer": "a"}]
    assert table.warnings == ('No visible sheet has rows: the hidden sheet "lists" was read.',)


def test_the_first_sheet_whose_columns_fit_is_read(tmp_path):
    versions = [["Version", "Date"], ["1", "May"], ["2", "June"]]
    path = saved(tmp_path / "a.xlsx", ("Read me", versions), ("QA", QA), ("More", QA))
    table = read_table(path)
    assert (table.sheet, table.other_sheets) == ("QA", ("Read me", "More"))
    assert table.rows == [{"question": "q", "answer": "a"}]
    other = read_table(path, sheet=" read ME ")
    assert (other.sheet, other.columns) == ("Read me", ["Version", "Date"])


def test_where_no_sheet_fits_the_first_with_rows_is_read(tmp_path):
    path = saved(tmp_path / "a.xlsx", ("cover", [["Ours"]]), ("x", [["a", "b"], ["1", "2"]]),
                 ("y", [["c", "d"], ["3", "4"]]))  # fmt: skip
    table = read_table(path)
    assert (table.sheet, table.columns) == ("x", ["a", "b"])


def test_an_unknown_sheet_is_one_sentence(tmp_path, one_sentence):
    path = saved(tmp_path / "a.xlsx", ("one", QA), ("two", QA))
    with one_sentence('no sheet "three" in a.xlsx: choose one of "one", "two"'):
        read_table(path, sheet="three")


def test_a_sheet_of_a_format_without_sheets_is_one_sentence(write, one_sentence):
    path = write("a.csv", "query,answer\nq,a\n")
    with one_sentence('read as csv, which has no sheets: leave "one" out'):
        read_table(path, sheet="one")


def test_hidden_rows_are_left_out_and_counted(tmp_path):
    book = Workbook()
    for row in [*QA, ["filtered", "out"], ["r", "b"]]:
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert [row["question"] for row in table.rows] == ["q", "r"]
    assert table.warnings == (
        "Hidden rows, as a filter leaves them: 1, the first is row 3; they were not read: show "
        "them and save the file to import them.",
    )


def test_rows_are_read_when_all_are_hidden(tmp_path):
    book = Workbook()
    for row in QA:
        book.active.append(row)
    book.active.row_dimensions[2].hidden = True
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert table.rows == [{"question": "q", "answer": "a"}]
    assert table.warnings == (
        "Hidden rows, as a filter leaves them: 1, the first is row 2; they were read, for there "
        "are no others.",
    )


def test_a_repeated_header_is_skipped_and_counted(tmp_path):
    table = read_table(saved(tmp_path / "a.xlsx", ("s", [*QA, *QA])))
    assert table.rows == [{"question": "q", "answer": "a"}] * 2
    assert table.warnings == (
        "Rows that repeat the header: 1, the first is row 3; they were skipped.",
    )


def merged(path, rows, *areas):
    """A workbook with one sheet of the rows, of which these areas are merged."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for area in areas:
        book.active.merge_cells(area)
    book.save(path)
    return path


def test_a_merged_cell_counts_for_all_its_rows(tmp_path, store):
    rows = [["question", "answer", "tag"], ["q", "a", "t"], [None, "b", "u"], [None, "c", None],
            ["r", "d", "v"], ["s", "e", None], [None, "f", "w"]]  # fmt: skip
    path = merged(tmp_path / "a.xlsx", rows, "A2:A4", "A6:A7", "C3:C4")
    report = import_file(store, path, "pool")
    found = store.demonstrations.all(store.pools.get("pool").id)
    assert [(row.query, row.answer, row.tags) for row in found] == [
        ("q", "a", ("t",)), ("q", "b", ("u",)), ("q", "c", ("u",)), ("r", "d", ("v",)),
        ("s", "e", ()), ("s", "f", ("w",)),
    ]  # fmt: skip
    assert report.warnings == (
        'Merged cells, in "question", "tag": 3; the text of each counts for all its rows, which '
        "filled 4 more.",
    )


def test_cells_merged_over_several_columns_are_named(tmp_path):
    rows = [["question", "answer", "wrong answer"], ["q", "a", None], ["r", "b", "c"]]
    table = read_table(merged(tmp_path / "a.xlsx", rows, "B2:C2"))
    assert table.rows[0] == {"question": "q", "answer": "a", "wrong answer": ""}
    assert table.warnings == (
        "Cells that are merged over several columns: 1; the text of each counts for the first of "
        "them.",
    )


def test_a_merged_cell_that_is_empty_or_hidden_changes_nothing(tmp_path):
    rows = [["question", "answer", "note"], ["q", "a", None], ["r", "b", None], ["s", "c", "n"]]
    table = read_table(merged(tmp_path / "a.xlsx", rows, "C2:C3"))
    assert [row["note"] for row in table.rows] == ["", "", "n"]
    assert table.warnings == ()


def test_a_header_of_two_rows_is_one(tmp_path):
    rows = [["Question", "Answers", None, "Note"], [None, "right", "wrong", None],
            ["q", "a", "b", "n"], ["r", "c", "d", None]]  # fmt: skip
    table = read_table(merged(tmp_path / "a.xlsx", rows, "A1:A2", "B1:C1", "D1:D2"))
    assert table.columns == ["Question", "Answers right", "Answers wrong", "Note"]
    assert [tuple(row.values()) for row in table.rows] == [
        ("q", "a", "b", "n"), ("r", "c", "d", ""),
    ]  # fmt: skip
    assert table.warnings == ()


def test_merged_cells_beside_hidden_rows(tmp_path):
    rows = [["question", "answer"], ["q", "a"], [None, "b"], [None, "c"]]
    path = merged(tmp_path / "a.xlsx", rows, "A2:A4")
    from openpyxl import load_workbook

    book = load_workbook(path)
    book.active.row_dimensions[3].hidden = True
    book.save(path)
    table = read_table(path)
    assert [tuple(row.values()) for row in table.rows] == [("q", "a"), ("q", "c")]
    assert len(table.warnings) == 2
