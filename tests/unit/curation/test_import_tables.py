"""Reading files: what is text stays text, and what was found is reported."""

import datetime

import pytest

from core.curation import preview, read_table
from core.errors import InvalidInput


def test_csv_keeps_words_that_look_like_values(write):
    table = read_table(write("a.csv", "query,answer\nNA,null\n007,True\n1.10,nan\n"))
    assert table.columns == ["query", "answer"]
    assert table.rows == [
        {"query": "NA", "answer": "null"},
        {"query": "007", "answer": "True"},
        {"query": "1.10", "answer": "nan"},
    ]
    assert (table.format, table.encoding, table.warnings) == ("csv", "utf-8", ())


def test_csv_quotes_hold_commas_quotes_and_line_ends(write):
    table = read_table(write("a.csv", 'query,answer\r\n"a, ""b""","one\ntwo\r\nthree"\r\n'))
    assert table.rows == [{"query": 'a, "b"', "answer": "one\ntwo\r\nthree"}]


def test_csv_with_old_mac_line_ends(write):
    assert read_table(write("a.csv", "query,answer\rq,a\r")).rows == [{"query": "q", "answer": "a"}]


@pytest.mark.parametrize("text", ["query;answer\nq, r;a\n", "query\tanswer\nq, r\ta\n",
                                  "sep=;\r\nquery;answer\r\nq, r;a\r\n"])  # fmt: skip
def test_csv_as_spreadsheets_of_other_countries_write_it(write, text):
    assert read_table(write("a.csv", text)).rows == [{"query": "q, r", "answer": "a"}]


def test_a_cell_may_be_longer_than_pythons_limit(write):
    long = "x" * 200_000
    assert read_table(write("a.csv", f"query,answer\nq,{long}\n")).rows[0]["answer"] == long


def test_short_rows_are_filled_up_and_told(write):
    table = read_table(write("a.csv", "query,answer,tags\nq1,a1\n\nq2,a2,t\nq3,a3,,,\n"))
    assert [row["tags"] for row in table.rows] == ["", "t", ""]
    assert table.warnings == (
        "Rows with fewer cells than the header: 1, the first on line 2; missing cells count "
        "as empty.",
    )


def test_columns_without_a_name_or_with_a_double_one(write):
    table = read_table(write("a.csv", ",query,answer,answer,\n0,q,a,b,\n"))
    assert table.columns == ["column 1", "query", "answer", "answer (2)"]
    assert table.rows == [{"column 1": "0", "query": "q", "answer": "a", "answer (2)": "b"}]


def test_tsv_with_quotes_as_letters(write):
    table = read_table(write("a.tsv", 'query\tanswer\n"Odd quote\ta\nq\tb"\n'))
    assert table.rows == [{"query": '"Odd quote', "answer": "a"}, {"query": "q", "answer": 'b"'}]


def test_tsv_with_quotes_that_quote(write):
    table = read_table(write("a.tsv", 'query\tanswer\n"one\ttwo"\t"a ""b"""\n'))
    assert table.rows == [{"query": "one\ttwo", "answer": 'a "b"'}]


@pytest.mark.parametrize(
    ("encoding", "reported"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"),
     ("cp1252", "cp1252"), ("utf-32", "utf-32")],
)  # fmt: skip
def test_encodings_are_found_and_reported(write, encoding, reported):
    table = read_table(write("a.csv", "query,answer\ncafé – “naïve”,€ 5\n", encoding=encoding))
    assert table.columns == ["query", "answer"]
    assert table.rows == [{"query": "café – “naïve”", "answer": "€ 5"}]
    assert table.encoding == reported


def test_big_endian_utf16(write):
    content = b"\xfe\xff" + "query,answer\n猫,é\n".encode("utf-16-be")
    assert read_table(write("a.csv", content)).rows == [{"query": "猫", "answer": "é"}]


