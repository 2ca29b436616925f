"""Delimited text as programs and people write it: which letter parts it, quotes, joined files."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation import read_table
from core.curation.files.delimited import DELIMITERS, find_delimiter, read_delimited, without_marks

MARK = "\ufeff"
ROWS = [{"question": "Who?", "answer": "A baker, mostly"}, {"question": "What?", "answer": "Tar"}]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ('question,answer\nWho?,"A baker, mostly"\nWhat?,Tar\n', ","),
        ("question;answer\nWho?;A baker, mostly\nWhat?;Tar\n", ";"),
        ("question|answer\r\nWho?|A baker, mostly\r\nWhat?|Tar\r\n", "|"),
        ("question\tanswer\nWho?\tA baker, mostly\nWhat?\tTar\n", "\t"),
        ("sep=|\r\nquestion|answer\r\nWho?|A baker, mostly\r\nWhat?|Tar\r\n", "|"),
        ('"sep=;"\nquestion;answer\nWho?;A baker, mostly\nWhat?;Tar\n', ";"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_the_delimiter_that_makes_rows_even_is_found_and_named(write, name, text, delimiter):
    table = read_table(write(name, text))
    assert table.rows == ROWS
    assert table.delimiter == delimiter
    usual = "," if name == "a.csv" else "\t"
    separated = f"The cells are separated by {DELIMITERS[delimiter]}s."
    assert table.warnings == (() if delimiter == usual else (separated,))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("question;answer, short;note\nWho?;A;x\nWhat, then, is it?;B;y\n",
         ["question", "answer, short", "note"]),
        ("question|answer; short|note\nWho?|A|x\nWhat; then?|B|y\n",
         ["question", "answer; short", "note"]),
        ("question,answer; short\nWho?,A\nWhat?,B\n", ["question", "answer; short"]),
        ("question,a|b\nWho?,x|y\nWhat?,x\n", ["question", "a|b"]),
        ("a;b,c;d\nx;y,z;w\n", ["a", "b,c", "d"]),
        ("question;answer, short\nWho?;A, B\n", ["question", "answer, short"]),
        ("question, short|answer\nWho, then?|A\n", ["question, short", "answer"]),
    ],
)  # fmt: skip
def test_another_delimiter_in_the_header_does_not_win(write, text, columns):
    assert read_table(write("a.csv", text)).columns == columns


@pytest.mark.parametrize(
    ("text", "column", "cells"),
    [
        ("text\nHello, world\nAnd; then, what?\n", "text", ["Hello, world", "And; then, what?"]),
        ("text\none\n", "text", ["one"]),
        ('text\n"a, b"\n"Run," she added\n', "text", ['"a, b"', '"Run," she added']),
        ('text\n"two\nlines, quoted"\nx\n', "text", ["two\nlines, quoted", "x"]),
        ("What, then\nis it?\nwas it?\n", "What, then", ["is it?", "was it?"]),
    ],
)
def test_one_column_stays_one(write, text, column, cells):
    table = read_table(write("a.csv", text))
    assert [dict(row) for row in table.rows] == [{column: cell} for cell in cells]
    assert (table.delimiter, table.warnings) == ("", ())


def test_the_lists_of_truthfulqa_do_not_make_it_semicolons(write):
    text = "Type,Question,Correct Answers,Incorrect Answers\nx,q,a; b; c,d; e\n"
    table = read_table(write("a.csv", text))
    assert (table.format, table.delimiter) == ("truthfulqa", ",")
    assert table.rows[0]["Correct Answers"] == "a; b; c"
    resaved = read_table(write("b.csv", text.replace(",", "|").replace("; ", ", ")))
    assert (resaved.format, resaved.delimiter) == ("truthfulqa", "|")


@pytest.mark.parametrize("given_name", ["|", "pipe", " Pipe "])
def test_a_delimiter_may_be_named(write, given_name):
    path = write("a.csv", "q,u|answer\nx,y|a\n")
    assert read_table(path, delimiter=given_name).rows == [{"q,u": "x,y", "answer": "a"}]
    assert read_table(path, delimiter=given_name).delimiter == "|"
    assert read_table(path, delimiter=given_name).warnings == ()


@pytest.mark.parametrize(
    ("given_name", "letter"), [("tab", "\t"), (r"\t", "\t"), ("\t", "\t"), ("^", "^"), (" ", " ")]
)
def test_any_letter_can_part_cells(write, given_name, letter):
    table = read_table(write("a.csv", f"query{letter}answer\nq{letter}a,b\n"), delimiter=given_name)
    assert (table.rows, table.delimiter) == ([{"query": "q", "answer": "a,b"}], letter)


def test_a_named_delimiter_wins_over_a_sep_line(write):
    path = write("a.csv", "sep=;\nquery;x,answer\nq;y,a\n")
    assert read_table(path, delimiter=",").rows == [{"query;x": "q;y", "answer": "a"}]


@pytest.mark.parametrize("given_name", ["", "ab", '"', "\n", "comma;"])
def test_a_delimiter_that_cannot_be_is_one_sentence(write, one_sentence, given_name):
    path = write("a.csv", "query,answer\nq,a\n")
    with one_sentence("is not understood: give a single letter such as ; or one of comma"):
        read_table(path, delimiter=given_name)


def test_a_delimiter_of_a_format_without_one_is_one_sentence(write, one_sentence):
    path = write("a.jsonl", '{"query": "q", "answer": "a"}')
    with one_sentence("read as jsonl, which has no delimiter: leave it out"):
        read_table(path, delimiter=";")


@pytest.mark.parametrize(
    "text",
    [
        '"question", "answer"\n"Who?", "A baker, mostly"\n"What?", "Tar"\n',
        'question, answer\n"Who?",   "A baker, mostly"\n"What?", "Tar"\n',
        'question ,answer\n"Who?" , "A baker, mostly"\n"What?" ,"Tar" \n',
        'question;answer\n "Who?"; "A baker, mostly"\n"What?" ;Tar\n',
        'question, answer\n"Who?", "A baker, mostly"\n"What?", Tar\n',
    ],
)
def test_spaces_around_quotes_are_no_part_of_the_cell(write, text):
    rows = read_table(write("a.csv", text)).rows
    assert [(row["question"], row["answer"].strip()) for row in rows] == [
        ("Who?", "A baker, mostly"), ("What?", "Tar"),
    ]  # fmt: skip


def test_spaces_elsewhere_are_kept(write):
    text = 'query,answer\nq,  x\n"r", " y"\ns, "so" it is\n" , ""t"" ",z\n'
    assert [tuple(row.values()) for row in read_table(write("a.csv", text)).rows] == [
        ("q", "  x"), ("r", " y"), ("s", ' "so" it is'), (' , "t" ', "z"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f"{MARK}{MARK}query,answer\nq,a\nr,b\n",
        f"{MARK}query,answer\nq,a\n{MARK}query,answer\nr,b\n",
        f"{MARK}query,answer\r\nq,a\r\n{MARK}{MARK}query,answer\r\nr,b\r\n",
        f'{MARK}"query","answer"\nq,a\n{MARK}"query","answer"\nr,b\n',
        f"{MARK}query,answer\nq,a{MARK}query,answer\nr,b\n",
        "query,answer\nq,a\nquery,answer\nr,b\nquery,answer\n",
    ],
)
def test_marks_go_and_repeated_headers_are_skipped(write, text):
    table = read_table(write("a.csv", text))
    assert table.columns == ["query", "answer"]
    assert table.rows == [{"query": "q", "answer": "a"}, {"query": "r", "answer": "b"}]


def test_repeated_headers_are_counted(write):
    text = 'query,answer\n"two\nlines",a\nquery,answer\nr,b\nquery,answer\n'
    assert read_table(write("a.csv", text)).warnings == (
        "Lines that repeat the header: 2, the first on line 4; they were skipped.",
    )


def test_a_mark_within_a_quoted_cell_is_a_letter():
    text = f'{MARK}a,b\n"x\n{MARK}y","{MARK}"\n{MARK}c,d\n'
    assert without_marks(text) == f'a,b\n"x\n{MARK}y","{MARK}"\nc,d\n'


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
@pytest.mark.parametrize("seam", [f"\n{MARK}", f"\r\n{MARK}{MARK}", MARK])
def test_marks_go_where_json_lines_were_joined(write, name, seam):
    text = f'{MARK}{MARK}{{"query": "q", "answer": "{MARK}a"}}{seam}{{"query": "r", "answer": "b"}}'
    assert read_table(write(name, text)).rows == [
        {"query": "q", "answer": f"{MARK}a"}, {"query": "r", "answer": "b"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nx,y,z\n", "line 2 has 3 cells but the header names 2 columns; put quotes around "
         "cells that contain a comma, or name another delimiter"),
        ('a;b\nx;y\nx; y "q";"z"\n', "put quotes around the whole of each cell that contains a "
         "semicolon, and write quotes inside it twice"),
        ('a,b\nx,"y\n', "begins on line 2 has a quote that is never closed"),
        ('a,b\n"x"y,z\n', "begins on line 2 has a quote that closes before its cell ends"),
    ],
)  # fmt: skip
def test_an_error_advises_what_helps(write, one_sentence, text, message):
    with one_sentence(message):
        read_table(write("a.csv", text))


words = st.text(st.sampled_from('ab ,;|\t"\n'), max_size=6)


@given(
    delimiter=st.sampled_from(list(DELIMITERS)),
    rows=st.lists(st.tuples(words, words, words), min_size=1, max_size=5),
)
def test_what_pythons_own_writer_wrote_is_read_back(delimiter, rows):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([("query", "answer", "note"), *rows])
    assert find_delimiter(out.getvalue(), ",") == delimiter
    grid = read_delimited(out.getvalue(), "a.csv", ",")
    assert [tuple(row.values()) for row in grid.rows] == rows
