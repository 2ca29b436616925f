"""What a store promises whatever happens: threads, kills, second processes, any text."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.demonstration.criteria import TagCriterion, Words
from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import StaleRevision, WorkspaceBusy
from core.generation import EndedBy, Generation
from core.store import Change, Store
from core.text import same_text
from core.types import LogProb

ROOT = Path(__file__).resolve().parents[2]


def drafts(n, name="q"):
    return [
        Draft(
            f"{name} {i}?",
            f"answer {i}",
            incorrect_answers((f"wrong {i}", f"worse {i}")),
            (f"tag {i % 7}",),
        )
        for i in range(n)
    ]


def in_threads(works):
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.parametrize(
    "rounds", [pytest.param(4, id="few"), pytest.param(30, id="many", marks=pytest.mark.thorough)]
)
def test_eight_readers_and_a_writer_see_no_wrong_result(tmp_path, rounds):
    with Store.open(tmp_path) as store:
        pool = store.pools.create("p")
        other = store.pools.create("q")
        ids = store.demonstrations.add(pool.id, drafts(300)).ids
        rows = np.random.default_rng(0).standard_normal((300, 16)).astype(np.float32)
        hashes = [f"h{i}" for i in range(300)]
        store.embeddings.put("e", hashes, rows)
        pairs = {(f"p{i}", f"a{i}"): LogProb(-float(i), 1, (-float(i),)) for i in range(300)}
        store.log_probs.put("m", pairs)
        writing = threading.Event()
        checked = []

        def write():
            # Every write gives all demonstrations one note, so a mixture would be seen.
            for number in range(rounds):
                now = store.demonstrations.all(pool.id)
                changes = [Change(d.id, d.revision, note=f"note {number}") for d in now]
                store.demonstrations.change(changes, what="note")
                store.demonstrations.add(other.id, drafts(20, f"{number}"))
            writing.set()

        def read(seed):
            draw = random.Random(seed)
            many = 0
            while not writing.is_set() or many < 2 * rounds:
                many += 1
                found = store.demonstrations.all(pool.id)
                assert [d.id for d in found] == ids
                assert len({d.note for d in found}) == 1
                assert len({d.revision for d in found}) == 1
                at = [draw.randrange(300) for _ in range(5)]
                assert [d.answer for d in store.demonstrations.by_ids([ids[i] for i in at])] == [
                    f"answer {i}" for i in at
                ]
                np.testing.assert_array_equal(
                    store.embeddings.get("e", [hashes[i] for i in at]), rows[at]
                )
                wanted = [(f"p{i}", f"a{i}") for i in at]
                assert store.log_probs.get("m", wanted) == {pair: pairs[pair] for pair in wanted}
                assert store.demonstrations.search(pool.id, [Words(f"q {at[0]}?")]).total == 1
                assert store.pools.summary("p").triples == 600
            checked.append(many)

        in_threads([write, *[lambda seed=seed: read(seed) for seed in range(8)]])
        assert len(checked) == 8
        assert store.demonstrations.all(pool.id)[0].note == f"note {rounds - 1}"


def test_of_many_late_writers_exactly_one_wins_each_round(tmp_path):
    with Store.open(tmp_path) as store:
        pool = store.pools.create("p")
        (number,) = store.demonstrations.add(pool.id, drafts(1)).ids
        won, told = [], []

        def write(name):
            for _ in range(20):
                (d,) = store.demonstrations.by_ids([number])
                try:
                    store.demonstrations.change(
                        [Change(number, d.revision, note=f"{d.note}.")], who=name, what="dot"
                    )
                    won.append(name)
                except StaleRevision:
                    told.append(name)

        in_threads([lambda name=name: write(name) for name in "abcd"])
        (d,) = store.demonstrations.by_ids([number])
        assert len(won) + len(told) == 80
        assert d.note == "." * len(won)  # no acknowledged change is lost, no refused one written
        assert d.revision == 1 + len(won)
        assert len(store.history.of(number)) == 1 + len(won)


IMPORTER = """
import os, signal, sys
from contextlib import contextmanager
from core.demonstration.demonstration import Draft
from core.demonstration.demonstration import incorrect_answers
from core.store import Store
from core.store.database import Database

class KillingCursor:
    def __init__(self, cursor, start):
        self.cursor, self.start = cursor, start

    def execute(self, statement, *parameters):
        if statement.startswith(self.start):
            os.kill(os.getpid(), signal.SIGKILL)
        return self.cursor.execute(statement, *parameters)

    def __getattr__(self, name):
        return getattr(self.cursor, name)

