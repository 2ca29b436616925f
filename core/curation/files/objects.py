"""JSON, JSON lines and YAML to columns and rows; numbers stay as they are written."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InvalidInput
from .grid import Cells, Fits, Grid, grid_of, keys_beside
from .json_decoding import Decoder, is_json
from .shapes.frames import FRAMES
from .shapes.messages import is_one_chat, messages_in
from .shapes.registry import known_shape, shaped

_MARK = "\ufeff"
_SEAM = re.compile(f"(?<=[}}\\]]){_MARK}+(?=[{{\\[])")
_SUCH_AS = 'such as {"query": "...", "answer": "..."}'


def read_json(text: str, name: str, fits: Fits) -> Grid:
    """The rows of a JSON file: a list of objects, or an object that contains one such list.

    Columns of equal length (`{"question": [...], "answer": [...]}`), the tables of pandas, known
    shapes of records, a single object and JSON lines under the name .json are understood too.

    Args:
        text: The file's text.
        name: The file's name, for messages.
        fits: Whether a grid looks as if it has queries and answers.

    Raises:
        InvalidInput: The JSON is damaged, or contains no rows or several lists of them.
    """
    decoder = Decoder()
    try:
        return _with_warnings(_whole(text, name, fits, decoder), decoder)
    except InvalidInput as error:
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError) and cause.msg == "Extra data":
            return read_json_lines(text, name, fits)
        raise


def read_json_lines(text: str, name: str, fits: Fits) -> Grid:
    """The rows of a file with one JSON object, or one list of messages, a line.

    Blank lines are skipped. A file that is one JSON document as a whole is read as by `read_json`.

    Raises:
        InvalidInput: A line is not a JSON object; the message gives its number.
    """
    decoder = Decoder()
    rows: list[Cells] = []
    for number, line in _lines(text):
        try:
            rows.append(_row_of(line, number, name, decoder))
        except InvalidInput:
            if not rows and is_json(text):
                return read_json(text, name, fits)  # one document under the name .jsonl
            found = _objects_over_lines(text, name)
            if found is None:
                raise
            return found
    if len(rows) == 1:
        grid = document_grid(rows[0], name, fits)
    elif text.count("{") == len(rows) and not is_one_chat(rows):
        grid = grid_of(rows)  # no object contains another: there is no shape to look for
    else:
        grid = _shaped(rows)
    return _with_warnings(grid, decoder)


def _objects_over_lines(text: str, name: str) -> Grid | None:
    """The grid of objects that follow one another, each written over several lines; None for none.

    Raises:
        InvalidInput: The first of them are such objects, and one is damaged.
    """
    decoder = Decoder()
    try:
        rows = decoder.decode_all(text)
    except json.JSONDecodeError as error:
        if "\n" not in Decoder().first_in(text):
            return None
        raise InvalidInput(
            f"{name} is not JSON ({_reason(error)}), though the objects before are: mend it there, "
            "or export it again."
        ) from error
    except RecursionError:
        return None
    if not all(isinstance(row, dict) for row in rows):
        return None
    return _with_warnings(_shaped(rows), decoder)


def _with_warnings(grid: Grid, decoder: Decoder) -> Grid:
    return grid._replace(warnings=(*decoder.warnings(), *grid.warnings))


def _row_of(line: str, number: int, name: str, decoder: Decoder) -> Cells:
    """The object on a line; a list of messages becomes a row of its own."""
    try:
        row = decoder.decode(line)
    except ValueError as error:
        raise InvalidInput(
            f"{name}: line {number} is not JSON ({_reason(error, line=False)}); every line must be "
            "one JSON object."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name}: line {number} nests its JSON too deeply.") from error
    if isinstance(row, dict):
        return row
    row = _chat_or_row(row)
    if not isinstance(row, dict):
        raise InvalidInput(
            f"{name}: line {number} is {_kind(row)}; every line must be one JSON object {_SUCH_AS}."
        )
    return row


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line that is not blank with its number, without the byte-order marks of joined files.

    Where a file ended without a line end, only a mark separates its last row from the next.
    """
    marked = _MARK in text
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if marked and _MARK in stripped:
            stripped = stripped.strip(_MARK).strip()
            if not is_json(stripped):
                yield from ((number, part) for part in _SEAM.split(stripped))
                continue
        if stripped:
            yield number, stripped


def _whole(text: str, name: str, fits: Fits, decoder: Decoder) -> Grid:
    """The grid of a text that is one JSON document."""
    try:
        value = decoder.decode(text.strip().strip(_MARK).strip())
    except ValueError as error:
        raise InvalidInput(
            f"{name} is not JSON ({_reason(error)}): mend or export it again."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name} nests its JSON too deeply: give a list of objects.") from error
    return document_grid(value, name, fits)


