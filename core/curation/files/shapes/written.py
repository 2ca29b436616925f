"""Chats, and texts with flags or scores, that are written into cells of formats without lists."""

import ast
import json
from collections.abc import Callable

from ..cells import TEXTS
from ..grid import Grid
from .messages import messages_in
from .nesting import are_judged_texts
from .registry import shaped

_AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str)


def with_written_objects(grid: Grid) -> Grid:
    """The grid with what is written out in its cells: chats, and texts with flags or scores.

    Every cell of a column must be such a list of objects, as JSON or as Python prints it, or empty.
    Other JSON in cells stays the text that it is: it may well be an answer.
    """
    columns = {}
    for column in grid.columns:
        for fits in (_is_chat, _has_judged_texts):
            found = _written_in(grid, column, fits)
            if found:
                columns[column] = found
                break
    if not columns:
        return grid
    rows = [
        {key: columns[key][place] if key in columns else cell for key, cell in row.items()}
        for place, row in enumerate(grid.rows)
    ]
    read = shaped(rows)
    return grid._replace(
        columns=read.columns,
        rows=read.rows,
        warnings=(*grid.warnings, *read.warnings),
        shape=read.shape,
    )


def _written_in(grid: Grid, column: str, fits: Callable[[object], bool]) -> list[object]:
    """The values of the column's cells, one for each row; none unless all of them fit."""
    found: list[object] = []
    for row in grid.rows:
        cell = row[column]
        if not isinstance(cell, str) or not cell.strip():
            found.append(None)
            continue
        value = _decoded(cell.strip())
        if value is None or not fits(value):
            return []
        found.append(value)
    objects = [value for value in found if isinstance(value, dict)]
    lists = any(isinstance(value, list) for each in objects for value in each.values())
    if objects and not lists and not are_judged_texts(column, objects):
        return []
    return found if any(found) else []


def _decoded(cell: str) -> object:
    """The JSON or the literal of Python that the cell contains; nothing is evaluated."""
    if not cell.startswith(("[{", "{")):
        return None
    for read in (_AS_WRITTEN.decode, ast.literal_eval):
        try:
            return read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _is_chat(value: object) -> bool:
    return bool(messages_in(value))


def _has_judged_texts(value: object) -> bool:
    if isinstance(value, dict):
        lists = [entry for entry in value.values() if isinstance(entry, list)]
        same = len({len(entry) for entry in lists}) == 1
        return (bool(value) and not lists) or (same and 1 < len(lists) == len(value))
    entries = value if isinstance(value, list) else []
    return bool(entries) and all(
        isinstance(entry, dict) and len(entry) > 1 and any(name in entry for name in TEXTS)
        for entry in entries
    )