def killed_at(start):
    plain = Database._cursor

    @contextmanager
    def cursor(database):
        with plain(database) as lent:
            yield KillingCursor(lent, start)

    Database._cursor = cursor

folder, many, *start = sys.argv[1:]
store = Store.open(folder)
pool = store.pools.get("p")
wrong = incorrect_answers(("x", "y"))
new = [Draft(f"new {i}?", f"answer {i}", wrong) for i in range(int(many))]
if start:
    killed_at(*start)
print("ready", flush=True)
added = store.demonstrations.add(pool.id, new)
print("added", len(added.ids), flush=True)
sys.stdin.read()
"""
"""Imports; killed instead of the first statement that starts as it is told, if it is."""


def started(folder, many, *start):
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTER, str(folder), str(many), *start],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def killed(process):
    """What it had still said when it was gone."""
    os.kill(process.pid, signal.SIGKILL)
    said = process.stdout.read()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    return said


@pytest.fixture
def before_import(tmp_path):
    """A workspace's folder, and what its pool holds."""
    with Store.open(tmp_path / "workspace") as store:
        pool = store.pools.create("p")
        store.demonstrations.add(pool.id, drafts(50))
        return tmp_path / "workspace", store.demonstrations.all(pool.id)


def imported_after_all(folder, before, many, acknowledged):
    """Whether the pool has the import; all of it or nothing, and undone it is as before."""
    with Store.open(folder) as store:
        pool = store.pools.get("p")
        found = store.demonstrations.all(pool.id)
        actions = store.history.actions(pool.id)
        assert found[:50] == before
        if len(found) > 50:
            assert [d.query for d in found[50:]] == [f"new {i}?" for i in range(many)]
            assert actions[0].changes == many
            store.history.undo(actions[0].id)
            assert store.demonstrations.all(pool.id) == before
        else:
            assert not acknowledged
            assert [a for a in actions if not a.undone and a.undoes is None] == actions[-1:]
        assert store.pools.summary("p").demonstrations == 50
        return len(found) > 50


@pytest.mark.parametrize(
    "start", ["INSERT INTO demonstrations", "INSERT INTO revisions", "COMMIT", None]
)
def test_a_kill_before_a_statement_of_an_import_leaves_the_pool_as_before(before_import, start):
    """And one after the last of them leaves it as after."""
    last = start is None
    process = started(before_import[0], 500, *([] if last else [start]))
    said = process.stdout.readline()  # empty once the process is dead
    killed(process)
    assert said == ("added 500\n" if last else "")
    assert imported_after_all(*before_import, 500, acknowledged=last) == last


@pytest.mark.thorough
def test_a_kill_at_any_time_of_an_import_leaves_the_pool_as_before_or_as_after(before_import):
    draw = random.Random(0)
    outcomes = set()
    for moment in [None, 0.0, *sorted(draw.uniform(0, 0.8) for _ in range(6))]:
        process = started(before_import[0], 20000)
        said = ""
        if moment is None:
            said = process.stdout.readline()
        else:
            time.sleep(moment)
        acknowledged = "added" in said + killed(process)
        outcomes.add(imported_after_all(*before_import, 20000, acknowledged))
    assert outcomes == {True, False}


def test_a_kill_with_another_process_waiting_hands_the_workspace_over(tmp_path):
    with Store.open(tmp_path) as store:
        store.pools.create("p")
    process = started(tmp_path, 1)
    with pytest.raises(WorkspaceBusy, match=rf"{tmp_path} .*another process \(PID \d+\)"):
        Store.open(tmp_path)
    killed(process)
    with Store.open(tmp_path) as store:
        assert store.pools.get("p").name == "p"


TEXT = st.text(
    st.one_of(
        st.characters(blacklist_categories=("Cs",)), st.sampled_from("\0\u200d\u202e🦇é字';\"%_\\")
    ),
    max_size=20,
)


