"""What commands write: every console can show it, its reader may go away, a terminal obeys none."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from core.commands.console import one_line, visible
from core.commands.main import main

ROOT = Path(__file__).resolve().parents[1]
ODD = [
    {"query": "打印机没有反应？", "answer": "检查电源。", "incorrect": ["检查电源。", "换一台。"]},
    {"query": "Who ist Ωmega ½?", "answer": "Nö 🙂", "incorrect": ["Nö 🙂"]},
]
RED = "\x1b[31mred\x1b[0m\tor\r\nblue\x7f\u202eeulb"
LINES = "query,answer\nWhat is it?,A café\n".encode("cp1252")  # an encoding that is unsure


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))


@pytest.fixture
def odd(tmp_path):
    return written(tmp_path / "odd.jsonl", ODD)


@pytest.fixture
def pool(odd, capsys):
    assert main(["import", str(odd), "--pool", "猫"]) == 0
    capsys.readouterr()
    return "猫"


def written(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def console(encoding, errors="strict"):
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)


def bytes_of(stream):
    stream.flush()
    return stream.buffer.getvalue()


@pytest.fixture
def unread():
    """A pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "shift_jis", "utf-8"])
def test_a_console_gets_an_escape_for_each_letter_that_it_lacks(odd, encoding):
    out, err = console(encoding), console(encoding)
    with redirect_stdout(out), redirect_stderr(err):
        assert main(["import", str(odd), "--pool", "猫"]) == 0
        assert main(["import", "沙.jsonl", "--pool", "猫"]) == 2
    for query in (ODD[0]["query"], ODD[1]["query"]):
        assert query.encode(encoding, "backslashreplace") in bytes_of(out)
    assert "沙.jsonl".encode(encoding, "backslashreplace") in bytes_of(err)


def test_json_is_ascii_and_says_the_same(tmp_path):
    file = written(tmp_path / "odd.jsonl", [*ODD, {"query": RED, "answer": RED, "incorrect": RED}])
    out = console("ascii")
    with redirect_stdout(out):
        assert main(["import", str(file), "--pool", "猫", "--json"]) == 0
    assert not set(bytes_of(out)) - {*range(0x20, 0x7F), ord("\n")}
    report = json.loads(bytes_of(out))
    assert report["pool"] == "猫"
    odd = [row["query"] for kind in report["oddities"] for row in kind["demonstrations"]]
    assert [query for query in odd if query != RED] == [row["query"] for row in ODD]


def test_a_terminal_gets_no_control_character_of_data(tmp_path, capsys):
    file = written(tmp_path / "red.jsonl", [{"query": RED, "answer": "no", "incorrect": ["no"]}])
    assert main(["import", str(file), "--pool", "red"]) == 0
    printed = capsys.readouterr().out
    assert r"\x1b[31mred\x1b[0m\tor\r\nblue\x7f\u202eeulb" in printed
    assert not {"\x1b", "\r", "\t", "\x7f", "\u202e"} & set(printed)
    assert main(["export", "--pool", "\x1b[31m\nred", "--format", "csv", "--out", "x.csv"]) == 2
    printed = capsys.readouterr().err
    assert "\x1b" not in printed
    assert len(printed.splitlines()) == 1


def test_escapes_are_for_what_a_terminal_obeys_alone():
    kept = "a\u00a0é 猫🙂\u200d\u200c\\x1b"
    assert visible(f"{kept}\t\n") == f"{kept}\t\n"
    assert one_line(f"{kept}\t\n") == rf"{kept}\t\n"
    assert visible("\x00\x1b\x9b\x85\u2028\u2067") == r"\x00\x1b\x9b\x85\u2028\u2067"


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize("arguments", [["pools"], ["pools", "--json"], ["pools", "--help"]])
def test_a_reader_of_results_may_go_away(arguments, unread):
    err = console("utf-8")
    with redirect_stdout(unread), redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
    assert (status, bytes_of(err)) == (141, b"")


