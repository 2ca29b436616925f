"""The interchange row: one demonstration in an export, with the same values in every format."""

import json
from typing import Any

from ..demonstration.demonstration import Demonstration
from ..demonstration.fields import FIELDS, cells

COLUMNS = ("id", *(field.name for field in FIELDS))
"""Every format has these, in this order."""


def to_json(demonstration: Demonstration) -> dict[str, Any]:
    """The demonstration as JSON values: lists, texts, and a boolean for `best`."""
    return {"id": demonstration.id, **cells(demonstration)}


def flat_cells(demonstration: Demonstration) -> tuple[str | int | bool, ...]:
    """A cell per column for formats whose cells are single texts: lists are written as JSON arrays.

    An answer that itself looks like a JSON array is written as a list of one, so that reading it
    back gives the one answer and not its parts.
    """
    answer, row = demonstration.answer, to_json(demonstration)
    if answer.strip().startswith("[") and answer.strip().endswith("]"):
        row["answer"] = [answer]
    return tuple(as_json(cell) if isinstance(cell, list) else cell for cell in row.values())


def as_json(value: Any) -> str:
    """The value as JSON on one line, letters of all scripts as they are."""
    return json.dumps(value, ensure_ascii=False)
