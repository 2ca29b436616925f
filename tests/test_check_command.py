"""`check`: the findings of a pool on the command line, for JSON and for people."""

import functools
import json
import re

import pytest

from core.curation.findings.registry import CHECKS
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.pools.findings import CheckRequest, check_pool
from core.studio.pools.mending import dismiss
from core.watcher import Watcher

FRANCE = "What is the capital of France?"
ROWS = [
    {"query": FRANCE, "answer": "Paris", "incorrect": ["paris.", "Rome"]},
    {"query": "What is the capitol of France?", "answer": "Paris"},
    {"query": FRANCE, "answer": "Lyon", "incorrect": ["Paris"]},
    {"query": "Ist das schÃ¶n?", "answer": "Ja"},
    {"query": "Is glass a liquid?", "answer": "..."},
    {"query": "Do bats see at night?", "answer": "Most of them do"},
]


@pytest.fixture
def run(run_command, import_rows):
    """Runs `check` on a workspace with the pool `capitals`."""
    import_rows("capitals", ROWS)
    return functools.partial(run_command, "check")


def test_the_json_document_has_every_kind_the_worst_first(run):
    found = json.loads(run("--pool", "capitals", "--method", "rel+div", "-k", 2, "--json").out)
    assert list(found) == [
        "pool", "demonstrations", "queries", "threshold", "asked", "note", "findings",
    ]  # fmt: skip
    findings = found.pop("findings")
    assert found == {
        "pool": "capitals",
        "demonstrations": 6,
        "queries": 5,
        "threshold": 0.95,
        "asked": 5,
        "note": None,
    }
    assert list(findings) == list(CHECKS)
    ids = {name: [each["ids"] for each in of_kind] for name, of_kind in findings.items()}
    assert ids["own-incorrect"] == [[1]]
    assert ids["contradiction"] == [[2, 3]]  # what 1 is against itself is not in it
    assert ids["encoding"] == [[4]]
    assert ids["wordless"] == [[5]]
    assert ids["duplicate"] == [[1, 2]]
    assert ids["leak"] == [[1, 2, 3]]
    (damaged,) = findings["encoding"]
    assert {name: damaged[name] for name in ("measure", "text")} == {
        "measure": 1.0,
        "text": "Ist das schön?",
    }
    assert re.fullmatch("encoding [0-9a-f]{16}", damaged["key"])


def test_it_is_what_the_service_finds(run, tmp_path, load_encoder_once):
    document = json.loads(
        run("--pool", "capitals", "--method", "rel", "-k", 1, "--threshold", 1, "--json").out
    )
    with Studio.open(tmp_path / "workspace", load_encoder=load_encoder_once) as studio:
        request = CheckRequest(Setup("capitals"), Knobs("rel", 1), 1.0)
        found = check_pool(studio, request, Watcher())
    assert document["findings"] == {
        name: [
            {
                "ids": list(each.ids),
                "measure": each.measure,
                "text": each.text,
                "key": each.key,
                "dismissed": False,
            }
            for each in findings
        ]
        for name, findings in found.findings.items()
    }
    assert list(found.rows) == [1, 2, 3, 4, 5, 6]
    assert found.retrieved.counts.sum() == found.retrieved.asked == 5


def test_people_read_what_each_kind_is_and_the_gravest_of_it(run):
    printed = run("--pool", "capitals").out
    for name in CHECKS:
        assert f"\n{name} " in printed
    assert "Damaged letters. A text was read with a wrong encoding" in printed
    assert "Ist das schön?" in printed
    assert "Very long answers" not in printed  # there are none
    assert "lambda_b is set to 1" in printed  # the quality bias is not scored


def test_an_empty_pool_has_no_findings(run, import_rows):
    import_rows("none", [{**ROWS[5], "status": "excluded"}])
    found = json.loads(run("--pool", "none", "--method", "rel", "--json").out)
    assert (found["demonstrations"], found["queries"], found["asked"]) == (0, 0, 0)
    assert found["findings"] == {name: [] for name in CHECKS}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--threshold", 0.8), "A threshold of 0.8 was given; it must be a similarity from 0.85"),
        (("--threshold", 2), "'2' was given; it must be a number from 0 to 1"),
        (("--method", "none", "-k", -1), "'-1' was given"),
    ],
)
def test_mistakes_are_one_line(run, arguments, line):
    printed = run("--pool", "capitals", *arguments, status=2)
    assert printed.out == ""
    assert line in printed.err.splitlines()[-1]


def test_a_pool_that_is_not_there_is_refused(run):
    assert "There is no pool named 'capitols'" in run("--pool", "capitols", status=2).err


def test_a_method_that_asks_the_model_for_every_query_counts_nothing(run):
    (asking, *_) = (name for name, method in METHODS.items() if method.needs_model)
    found = json.loads(run("--pool", "capitals", "--method", asking, "--json").out)
    assert found["asked"] is None
    assert "asks the language model for every query" in found["note"]
    assert found["findings"]["never-retrieved"] == []


def test_dismissed_findings_are_marked_and_not_printed(run, tmp_path, load_encoder_once):
    with Studio.open(tmp_path / "workspace", load_encoder=load_encoder_once) as studio:
        request = CheckRequest(Setup("capitals"), Knobs("rel", 1))
        dismiss(studio, check_pool(studio, request, Watcher()).findings["encoding"])
    found = json.loads(run("--pool", "capitals", "--method", "rel", "-k", 1, "--json").out)
    dismissed = {
        name for name, each in found["findings"].items() if any(one["dismissed"] for one in each)
    }
    assert dismissed == {"encoding"}
    printed = run("--pool", "capitals", "--method", "rel", "-k", 1).out
    assert re.search(r"^encoding +0 +0 +1$", printed, re.MULTILINE)
    assert "Damaged letters" not in printed
