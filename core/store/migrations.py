"""The database's tables, as numbered steps that are each applied once.

Nothing here declares a primary key: one process owns the file and one writer at a time holds its
lock, so uniqueness is kept by the statements that insert, and a bulk insert pays for no index
(those of the log-probabilities and of the token vectors, which come in small chunks, are there
for looking up).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..errors import InvalidInput
from ..text import normalised, same_text
from .transfer.codec import to_json, utc_now
from .transfer.exchange import lend, one_number

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Migration: TypeAlias = "Callable[[DuckDBPyConnection], None]"


def m001_pools_and_demonstrations(cursor: "DuckDBPyConnection") -> None:
    """Pools, their demonstrations, and the demonstrations that the method `fix` uses."""
    cursor.execute("""
        CREATE SEQUENCE pool_ids;
        CREATE SEQUENCE pool_versions;
        CREATE SEQUENCE demonstration_ids;
        CREATE TABLE pools (
            id BIGINT NOT NULL, name VARCHAR NOT NULL, seed BIGINT NOT NULL,
            version BIGINT NOT NULL, created TIMESTAMP NOT NULL
        );
        CREATE TABLE demonstrations (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL,
            query VARCHAR NOT NULL, answer VARCHAR NOT NULL,
            incorrect VARCHAR[] NOT NULL, tags VARCHAR[] NOT NULL, best BOOLEAN NOT NULL,
            status VARCHAR NOT NULL, note VARCHAR NOT NULL, deleted BOOLEAN NOT NULL,
            revision INTEGER NOT NULL, normalised_query VARCHAR NOT NULL
        );
        CREATE TABLE fixed_demonstrations (
            pool_id BIGINT NOT NULL, position INTEGER NOT NULL, demonstration_id BIGINT NOT NULL
        );
    """)


def m002_history(cursor: "DuckDBPyConnection") -> None:
    """Append-only: what was done, and for each row what its changed fields were before and after.

    A row without `before` and `after` is the birth of a demonstration. Its values are what the
    later revisions say was there before them, so an import of any size stores ids only.
    """
    cursor.execute("""
        CREATE SEQUENCE action_ids;
        CREATE TABLE actions (
            id BIGINT NOT NULL, pool_id BIGINT NOT NULL, happened TIMESTAMP NOT NULL,
            who VARCHAR NOT NULL, what VARCHAR NOT NULL, demonstrations INTEGER NOT NULL,
            undoes BIGINT
        );
        CREATE TABLE revisions (
            action_id BIGINT NOT NULL, demonstration_id BIGINT NOT NULL,
            revision INTEGER NOT NULL, before VARCHAR, after VARCHAR
        );
    """)


def m003_computed(cursor: "DuckDBPyConnection") -> None:
    """What models computed, under the hash of what they computed it from."""
    cursor.execute("""
        CREATE TABLE embeddings (
            encoder VARCHAR NOT NULL, hash VARCHAR NOT NULL, row BLOB NOT NULL
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
    """)


def m004_runs(cursor: "DuckDBPyConnection") -> None:
    """Runs and their rows; `session` tells a run of this process from one that was killed."""
    cursor.execute("""
        CREATE SEQUENCE run_ids;
        CREATE TABLE runs (
            id BIGINT NOT NULL, kind VARCHAR NOT NULL, pool_id BIGINT, settings VARCHAR NOT NULL,
            state VARCHAR NOT NULL, message VARCHAR NOT NULL, started TIMESTAMP NOT NULL,
            updated TIMESTAMP NOT NULL, result VARCHAR, session VARCHAR NOT NULL
        );
        CREATE TABLE run_rows (
            run_id BIGINT NOT NULL, position BIGINT NOT NULL, content VARCHAR NOT NULL
        );
    """)


def m005_kinds_of_incorrect_answers(cursor: "DuckDBPyConnection") -> None:
    """Either empty, or the kind of each incorrect answer, '' where it has none."""
    cursor.execute("""
        ALTER TABLE demonstrations ADD COLUMN incorrect_kinds VARCHAR[] DEFAULT [];
        ALTER TABLE demonstrations ALTER COLUMN incorrect_kinds SET NOT NULL;
    """)


def m006_log_probs_by_prompt(cursor: "DuckDBPyConnection") -> None:
    """An index: a page looks up two prompts at every move of a slider, among all ever scored."""
    cursor.execute("CREATE INDEX log_probs_by_prompt ON log_probs (prompt)")


def m007_queries_without_invisible_characters(cursor: "DuckDBPyConnection") -> None:
    """Queries that differ by characters nobody sees are the same from now on.

    Where two queries become one, both keep their demonstrations, also those that are doubles now;
    of two best answers the first stays best, as an action in the pool's history.
    """
    rows = cursor.execute(
        """SELECT id, query, normalised_query FROM demonstrations
        WHERE regexp_matches(query, '[^\\x00-\\x7F]')"""
    ).fetchall()
    changed = [(id, new) for id, query, old in rows if (new := normalised(query)) != old]
    if not changed:
        return
    lend(
        cursor,
        "renamed",
        {"id": "integer", "normalised_query": "text"},
        {"id": [id for id, _ in changed], "normalised_query": [new for _, new in changed]},
    )
    cursor.execute("""
        UPDATE demonstrations d SET normalised_query = r.normalised_query
        FROM renamed r WHERE d.id = r.id;
        UPDATE pools SET version = nextval('pool_versions') WHERE id IN (
            SELECT d.pool_id FROM demonstrations d SEMI JOIN renamed r ON d.id = r.id
        );
    """)
    losers = cursor.execute(
        """SELECT id, pool_id, revision FROM demonstrations WHERE best AND NOT deleted
        QUALIFY row_number() OVER (PARTITION BY pool_id, normalised_query ORDER BY id) > 1"""
    ).fetchall()
    for pool_id in dict.fromkeys(pool for _, pool, _ in losers):
        of_pool = [(id, revision) for id, pool, revision in losers if pool == pool_id]
        action = one_number(
            cursor,
            """INSERT INTO actions
            VALUES (nextval('action_ids'), ?, ?, 'Shotlist', ?, ?, NULL) RETURNING id""",
            [pool_id, utc_now(), "joined queries that look the same", len(of_pool)],
        )
        for id, revision in of_pool:
            cursor.execute(
                "UPDATE demonstrations SET best = false, revision = ? WHERE id = ?",
                [revision + 1, id],
            )
            cursor.execute(
                "INSERT INTO revisions VALUES (?, ?, ?, ?, ?)",
                [action, id, revision + 1, to_json({"best": True}), to_json({"best": False})],
            )


def m008_editions_of_pools(cursor: "DuckDBPyConnection") -> None:
    """A number that grows with notes and tags as well, which are no new version from now on."""
    cursor.execute("""
        ALTER TABLE pools ADD COLUMN edition BIGINT DEFAULT 0;
        ALTER TABLE pools ALTER COLUMN edition SET NOT NULL;
        UPDATE pools SET edition = version;
    """)


def m009_queries_as_they_are_written(cursor: "DuckDBPyConnection") -> None:
    """Queries are the same from now on only where their texts are, but for what nobody sees.

    A pool in which one query becomes several gets a new version: its evaluation examples are
    others. Answers that differ by what nobody sees are doubles now, and both stay.
    """
    rows = cursor.execute(
        """SELECT DISTINCT query FROM demonstrations
        WHERE regexp_matches(query, '[^\\x00-\\x7F]')"""
    ).fetchall()
    folded = {query: key for (query,) in rows if (key := same_text(query)) != query}
    lend(
        cursor,
        "folded",
        {"query": "text", "key": "text"},
        {"query": list(folded), "key": list(folded.values())},
    )
    cursor.execute("""
        UPDATE pools SET version = nextval('pool_versions') WHERE id IN (
            SELECT pool_id FROM demonstrations LEFT JOIN folded USING (query) WHERE NOT deleted
            GROUP BY ALL
            HAVING count(DISTINCT coalesce(key, query)) != count(DISTINCT normalised_query)
        );
        UPDATE pools SET edition = version WHERE edition < version;
        ALTER TABLE demonstrations RENAME COLUMN normalised_query TO query_key;
        UPDATE demonstrations SET query_key = query;
        UPDATE demonstrations d SET query_key = f.key FROM folded f WHERE d.query = f.query;
    """)


def m010_token_vectors(cursor: "DuckDBPyConnection") -> None:
    """The rows of each text's tokens; an index, since a query looks up some fifty of all texts."""
    cursor.execute("""
        CREATE TABLE token_vectors (
            encoder VARCHAR NOT NULL, hash VARCHAR NOT NULL, dimensions INTEGER NOT NULL,
            vectors BLOB NOT NULL
        );
        CREATE INDEX token_vectors_by_hash ON token_vectors (hash);
    """)


def m011_tasks(cursor: "DuckDBPyConnection") -> None:
    """The task that was chosen for a pool, and the state of each text after a prefix.

    An index, since a query looks up one of all texts.
    """
    cursor.execute("""
        CREATE TABLE pool_tasks (pool_id BIGINT NOT NULL, task VARCHAR NOT NULL);
        CREATE TABLE task_states (
            model VARCHAR NOT NULL, prefix VARCHAR NOT NULL, hash VARCHAR NOT NULL,
            state BLOB NOT NULL
        );
        CREATE INDEX task_states_by_hash ON task_states (hash);
    """)


MIGRATIONS: tuple[Migration, ...] = (
    m001_pools_and_demonstrations,
    m002_history,
    m003_computed,
    m004_runs,
    m005_kinds_of_incorrect_answers,
    m006_log_probs_by_prompt,
    m007_queries_without_invisible_characters,
    m008_editions_of_pools,
    m009_queries_as_they_are_written,
    m010_token_vectors,
    m011_tasks,
)


def migrate(cursor: "DuckDBPyConnection", migrations: tuple[Migration, ...] = MIGRATIONS) -> int:
    """The version of the database after applying what it lacks; 0 is an empty file.

    Every step and the record of it are one transaction: a kill leaves the version before or after.

    Raises:
        InvalidInput: The database was made by a newer Shotlist.
    """
    cursor.execute(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER, name VARCHAR, happened TIMESTAMP)"
    )
    version = one_number(cursor, "SELECT coalesce(max(version), 0) FROM migrations")
    if version > len(migrations):
        raise InvalidInput(
            f"The workspace's database has version {version}, and this Shotlist knows versions up "
            f"to {len(migrations)}: install a newer Shotlist, or choose another workspace."
        )
    for number, step in enumerate(migrations[version:], start=version + 1):
        cursor.execute("BEGIN")
        step(cursor)
        cursor.execute(
            "INSERT INTO migrations VALUES (?, ?, ?)", [number, step.__name__, utc_now()]
        )
        cursor.execute("COMMIT")
    return len(migrations)
