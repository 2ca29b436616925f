"""The interchange row: what an export says of one demonstration, the same in every format."""

import json
from typing import Any

from ..types import Demonstration

COLUMNS = (
    "id", "query", "answer", "incorrect", "incorrect_kinds", "tags", "best", "status", "note",
)  # fmt: skip
"""Every format has these, in this order."""


def to_json(demonstration: Demonstration) -> dict[str, Any]:
    """The demonstration as JSON values: lists, texts, and a boolean for `best`."""
    return {
        "id": demonstration.id,
        "query": demonstration.query,
        "answer": demonstration.answer,
        "incorrect": list(demonstration.incorrect),
        "incorrect_kinds": list(demonstration.incorrect_kinds),
        "tags": list(demonstration.tags),
        "best": demonstration.best,
        "status": demonstration.status.value,
        "note": demonstration.note,
    }


def flat_cells(demonstration: Demonstration) -> tuple[str | int | bool, ...]:
    """A cell a column for formats whose cells hold one text: lists are JSON arrays written out.

    An answer that itself looks like a written list is written as a list of one, so that reading
    it back gives the one answer and not its parts.
    """
    answer = demonstration.answer
    looks_like_list = answer.startswith("[") and answer.endswith("]")
    return (
        demonstration.id,
        demonstration.query,
        as_json([answer]) if looks_like_list else answer,
        as_json(demonstration.incorrect),
        as_json(demonstration.incorrect_kinds),
        as_json(demonstration.tags),
        demonstration.best,
        demonstration.status.value,
        demonstration.note,
    )


def as_json(value: Any) -> str:
    """The value as JSON on one line, letters of all scripts as they are."""
    return json.dumps(value, ensure_ascii=False)