@given(
    st.lists(
        st.tuples(TEXT, TEXT, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3), TEXT),
        max_size=3,
    )
)
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_comes_back_and_is_found(store, rows):
    given_drafts = [
        Draft(f"{i}{q}x", f"{a}x", incorrect_answers(tuple(b)), tuple(t), note=n)
        for i, (q, a, b, t, n) in enumerate(rows)
    ]
    # Each example has a pool of its own in the one workspace.
    name = f"p{len(store.pools.all())}"
    pool, added = store.demonstrations.add_to_named(name, given_drafts)
    assert added.doubles == 0
    found = store.demonstrations.all(pool.id)
    for draft, d in zip(given_drafts, found, strict=True):
        assert (d.query, d.answer, d.note) == (draft.query, draft.answer, draft.note)
        first = {}
        for wrong in draft.incorrect:
            first.setdefault(same_text(wrong.text), wrong.text)
        assert d.incorrect == incorrect_answers([first[key] for key in first if key])
        assert list(d.tags) == list(dict.fromkeys(filter(None, map(str.strip, draft.tags))))
        assert d in store.demonstrations.search(pool.id, [Words(d.query)]).rows
        assert not d.tags or d in store.demonstrations.search(pool.id, [TagCriterion(d.tags)]).rows
        change = Change(d.id, 1, note=d.query, tags=(d.answer,), answer=d.query)
        action = store.demonstrations.change([change], what=d.query)
        assert store.history.actions(pool.id)[0].what == d.query
        assert store.history.of(d.id)[-1].before.get("answer", d.query) == d.answer
        store.history.undo(action)
    assert [d.answer for d in store.demonstrations.all(pool.id)] == [d.answer for d in found]


def test_everything_is_there_after_opening_again(tmp_path):
    xy = np.ones((2, 2), np.float32)
    with Store.open(tmp_path) as store:
        pool = store.pools.create("p", seed=3)
        odd = Draft(
            "naïve 🦇\0é?", "'\u200d\u202e", incorrect_answers(("字\0",)), ('"%_',), note=" \n"
        )
        added = store.demonstrations.add(pool.id, [*drafts(40), odd])
        store.pools.set_fixed_ids(pool.id, added.ids[:6])
        store.pools.set_task(pool.id, "naïve {x}\n")
        store.demonstrations.change([Change(added.ids[0], 1, status=Status.EXCLUDED)], what="x")
        store.embeddings.put("e", ["h"], np.ones((1, 3), np.float32))
        store.token_vectors.put("e", ["h"], [np.eye(3, dtype=np.float32)[:2]])
        store.quality.put("m", "t", ["h"], [-1.5])
        store.log_probs.put("m", {("p", "a"): LogProb(-1.0, 1, (-1.0,))})
        text = Generation(" 字\0", (7, 2**40), (-0.5, -2.25), ended_by=EndedBy.STOP)
        store.generations.put("m", {("p", "s", 1): text})
        store.coordinates.put("k", [1, 2], xy)
        run = store.runs.start("evaluate", pool.id, {"k": 6})
        store.runs.append(run, [{"x": 1}])
        wanted = (
            store.pools.all(),
            store.pools.get("p"),
            store.demonstrations.all(pool.id),
            store.history.actions(pool.id),
            store.pools.fixed_ids(pool.id),
            store.pools.task(pool.id),
            store.runs.get(run),
        )
    with Store.open(tmp_path) as store:
        found = (
            store.pools.all(),
            store.pools.get("p"),
            store.demonstrations.all(pool.id),
            store.history.actions(pool.id),
            store.pools.fixed_ids(pool.id),
            store.pools.task(pool.id),
            store.runs.get(run),
        )
        assert found == wanted
        assert store.embeddings.get("e", ["h"]).tolist() == [[1.0, 1.0, 1.0]]
        assert store.token_vectors.get("e", ["h"])["h"].tolist() == [[1, 0, 0], [0, 1, 0]]
        assert store.quality.get("m", "t", ["h"]).tolist() == [-1.5]
        assert store.log_probs.get("m", [("p", "a")])["p", "a"].total == -1.0
        assert store.generations.get("m", [("p", "s", 1)]) == {("p", "s", 1): text}
        assert store.coordinates.get("k")[1].tolist() == xy.tolist()
        assert store.runs.rows(run) == [{"x": 1}]


def test_a_workspace_does_not_grow_with_edits_or_with_pools_that_came_and_went(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("core.store.database.MANY_ROWS", 3_000)
    file = tmp_path / "shotlist.duckdb"
    with Store.open(tmp_path) as store:
        pool = store.pools.create("p")
        store.demonstrations.add(pool.id, drafts(3_000))
    size = file.stat().st_size
    for _ in range(3):
        with Store.open(tmp_path) as store:
            passing = store.pools.create("passing")
            store.demonstrations.add(passing.id, drafts(3_000, "other"))
            store.pools.delete("passing")
    assert file.stat().st_size <= 3 * size
    assert not file.with_suffix(".duckdb.wal").exists()
