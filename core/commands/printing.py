"""A result's sheet as lines for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..reporting.tables.table import Part, Sheet, Table
from ..text import number
from .console import one_line

LINE = 100
"""Letters of a line, after which the columns of figures continue below."""
PLACES = 3
"""Decimals of a number, where nothing else is said."""


def as_text(sheet: Sheet) -> str:
    """The sheet's blocks with an empty line between each two."""
    return "\n\n".join("\n".join(map(_lines, block)) for block in sheet)


def _lines(part: Part) -> str:
    if isinstance(part, str):
        return part
    return _folded(part) if isinstance(part, Table) else _pairs(part)


def _pairs(fields: Mapping[str, object]) -> str:
    """The names with their values, a line each."""
    width = max((len(name) for name in fields), default=0)
    return "\n".join(f"{name:<{width}}  {_cell(value)}" for name, value in fields.items())


def _cell(value: Any, places: int | None = None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return number(value, PLACES if places is None else places)
    if isinstance(value, Mapping):
        known = {name: item for name, item in value.items() if item is not None}
        return ", ".join(f"{name}: {_cell(item)}" for name, item in known.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item) for item in value) or "-"
    return one_line(str(value))


def _folded(table: Table) -> str:
    """A table; columns beyond a line continue below, after those that name the rows."""
    rows = [
        [_cell(value, column.places) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    lines = [[one_line(name) for name in table.names], *rows]
    if table.whole:
        return _ruled(lines)
    widths = [max(len(line[place]) for line in lines) for place in range(len(table.names))]
    keys = _naming(rows)
    parts, width = [list(keys)], 0
    for place in range(len(keys), len(widths)):
        width += widths[place] + 2
        if width + sum(widths[key] + 2 for key in keys) - 2 > LINE and len(parts[-1]) > len(keys):
            parts.append(list(keys))
            width = widths[place] + 2
        parts[-1].append(place)
    return "\n\n".join(
        _ruled([[line[place] for place in part] for line in lines]) for part in parts
    )


def _ruled(lines: Sequence[Sequence[str]]) -> str:
    """The lines in columns, with a rule below the first one."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    head, *rows = (
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([head, "  ".join("-" * width for width in widths), *rows])


def _naming(rows: Sequence[Sequence[str]]) -> range:
    """The fewest first columns that distinguish all rows."""
    most = len(rows[0]) if rows else 1
    for first in range(1, most):
        if len({tuple(row[:first]) for row in rows}) == len(rows):
            return range(first)
    return range(1)
