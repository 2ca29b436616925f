"""Passages: texts that are searched and shown as evidence, in collections with names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..text import content_hash, is_blank, same_text
from .database import Database
from .exchange import (
    aware,
    first_row,
    integers,
    one_number,
    register_positions,
    register_table,
    storable,
    utc_now,
)
from .records import AddedPassages, Collection, CollectionSummary, PassageDraft, StoredPassage

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_COLLECTIONS = "SELECT id, name, version, created FROM collections "
"""The beginning of a statement whose rows are the fields of `Collection`."""

_PASSAGES = "SELECT id, title, text, source, document, part, created FROM passages "
"""The beginning of a statement whose rows are the fields of `StoredPassage`."""

_KINDS = {
    "id": "integer",
    "title": "text",
    "text": "text",
    "source": "text",
    "document": "integer",
    "part": "integer",
    "key": "text",
}


class Passages:
    """The collections of a workspace, by name, and their passages.

    The names are distinct, letter for letter, and apart from those of pools: a pool and a
    collection may have the same one, for nothing takes either.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, drafts: Sequence[PassageDraft]) -> AddedPassages:
        """Add passages to the collection of that name, which is made where there is none.

        A passage whose title and text (`text.same_text`) the collection has, or an earlier draft,
        is skipped and counted. Everything is written or nothing.

        Raises:
            InvalidInput: The name or a text is empty, or a text cannot be stored.
        """
        keys = [content_hash(same_text(each.title), same_text(each.text)) for each in drafts]
        for number, each in enumerate(drafts, start=1):
            if is_blank(each.text):
                raise InvalidInput(f"The text of passage {number} is empty: leave it out.")
        with self._database.write() as cursor:
            collection = _find(cursor, name) or _create(cursor, name)
            new = _new_positions(cursor, collection.id, keys)
            ids = _new_ids(cursor, len(new))
            rows = [(drafts[at], keys[at], id) for at, id in zip(new, ids, strict=True)]
            _insert(cursor, collection.id, rows)
            if new:
                collection = _touch(cursor, collection.id)
        self._database.checkpoint_after(len(new))
        return AddedPassages(_with_zone(collection), ids, len(drafts) - len(new))

    def get(self, name: str) -> Collection:
        """The collection of that name.

        Raises:
            InvalidInput: There is none; the message lists the collections there are.
        """
        with self._database.read() as cursor:
            return _with_zone(_named(cursor, name))

    def all(self) -> list[CollectionSummary]:
        """A summary of each collection, ordered by name."""
        with self._database.read() as cursor:
            rows = cursor.execute(
                """SELECT c.name, count(p.id), count(DISTINCT (p.source, p.document))
                    FILTER (p.id IS NOT NULL),
                count(DISTINCT p.source), c.version, c.created
                FROM collections c LEFT JOIN passages p ON p.collection_id = c.id
                GROUP BY ALL ORDER BY c.name"""
            ).fetchall()
        return [_summary(row) for row in rows]

    def names(self) -> list[str]:
        """The name of each collection, in their order."""
        with self._database.read() as cursor:
            rows = cursor.execute("SELECT name FROM collections ORDER BY name").fetchall()
        return [row[0] for row in rows]

    def snapshot(self, name: str) -> tuple[Collection, list[StoredPassage]]:
        """The collection of that name and its passages in the order of their ids, as of one moment.

        Raises:
            InvalidInput: There is no such collection.
        """
        with self._database.read() as cursor:
            collection = _named(cursor, name)
            rows = cursor.execute(
                _PASSAGES + "WHERE collection_id = ? ORDER BY id", [collection.id]
            ).fetchall()
        return _with_zone(collection), list(map(_passage, rows))

    def by_ids(self, ids: Sequence[int]) -> list[StoredPassage]:
        """The passages with these ids, in the order given.

        Raises:
            InvalidInput: An id is no passage's; it may have been removed.
        """
        with self._database.read() as cursor:
            register_table(cursor, "wanted", {"id": "integer"}, {"id": list(ids)})
            rows = cursor.execute(_PASSAGES + "SEMI JOIN wanted USING (id)").fetchall()
        found = {row[0]: _passage(row) for row in rows}
        for number in ids:
            if number not in found:
                raise InvalidInput(
                    f"There is no passage with the id {number}: it may have been removed, so read "
                    "its collection again."
                )
        return [found[number] for number in ids]

    def remove(self, name: str) -> int:
        """Remove the collection with its passages for good; how many these were.

        What was computed of their texts is kept: it is found again when they are imported again.

        Raises:
            InvalidInput: There is no such collection.
        """
        with self._database.write() as cursor:
            collection = _named(cursor, name)
            of = "WHERE collection_id = ?"
            count = one_number(cursor, f"SELECT count(*) FROM passages {of}", [collection.id])  # noqa: S608
            cursor.execute(f"DELETE FROM passages {of}", [collection.id])  # noqa: S608
            cursor.execute("DELETE FROM collections WHERE id = ?", [collection.id])
        self._database.checkpoint()
        return count


