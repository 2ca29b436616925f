"""What one cell says: a text, or a list of texts."""

import ast
import json
import re
from typing import Any

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and halves of surrogate pairs: no database column and no UTF-8 file can hold them."""


def text_of(cell: Any) -> str:
    """The cell as text; empty for a missing value, JSON's words for true and false.

    Raises:
        ValueError: The cell holds an object or a list of several texts.
    """
    if isinstance(cell, list | dict):
        texts = texts_of(cell)
        if len(texts) > 1:
            raise ValueError("a list of several texts where one text is needed")
        return texts[0] if texts else ""
    return _scalar(cell)


def texts_of(cell: Any, *, split: str | None = None, arrays: bool = False) -> list[str]:
    """The texts that the cell says, empty ones included; none for an empty cell.

    Args:
        cell: A text, a list, SQuAD's `{"text": [...]}`, a number, or nothing.
        split: Letters that part a text; None parts nothing.
        arrays: Whether a text may write out a list, as a JSON array or as Python prints it; True
            for the formats that have no lists of their own.

    Raises:
        ValueError: The cell, or something in its list, is an object or a list.
    """
    entries = listed_in(cell, split=split, arrays=arrays)
    if entries is None:
        text = _scalar(cell)
        return [text] if text.strip() else []
    return [text_of(entry) if isinstance(entry, dict) else _scalar(entry) for entry in entries]


def listed_in(cell: Any, *, split: str | None = None, arrays: bool = False) -> list[Any] | None:
    """The entries when the cell is a list (see `texts_of`), None when it is one text or nothing.

    Raises:
        ValueError: The cell is an object.
    """
    if isinstance(cell, dict):
        if "text" not in cell:
            raise ValueError("an object where a text or a list of texts is needed")
        cell = cell["text"]
    if isinstance(cell, list | tuple):
        return list(cell)
    if isinstance(cell, str) and cell.strip():
        written = _array(cell) if arrays else None
        if written is not None:
            return written
        return list(cell.split(split)) if split else None
    return None


def clean(text: str) -> str:
    """The text with U+FFFD in place of what cannot be stored."""
    return _UNSTORABLE.sub("\ufffd", text)


def _scalar(cell: Any) -> str:
    if isinstance(cell, str):
        return clean(cell)
    if cell is None or cell != cell:  # NaN is parquet's missing number
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, bytes):
        return clean(cell.decode("utf-8", "replace"))
    if isinstance(cell, list | tuple | dict):
        raise ValueError("a list within a list where texts are needed")
    return clean(str(cell))


def _array(text: str) -> list[Any] | None:
    """The list of scalars that the text writes out, or None when it is a text like any other."""
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return None
    try:
        value = json.loads(stripped, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        value = _printed_list(stripped)
    if not isinstance(value, list) or any(isinstance(entry, list | dict) for entry in value):
        return None
    return value


def _printed_list(text: str) -> Any:
    """A list of texts as Python prints it: ['Bobby Scott', "O'Neil"]."""
    if text[1:2] not in ("'", '"'):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) and all(isinstance(e, str) for e in value) else None
