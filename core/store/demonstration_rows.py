"""Demonstrations between their table and their records: fetching, cleaning, describing."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..demonstration.demonstration import Demonstration, Draft, Kind, Status, distinct, to_columns
from ..demonstration.fields import COLUMNS, FIELDS, attributes, cells
from ..errors import InvalidInput
from ..text import cut, is_blank, same_text
from .exchange import register_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


KINDS = {
    "id": "integer",
    "pool_id": "integer",
    **COLUMNS,
    "deleted": "flag",
    "revision": "integer",
    "query_key": "text",
}
"""The table's columns; `Row` dictionaries have all of them."""

# Nothing but names of columns from `fields` and from this file is put into the statements.
RECORDS = f"SELECT id, revision, {', '.join(COLUMNS)} FROM demonstrations "  # noqa: S608
"""The beginning of a statement whose rows `to_demonstrations` makes records of."""
_WHOLE = f"SELECT {', '.join(KINDS)} FROM demonstrations "  # noqa: S608

BLOCK = 1_000
"""Rows that become columns at once: the garbage collector scans long lists often."""
_REQUIRED = tuple(field.name for field in FIELDS if field.required)
_LISTS = tuple(field.name for field in FIELDS if field.kind is Kind.TEXTS)

Row = dict[str, Any]


def to_demonstrations(rows: list[tuple[Any, ...]]) -> list[Demonstration]:
    """The records of rows of `RECORDS`, block by block and column by column: a pool has many."""
    found: list[Demonstration] = []
    for start in range(0, len(rows), BLOCK):
        ids, revisions, *columns = zip(*rows[start : start + BLOCK], strict=True)
        found += [
            Demonstration(*values, id=number, revision=revision)
            for number, revision, values in zip(ids, revisions, attributes(columns), strict=True)
        ]
    return found


def new_row(pool_id: int, draft: Draft, where: str) -> Row:
    """The draft as a row of the pool, which has no id yet; `where` is how a message calls it.

    Raises:
        InvalidInput: The query or the answer is empty.
    """
    row: Row = {
        "id": 0,
        "pool_id": pool_id,
        "deleted": False,
        "revision": 1,
        "query_key": same_text(draft.query),
        **cells(draft),
    }
    incorrect = distinct(draft.incorrect)
    if incorrect != draft.incorrect:
        row |= to_columns(incorrect)
    clean(row, where)
    return row


def clean(values: Row, where: str) -> None:
    """Give the named columns, except `incorrect`, the form in which the table keeps them.

    Raises:
        InvalidInput: The query or the answer is empty; `where` is how the message calls the row.
    """
    for name in _REQUIRED:
        if name in values:
            filled_text(values[name], name, where)
    for name in _LISTS:
        if name in values:
            values[name] = clean_list(values[name])
    if "status" in values:
        values["status"] = Status(values["status"]).value


def fetch_rows(cursor: "DuckDBPyConnection", ids: Iterable[int]) -> dict[int, Row]:
    """All columns of the demonstrations with these ids, deleted ones included.

    Raises:
        InvalidInput: An id is no demonstration's.
    """
    wanted = list(ids)
    register_table(cursor, "wanted", {"id": "integer"}, {"id": wanted})
    found = cursor.execute(_WHOLE + "SEMI JOIN wanted USING (id)")
    rows = {row[0]: dict(zip(KINDS, row, strict=True)) for row in found.fetchall()}
    for number in wanted:
        if number not in rows:
            raise unknown(number)
    return rows


def lend_rows(cursor: "DuckDBPyConnection", name: str, rows: Sequence[Row]) -> None:
    """Make `rows` readable as a table with the columns of KINDS."""
    register_table(cursor, name, KINDS, {column: [row[column] for row in rows] for column in KINDS})


def new_ids(cursor: "DuckDBPyConnection", how_many: int) -> list[int]:
    """Ids that no demonstration had before, ascending."""
    fetched = cursor.execute(
        "SELECT nextval('demonstration_ids') AS id FROM range(?)", [how_many]
    ).fetchnumpy()
    return [int(one) for one in np.sort(fetched["id"])]


def filled_text(text: str, what: str, where: str) -> str:
    """The text, as it was written.

    Raises:
        InvalidInput: It has no visible character.
    """
    if is_blank(text):
        raise InvalidInput(f"The {what} of {where} is empty: write one, or leave it out.")
    return text


def clean_list(texts: Iterable[str]) -> list[str]:
    """The texts without white space around them, empty ones and doubles; the order is kept."""
    return list(dict.fromkeys(clean for text in texts if (clean := text.strip())))


def key_of(row: Row) -> tuple[str, str]:
    """What is unique in a pool: the query and the answer, each by `text.same_text`."""
    return row["query_key"], same_text(row["answer"])


def named(row: Row) -> str:
    """How a message calls a demonstration."""
    return f"Demonstration {row['id']} ({cut(row['query'])!r})"


def unknown(number: int) -> InvalidInput:
    """The error for an id that no demonstration has."""
    return InvalidInput(
        f"There is no demonstration with the id {number}: it may have been deleted, so read the "
        "pool again and choose from what is there."
    )
