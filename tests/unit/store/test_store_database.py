import gc
import os
import subprocess
import sys
import threading

import duckdb
import pytest

from core.errors import InvalidInput, WorkspaceBusy
from core.incorrect import incorrect_answers
from core.store import Change, Pool, Store, migrations
from core.store.database import FILE_NAME, Database
from core.store.migrations import MIGRATIONS, migrate
from core.types import Draft, LogProb


def test_the_folder_is_made_and_found_again(tmp_path):
    folder = tmp_path / "a" / "b ü"
    with Store.open(folder) as store:
        assert store.folder == folder.resolve()
        store.pools.create("one")
    with Store.open(str(folder)) as store:
        assert [pool.name for pool in store.pools.all()] == ["one"]


def test_a_second_store_of_this_process_is_refused_until_the_first_is_closed(tmp_path):
    store = Store.open(tmp_path)
    with pytest.raises(WorkspaceBusy, match="already open in this process") as refusal:
        Store.open(tmp_path / ".")
    assert str(tmp_path) in str(refusal.value)
    store.close()
    store.close()
    Store.open(tmp_path).close()


def test_a_store_that_was_forgotten_does_not_block_the_next(tmp_path):
    store = Store.open(tmp_path)
    store.pools.create("kept")
    del store
    gc.collect()
    with Store.open(tmp_path) as again:
        assert again.pools.get("kept").name == "kept"


def test_a_symbolic_link_is_the_same_workspace(tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    with Store.open(tmp_path / "real"), pytest.raises(WorkspaceBusy):
        Store.open(tmp_path / "link")


def test_a_second_process_gets_one_line_with_the_workspace_and_the_holder(tmp_path):
    script = "import sys; from core.store import Store; Store.open(sys.argv[1])"
    with Store.open(tmp_path / "mine"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "mine")],
            capture_output=True,
            text=True,
            check=False,
        )
    last = done.stderr.strip().splitlines()[-1]
    assert last == (
        f"core.errors.WorkspaceBusy: The workspace {tmp_path / 'mine'} is already open in another "
        f"process (PID {os.getpid()}): close it there, or choose another workspace."
    )


@pytest.mark.parametrize("content", [b"hello" * 2000, b"\0" * 40, b"x"])
def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(InvalidInput, match=FILE_NAME) as refusal:
        Store.open(tmp_path)
    assert "\n" not in str(refusal.value)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="name a folder"):
        Store.open(tmp_path / "file")


