"""The database's tables: today's schema as a baseline, then numbered steps, each applied once.

Nothing here declares a primary key: one process owns the file and one writer at a time holds its
lock, so the statements that insert ensure uniqueness, and a bulk insert pays for no index
(those of the log-probabilities, the token vectors and the task states, which come in small chunks,
serve look-ups).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..errors import InvalidInput
from .transfer.codec import utc_now
from .transfer.exchange import one_number

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Migration: TypeAlias = "Callable[[DuckDBPyConnection], None]"

BASELINE = 11
"""The version of the first of `MIGRATIONS`; those before it were never released."""


def m011_baseline(cursor: "DuckDBPyConnection") -> None:
    """Every table in an empty file.

    `revisions` is append-only: the values of a row's changed fields before and after. One without
    both is the birth of a demonstration, whose values follow from the `before` of later ones, so
    an import of any size stores ids only. `session` of a run distinguishes one of this process
    from one that was killed. What models computed is keyed by the hash of their input. An index
    exists where a page or a query looks up a few of all texts ever scored.
    """
    cursor.execute("""
        CREATE SEQUENCE pool_ids;
        CREATE SEQUENCE pool_versions;
        CREATE SEQUENCE demonstration_ids;
        CREATE SEQUENCE action_ids;
        CREATE SEQUENCE run_ids;

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
            incorrect_kinds VARCHAR[] DEFAULT [] NOT NULL
        );
        CREATE TABLE fixed_demonstrations (
            pool_id BIGINT NOT NULL, position INTEGER NOT NULL, demonstration_id BIGINT NOT NULL
        );
        CREATE TABLE pool_tasks (pool_id BIGINT NOT NULL, task VARCHAR NOT NULL);

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
        CREATE TABLE coordinates (
            key VARCHAR NOT NULL, ids BLOB NOT NULL, xy BLOB NOT NULL, happened TIMESTAMP NOT NULL
        );

        CREATE INDEX log_probs_by_prompt ON log_probs (prompt);
        CREATE INDEX token_vectors_by_hash ON token_vectors (hash);
        CREATE INDEX task_states_by_hash ON task_states (hash);
    """)


def m012_generations(cursor: "DuckDBPyConnection") -> None:
    """What language models wrote, under the hash of the prompt and of the settings."""
    cursor.execute("""
        CREATE TABLE generations (
            model VARCHAR NOT NULL, prompt VARCHAR NOT NULL, settings VARCHAR NOT NULL,
            number INTEGER NOT NULL, text VARCHAR NOT NULL, tokens BIGINT[] NOT NULL,
            log_probs DOUBLE[] NOT NULL, ended_by VARCHAR NOT NULL
        );
        CREATE INDEX generations_by_prompt ON generations (prompt);
    """)


def m013_passages(cursor: "DuckDBPyConnection") -> None:
    """Collections of passages, whose names are their own: a pool may have the same one.

    `source` is the file, `document` the number of the document in it and `part` that of the passage
    in the document, both from 1. `key` is the hash of title and text as they are compared: no
    collection has two passages with the same one.
    """
    cursor.execute("""
        CREATE SEQUENCE collection_ids;
        CREATE SEQUENCE collection_versions;
        CREATE SEQUENCE passage_ids;

        CREATE TABLE collections (
            id BIGINT NOT NULL, name VARCHAR NOT NULL, version BIGINT NOT NULL,
            created TIMESTAMP NOT NULL
        );
        CREATE TABLE passages (
            id BIGINT NOT NULL, collection_id BIGINT NOT NULL, title VARCHAR NOT NULL,
            text VARCHAR NOT NULL, source VARCHAR NOT NULL, document BIGINT NOT NULL,
            part BIGINT NOT NULL, created TIMESTAMP NOT NULL, key VARCHAR NOT NULL
        );
    """)


def m014_program_runs(cursor: "DuckDBPyConnection") -> None:
    """Runs of programs, and the records of what each of them did.

    `key` is the hash of everything that decides what comes out: a kind has one run of each.
    `finished` is NULL while a run is under way or was killed; its records, numbered from 0, are
    what it need not do again. `asked` and `record` are JSON.
    """
    cursor.execute("""
        CREATE SEQUENCE program_run_ids;

        CREATE TABLE program_runs (
            id BIGINT NOT NULL, kind VARCHAR NOT NULL, key VARCHAR NOT NULL,
            asked VARCHAR NOT NULL, created TIMESTAMP NOT NULL, finished TIMESTAMP
        );
        CREATE TABLE program_records (
            run_id BIGINT NOT NULL, number BIGINT NOT NULL, record VARCHAR NOT NULL
        );
    """)


def m015_what_programs_wrote(cursor: "DuckDBPyConnection") -> None:
    """What a program that wrote a demonstration leaves beside query and answer."""
    cursor.execute("""
        ALTER TABLE demonstrations ADD COLUMN rationale VARCHAR DEFAULT '';
        ALTER TABLE demonstrations ALTER COLUMN rationale SET NOT NULL;
        ALTER TABLE demonstrations ADD COLUMN passages_shown VARCHAR[] DEFAULT [];
        ALTER TABLE demonstrations ALTER COLUMN passages_shown SET NOT NULL;
        ALTER TABLE demonstrations ADD COLUMN written_by VARCHAR DEFAULT '';
        ALTER TABLE demonstrations ALTER COLUMN written_by SET NOT NULL;
    """)


def m016_dismissed_findings(cursor: "DuckDBPyConnection") -> None:
    """The findings of a demonstration that somebody dismissed."""
    cursor.execute("""
        ALTER TABLE demonstrations ADD COLUMN dismissed VARCHAR[] DEFAULT [];
        ALTER TABLE demonstrations ALTER COLUMN dismissed SET NOT NULL;
    """)


def m017_review_queues(cursor: "DuckDBPyConnection") -> None:
    """Which demonstrations somebody has read and decided about, and in which order they come."""
    cursor.execute("""
        ALTER TABLE demonstrations ADD COLUMN reviewed VARCHAR[] DEFAULT [];
        ALTER TABLE demonstrations ALTER COLUMN reviewed SET NOT NULL;

        CREATE SEQUENCE review_queue_ids;
        CREATE TABLE review_queues (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL, name VARCHAR NOT NULL,
            place BIGINT NOT NULL, created TIMESTAMP NOT NULL
        );
        CREATE TABLE review_queue_rows (
            queue_id BIGINT NOT NULL, place BIGINT NOT NULL, demonstration_id BIGINT NOT NULL,
            reviewed BIGINT NOT NULL
        );
    """)


def m018_saved_searches(cursor: "DuckDBPyConnection") -> None:
    """Searches of a pool, saved by name."""
    cursor.execute("""
        CREATE TABLE searches (
            pool_id BIGINT NOT NULL, name VARCHAR NOT NULL, text VARCHAR NOT NULL
        );
    """)


def m019_what_is_no_answer(cursor: "DuckDBPyConnection") -> None:
    """Thoughts, what came in place of an answer, and what a server says of it that is doubtful.

    Texts of servers were kept as if all of them had ended by themselves, also those that broke off,
    were held back or were thoughts: nobody knows which, so they are asked for again.
    """
    cursor.execute("""
        DROP INDEX generations_by_prompt;
        CREATE TABLE generations_before AS
            SELECT * FROM generations WHERE NOT (len(tokens) = 0 AND ended_by = 'end');
        DROP TABLE generations;
        CREATE TABLE generations (
            model VARCHAR NOT NULL, prompt VARCHAR NOT NULL, settings VARCHAR NOT NULL,
            number INTEGER NOT NULL, text VARCHAR NOT NULL, tokens BIGINT[] NOT NULL,
            log_probs DOUBLE[] NOT NULL, ended_by VARCHAR NOT NULL,
            thoughts VARCHAR NOT NULL, instead VARCHAR NOT NULL, doubts VARCHAR NOT NULL
        );
        INSERT INTO generations SELECT *, '', '', '[]' FROM generations_before;
        DROP TABLE generations_before;
        CREATE INDEX generations_by_prompt ON generations (prompt);
    """)


MIGRATIONS: tuple[Migration, ...] = (
    m011_baseline,
    m012_generations,
    m013_passages,
    m014_program_runs,
    m015_what_programs_wrote,
    m016_dismissed_findings,
    m017_review_queues,
    m018_saved_searches,
    m019_what_is_no_answer,
)
"""The first makes version `BASELINE` of an empty file, each of the others the next version."""


def migrate(cursor: "DuckDBPyConnection", migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """The version of the database after applying the missing migrations.

    Every step and the record of it are one transaction: a failure or a kill leaves the version
    before or after.

    Raises:
        InvalidInput: The database was made by an older Shotlist than the baseline's, or by a newer
            one; nothing is written.
    """
    version, newest = _version(cursor), BASELINE + len(migrations) - 1
    if version > newest:
        raise InvalidInput(
            f"The workspace's database has version {version}, and this Shotlist knows versions up "
            f"to {newest}: install a newer Shotlist, or choose another workspace."
        )
    if 0 < version < BASELINE:
        raise InvalidInput(
            f"The workspace's database has version {version}, and this Shotlist opens versions "
            f"from {BASELINE} on: export its pools with the Shotlist that made it and import them "
            "into another workspace."
        )
    for number, step in enumerate(migrations, start=BASELINE):
        if number > version:
            _apply(cursor, number, step)
    return newest


def _version(cursor: "DuckDBPyConnection") -> int:
    """The version that the database has recorded; 0 for an empty file."""
    tables = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'migrations'"
    if not one_number(cursor, tables):
        return 0
    return one_number(cursor, "SELECT coalesce(max(version), 0) FROM migrations")


def _apply(cursor: "DuckDBPyConnection", number: int, step: Migration) -> None:
    cursor.execute("BEGIN")
    try:
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS "
            "migrations (version INTEGER, name VARCHAR, happened TIMESTAMP)"
        )
        step(cursor)
        cursor.execute(
            "INSERT INTO migrations VALUES (?, ?, ?)", [number, step.__name__, utc_now()]
        )
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")