def test_a_byte_that_cp1252_leaves_undefined_spoils_its_own_line_only(write):
    good = "Wer prüft das Gerät?,“Ein Mechaniker” für Züge\n" * 30
    table = read_table(write("a.csv", b"query,answer\nq\x81,a\n" + good.encode("cp1252")))
    assert table.rows[0]["query"] == "q\x81"
    assert table.rows[30] == {
        "query": "Wer prüft das Gerät?", "answer": "“Ein Mechaniker” für Züge"
    }  # fmt: skip
    assert (table.encoding, table.encoding_sureness) == ("cp1252 and latin-1", "unsure")


def test_utf8_and_cp1252_in_one_file_are_each_read_as_what_they_are(write):
    content = "query,answer\n猫,é\n".encode() + "naïve,€\n".encode("cp1252")
    table = read_table(write("a.csv", content))
    assert table.rows == [{"query": "猫", "answer": "é"}, {"query": "naïve", "answer": "€"}]
    assert (table.encoding, table.encoding_sureness) == ("utf-8 and cp1252", "unsure")


def test_real_latin_1_text(shared, tmp_path):
    raw = (shared / "data" / "trec" / "raw" / "TREC.train").read_bytes()
    path = tmp_path / "trec.tsv"
    path.write_bytes(b"label\ttext\n" + b"\n".join(
        line.replace(b" ", b"\t", 1) for line in raw.split(b"\n")
    ))  # fmt: skip
    table = read_table(path)
    assert len(table.rows) == 5452
    assert table.encoding == "cp1252"
    assert [row["text"] for row in table.rows] == [
        line.split(" ", 1)[1] for line in raw.decode("latin-1").split("\n") if line
    ]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz"])
def test_json_lines(write, name):
    text = '{"query": "q", "answer": ["a", "b"]}\r\n\n{"query": "r", "n": 1.10, "best": true}\n'
    table = read_table(write(name, text))
    assert table.columns == ["query", "answer", "n", "best"]
    assert table.rows == [{"query": "q", "answer": ["a", "b"]},
                          {"query": "r", "n": "1.10", "best": True}]  # fmt: skip


def test_a_line_separator_within_json_text_is_no_line_end(write):
    text = '{"query": "a\u2028b", "answer": "c"}'
    assert read_table(write("a.jsonl", text)).rows == [{"query": "a\u2028b", "answer": "c"}]


ROWS = [{"question": "q1", "answer": "a1"}, {"question": "q2", "answer": "a2"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.json", ROWS),
        ("pairs.json", {"source": "x", "licence": "y", "pairs": ROWS}),
        ("data.json", {"data": ROWS}),
        ("columns.json", {"question": ["q1", "q2"], "answer": ["a1", "a2"]}),
        ("list.jsonl", ROWS),
        ("lines.json", '{"question": "q1", "answer": "a1"}\n{"question": "q2", "answer": "a2"}'),
        ("bom.json", '\ufeff[{"question":"q1","answer":"a1"},{"question":"q2","answer":"a2"}]'),
    ],
)
def test_shapes_of_json(write, name, content):
    table = read_table(write(name, content))
    assert table.columns == ["question", "answer"]
    assert table.rows == ROWS


def test_a_single_object_is_one_row(write):
    assert read_table(write("a.json", ROWS[0])).rows == [ROWS[0]]