def test_what_a_failed_write_did_is_taken_back(tmp_path):
    database = Database.open(tmp_path)

    def interrupted():
        with database.write() as cursor:
            cursor.execute("INSERT INTO run_rows VALUES (1, 1, 'x')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with database.read() as cursor:
        assert cursor.execute("SELECT count(*) FROM run_rows").fetchall() == [(0,)]
    with database.write() as cursor:
        cursor.execute("INSERT INTO run_rows VALUES (1, 1, 'x')")
    with database.read() as cursor:
        assert cursor.execute("SELECT count(*) FROM run_rows").fetchall() == [(1,)]
    database.close()


def test_a_reader_sees_one_state_from_beginning_to_end(tmp_path):
    database = Database.open(tmp_path)
    with database.read() as reader:
        assert reader.execute("SELECT count(*) FROM run_rows").fetchall() == [(0,)]
        with database.write() as cursor:
            cursor.execute("INSERT INTO run_rows VALUES (1, 1, 'x')")
        database.checkpoint()  # does nothing, and says nothing, while someone reads
        assert reader.execute("SELECT count(*) FROM run_rows").fetchall() == [(0,)]
    database.close()


def test_a_reader_cannot_write(tmp_path):
    database = Database.open(tmp_path)
    with pytest.raises(duckdb.Error), database.read() as cursor:
        cursor.execute("DELETE FROM pools")
    database.close()


def test_writers_wait_for_each_other(tmp_path):
    database = Database.open(tmp_path)
    with database.write() as cursor:
        cursor.execute("INSERT INTO run_rows VALUES (1, 0, 'x')")

    def increment():
        for _ in range(25):
            with database.write() as cursor:
                cursor.execute("UPDATE run_rows SET position = position + 1")

    threads = [threading.Thread(target=increment) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as cursor:
        assert cursor.execute("SELECT position FROM run_rows").fetchall() == [(100,)]
    database.close()


def versions(folder):
    connection = duckdb.connect(folder / FILE_NAME)
    rows = connection.execute("SELECT version, name FROM migrations ORDER BY version").fetchall()
    connection.close()
    return rows


def test_each_migration_is_applied_once_and_recorded(tmp_path):
    for _ in range(3):
        Store.open(tmp_path).close()
    assert versions(tmp_path) == [
        (number, step.__name__) for number, step in enumerate(MIGRATIONS, start=1)
    ]
    for number, step in enumerate(MIGRATIONS, start=1):
        assert step.__name__.startswith(f"m{number:03d}_")


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_every_older_version_is_brought_up_to_date(tmp_path, version):
    connection = duckdb.connect(tmp_path / FILE_NAME)
    assert migrate(connection, MIGRATIONS[:version]) == version
    if version >= 1:
        edition = ", 3 AS edition" if version >= 8 else ""
        connection.execute(
            """INSERT INTO pools BY NAME SELECT 41 AS id, 'old' AS name, 7 AS seed, 3 AS version,
            '2026-01-01'::TIMESTAMP AS created"""
            + edition
        )
        connection.execute(
            """INSERT INTO demonstrations BY NAME SELECT 9 AS id, 41 AS pool_id, 'Q' AS query,
            'A' AS answer, ['B', 'C'] AS incorrect, ['t'] AS tags, true AS best,
            'included' AS status, '' AS note, false AS deleted, 1 AS revision,
            'q' AS """
            + ("query_key" if version >= 9 else "normalised_query")
            + (", [] AS incorrect_kinds" if version >= 5 else "")
        )
    if version >= 3:
        connection.execute("INSERT INTO log_probs VALUES ('m', 'p', 'a', -1.5, 1, [-1.5])")
    connection.close()
    with Store.open(tmp_path) as store:
        names = [pool.name for pool in store.pools.all()]
        assert names == (["old"] if version >= 1 else [])
        if version >= 1:
            assert store.pools.get("old") == Pool(41, "old", 7, version=3, edition=3)
            (old,) = store.demonstrations.all(41)
            assert (old.query, old.incorrect) == ("Q", incorrect_answers(["B", "C"]))
        known = {("p", "a"): LogProb(-1.5, 1, (-1.5,))} if version >= 3 else {}
        assert store.log_probs.get("m", [("p", "a"), ("p", "b")]) == known
        pool = store.pools.create("new")
        store.demonstrations.add(pool.id, [Draft("q", "a")])
        assert store.history.actions(pool.id)[0].demonstrations == 1
    assert len(versions(tmp_path)) == len(MIGRATIONS)


def test_queries_that_look_the_same_become_one_and_nothing_is_lost(tmp_path):
    """As a workspace of version 6 had them: two queries, each with a best answer, one deleted."""
    connection = duckdb.connect(tmp_path / FILE_NAME)
    migrate(connection, MIGRATIONS[:6])
    connection.execute("INSERT INTO pools VALUES (1, 'old', 7, 3, '2026-01-01')")
    connection.execute("SELECT nextval('pool_versions') FROM range(3)")
    rows = [
        (1, "What is caf\u00e9?", "A place", True, False, "what is caf\u00e9?"),
        (2, "What is\u200b caf\u00e9?", "A place", True, False, "what is\u200b caf\u00e9?"),
        (3, "What is caf\u00ade\u0301?", "Gone", True, True, "what is caf\u00ade\u0301?"),
        (4, "Another \u00e9", "Yes", True, False, "another \u00e9"),
    ]
    for id, query, answer, best, deleted, key in rows:
        connection.execute(
            """INSERT INTO demonstrations
            VALUES (?, 1, ?, ?, [], [], ?, 'included', '', ?, 1, ?, [])""",
            [id, query, answer, best, deleted, key],
        )
    connection.execute("INSERT INTO fixed_demonstrations VALUES (1, 0, 2), (1, 1, 1)")
    connection.execute(
        """INSERT INTO actions
        VALUES (nextval('action_ids'), 1, '2026-01-01', 'ann', 'import', 4, NULL)"""
    )
    connection.execute("INSERT INTO revisions SELECT 1, id, 1, NULL, NULL FROM demonstrations")
    connection.close()
    with Store.open(tmp_path) as store:
        found = store.demonstrations.all(1)
        assert [(d.id, d.query, d.answer, d.best, d.revision) for d in found] == [
            (1, rows[0][1], "A place", True, 1),
            (2, rows[1][1], "A place", False, 2),
            (4, "Another \u00e9", "Yes", True, 1),
        ]
        summary = store.pools.summary("old")
        assert (summary.queries, summary.demonstrations) == (2, 3)
        assert summary.version > 3
        assert store.pools.fixed_ids(1) == [2, 1]
        assert [step.before.get("best") for step in store.history.of(2)] == [None, True]
        assert store.history.of(2)[0].after["best"] is True
        newest = store.history.actions(1)[0]
        assert (newest.who, newest.what) == ("Shotlist", "joined queries that look the same")
        added = store.demonstrations.add(1, [Draft("What is cafe\u0301?\ufeff", "A place")])
        assert (added.ids, added.doubles) == ([], 1)
        # The doubles of old can still be worked on, and one of them deleted.
        store.demonstrations.change([Change(2, 2, note="a double")], what="note")
        store.demonstrations.change([Change(2, 3, deleted=True)], what="delete")
        assert [d.id for d in store.demonstrations.all(1)] == [1, 4]


def test_queries_in_other_letters_become_several_and_nothing_is_lost(tmp_path):
    """As a workspace of version 8 had them: "Co" and "CO" were one query."""
    connection = duckdb.connect(tmp_path / FILE_NAME)
    migrate(connection, MIGRATIONS[:8])
    connection.execute("SELECT nextval('pool_versions') FROM range(6)")
    connection.execute("INSERT INTO pools VALUES (1, 'old', 7, 3, '2026-01-01', 5)")
    connection.execute("INSERT INTO pools VALUES (2, 'plain', 7, 6, '2026-01-01', 6)")
    rows = [
        (1, 1, "What is Co?", "cobalt", True, "what is co?"),
        (2, 1, "What is CO?", "carbon monoxide", False, "what is co?"),
        (3, 1, "What is cafe\u0301?", "a place", True, "what is caf\u00e9?"),
        (4, 1, "What is caf\u00e9?", "a\u200b place", False, "what is caf\u00e9?"),
        (5, 2, "What is CO?", "a county", True, "what is co?"),
    ]
    for id, pool, query, answer, best, key in rows:
        connection.execute(
            """INSERT INTO demonstrations
            VALUES (?, ?, ?, ?, ['x', ' x', 'X'], [], ?, 'included', '', false, 1, ?, [])""",
            [id, pool, query, answer, best, key],
        )
    connection.close()
    with Store.open(tmp_path) as store:
        found = [*store.demonstrations.all(1), *store.demonstrations.all(2)]
        assert [(d.id, d.query, d.answer, d.best, d.revision) for d in found] == [
            (id, query, answer, best, 1) for id, _, query, answer, best, _ in rows
        ]
        old, plain = store.pools.summary("old"), store.pools.summary("plain")
        # The place is one answer in two spellings that nobody tells apart; x and X are two.
        assert (old.queries, old.triples, plain.queries, plain.triples) == (3, 6, 1, 2)
        assert store.pools.get("old").version == store.pools.get("old").edition > 6
        assert (store.pools.get("plain").version, store.pools.get("plain").edition) == (6, 6)
        added = store.demonstrations.add(
            1, [Draft(" What is CO?", "Carbon monoxide"), Draft("What is CO?\n", "carbon monoxide")]
        )
        assert (len(added.ids), added.doubles) == (1, 1)
        # The doubles of old can still be worked on.
        store.demonstrations.change([Change(4, 1, best=True)], what="best")
        assert [d.id for d in store.demonstrations.all(1) if d.best] == [1, 4]


def test_a_migration_that_fails_leaves_the_version_before(tmp_path, monkeypatch):
    def m999_broken(cursor):
        cursor.execute("CREATE TABLE half (x INTEGER)")
        cursor.execute("SELECT nothing FROM nowhere")

    Store.open(tmp_path).close()
    broken = (*MIGRATIONS, m999_broken)
    monkeypatch.setattr(migrations, "MIGRATIONS", broken)
    monkeypatch.setattr("core.store.database.migrate", lambda cursor: migrate(cursor, broken))
    with pytest.raises(duckdb.Error):
        Store.open(tmp_path)
    monkeypatch.undo()
    with Store.open(tmp_path) as store, store._database.read() as cursor:
        tables = {row[0] for row in cursor.execute("SHOW TABLES").fetchall()}
    assert "half" not in tables
    assert len(versions(tmp_path)) == len(MIGRATIONS)


def test_a_newer_database_is_refused_and_unharmed(tmp_path):
    Store.open(tmp_path).close()
    connection = duckdb.connect(tmp_path / FILE_NAME)
    connection.execute("INSERT INTO migrations VALUES (99, 'm099_future', now()::TIMESTAMP)")
    connection.close()
    with pytest.raises(InvalidInput, match="version 99.*install a newer Shotlist"):
        Store.open(tmp_path)
    assert versions(tmp_path)[-1] == (99, "m099_future")
