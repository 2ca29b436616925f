import gc
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime

import duckdb
import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput, WorkspaceBusy
from core.store import Store
from core.store.database import FILE_NAME, Database
from core.store.migrations import MIGRATIONS, migrate


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
    query = "SELECT version, name FROM schema_versions ORDER BY version"
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def schema(connection):
    """The tables with their columns, the indexes and the sequences."""
    tables = connection.execute("SELECT sql FROM duckdb_tables() ORDER BY table_name").fetchall()
    indexes = connection.execute("SELECT sql FROM duckdb_indexes() ORDER BY index_name").fetchall()
    names = "SELECT sequence_name FROM duckdb_sequences() ORDER BY sequence_name"
    return tables, indexes, connection.execute(names).fetchall()


def colours(cursor):
    cursor.execute("ALTER TABLE pools ADD COLUMN colour VARCHAR DEFAULT 'red'")
    cursor.execute("UPDATE pools SET name = 'Pool ' || name")


def broken_half(cursor):
    cursor.execute("CREATE TABLE half (x INTEGER)")
    cursor.execute("UPDATE pools SET name = 'lost', colour = 'blue'")
    cursor.execute("SELECT nothing FROM nowhere")


def test_each_migration_is_applied_once_and_recorded(tmp_path):
    for _ in range(3):
        Store.open(tmp_path).close()
    assert versions(tmp_path) == [
        (number, step.__name__) for number, step in enumerate(MIGRATIONS, start=1)
    ]
    for number, step in enumerate(MIGRATIONS, start=1):
        assert step.__name__.startswith(f"m{number:03d}_")


def test_the_next_migration_is_applied_to_what_is_there_and_to_an_empty_file(tmp_path):
    with Store.open(tmp_path) as store:
        store.pools.create("one")
    more = (*MIGRATIONS, colours)
    new = len(more)
    with duckdb.connect(tmp_path / FILE_NAME) as old, duckdb.connect() as empty:
        for connection in (old, empty):
            for _ in range(2):
                assert migrate(connection, more) == new
        assert old.execute("SELECT name, colour FROM pools").fetchall() == [("Pool one", "red")]
        assert schema(old) == schema(empty)
    assert versions(tmp_path)[-1] == (new, "colours")
    refusal = f"has version {new}, .* up to {new - 1}: install a newer Shotlist"
    with pytest.raises(InvalidInput, match=refusal):
        Store.open(tmp_path)


def test_runs_of_programs_of_version_1_are_runs_like_all_others(tmp_path):
    with duckdb.connect(tmp_path / FILE_NAME) as old:
        migrate(old, MIGRATIONS[:1])
        old.execute("""
            INSERT INTO pools (id, name, seed, version, created)
            VALUES (7, 'lands', 1, 1, '2026-01-01');
            INSERT INTO runs VALUES (nextval('run_ids'), 'evaluate', 7, '{}', 'finished', '',
                '2026-01-02', '2026-01-03', '{"dpo": 1}', 'gone');
            INSERT INTO program_runs VALUES
                (1, 'bootstrap', 'k1', '{"pool": "lands"}', '2026-02-01', '2026-02-02'),
                (2, 'trial', 'k2', '{"basis": {"pool": "lands"}}', '2026-02-03', NULL),
                (3, 'bootstrap', 'k3', '{"pool": "gone"}', '2026-02-04', NULL);
            INSERT INTO program_records VALUES
                (2, 0, '{"of": 2}'), (1, 0, '{"of": 1}'), (1, 3, '{"of": 1, "n": 3}');
        """)
    with Store.open(tmp_path) as store:
        (evaluated,) = store.runs.latest("evaluate", 7)
        assert (evaluated.id, evaluated.key, evaluated.result) == (1, None, {"dpo": 1})
        (tried,) = store.runs.latest("bootstrap", 7)
        assert (tried.id, tried.key, tried.state) == (2, "k1", "finished")
        assert (tried.settings, tried.result) == ({"pool": "lands"}, None)
        assert [each.day for each in (tried.started, tried.updated)] == [1, 2]
        assert store.runs.numbered_rows(tried.id) == {0: {"of": 1}, 3: {"of": 1, "n": 3}}
        (stopped,) = store.runs.latest("trial", 7)
        assert (stopped.key, stopped.state) == ("k2", "cancelled")
        assert store.runs.rows(stopped.id) == [{"of": 2}]
        assert [each.key for each in store.runs.latest("bootstrap", None)] == ["k3"]
        assert store.runs.start("bootstrap", 7, {}, key="k1") == tried.id
        assert store.runs.start("evaluate", 7, {}) == 5