def test_parquet_keeps_lists_and_texts(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"query": "007", "answer": ["a", "b"]}, {"query": "NA", "answer": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    assert table.rows == rows
    assert (table.format, table.encoding) == ("parquet", "binary")


def test_parquet_with_two_columns_of_one_name(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [pa.array(["q", "r"]), pa.array(["a", "b"]), pa.array([["c"], ["d"]])]
    names = ["question", "answer", "answer"]
    pq.write_table(pa.Table.from_arrays(columns, names), tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    assert table.columns == ["question", "answer", "answer (2)"]
    assert table.rows == [
        {"question": "q", "answer": "a", "answer (2)": ["c"]},
        {"question": "r", "answer": "b", "answer (2)": ["d"]},
    ]
    assert preview(table).mapping.answer == ("answer", "answer (2)")


EARLY = {
    "id": 1, "query": "q", "answer": "a", "incorrect": '["x", "[y]"]',
    "incorrect_kinds": '["", ""]', "tags": "[]", "best": True, "status": "included", "note": "[n]",
}  # fmt: skip


def parquet(path, *rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return read_table(path)


def test_an_early_export_in_parquet_has_its_lists(tmp_path):
    like_a_list = EARLY | {"id": 2, "answer": '["[1, 2]"]', "tags": '["t"]'}
    table = parquet(tmp_path / "a.parquet", EARLY, like_a_list)
    lists = {"incorrect": ["x", "[y]"], "incorrect_kinds": ["", ""]}
    assert table.rows == [
        EARLY | lists | {"tags": []},
        like_a_list | lists | {"answer": "[1, 2]", "tags": ["t"]},
    ]


def test_texts_of_other_parquet_files_are_left_alone(tmp_path):
    for place, row in enumerate(
        [EARLY | {"tags": "[a]"}, EARLY | {"extra": "x"}, {"incorrect": '["x"]', "tags": "[]"}]
    ):
        assert parquet(tmp_path / f"{place}.parquet", row).rows == [row]


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_mark_that_another_program_took_into_a_column_s_name_goes(write, tmp_path, name):
    row = {"\ufeffquestion": "\ufeffq", "answer": "a"}
    table = read_table(write(name, row)) if name == "a.jsonl" else parquet(tmp_path / name, row)
    assert (table.columns, table.rows) == (
        ["question", "answer"], [{"question": "\ufeffq", "answer": "a"}],
    )  # fmt: skip


def workbook(path, *sheets):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_xlsx_cells_read_as_excel_shows_them(tmp_path):
    day = datetime.datetime(2024, 2, 29)
    path = workbook(tmp_path / "a.xlsx", ("s", [
        ["query", "answer", None],
        ["007", 7.0, None], ["x", 1.5, None], [True, day, None], [None, None, None], ["y", None],
    ]))  # fmt: skip
    table = read_table(path)
    assert table.columns == ["query", "answer"]
    assert [tuple(row.values()) for row in table.rows] == [
        ("007", "7"), ("x", "1.5"), ("TRUE", "2024-02-29"), ("y", ""),
    ]  # fmt: skip


def test_xlsx_takes_the_first_sheet_with_rows_and_says_so(tmp_path):
    path = workbook(tmp_path / "a.xlsx", ("cover", [["Our questions"]]), ("empty", []),
                    ("data", [["query", "answer"], ["q", "a"]]))  # fmt: skip
    table = read_table(path)
    assert table.rows == [{"query": "q", "answer": "a"}]
    assert table.warnings == ('Only the sheet "data" was read; not read: "cover".',)
    assert (table.sheet, table.other_sheets) == ("data", ("cover",))


def test_xlsx_in_chinese(shared):
    table = read_table(
        shared / "data" / "lateral_thinking" / "lateralthinkingpuzzle_zh" / "standard.xlsx"
    )
    assert table.columns == ["汤面", "汤底", "Story keys", "Answer keys"]
    assert len(table.rows) == 50
    assert table.rows[0]["汤面"].startswith("某天夜里男寝一群人出现在废弃楼")


def test_truthfulqa_is_known_by_its_columns(shared, write):
    for name in ("v1/TruthfulQA.csv", "TruthfulQA.csv"):
        assert read_table(shared / "data" / "truthfulqa" / name).format == "truthfulqa"
    path = write("mine.csv", "Question,Correct Answers,Incorrect Answers\nq,a; b,c\n")
    assert read_table(path).format == "truthfulqa"
    assert read_table(path, format="csv").format == "csv"


def test_a_format_may_be_named(write):
    path = write("notes.txt", '{"query": "q", "answer": "a"}')
    assert read_table(path, format="JSONL").rows == [{"query": "q", "answer": "a"}]
    with pytest.raises(InvalidInput, match=r"is not clear from its name"):
        read_table(path)
