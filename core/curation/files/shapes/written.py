"""Chats that are written as JSON into the cells of formats without lists."""

import json

from ..grid import Grid
from .messages import messages_in
from .registry import shaped


def with_written_chats(grid: Grid) -> Grid:
    """The grid read as chats where every cell of a column is a JSON list of messages, or empty.

    Other JSON in cells stays the text that it is: it may well be an answer.
    """
    chats = {column: found for column in grid.columns if (found := _chats_in(grid, column))}
    if not chats:
        return grid
    rows = [
        {key: chats[key][place] if key in chats else cell for key, cell in row.items()}
        for place, row in enumerate(grid.rows)
    ]
    read = shaped(rows)
    return grid._replace(
        columns=read.columns,
        rows=read.rows,
        warnings=(*grid.warnings, *read.warnings),
        shape=read.shape,
    )


def _chats_in(grid: Grid, column: str) -> list[object]:
    """The values of the column's cells, one for each row; none unless all of them are messages."""
    found: list[object] = []
    for row in grid.rows:
        cell = row[column]
        if not isinstance(cell, str) or not cell.strip():
            found.append(None)
            continue
        if not cell.lstrip().startswith("[{"):
            return []
        try:
            value = json.loads(cell)
        except (ValueError, RecursionError):
            return []
        if not messages_in(value):
            return []
        found.append(value)
    return found if any(found) else []
