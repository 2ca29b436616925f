"""What is written out in cells of formats without lists: chats, records, texts with flags."""

import ast
import json
import re
from collections.abc import Callable, Mapping

from ..cells import TEXTS
from ..grid import Grid
from .messages import messages_in
from .nesting import are_judged_texts, choices_in
from .registry import shaped

_AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str)
_OBJECT = ("{", "[{")
_ARRAY = "array(["
_RECORD = re.compile(r"\s*\[?\{\s*(['\"])\w+\1\s*:.*\}\s*\]?\s*\Z", re.DOTALL)
_PLACE = re.compile(r"(?:answer_)?(?:start|end|offset|span)s?", re.IGNORECASE)
"""What a record of an answer has beside its text: where it is in the passage."""
_OF_NUMPY = re.compile(r"array|(?:str|bool)_|u?int\d+|float\d+")


def with_written_objects(grid: Grid) -> Grid:
    """The grid with what is written out in its cells, as JSON or as Python and numpy print it.

    Chats, records of answers with their text, texts with flags or scores, and whatever has arrays
    of numpy's in it are read where every cell of a column is one or empty; several labels,
    `{"choices": [...]}`, in each cell that has them. Other objects in cells stay the texts that
    they are, for they may well be answers.
    """
    columns: dict[str, list[object]] = {}
    read: dict[str, int] = {}
    for column in grid.columns:
        values = {
            place: value
            for place, row in enumerate(grid.rows)
            if (value := _decoded(row[column])) is not None
        }
        if not values:
            continue
        filled = [place for place, row in enumerate(grid.rows) if str(row[column] or "").strip()]
        whole = len(filled) == len(values)
        printed = any(_ARRAY in str(row[column]) for row in grid.rows)
        if whole and (printed or any(_all_fit(column, values, fits) for fits in _SHAPES)):
            columns[column] = [values.get(place) for place in range(len(grid.rows))]
        elif all(choices_in(value) is not None for value in values.values()):
            labels = {place: choices_in(value) for place, value in values.items()}
            columns[column] = [labels.get(at, row[column]) for at, row in enumerate(grid.rows)]
        else:
            continue
        read[column] = len(values)
    if not columns:
        return grid
    counts = ", ".join(f'"{column}": {count:,}' for column, count in read.items())
    warning = f"Cells with an object written out as text, read as the object: {counts}."
    rows = [
        {key: columns[key][place] if key in columns else cell for key, cell in row.items()}
        for place, row in enumerate(grid.rows)
    ]
    written = shaped(rows)
    return grid._replace(
        columns=written.columns,
        rows=written.rows,
        warnings=(*grid.warnings, warning, *written.warnings),
        shape=written.shape,
        unread=(*grid.unread, *written.unread),
    )


def writes_an_object(cell: object) -> bool:
    """Whether a text cell writes out an object, or looks so though it cannot be read as one.

    Such are records of which numpy has left entries out, and those that databases print.
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith(_OBJECT):
        return False
    return _decoded(cell) is not None or _RECORD.match(cell) is not None


def _all_fit(column: str, values: Mapping[int, object], fits: Callable[[object], bool]) -> bool:
    if not all(map(fits, values.values())):
        return False
    objects = [value for value in values.values() if isinstance(value, dict)]
    lists = any(isinstance(value, list) for each in objects for value in each.values())
    return not objects or lists or fits is _is_answer_record or are_judged_texts(column, objects)


def _decoded(cell: object) -> object:
    """The object, or the list of objects, that the cell writes out; None for any other cell.

    Nothing is evaluated: a call of numpy's stands for what is in its brackets.
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith(_OBJECT):
        return None
    text = cell.strip()
    for read in (_AS_WRITTEN.decode, _printed):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, dict | list) and value else None
    return None


def _printed(text: str) -> object:
    """The literal of Python in the text, with arrays and numbers as numpy prints them.

    Raises:
        ValueError: It is anything else, or numpy has left some of it out.
        SyntaxError: It is no Python.
    """
    return ast.literal_eval(_Numpy().visit(ast.parse(text, mode="eval")))


class _Numpy(ast.NodeTransformer):
    """Puts what `array(...)`, `np.str_(...)` and the like contain in their place."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name is None or not _OF_NUMPY.fullmatch(name) or not node.args:
            raise ValueError("a call")
        inner: ast.AST = self.visit(node.args[0])
        return inner

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != "nan":
            raise ValueError("a name")
        return ast.Constant(None)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if node.value is ...:
            raise ValueError("numpy has left some entries out")
        return node


def _is_chat(value: object) -> bool:
    return bool(messages_in(value))


def _is_answer_record(value: object) -> bool:
    """Whether the value is a text with its place, or a list of texts with or without places."""
    if not isinstance(value, dict) or "text" not in value:
        return False
    placed = any(_PLACE.fullmatch(key) for key in value if isinstance(key, str))
    return placed or (len(value) == 1 and isinstance(value["text"], list))


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


_SHAPES = (_is_chat, _is_answer_record, _has_judged_texts)
