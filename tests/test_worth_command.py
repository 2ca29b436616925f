"""`worth`: what each demonstration is worth on the command line, for JSON and for people."""

import functools
import json

import pytest

from core.commands.curation_documents import SHOWN
from core.evaluation.runs.running import RunOptions
from core.evaluation.runs.worth import Worth
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.runs.worth import RUNS, WorthRequest, run
from core.watcher import Watcher

ROWS = [
    {"query": f"Is number {number} odd?", "answer": "Yes it is", "incorrect": ["Not at all"]}
    for number in range(1, 14)
]


@pytest.fixture
def call(run_command, import_rows, monkeypatch, tiny_lm_folder):
    """Runs `worth` on a workspace with the pool `numbers`."""
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    import_rows("numbers", ROWS)
    return functools.partial(run_command, "worth")


def test_the_json_document_is_what_the_service_finds(
    call, tmp_path, load_encoder_once, load_once, tiny_lm_folder
):
    given = ("--pool", "numbers", "--method", "rel", "-k", 2, "--limit", 9, "--seed", 4)
    document = json.loads(call(*given, "--json").out)
    with Studio.open(
        tmp_path / "workspace", load_encoder=load_encoder_once, load_model=load_once
    ) as studio:
        assert RUNS.latest(studio, "numbers").to_json() == document
        request = WorthRequest(
            setup=Setup("numbers", None, str(tiny_lm_folder)),
            knobs=Knobs("rel", 2, seed=4),
            options=RunOptions(limit=9, seed=4),
        )
        again = run(studio, request, Watcher()).summary()
    assert again.demonstrations == Worth.from_json(document).demonstrations
    assert set(document["demonstrations"][0]) == {
        "id", "worth", "low", "high", "contexts", "needed",
    }  # fmt: skip
    assert document["metric"] == "dpo_per_triple"
    assert sum(each["contexts"] for each in document["demonstrations"]) == 2 * 9
    assert document["unused"] == len(ROWS) - len(document["demonstrations"])


def test_people_read_counts_the_least_the_most_and_where_figures_come_from(call, monkeypatch):
    printed = call("--pool", "numbers", "--method", "rel", "-k", 3).out
    assert printed.startswith("Of 13 included demonstrations ")
    assert "The least and the most worth" not in printed
    assert "rel, k 3; 13 evaluation examples of pool numbers" in printed
    assert "Is number 1 odd?" in printed
    monkeypatch.setattr("core.commands.curation_documents.SHOWN", 2)
    fewer = call("--pool", "numbers", "--method", "rel", "-k", 3).out
    assert "The least and the most worth of " in fewer
    lines = [line for line in printed.splitlines() if line.split("  ")[0].isdigit()]
    assert [line for line in fewer.splitlines() if line in lines] == [*lines[:2], *lines[-2:]]
    assert len(lines) <= 2 * SHOWN


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--limit", 0), "'0' was given; it must be a whole number from 1"),
        (("--examples", "other"), "There is no pool named 'other'"),
        (("--method", "best"), "invalid choice: 'best'"),
        (("--method", "none"), "The method 'none' chooses no demonstrations"),
    ],
)
def test_mistakes_are_one_line(call, arguments, line):
    printed = call("--pool", "numbers", *arguments, status=2)
    assert printed.out == ""
    assert line in printed.err.splitlines()[-1]
