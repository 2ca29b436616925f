"""Headers below lines of a title, tables without one, and what is refused about either."""

import pytest
from openpyxl import Workbook

from core.curation import preview, read_table

TITLES = [["Export of the help desk"], ["Created 2024-05-01"], []]
HEADER = ["question", "answer", "topic"]
ROWS = [
    ["How do I log in?", "Use the badge.", "access"],
    ["Where is it?", "Online.", "forms"],
]
FORMATS = ("csv", "tsv", "semicolons", "xlsx")


@pytest.fixture
def written(tmp_path):
    """A table of rows of cells, written as they are."""

    def written(rows, format, *, padded=False):
        width = max(map(len, rows))
        rows = [row + [""] * (width - len(row)) if padded else row for row in rows]
        if format == "xlsx":
            book = Workbook()
            for row in rows:
                book.active.append(row)
            book.save(tmp_path / "f.xlsx")
            return tmp_path / "f.xlsx"
        delimiter = {"csv": ",", "tsv": "\t", "semicolons": ";"}[format]
        path = tmp_path / f"f.{'tsv' if format == 'tsv' else 'csv'}"
        path.write_text("\n".join(map(delimiter.join, rows)), encoding="utf-8")
        return path

    return written


def answers(found):
    assert found.report is not None, found.problem
    return [(row.query, row.answer) for row in found.drafts]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_header_is_found_below_lines_of_a_title(written, format, padded, count):
    path = written([*TITLES[:count], HEADER, *ROWS], format, padded=padded)
    found = preview(path)
    assert found.columns == HEADER
    assert answers(found) == [tuple(row[:2]) for row in ROWS]
    (warning,) = (each for each in found.report.warnings if "above the header" in each)
    lines = count if padded and format != "xlsx" else min(count, 2)  # an empty line is none
    assert warning.startswith(f'Lines above the header: {lines}, the first is "Export of the help')


@pytest.mark.parametrize("format", FORMATS)
def test_a_table_with_its_header_first_is_read_as_before(written, format):
    table = read_table(written([HEADER, *ROWS], format))
    assert table.columns == HEADER
    assert not [each for each in table.warnings if "header" in each]


def test_a_header_is_not_looked_for_beyond_the_first_lines(written):
    titles = [[f"title {n}", "of a table"] for n in range(11)]
    found = preview(written([*titles, HEADER[:2], *(row[:2] for row in ROWS)], "csv"))
    assert found.columns == ["title 0", "of a table"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_table_without_a_header_has_numbered_columns_and_loses_no_row(written, format):
    found = preview(written([row[:2] for row in ROWS], format))
    assert found.columns == ["column 1", "column 2"]
    assert str(found.mapping) == "query=column 1,answer=column 2"
    assert answers(found) == [tuple(row[:2]) for row in ROWS]
    assert (
        "The first line looks like a row and not like a header: it was read as one, and the "
        "columns are numbered."
    ) in found.report.warnings


@pytest.mark.parametrize(
    "header", [["Frage", "Antwort"], ["Customer question", "Agent reply"], ["q1", "a1"]]
)
def test_names_that_nobody_knows_are_a_header_nevertheless(written, header):
    found = preview(written([header, *(row[:2] for row in ROWS)], "csv"))
    assert found.columns == header


def test_a_large_file_under_a_title_is_read_whole(written):
    rows = [[f"question {n}?", f"answer {n}", "t" * 50] for n in range(3000)]
    found = preview(written([TITLES[0], HEADER, *rows], "csv"))
    assert found.report.demonstrations == 3000


SURVEYS = {
    "questions": (["How can we help you today?", "What did you do about it in the end?"], None),
    "both named": (["Please write your question here", "What is the best answer to it?"], None),
    "with a time": (
        ["When was it sent?", "Tell us what went wrong", "Tell us how you mended it"],
        ["2024-01-02 10:30", "1/2/2024 9:05:11", "2024-03-04T10:00:00Z", "3.4.24 8:15 PM GMT+1"],
    ),
}


@pytest.mark.parametrize("survey", SURVEYS)
@pytest.mark.parametrize("format", ["csv", "tsv", "xlsx"])
def test_the_sentences_of_a_survey_are_names(written, survey, format):
    header, times = SURVEYS[survey]
    texts = [["The pump is loud now.", "Oil it first of all."], ["It is stuck again.", "Pull."]]
    rows = [[*([each] if times else []), *texts[n % 2]] for n, each in enumerate(times or "ab")]
    found = preview(written([header, *rows], format))
    assert found.columns == header
    assert len(found.table.rows) == len(rows)


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_a_mapping_that_names_the_first_line_makes_it_the_header(written, format):
    header = ["Tell us what went wrong", "Tell us how you mended it"]
    path = written([header, *([f"No {n} works.", f"Oil {n}."] for n in range(3))], format)
    assert preview(path).columns == ["column 1", "column 2"]
    found = preview(path, mapping=f"query={header[0]},answer={header[1]}")
    assert [(each.query, each.answer) for each in found.drafts] == [
        (f"No {n} works.", f"Oil {n}.") for n in range(3)
    ]
    numbered = preview(path, mapping="query=column 1,answer=column 2")
    assert len(numbered.drafts) == 4
