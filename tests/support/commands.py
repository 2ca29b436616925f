"""The pool that the tests of commands import, and what a refused command prints."""

import json

from core.commands.main import main

ROWS = [
    ("Can cats see in the dark?", ["Not in total darkness.", "Only with a little light."]),
    ("Do goldfish forget everything?", ["No, they remember for months."]),
    ("Is glass a liquid?", ["No, it is an amorphous solid.", "It is a solid."]),
    ("Does sugar make children wild?", ["Studies find no such effect."]),
    ("How tall is Mount Everest?", ["About 8,849 metres.", "8,849 m above the sea."]),
    ("Who discovered penicillin?", ["Alexander Fleming."]),
    ("What happens if you swallow gum?", ["It passes through you."]),
]


def written(path):
    lines = [
        {"query": q, "answers": a, "incorrect": ["Yes.", "Nobody knows."], "tags": ["t"]}
        for q, a in ROWS
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def documents(main, capsys):
    """What runs a command of a program with `--json` and gives its document."""

    def run(*arguments):
        status = main([str(argument) for argument in (*arguments, "--json")])
        printed = capsys.readouterr()
        assert status == 0, printed.err
        return json.loads(printed.out)

    return run


def refused(capsys, *arguments):
    """The one line of a refused command; exit 2, nothing on standard output, no traceback."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert status == 2, printed.err
    assert printed.out == ""
    line = printed.err.strip()
    assert "\n" not in line
    assert "Traceback" not in line
    return line