def test_what_was_imported_stays_when_the_reader_has_gone(odd, unread, capsys):
    with redirect_stdout(unread):
        assert main(["import", str(odd), "--pool", "kept"]) == 141
    assert main(["pools", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["pools"]
    assert (found["name"], found["demonstrations"]) == ("kept", 2)


def test_the_work_goes_on_when_nobody_reads_its_progress(tmp_path, unread, capsys):
    (tmp_path / "short.csv").write_bytes(LINES)
    with redirect_stderr(unread):
        assert main(["import", str(tmp_path / "short.csv"), "--pool", "p", "--json"]) == 0
        assert main(["import", str(tmp_path / "none.csv"), "--pool", "p"]) == 2
    assert json.loads(capsys.readouterr().out)["encoding_sureness"] == "unsure"


@pytest.mark.usefixtures("pool")
def test_streams_that_were_closed_from_the_start_are_no_fault(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["pools"]) == 0
    assert main(["export", "--pool", "none", "--format", "csv", "--out", "x.csv"]) == 2


@pytest.mark.parametrize("option", ["pools", "--help"])
def test_python_ends_quietly_without_a_reader(option, unread):
    done = subprocess.run(
        [sys.executable, "-m", "core", option],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
        stdout=unread,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device without room")
@pytest.mark.usefixtures("pool")
def test_output_without_room_is_one_line(capsys):
    with open("/dev/full", "w", encoding="utf-8") as full, redirect_stdout(full):
        assert main(["pools"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("shotlist pools: standard output cannot be written (No space left on")


def stopped(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("place", ["core.commands.run.run_pools", "core.commands.printing.as_text"])
def test_control_c_is_one_line(place, capsys, monkeypatch):
    monkeypatch.setattr(place, stopped)
    assert main(["pools"]) == 130
    printed = capsys.readouterr()
    assert printed == ("", "shotlist pools: stopped; what was computed is kept.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["caf\udce9"],
        ["import", "caf\udce9.csv", "--pool", "p"],
        ["import", "cafe.csv", "--pool", "caf\udce9"],
        ["pools", "--workspace", "caf\udce9"],
        ["pools", "--workspace=caf\udce9"],
        ["retrieve", "--pool", "p", "--method", "rel", "--query", "caf\udce9"],
        ["export", "--pool", "p", "--format", "csv", "--out", "caf\udce9.csv"],
        ["quality", "--pool", "p", "--model", "caf\udce9"],
    ],
)
def test_an_argument_that_is_no_text_is_one_sentence(arguments, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    given = next(each for each in arguments if "\udce9" in each)
    assert printed.out == ""
    assert printed.err == (
        f"shotlist: {given!r} was given, which is no text in utf-8; write it in that encoding, and "
        "rename a file or a folder whose name is not.\n"
    )


def test_a_variable_that_is_no_text_is_one_sentence(capsys, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", "caf\udce9")
    assert main(["pools"]) == 2
    assert r"'caf\udce9' was given, which is no text" in capsys.readouterr().err


def export(pool, format, out, *more):
    return main(["export", "--pool", pool, "--format", format, "--out", str(out), *more])


@pytest.mark.parametrize(
    ("format", "name", "ways"),
    [
        ("csv", "e.xlsx", "name a file that ends in .csv, or choose the format xlsx."),
        ("xlsx", "e.CSV", "name a file that ends in .xlsx, or choose the format csv."),
        ("jsonl", "e.json", "name a file that ends in .jsonl, or choose the format json."),
        ("csv", "e.csv.gz", "name a file that ends in .csv, since none is written in that form."),
        ("xlsx", "e.xls", "name a file that ends in .xlsx, since none is written in that form."),
    ],
)
def test_an_ending_that_contradicts_the_format_is_refused(
    pool, format, name, ways, tmp_path, capsys
):
    assert export(pool, format, tmp_path / name) == 2
    ending = Path(name).suffix
    assert capsys.readouterr().err == (
        f"shotlist export: {name} ends in {ending}, and the format is {format}: {ways}\n"
    )
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["e", "e.txt", "e.CSV", "of 3.11", ".csv"])
def test_other_endings_are_anybodys(pool, name, tmp_path):
    assert export(pool, "csv", tmp_path / name) == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith("id,query,answer")


def test_an_existing_file_is_replaced_by_force_alone(pool, tmp_path, capsys):
    out = tmp_path / "e.csv"
    out.write_text("mine", encoding="utf-8")
    assert export(pool, "csv", out) == 2
    assert capsys.readouterr().err == (
        f"shotlist export: {out} already exists: name another file, or replace it with --force "
        "(in the library: overwrite=True).\n"
    )
    assert out.read_text(encoding="utf-8") == "mine"
    assert export(pool, "csv", out, "--force") == 0
    assert out.read_text(encoding="utf-8").startswith("id,query,answer")


@pytest.mark.parametrize("command", [["evaluate", "--methods", "rel"], ["calibrate"]])
def test_a_report_that_exists_is_refused_before_the_run(pool, command, tmp_path, capsys):
    out = tmp_path / "report.html"
    out.write_text("mine", encoding="utf-8")
    assert main([*command, "--pool", pool, "--report", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{out} already exists: name another file, or replace it with --force" in line
    assert out.read_text(encoding="utf-8") == "mine"
