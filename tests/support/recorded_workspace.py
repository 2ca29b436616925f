"""A workspace written down as SQL, so that today's code can open what an earlier version made.

`python -m tests.support.recorded_workspace` prints the workspace below as the code at hand makes
it. Before a migration is added, its output goes to `tests/recorded/workspace_of_version_N.sql`,
with the number of the last migration; `tests/test_recorded_workspaces.py` opens every one of them.
"""

import sys
import tempfile
from datetime import datetime
from pathlib import Path

import duckdb
import numpy as np

from core.curation import import_file
from core.demonstration.demonstration import Status
from core.engines import LocalEngine
from core.evaluation.plan.examples import examples_of
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.scoring.quality_bias import score_quality
from core.language_model import TEMPLATES
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import QualityKey, load_pool_view, with_quality
from core.store import Change, PassageDraft
from core.store.database import FILE_NAME
from core.studio import Studio
from core.studio.pools.edits import Edit, save_edits
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

ROWS = """\
{"query": "Is glass a liquid?", "answer": ["No", "It is a solid"], "best": "It is a solid", \
"incorrect": ["Yes", "At night"], "incorrect_kinds": ["myth", ""], "tags": ["physics"]}
{"query": "Can bats see?", "answer": "Yes, they can", "incorrect": ["They are blind"], \
"incorrect_kinds": ["myth"], "tags": ["animals", "eyes"], "note": "naïve 🦇"}
{"query": "Is ice hot?", "answer": "Never", "incorrect": ["It's burning", "Always"]}
{"query": "Who found penicillin?", "answer": "Alexander Fleming"}
{"query": "Is the moon a star?", "answer": "It is no star", "incorrect": ["A star"]}
{"query": "Do fish sleep?", "answer": "They rest", "status": "excluded"}
"""
PASSAGES = [
    PassageDraft("Bats see\nwell at dusk. 🦇", "Bats > Eyes", "bats.md", 2, 1),
    PassageDraft("It's solid.", source="glass.txt", part=3),
]
ASKED = {"pool": "myths", "program": "vanilla", "limit": None}
RECORDS = [{"reason": None, "step": {"stage": "attempt 🦇"}}, {"reason": "answer wrong"}]
METHODS = {name: Knobs(name, 2) for name in ("none", "rel", "rel+div+bias")}


def encoder():
    return HashingEncoder(8)


def evaluated(store, encoder, model, pool="myths"):
    """A comparison of `METHODS` on the pool, recorded in the store."""
    template = TEMPLATES["qa"]
    pool_id = store.pools.get(pool).id
    engine = LocalEngine(store, model, template)
    score_quality(store, pool_id, engine)
    key = QualityKey(model.fingerprint, template.fingerprint)
    view = with_quality(store, load_pool_view(store, pool, encoder), key)
    examples = examples_of(store.demonstrations.all(pool_id, status=Status.INCLUDED))
    options = EvaluationOptions(references=("rel",))
    return evaluate(store, view, engine, examples, encoder, METHODS, options=options)


def fill(studio, folder):
    """Import, edit, tag, exclude, delete, undo, name what `fix` shows, evaluate, and edit again."""
    store = studio.store
    path = folder / "myths.jsonl"
    path.write_text(ROWS, encoding="utf-8")
    pool = store.pools.get(import_file(store, path, "myths").pool)
    ids = [row.id for row in store.demonstrations.all(pool.id)]

    def change(what, id, **values):
        (row,) = store.demonstrations.by_ids([id])
        changes = [Change(id, row.revision, **values)]
        return store.demonstrations.change(changes, what=what, who="ann")

    def type_over(id, **columns):
        (row,) = store.demonstrations.by_ids([id])
        return save_edits(studio, [Edit(row, columns)])

    change("edited the answer", ids[0], answer="It is none")
    change("tagged it", ids[3], tags=("medicine",))
    change("deleted it", ids[5], deleted=True)
    type_over(ids[3], incorrect_kinds=["myth", "date"])
    store.history.undo(type_over(ids[0], incorrect=["At night", "Perhaps"]), who="ben")
    taken_back = change("excluded it", ids[2], status=Status.EXCLUDED)
    store.history.undo(taken_back, who="ben")
    store.pools.set_fixed_ids(pool.id, [ids[4], ids[0]])
    evaluated(store, encoder(), FakeLanguageModel())
    store.coordinates.put("a map", ids, np.arange(2 * len(ids), dtype=np.float32).reshape(-1, 2))
    change("noted it", ids[4], note="Fleming\nin 1928")
    store.review_queues.start(pool.id, "some", [ids[3], ids[0]])
    store.passages.add("manual", PASSAGES)
    run = store.program_runs.start("bootstrap", "key", ASKED)
    for number, record in enumerate(RECORDS):
        store.program_runs.append(run.id, number, record)
    store.program_runs.finish(run.id)
    store.program_runs.start("bootstrap", "another key", ASKED)


def as_sql(connection):
    """Everything in the database as statements that make it again."""
    lines = []
    for name, start in connection.execute(
        "SELECT sequence_name, coalesce(last_value + 1, 1) FROM duckdb_sequences() ORDER BY ALL"
    ).fetchall():
        lines.append(f"CREATE SEQUENCE {name} START {start};")
    tables = connection.execute("SELECT table_name, sql FROM duckdb_tables() ORDER BY ALL")
    for name, sql in tables.fetchall():
        rows = connection.table(name).order("ALL").fetchall()
        lines += [
            sql,
            *(" ".join(("INSERT INTO", name, "VALUES", _literal(row))) + ";" for row in rows),
        ]
    lines += [sql for (sql,) in connection.execute("SELECT sql FROM duckdb_indexes()").fetchall()]
    return "\n".join(lines) + "\n"


def schema(connection):
    """The tables with their columns, the indexes and the sequences."""
    tables = connection.execute("SELECT sql FROM duckdb_tables() ORDER BY table_name").fetchall()
    indexes = connection.execute("SELECT sql FROM duckdb_indexes() ORDER BY index_name").fetchall()
    names = "SELECT sequence_name FROM duckdb_sequences() ORDER BY sequence_name"
    return tables, indexes, connection.execute(names).fetchall()


def _literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, bytes):
        return f"from_hex('{value.hex()}')"
    if isinstance(value, str | datetime):
        text = str(value).replace("'", "''")
        return f"'{text}'"
    return repr(value)


def restore(sql, folder):
    """Make the workspace that the statements tell of in an empty folder."""
    with duckdb.connect(folder / FILE_NAME) as connection:
        connection.execute(sql)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Studio.open(folder) as studio:
            fill(studio, folder)
        with duckdb.connect(folder / FILE_NAME) as connection:
            sys.stdout.write(as_sql(connection))


if __name__ == "__main__":
    main()
