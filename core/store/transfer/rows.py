"""Demonstrations between their table and their records: fetching, cleaning, describing."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidInput
from ...incorrect import COLUMNS, incorrect_answers
from ...text import is_blank, same_text
from ...types import Demonstration, Status
from .exchange import lend

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STATUSES = {status.value: status for status in Status}

KINDS = {
    "id": "integer",
    "pool_id": "integer",
    "query": "text",
    "answer": "text",
    "tags": "texts",
    "best": "flag",
    "status": "text",
    "note": "text",
    "deleted": "flag",
    "revision": "integer",
    "query_key": "text",
    **dict.fromkeys(COLUMNS, "texts"),
}
"""The table's columns; `Row` dictionaries hold all of them."""

_RECORD = ("id", "query", "answer", "tags", "best", "status", "note", "revision", *COLUMNS)
# Nothing but column names of this file is put into the statements.
RECORDS = f"SELECT {', '.join(_RECORD)} FROM demonstrations "  # noqa: S608
"""The beginning of a statement whose rows `to_demonstration` makes records of."""
_WHOLE = f"SELECT {', '.join(KINDS)} FROM demonstrations "  # noqa: S608

Row = dict[str, Any]


def to_demonstration(row: tuple[Any, ...]) -> Demonstration:
    """The record of a row of `RECORDS`."""
    number, query, answer, tags, best, status, note, revision, *columns = row
    return Demonstration(
        number,
        query,
        answer,
        incorrect_answers(*columns),
        tuple(tags),
        best,
        STATUSES[status],
        note,
        revision,
    )


def fetch_rows(cursor: "DuckDBPyConnection", ids: Iterable[int]) -> dict[int, Row]:
    """All columns of the demonstrations with these ids, deleted ones included.

    Raises:
        InvalidInput: An id is no demonstration's.
    """
    wanted = list(ids)
    lend(cursor, "wanted", {"id": "integer"}, {"id": wanted})
    found = cursor.execute(_WHOLE + "SEMI JOIN wanted USING (id)")
    rows = {row[0]: dict(zip(KINDS, row, strict=True)) for row in found.fetchall()}
    for number in wanted:
        if number not in rows:
            raise unknown(number)
    return rows


def lend_rows(cursor: "DuckDBPyConnection", name: str, rows: Sequence[Row]) -> None:
    """Make `rows` readable as a table with the columns of KINDS."""
    lend(cursor, name, KINDS, {column: [row[column] for row in rows] for column in KINDS})


def new_ids(cursor: "DuckDBPyConnection", how_many: int) -> list[int]:
    """Ids that no demonstration had before, ascending."""
    fetched = cursor.execute(
        "SELECT nextval('demonstration_ids') AS id FROM range(?)", [how_many]
    ).fetchnumpy()
    return [int(one) for one in np.sort(fetched["id"])]


def filled_text(text: str, what: str, where: str) -> str:
    """The text, as it was written.

    Raises:
        InvalidInput: Nothing of it can be seen.
    """
    if is_blank(text):
        raise InvalidInput(f"The {what} of {where} is empty: write one, or leave it out.")
    return text


def clean_list(texts: Iterable[str]) -> list[str]:
    """The texts without white space around them, empty ones and doubles; the order is kept."""
    return list(dict.fromkeys(clean for text in texts if (clean := text.strip())))


def key_of(row: Row) -> tuple[str, str]:
    """What may stand only once in a pool: the query and the answer, each by `text.same_text`."""
    return row["query_key"], same_text(row["answer"])


def named(row: Row) -> str:
    """How a message calls a demonstration."""
    query = row["query"] if len(row["query"]) <= 60 else row["query"][:57] + "..."
    return f"Demonstration {row['id']} ({query!r})"


def unknown(number: int) -> InvalidInput:
    """What to tell someone who names a demonstration that is not there."""
    return InvalidInput(
        f"There is no demonstration with the id {number}: it may have been deleted, so read the "
        "pool again and choose from what is there."
    )
