"""Workspaces as earlier versions left them: today's code opens them, and nothing is lost.

`tests/support/recorded_workspace.py` says what is in them and how they were recorded.
"""

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from core.demonstration.demonstration import Demonstration, Status
from core.demonstration.incorrect import incorrect_answers
from core.evaluation.results.comparison import Comparison
from core.evaluation.runs.run_rows import recorded_contexts
from core.reporting.words.provenance import provenance
from core.store import Change, PassageDraft, Store
from core.store.database import FILE_NAME
from core.store.migrations import BASELINE, MIGRATIONS
from tests.support.recorded_workspace import (
    ASKED,
    METHODS,
    PASSAGES,
    RECORDS,
    encoder,
    evaluated,
    restore,
    schema,
)
from tests.test_recorded_results import assert_alike
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

RECORDED = sorted((Path(__file__).parent / "recorded").glob("workspace_of_version_*.sql"))
MYTH = incorrect_answers(["Yes", "At night"], ["myth", ""])
ICE = incorrect_answers(["It's burning", "Always"], ["myth", "date"])
BLIND = incorrect_answers(["They are blind"], ["myth"])
DEMONSTRATIONS = [
    Demonstration("Is glass a liquid?", "It is none", MYTH, ("physics",), id=1, revision=4),
    Demonstration(
        "Is glass a liquid?", "It is a solid", MYTH, ("physics",), best=True, id=2, revision=1
    ),
    Demonstration(
        "Can bats see?",
        "Yes, they can",
        BLIND,
        ("animals", "eyes"),
        note="naïve 🦇",
        id=3,
        revision=3,
    ),
    Demonstration("Is ice hot?", "Never", ICE, ("medicine",), id=4, revision=3),
    Demonstration(
        "Who found penicillin?", "Alexander Fleming", note="Fleming\nin 1928", id=5, revision=2
    ),
    Demonstration("Do fish sleep?", "They rest", status=Status.EXCLUDED, id=7, revision=1),
]
ACTIONS = [
    ("you", "import myths.jsonl", 7, False),
    ("ann", "edited the answer", 1, False),
    ("ann", "tagged it", 1, False),
    ("ann", "deleted it", 1, False),
    ("you", "edited the kinds of incorrect answers of demonstration 4", 1, False),
    ("you", "edited the incorrect answers of demonstration 1", 1, True),
    ("ben", "undo: edited the incorrect answers of demonstration 1", 1, False),
    ("ann", "excluded it", 1, True),
    ("ben", "undo: excluded it", 1, False),
    ("ann", "noted it", 1, False),
]


@pytest.fixture(params=RECORDED, ids=lambda path: path.stem)
def recorded(request):
    return request.param


@pytest.fixture
def version(recorded):
    return int(recorded.stem.rpartition("_")[2])


@pytest.fixture
def store(recorded, tmp_path):
    restore(recorded.read_text(encoding="utf-8"), tmp_path)
    with Store.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def pool(store):
    return store.pools.get("myths")


def test_the_baseline_and_every_version_before_the_last_are_recorded():
    last = BASELINE + len(MIGRATIONS) - 1
    versions = range(BASELINE, max(last, BASELINE + 1))
    assert {f"workspace_of_version_{version}" for version in versions} <= {
        path.stem for path in RECORDED
    }


def test_a_new_workspace_has_the_tables_of_one_that_was_brought_up_to_date(tmp_path):
    (tmp_path / "old").mkdir()
    restore(RECORDED[0].read_text(encoding="utf-8"), tmp_path / "old")
    found = []
    for name in ("old", "new"):
        Store.open(tmp_path / name).close()
        with duckdb.connect(tmp_path / name / FILE_NAME) as connection:
            found.append(schema(connection))
    assert found[0] == found[1]


def test_every_demonstration_is_there(store, pool):
    assert store.demonstrations.all(pool.id) == DEMONSTRATIONS
    summary = store.pools.summary("myths")
    assert (summary.demonstrations, summary.queries, summary.triples, summary.excluded) == (
        6,
        5,
        7,
        1,
    )
    assert store.demonstrations.tags(pool.id) == {
        "animals": 1, "eyes": 1, "medicine": 1, "physics": 2,
    }  # fmt: skip
    assert store.pools.fixed_ids(pool.id) == [5, 1]
    ids, points = store.coordinates.get("a map")
    assert ids.tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(points.ravel(), np.arange(14))