def _new_positions(
    cursor: "DuckDBPyConnection", collection_id: int, keys: Sequence[str]
) -> list[int]:
    """Where in the list a key is that the collection lacks and that was not before it."""
    register_positions(cursor, "given", "key", keys)
    found = integers(
        cursor,
        """SELECT min(g.position) AS position FROM given g
        ANTI JOIN (SELECT key FROM passages WHERE collection_id = ?) p USING (key)
        GROUP BY g.key ORDER BY position""",
        [collection_id],
    )
    return [int(one) for one in found]


def _new_ids(cursor: "DuckDBPyConnection", how_many: int) -> tuple[int, ...]:
    fetched = integers(cursor, "SELECT nextval('passage_ids') AS id FROM range(?)", [how_many])
    return tuple(int(one) for one in np.sort(fetched))


def _insert(
    cursor: "DuckDBPyConnection", collection_id: int, rows: Sequence[tuple[PassageDraft, str, int]]
) -> None:
    """Insert drafts with their keys and ids."""
    drafts = [draft for draft, _, _ in rows]
    register_table(
        cursor,
        "passages_given",
        _KINDS,
        {
            "id": [id for _, _, id in rows],
            "title": [each.title for each in drafts],
            "text": [each.text for each in drafts],
            "source": [each.source for each in drafts],
            "document": [each.document for each in drafts],
            "part": [each.part for each in drafts],
            "key": [key for _, key, _ in rows],
        },
    )
    cursor.execute(
        """INSERT INTO passages
        SELECT id, ?, title, text, source, document, part, ?, key FROM passages_given""",
        [collection_id, utc_now()],
    )


def _passage(row: tuple[Any, ...]) -> StoredPassage:
    id, title, text, source, document, part, created = row
    return StoredPassage(
        id=id,
        title=title,
        text=text,
        source=source,
        document=document,
        part=part,
        created=aware(created),
    )


def _summary(row: tuple[Any, ...]) -> CollectionSummary:
    name, passages, documents, sources, version, created = row
    return CollectionSummary(
        name=name,
        passages=passages,
        documents=documents,
        sources=sources,
        version=version,
        created=aware(created),
    )


def _find(cursor: "DuckDBPyConnection", name: str) -> Collection | None:
    row = first_row(cursor, _COLLECTIONS + "WHERE name = ?", [_clean(name)])
    return Collection(*row) if row else None


def _named(cursor: "DuckDBPyConnection", name: str) -> Collection:
    found = _find(cursor, name)
    if found is None:
        names = [repr(row[0]) for row in cursor.execute("SELECT name FROM collections").fetchall()]
        there = f"there are {', '.join(sorted(names))}" if names else "there is none yet"
        raise InvalidInput(
            f"There is no collection of passages named {_clean(name)!r} ({there}): name one of "
            "them, or import one."
        )
    return found


def _create(cursor: "DuckDBPyConnection", name: str) -> Collection:
    clean = _clean(name)
    if not clean:
        raise InvalidInput(
            "The name of the collection of passages is empty: give it one, such as 'manual'."
        )
    row = first_row(
        cursor,
        """INSERT INTO collections
        VALUES (nextval('collection_ids'), ?, nextval('collection_versions'), ?)
        RETURNING id, name, version, created""",
        [clean, utc_now()],
    )
    assert row is not None
    return Collection(*row)


def _touch(cursor: "DuckDBPyConnection", collection_id: int) -> Collection:
    """The collection with a version that none had before."""
    row = first_row(
        cursor,
        """UPDATE collections SET version = nextval('collection_versions') WHERE id = ?
        RETURNING id, name, version, created""",
        [collection_id],
    )
    assert row is not None
    return Collection(*row)


def _clean(name: str) -> str:
    return " ".join(storable(name, "name of the collection").split())


def _with_zone(collection: Collection) -> Collection:
    return Collection(collection.id, collection.name, collection.version, aware(collection.created))