def test_actions_from_before_they_knew_their_versions_go_by_their_time(tmp_path):
    with duckdb.connect(tmp_path / FILE_NAME) as old:
        migrate(old, MIGRATIONS[:2])
        old.execute("""
            INSERT INTO pools (id, name, seed, version, created)
            VALUES (7, 'lands', 1, nextval('pool_versions'), '2026-01-01');
            INSERT INTO actions VALUES
                (nextval('action_ids'), 7, '2026-01-02', 'you', 'import', 2, NULL),
                (nextval('action_ids'), 7, '2026-01-04', 'you', 'exclude', 1, NULL);
        """)
    with Store.open(tmp_path) as store:
        for day, edits in ((1, 2), (3, 1), (5, 0)):
            moment = datetime(2026, 1, day, tzinfo=UTC)
            assert store.history.edits_since(7, 1, moment) == edits
        store.demonstrations.add(7, [Draft("Where is it?", "Far away.")])
        assert store.history.edits_since(7, 1, datetime(2026, 1, 5, tzinfo=UTC)) == 1


@pytest.mark.parametrize("before", [(), MIGRATIONS, (*MIGRATIONS, colours)])
def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path, before):
    file = tmp_path / FILE_NAME
    with duckdb.connect(file) as connection:
        if before:
            migrate(connection, before)
            connection.execute("INSERT INTO pools (id, name, seed, version, created) "
                               "VALUES (1, 'one', 7, 3, '2026-01-01')")  # fmt: skip
    content = file.read_bytes()
    broken = (*before, broken_half)
    with duckdb.connect(file) as connection:
        with pytest.raises(duckdb.Error):
            migrate(connection, broken)
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        assert "half" not in names
        assert bool(names) == bool(before)
        if before:
            assert connection.execute("SELECT name FROM pools").fetchall() == [("one",)]
            last = "SELECT max(version) FROM schema_versions"
            assert connection.execute(last).fetchone() == (len(before),)
    assert file.read_bytes() == content


def test_the_migrations_before_one_that_fails_count(tmp_path):
    with Store.open(tmp_path) as store:
        store.pools.create("one")
    with duckdb.connect(tmp_path / FILE_NAME) as connection:
        with pytest.raises(duckdb.Error):
            migrate(connection, (*MIGRATIONS, colours, broken_half))
        found = connection.execute("SELECT name, colour FROM pools").fetchall()
        assert found == [("Pool one", "red")]
    names = [*(step.__name__ for step in MIGRATIONS), "colours"]
    assert [name for _, name in versions(tmp_path)] == names


def test_a_workspace_whose_migration_failed_is_opened_by_the_version_before(tmp_path):
    with Store.open(tmp_path) as store:
        store.pools.create("one")
    with duckdb.connect(tmp_path / FILE_NAME) as connection, pytest.raises(duckdb.Error):
        migrate(connection, (*MIGRATIONS, broken_half))
    with Store.open(tmp_path) as store:
        assert [pool.name for pool in store.pools.all()] == ["one"]


@pytest.mark.parametrize("version", [1, 19])
def test_a_database_from_before_the_first_release_is_refused_and_unharmed(tmp_path, version):
    file = tmp_path / FILE_NAME
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE pools (id BIGINT); INSERT INTO pools VALUES (7)")
        connection.execute("CREATE TABLE migrations (version INTEGER, name VARCHAR)")
        connection.execute(
            "INSERT INTO migrations SELECT range, 'm' FROM range(1, ?)", [version + 1]
        )
    content = file.read_bytes()
    with pytest.raises(InvalidInput) as refusal:
        Store.open(tmp_path)
    assert str(refusal.value) == (
        "The workspace's database was made by a Shotlist from before the first release, and this "
        "one cannot open it: export its pools with the Shotlist that made it (python -m core "
        "export --pool NAME --format jsonl --out FILE) and import the files into another workspace."
    )
    assert file.read_bytes() == content


def test_a_newer_database_is_refused_and_unharmed(tmp_path):
    Store.open(tmp_path).close()
    connection = duckdb.connect(tmp_path / FILE_NAME)
    connection.execute("INSERT INTO schema_versions VALUES (99, 'm099_future', now()::TIMESTAMP)")
    connection.close()
    content = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(InvalidInput, match="version 99.*install a newer Shotlist"):
        Store.open(tmp_path)
    assert versions(tmp_path)[-1] == (99, "m099_future")
    assert (tmp_path / FILE_NAME).read_bytes() == content