def test_the_history_is_told_and_can_be_undone(store, pool):
    actions = [(a.who, a.what, a.demonstrations, a.undone) for a in store.history.actions(pool.id)]
    assert actions[::-1] == ACTIONS
    steps = store.history.of(1)
    assert [step.revision for step in steps] == [1, 2, 3, 4]
    assert steps[0].after["answer"] == "No"
    assert steps[0].after["incorrect_kinds"] == ["myth", ""]
    assert steps[2].after == {"incorrect": ["At night", "Perhaps"], "incorrect_kinds": []}
    assert store.history.of(6)[-1].after == {"deleted": True}
    store.history.undo(4)
    store.history.undo(5)
    store.history.undo(7)
    moon, ice, glass = store.demonstrations.by_ids([6, 4, 1])
    assert (moon.query, moon.incorrect) == ("Is the moon a star?", incorrect_answers(["A star"]))
    assert ice.incorrect == incorrect_answers(["It's burning", "Always"])
    assert glass.incorrect == incorrect_answers(["At night", "Perhaps"])


def test_a_note_is_no_new_version_from_now_on(store, pool):
    assert (pool.version, pool.edition) == (11, 12)
    store.demonstrations.change([Change(7, 1, note="with open eyes")], what="note")
    after = store.pools.get("myths")
    assert (after.version, after.edition) == (pool.version, 13)


def test_the_recorded_run_opens_and_is_complete(store, pool):
    (run,) = store.runs.latest("evaluate", pool.id)
    assert (run.id, run.state, run.message) == (1, "finished", "")
    found = Comparison.from_json(run.result)
    assert (list(found.methods), found.examples, found.total) == (list(METHODS), 4, 4)
    assert found.kinds == ("date", "myth")
    assert "pool myths, version 11; model fake" in provenance(found, "methods")
    rows = recorded_contexts(store, run.id)
    examples = {row.query: row.example for row in rows if row.example is not None}
    assert {query: example.incorrect for query, example in examples.items()} == {
        "Is glass a liquid?": MYTH,
        "Can bats see?": BLIND,
        "Is ice hot?": ICE,
        "Who found penicillin?": (),
    }
    asked = [(row.query, request) for row in rows for request in row.requests]
    assert sorted(asked) == sorted((query, name) for query in examples for name in METHODS)


def test_nothing_is_computed_twice_and_the_figures_are_the_same(store, pool):
    before = json.loads(store.runs.latest_result("evaluate", pool.id).text)
    encodes, model = encoder(), FakeLanguageModel()
    found = evaluated(store, encodes, model).summary().to_json()
    assert (encodes.encoded, model.asked) == ([], [])
    before["settings"]["pool_version"] = pool.version
    assert_alike(found, before | {"run": 2, "language_model_calls": 0})


def test_the_passages_are_there(store, version):
    if version < 13:
        assert store.passages.all() == []
        return
    collection, rows = store.passages.snapshot("manual")
    assert (collection.id, collection.version) == (1, 2)
    assert [(row.id, row.title, row.text, row.source, row.document, row.part) for row in rows] == [
        (1, "Bats > Eyes", "Bats see\nwell at dusk. 🦇", "bats.md", 2, 1),
        (2, "", "It's solid.", "glass.txt", 1, 3),
    ]
    assert store.passages.add("manual", PASSAGES).doubles == 2


def test_passages_can_be_added_beside_what_is_there(store, pool):
    before = store.passages.all()
    added = store.passages.add("myths", [PassageDraft("They see.", "Bats", "bats.txt")])
    assert (len(added.ids), added.doubles) == (1, 0)
    assert [each for each in store.passages.all() if each.name != "myths"] == before
    (row,) = store.passages.snapshot("myths")[1]
    assert (row.title, row.text, row.source, row.document, row.part) == (
        "Bats", "They see.", "bats.txt", 1, 1,
    )  # fmt: skip
    assert store.pools.get("myths") == pool


def test_the_runs_of_programs_are_there(store, version):
    runs = store.program_runs
    if version < 14:
        assert runs.latest("bootstrap") == []
        return
    unfinished, finished = runs.latest("bootstrap")
    assert (finished.id, finished.key, finished.asked) == (1, "key", ASKED)
    assert finished.finished > finished.created
    assert runs.records(1) == dict(enumerate(RECORDS))
    assert (unfinished.id, unfinished.finished, runs.records(2)) == (2, None, {})


def test_a_run_of_a_program_can_be_started(store):
    run = store.program_runs.start("bootstrap", "a third key", {"pool": "myths"})
    store.program_runs.append(run.id, 0, {"reason": None})
    assert store.program_runs.records(run.id) == {0: {"reason": None}}
    assert store.program_runs.latest("bootstrap")[0] == run


def test_review_queues_are_there(store, pool, version):
    found = store.review_queues.of_pool(pool.id)
    assert len(found) == (version >= 17)
    for queue in found:
        assert (queue.name, queue.size, queue.place, queue.left) == ("some", 2, 0, 2)
        assert store.review_queues.ids(queue.id) == [4, 1]
