"""The shapes of records that are known, and the rows that records of any shape make."""

from collections.abc import Sequence

from ..grid import Cells, Grid, ReadShape, ReadTable, ShapedRows, grid_of
from .chats import chats, chats_side_by_side, chats_with_answers
from .labelling import annotations_in_a_table, tasks
from .nesting import has_objects, is_nested, unnested
from .promptfoo import assertions, expectations
from .records import argilla, inputs_and_outputs, squad, viewer_rows
from .texts import implicit_prompts, transcripts

SHAPES: tuple[tuple[str, ReadShape], ...] = (
    ("SQuAD's paragraphs", squad),
    ("Argilla's records", argilla),
    ("Label Studio's tasks", tasks),
    ("promptfoo's test cases", assertions),
    ("chats with answers apart", chats_with_answers),
    ("chats side by side", chats_side_by_side),
    ("chat messages", chats),
    ("inputs and outputs", inputs_and_outputs),
    ("rows of Hugging Face's viewer", viewer_rows),
)
"""The shapes with their names, in the order in which they are tried."""

PLAIN_SHAPES: tuple[tuple[str, ReadTable], ...] = (
    ("Label Studio's annotations", annotations_in_a_table),
    ("promptfoo's test cases", expectations),
    ("conversations in texts", transcripts),
    ("pairs with a common beginning", implicit_prompts),
)
"""The shapes of tables of texts, in the order in which they are tried."""

NESTED = "nested objects"
"""The name for objects of no known shape: each of their values has a column of its own."""


def known_shape(rows: Sequence[Cells]) -> tuple[str, ShapedRows] | None:
    """The name of the shape that the records have, and the rows that they make; None for none."""
    if not rows or not has_objects(rows):
        return None
    read = ((name, shape(rows)) for name, shape in SHAPES)
    return next(((name, found) for name, found in read if found is not None), None)


def with_plain_shape(grid: Grid) -> Grid:
    """The grid of a table of texts in the first of `PLAIN_SHAPES` that they have; else as it is."""
    for name, shape in PLAIN_SHAPES if grid.rows else ():
        found = shape(grid)
        if found is not None:
            read = grid_of(found.rows, (*grid.warnings, *found.warnings))
            shape_name = f"{grid.shape}, {name}" if grid.shape else name
            unread = (*grid.unread, *found.unread)
            return grid._replace(
                columns=read.columns,
                rows=read.rows,
                warnings=read.warnings,
                shape=shape_name,
                unread=unread,
            )
    return grid


def shaped(rows: Sequence[Cells]) -> Grid:
    """The grid of records, of whichever shape they are; plain rows stay as they are."""
    if not has_objects(rows):
        return grid_of(rows)
    shape, found = known_shape(rows) or ("", ShapedRows(list(rows)))
    flat = unnested(found.rows)
    if any(is_nested(value) for row in found.rows for value in row.values()):
        shape = shape or NESTED
    grid = grid_of(found.rows if flat is None else flat, found.warnings, shape)
    return grid._replace(unread=found.unread)
