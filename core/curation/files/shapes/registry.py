"""The shapes of records that are known, and the rows that records of any shape make."""

from collections.abc import Sequence

from ..grid import Cells, Grid, grid_of
from .base import ReadShape, Reshaped
from .chats import chats, chats_side_by_side, chats_with_answers
from .nesting import has_objects, is_nested, unnested
from .records import argilla, inputs_and_outputs, squad, viewer_rows

SHAPES: tuple[tuple[str, ReadShape], ...] = (
    ("SQuAD's paragraphs", squad),
    ("Argilla's records", argilla),
    ("chats with answers apart", chats_with_answers),
    ("chats side by side", chats_side_by_side),
    ("chat messages", chats),
    ("inputs and outputs", inputs_and_outputs),
    ("rows of Hugging Face's viewer", viewer_rows),
)
"""The shapes with their names, in the order in which they are tried."""

NESTED = "nested objects"
"""The name for objects of no known shape: each of their values has a column of its own."""


def known_shape(rows: Sequence[Cells]) -> tuple[str, Reshaped] | None:
    """The name of the shape that the records have, and the rows that they make; None for none."""
    if not rows or not has_objects(rows):
        return None
    read = ((name, shape(rows)) for name, shape in SHAPES)
    return next(((name, found) for name, found in read if found is not None), None)


def shaped(rows: Sequence[Cells]) -> Grid:
    """The grid of records, of whichever shape they are; plain rows stay as they are."""
    if not has_objects(rows):
        return grid_of(rows)
    shape, found = known_shape(rows) or ("", Reshaped(list(rows)))
    flat = unnested(found.rows)
    if any(is_nested(value) for row in found.rows for value in row.values()):
        shape = shape or NESTED
    grid = grid_of(found.rows if flat is None else flat, found.warnings, shape)
    return grid._replace(unread=found.unread)