def document_grid(value: Any, name: str, fits: Fits) -> Grid:
    """The grid of what a document contains, in the first of its possible shapes that it has.

    Raises:
        InvalidInput: It contains no rows, or several lists of them.
    """
    if isinstance(value, list):
        return _shaped(_checked_rows(value, name))
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} contains {_kind(value)}; give a list of objects.")
    if not value:
        return Grid([], [])
    for shape, read in FRAMES:
        found = read(value, name, fits)
        if found is not None:
            grid = shaped(found.rows)
            return grid._replace(
                shape=f"{shape}, {grid.shape}" if grid.shape else shape,
                warnings=(*found.warnings, *grid.warnings),
                unread=(*found.unread, *grid.unread),
            )
    if known_shape([value]):
        return shaped([value])
    lists = {key: entry for key, entry in value.items() if _is_list_of_objects(entry)}
    if lists and not fits(shaped([value])):
        grid = _one_of(lists, name, fits)
        return grid._replace(unread=(*keys_beside([value], *lists), *grid.unread))
    (inner, *others) = value.values()
    if isinstance(inner, dict) and not others and any(map(_is_list_of_objects, inner.values())):
        return document_grid(inner, name, fits)
    if _is_columns(value):
        lengths = len(next(iter(value.values())))
        return shaped(
            [{key: column[row] for key, column in value.items()} for row in range(lengths)]
        )
    return shaped([value])


def _one_of(lists: Mapping[str, list[Cells]], name: str, fits: Fits) -> Grid:
    """The grid of the only list, or of the only one that fits; the others are named."""
    grids = {key: _shaped(rows) for key, rows in lists.items()}
    if len(grids) == 1:
        return next(iter(grids.values()))
    fitting = [key for key, grid in grids.items() if fits(grid)]
    if len(fitting) != 1:
        counts = ", ".join(f"{key} with {len(rows):,}" for key, rows in lists.items())
        raise InvalidInput(
            f"{name} contains several lists of objects ({counts}): write the one to import, with "
            "nothing around it, to a file of its own."
        )
    (chosen,) = fitting
    others = ", ".join(f'"{key}"' for key in grids if key != chosen)
    warning = f'Only the list "{chosen}" was read; not read were {others}.'
    return grids[chosen]._replace(warnings=(warning, *grids[chosen].warnings))


def _checked_rows(value: list[Any], name: str) -> list[Cells]:
    rows = list(map(_chat_or_row, value))
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InvalidInput(
                f"{name}: entry {number} of its list is {_kind(row)}; every entry must be an "
                f"object {_SUCH_AS}."
            )
    return rows


def _chat_or_row(row: Any) -> Any:
    return {"messages": row} if isinstance(row, list) and messages_in(row) else row


def _shaped(rows: list[Cells]) -> Grid:
    return shaped([{"messages": rows}] if is_one_chat(rows) else rows)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _is_columns(value: Mapping[str, object]) -> bool:
    lengths = {len(column) if isinstance(column, list) else None for column in value.values()}
    return len(lengths) == 1 and None not in lengths


def _reason(error: ValueError, *, line: bool = True) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    where = f"line {error.lineno}, " if line else ""
    return f"{error.msg} at {where}column {error.colno}"


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "nothing" if value is None else "a single value"


_NULL, _MERGE = "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"
_MOST_PER_LETTER = 20
_ALWAYS_ALLOWED = 100_000
"""Values that are named once and repeated make a small file large: so many may come of one."""


def read_yaml(text: str, name: str, fits: Fits) -> Grid:
    """The rows of a YAML file: a list of objects, or an object that contains one such list.

    Of several documents in one file each is a row. Values stay as they are written: `no`, `1.10`.

    Raises:
        InvalidInput: It is not YAML, or contains no rows or several lists of them.
    """
    import yaml

    builder = _Builder(_ALWAYS_ALLOWED + _MOST_PER_LETTER * len(text))
    try:
        nodes = yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        documents = [value for node in nodes if (value := builder.value_of(node)) is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise InvalidInput(
            f"{name} is not YAML ({problem}{where}): mend or export it again."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name} nests its YAML too deeply: give a list of objects.") from error
    except OverflowError as error:
        raise InvalidInput(
            f"{name} repeats values by their names too often: write them out."
        ) from error
    if not documents:
        return Grid([], [])
    grid = document_grid(documents[0] if len(documents) == 1 else documents, name, fits)
    return grid._replace(warnings=(*builder.decoder.warnings(), *grid.warnings))


class _Builder:
    """Makes values of nodes as PyYAML composes them, at most so many."""

    def __init__(self, most: int) -> None:
        self.decoder = Decoder()
        self._left = most

    def value_of(self, node: Any) -> Any:
        """A text, a list, an object or None.

        Raises:
            OverflowError: These were too many.
        """
        self._left -= 1
        if self._left < 0:
            raise OverflowError
        if node is None or node.tag == _NULL:
            return None
        if isinstance(node.value, str):
            return node.value
        if node.id == "sequence":
            return [self.value_of(entry) for entry in node.value]
        merged: dict[str, object] = {}
        pairs: list[tuple[str, object]] = []
        for key, entry in node.value:
            value = self.value_of(entry)
            if key.tag == _MERGE:
                for each in value if isinstance(value, list) else [value]:
                    merged = {**(each if isinstance(each, dict) else {}), **merged}
            else:
                pairs.append((str(self.value_of(key) or ""), value))
        return {**merged, **self.decoder.object_of(pairs)}
