"""The database's tables: the schema of version 1, then numbered steps, each applied once.

Nothing here declares a primary key: one process owns the file and one writer at a time holds its
lock, so the statements that insert ensure uniqueness, and a bulk insert pays for no index
(those of the log-probabilities, the token vectors and the task states, which come in small chunks,
serve look-ups).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..errors import InvalidInput
from .exchange import one_number, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Migration: TypeAlias = "Callable[[DuckDBPyConnection], None]"


def m001_schema(cursor: "DuckDBPyConnection") -> None:
    """Every table in an empty file.

    `revisions` is append-only: the values of a row's changed fields before and after. One without
    both is the birth of a demonstration, whose values follow from the `before` of later ones, so
    an import of any size stores ids only. One of demonstration 0 is of the pool's setting in use.
    `session` of a run distinguishes one of this process
    from one that was killed. What models computed is keyed by the hash of their input. An index
    exists where a page or a query looks up a few of all texts ever scored.

    A collection's name is its own: a pool may have the same one. `source` of a passage is its file,
    `document` the number of the document in it and `part` that of the passage in the document, both
    from 1; its `key` is the hash of title and text as they are compared.

    `program_runs` and `program_records` are gone in version 2.
    """
    cursor.execute("""
        CREATE SEQUENCE pool_ids;
        CREATE SEQUENCE pool_versions;
        CREATE SEQUENCE demonstration_ids;
        CREATE SEQUENCE action_ids;
        CREATE SEQUENCE run_ids;
        CREATE SEQUENCE review_queue_ids;
        CREATE SEQUENCE collection_ids;
        CREATE SEQUENCE collection_versions;
        CREATE SEQUENCE passage_ids;
        CREATE SEQUENCE program_run_ids;

        CREATE TABLE pools (
            id BIGINT NOT NULL, name VARCHAR NOT NULL, seed BIGINT NOT NULL,
            version BIGINT NOT NULL, created TIMESTAMP NOT NULL, edition BIGINT DEFAULT 0 NOT NULL
        );
        CREATE TABLE demonstrations (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL,
            query VARCHAR NOT NULL, answer VARCHAR NOT NULL,
            incorrect VARCHAR[] NOT NULL, tags VARCHAR[] NOT NULL, best BOOLEAN NOT NULL,
            status VARCHAR NOT NULL, note VARCHAR NOT NULL, deleted BOOLEAN NOT NULL,
            revision INTEGER NOT NULL, query_key VARCHAR NOT NULL,
            incorrect_kinds VARCHAR[] DEFAULT [] NOT NULL,
            rationale VARCHAR DEFAULT '' NOT NULL,
            passages_shown VARCHAR[] DEFAULT [] NOT NULL,
            written_by VARCHAR DEFAULT '' NOT NULL,
            dismissed VARCHAR[] DEFAULT [] NOT NULL,
            reviewed VARCHAR[] DEFAULT [] NOT NULL
        );
        CREATE TABLE fixed_demonstrations (
            pool_id BIGINT NOT NULL, position INTEGER NOT NULL, demonstration_id BIGINT NOT NULL
        );
        CREATE TABLE pool_tasks (pool_id BIGINT NOT NULL, task VARCHAR NOT NULL);
        CREATE TABLE searches (
            pool_id BIGINT NOT NULL, name VARCHAR NOT NULL, text VARCHAR NOT NULL
        );
        CREATE TABLE review_queues (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL, name VARCHAR NOT NULL,
            place BIGINT NOT NULL, created TIMESTAMP NOT NULL
        );
        CREATE TABLE review_queue_rows (
            queue_id BIGINT NOT NULL, place BIGINT NOT NULL, demonstration_id BIGINT NOT NULL,
            reviewed BIGINT NOT NULL
        );

        CREATE TABLE collections (
            id BIGINT NOT NULL, name VARCHAR NOT NULL, version BIGINT NOT NULL,
            created TIMESTAMP NOT NULL
        );
        CREATE TABLE passages (
            id BIGINT NOT NULL, collection_id BIGINT NOT NULL, title VARCHAR NOT NULL,
            text VARCHAR NOT NULL, source VARCHAR NOT NULL, document BIGINT NOT NULL,
            part BIGINT NOT NULL, created TIMESTAMP NOT NULL, key VARCHAR NOT NULL
        );

        CREATE TABLE actions (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL, happened TIMESTAMP NOT NULL,
            who VARCHAR NOT NULL, what VARCHAR NOT NULL, demonstrations INTEGER NOT NULL,
            undoes BIGINT
        );
        CREATE TABLE revisions (
            action_id BIGINT NOT NULL, demonstration_id BIGINT NOT NULL,
            revision INTEGER NOT NULL, before VARCHAR, after VARCHAR
        );

        CREATE TABLE runs (
            id BIGINT NOT NULL, kind VARCHAR NOT NULL, pool_id BIGINT, settings VARCHAR NOT NULL,
            state VARCHAR NOT NULL, message VARCHAR NOT NULL, started TIMESTAMP NOT NULL,
            updated TIMESTAMP NOT NULL, result VARCHAR, session VARCHAR NOT NULL
        );
        CREATE TABLE run_rows (
            run_id BIGINT NOT NULL, position BIGINT NOT NULL, content VARCHAR NOT NULL
        );
        CREATE TABLE program_runs (
            id BIGINT NOT NULL, kind VARCHAR NOT NULL, key VARCHAR NOT NULL,
            asked VARCHAR NOT NULL, created TIMESTAMP NOT NULL, finished TIMESTAMP
        );
        CREATE TABLE program_records (
            run_id BIGINT NOT NULL, number BIGINT NOT NULL, record VARCHAR NOT NULL
        );

        CREATE TABLE embeddings (
            encoder VARCHAR NOT NULL, hash VARCHAR NOT NULL, row BLOB NOT NULL
        );
        CREATE TABLE token_vectors (
            encoder VARCHAR NOT NULL, hash VARCHAR NOT NULL, dimensions INTEGER NOT NULL,
            vectors BLOB NOT NULL
        );
        CREATE TABLE task_states (
            model VARCHAR NOT NULL, prefix VARCHAR NOT NULL, hash VARCHAR NOT NULL,
            state BLOB NOT NULL
        );
        CREATE TABLE quality (
            model VARCHAR NOT NULL, template VARCHAR NOT NULL, hash VARCHAR NOT NULL,
            value DOUBLE NOT NULL
        );
        CREATE TABLE log_probs (
            model VARCHAR NOT NULL, prompt VARCHAR NOT NULL, answer VARCHAR NOT NULL,
            total DOUBLE NOT NULL, n_tokens INTEGER NOT NULL, tokens DOUBLE[] NOT NULL
        );
        CREATE TABLE generations (
            model VARCHAR NOT NULL, prompt VARCHAR NOT NULL, settings VARCHAR NOT NULL,
            number INTEGER NOT NULL, text VARCHAR NOT NULL, tokens BIGINT[] NOT NULL,
            log_probs DOUBLE[] NOT NULL, ended_by VARCHAR NOT NULL,
            thoughts VARCHAR NOT NULL, instead VARCHAR NOT NULL, doubts VARCHAR NOT NULL
        );
        CREATE TABLE coordinates (
            key VARCHAR NOT NULL, ids BLOB NOT NULL, xy BLOB NOT NULL, happened TIMESTAMP NOT NULL
        );

        CREATE INDEX log_probs_by_prompt ON log_probs (prompt);
        CREATE INDEX generations_by_prompt ON generations (prompt);
        CREATE INDEX token_vectors_by_hash ON token_vectors (hash);
        CREATE INDEX task_states_by_hash ON task_states (hash);
    """)


def m002_one_table_of_runs(cursor: "DuckDBPyConnection") -> None:
    """Runs of programs are rows of `runs`, too, which have a key then.

    They get new numbers, in their order; one that was not finished is as one that was stopped.
    """
    cursor.execute("""
        ALTER TABLE runs ADD COLUMN key VARCHAR;
        CREATE TEMPORARY TABLE moved AS
        SELECT *, nextval('run_ids') AS run_id, coalesce(finished, created) AS updated
        FROM (FROM program_runs ORDER BY id);
        INSERT INTO runs BY NAME
        SELECT run_id AS id, kind, key, asked AS settings, '' AS message, '' AS session,
            if(finished IS NULL, 'cancelled', 'finished') AS state, created AS started, updated,
            (SELECT any_value(id) FROM pools WHERE name = coalesce(
                json_extract_string(asked, '$.pool'), json_extract_string(asked, '$.basis.pool')
            )) AS pool_id
        FROM moved;
        INSERT INTO run_rows
        SELECT moved.run_id, number, record
        FROM program_records JOIN moved ON program_records.run_id = moved.id;
        DROP TABLE moved;
        DROP TABLE program_records;
        DROP TABLE program_runs;
        DROP SEQUENCE program_run_ids;
    """)


def m003_versions_of_actions(cursor: "DuckDBPyConnection") -> None:
    """An action knows the version that it made: 0 if it changed no figure, NULL from before this.

    `chosen` is the version that the last choice of fixed demonstrations or of a task made.
    """
    cursor.execute("""
        ALTER TABLE actions ADD COLUMN version BIGINT;
        ALTER TABLE pools ADD COLUMN chosen BIGINT DEFAULT 0;
    """)


MIGRATIONS: tuple[Migration, ...] = (m001_schema, m002_one_table_of_runs, m003_versions_of_actions)
"""The first makes version 1 of an empty file, each of the others the next version."""


def migrate(cursor: "DuckDBPyConnection", migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """The version of the database after applying the missing migrations.

    Every step and the record of it are one transaction: a failure or a kill leaves the version
    before or after.

    Raises:
        InvalidInput: The database was made before the first release, or by a newer Shotlist;
            nothing is written.
    """
    if _has_table(cursor, "migrations"):
        raise InvalidInput(
            "The workspace's database was made by a Shotlist from before the first release, and "
            "this one cannot open it: export its pools with the Shotlist that made it (python -m "
            "core export --pool NAME --format jsonl --out FILE) and import the files into another "
            "workspace."
        )
    version, newest = _version(cursor), len(migrations)
    if version > newest:
        raise InvalidInput(
            f"The workspace's database has version {version}, and this Shotlist knows versions up "
            f"to {newest}: install a newer Shotlist, or choose another workspace."
        )
    for number, step in enumerate(migrations, start=1):
        if number > version:
            _apply(cursor, number, step)
    return newest


def _version(cursor: "DuckDBPyConnection") -> int:
    """The version that the database has recorded; 0 for an empty file."""
    if not _has_table(cursor, "schema_versions"):
        return 0
    return one_number(cursor, "SELECT coalesce(max(version), 0) FROM schema_versions")


def _has_table(cursor: "DuckDBPyConnection", name: str) -> bool:
    return bool(
        one_number(cursor, "SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [name])
    )


def _apply(cursor: "DuckDBPyConnection", number: int, step: Migration) -> None:
    cursor.execute("BEGIN")
    try:
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS "
            "schema_versions (version INTEGER, name VARCHAR, happened TIMESTAMP)"
        )
        step(cursor)
        cursor.execute(
            "INSERT INTO schema_versions VALUES (?, ?, ?)", [number, step.__name__, utc_now()]
        )
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")
