"""JSON and JSON lines to columns and rows; numbers stay as they are written."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ...errors import InvalidInput
from .cells import clean
from .delimited import Cells, Grid

# Numbers as text: 1.10 stays 1.10, and a number of 5,000 digits is no reason to stop.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=lambda _: None)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(text: str, name: str) -> Grid:
    """The rows of a JSON file: a list of objects, or an object that holds one such list.

    Columns of equal length (`{"question": [...], "answer": [...]}`), a single object and JSON
    lines under the name .json are understood too.

    Raises:
        InvalidInput: The JSON is damaged, or holds no rows or more than one list of them.
    """
    try:
        value = _decoded(text.strip())
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return read_json_lines(text, name)
        raise InvalidInput(
            f"{name} is not JSON ({_reason(error)}): mend or export it again."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name} nests its JSON too deeply: give a list of objects.") from error
    return _grid(_rows_of(value, name))


def read_json_lines(text: str, name: str) -> Grid:
    """The rows of a file with one JSON object a line; blank lines are skipped.

    Raises:
        InvalidInput: A line is not a JSON object; the message gives its number.
    """
    rows: list[Cells] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped:
            continue
        try:
            row = _decoded(stripped)
        except ValueError as error:
            if not rows and stripped.startswith("["):  # a JSON list under the name .jsonl
                return read_json(text, name)
            raise InvalidInput(
                f"{name}: line {number} is not JSON ({_reason(error, line=False)}); every line "
                "must be one JSON object."
            ) from error
        except RecursionError as error:
            raise InvalidInput(f"{name}: line {number} nests its JSON too deeply.") from error
        if isinstance(row, list) and not rows and row and isinstance(row[0], dict):
            return read_json(text, name)
        if not isinstance(row, dict):
            raise InvalidInput(
                f"{name}: line {number} holds {_kind(row)}; every line must be one JSON object "
                'such as {"query": "...", "answer": "..."}.'
            )
        rows.append(row)
    return _grid(rows)


def _decoded(text: str) -> Any:
    """What the JSON says; half of a surrogate pair, which only JSON can spell, is U+FFFD."""
    value = _DECODER.decode(text)
    return _cleaned(value) if _SURROGATE.search(text) else value


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {clean(key): _cleaned(held) for key, held in value.items()}
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    return clean(value) if isinstance(value, str) else value


def _rows_of(value: Any, name: str) -> list[Cells]:
    if isinstance(value, list):
        for number, row in enumerate(value, start=1):
            if not isinstance(row, dict):
                raise InvalidInput(
                    f"{name}: entry {number} of its list is {_kind(row)}; every entry must be an "
                    'object such as {"query": "...", "answer": "..."}.'
                )
        return value
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} holds {_kind(value)}; give a list of objects.")
    lists = {key: held for key, held in value.items() if _is_list_of_objects(held)}
    if len(lists) == 1:
        return _rows_of(next(iter(lists.values())), name)
    if lists:
        raise InvalidInput(
            f"{name} holds several lists of objects ({', '.join(map(str, lists))}): put the one "
            "to import in a file of its own."
        )
    if _is_columns(value):
        lengths = len(next(iter(value.values())))
        return [{key: column[row] for key, column in value.items()} for row in range(lengths)]
    return [value] if value else []


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _is_columns(value: Mapping[str, object]) -> bool:
    lengths = {len(held) if isinstance(held, list) else None for held in value.values()}
    return len(lengths) == 1 and None not in lengths


def _grid(rows: list[Cells]) -> Grid:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return Grid(columns, rows)


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
