"""The content of one cell: a text, or a list of texts, printed by Python or numpy, too."""

import contextlib
import json
import re
from typing import Any

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\r\n|[\s\S]))")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SIMPLE |= {"\\": "\\", "'": "'", '"': '"'}

_ENTRY = re.compile(
    r"(?P<wrapped>(?:np\.|numpy\.)?str_\()?"
    r"(?:[uU]?(?:'(?P<single>(?:[^'\\]|\\[\s\S])*+)'|\"(?P<double>(?:[^\"\\]|\\[\s\S])*+)\")"
    r"|(?P<missing>None|nan)|(?P<flag>True|False))"
    r"(?(wrapped)\))"
)
"""A text in quotes, wrapped as by numpy 2 or not, a flag, or what is printed for a missing one."""

_BETWEEN = re.compile(r"\s*,\s*|\s+")
"""Python puts commas between the entries, numpy white space and the ends of its lines."""

_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\(\s*(\[.*\])\s*(?:,\s*dtype=[^,()]+)?\)", re.DOTALL)
_MOST_UNICODE = 0x10FFFF


def printed_list(text: str) -> list[str | None] | None:
    """The entries of a list such as ['Bobby Scott', "O'Neil"] or ['banana' 'lemon'].

    Args:
        text: The content of a cell, without white space around it.

    Returns:
        The texts, None for an entry that is missing; None when the text is no such list: entries
        without quotes, numpy's "..." for what it left out, quotes that do not match.
    """
    array = _ARRAY.fullmatch(text)
    inner = array[1] if array else text
    if not (inner.startswith("[") and inner.endswith("]")):
        return None
    end = len(inner) - 1
    place = len(inner) - len(inner[1:].lstrip())
    entries: list[str | None] = []
    while place < end:
        entry = _ENTRY.match(inner, place, end)
        if entry is None:
            return None
        entries.append(_text_of(entry))
        place = entry.end()
        between = _BETWEEN.match(inner, place, end)
        if between is None and place < end:
            return None  # no library prints 'a''b'
        place = between.end() if between else place
    return entries if any(entry is not None for entry in entries) else None


def _text_of(entry: re.Match[str]) -> str | None:
    if entry["missing"]:
        return None
    if entry["flag"]:
        return entry["flag"]
    written = entry["single"] if entry["single"] is not None else entry["double"]
    return _ESCAPE.sub(_letter, written) if "\\" in written else written


def _letter(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _MOST_UNICODE else escape[0]
    if escape[4] in ("\n", "\r\n", "\r"):
        return ""
    return _SIMPLE.get(escape[4], escape[0])


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and halves of surrogate pairs: no database column and no UTF-8 file can store them."""

_AS_WRITTEN = json.JSONDecoder(parse_int=str, parse_float=str)
"""Numbers stay the digits that they are written with."""

LABELS = ("label", "id", "key", "letter", "value")
TEXTS = (
    "text", "content", "option", "answer", "choice", "response", "completion", "output", "reply",
    "candidate", "body", "answer_text", "option_text", "passage_text", "statement", "title", "name",
)  # fmt: skip
"""The keys of an option's label and text, where options are objects, the clearest first."""


def text_of(cell: Any) -> str:
    """The cell as text; empty for a missing value, JSON's words for true and false.

    Raises:
        ValueError: The cell contains an object or a list of several texts.
    """
    if isinstance(cell, list | dict):
        texts = texts_of(cell)
        if len(texts) > 1:
            raise ValueError("a list of several texts where one text is needed")
        return texts[0] if texts else ""
    return _scalar(cell)


def texts_of(cell: Any, *, split: str | None = None, arrays: bool = False) -> list[str]:
    """The texts in the cell, empty ones included; none for an empty cell.

    Args:
        cell: A text, a list, SQuAD's `{"text": ...}`, a number, or nothing.
        split: The separator within a text; None separates nothing.
        arrays: Whether a text may write out a list, as a JSON array or as Python or numpy print
            it; True for the formats that have no lists of their own.

    Raises:
        ValueError: The cell, or something in its list, is an object or a list.
    """
    entries = listed_in(cell, split=split, arrays=arrays)
    if entries is None:
        text = _scalar(cell["text"] if isinstance(cell, dict) else cell)
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
        written = written_list(cell) if arrays else None
        if written is not None:
            return written
        # The white space around the parts of a split text belongs to its delimiters.
        parts = cell.split(split) if split else []
        return [part.strip() for part in parts] if len(parts) > 1 else parts or None
    return None


def labelled_in(
    cell: Any, *, split: str | None = None, arrays: bool = False
) -> list[tuple[str, str]]:
    """The label and the text of each option that the cell lists; a label is empty without one.

    Options are a list of texts (see `texts_of`), a list of objects with a text and a label each, an
    object of texts by label, or `{"label": [...], "text": [...]}`.

    Raises:
        ValueError: An option is a list, or an object without a text.
    """
    if arrays and isinstance(cell, str) and cell.strip().startswith(("{", "[{")):
        with contextlib.suppress(ValueError, RecursionError):
            cell = _AS_WRITTEN.decode(cell.strip())
    if isinstance(cell, dict) and isinstance(cell.get("text"), list | tuple):
        texts = texts_of(cell)
        labels = [_scalar(label) for label in cell.get("label") or [""] * len(texts)]
        if len(labels) != len(texts):
            raise ValueError(f"{len(labels)} labels of {len(texts)} options")
        return list(zip(labels, texts, strict=True))
    if isinstance(cell, dict) and "text" not in cell:
        return [(str(label), _scalar(text)) for label, text in cell.items()]
    if isinstance(cell, list | tuple) and any(isinstance(entry, dict) for entry in cell):
        return [_labelled(entry) for entry in cell]
    return [("", text) for text in texts_of(cell, split=split, arrays=arrays)]


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


def _labelled(entry: Any) -> tuple[str, str]:
    if not isinstance(entry, dict):
        return "", _scalar(entry)
    label, text = (
        next((_scalar(entry[name]) for name in names if name in entry), "")
        for names in (LABELS, TEXTS)
    )
    if not text and not any(name in entry for name in TEXTS):
        raise ValueError("an option without a text")
    return label, text


def written_list(text: str) -> list[Any] | None:
    """The list of scalars that the text writes out, or None when it is an ordinary text."""
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return printed_list(stripped) if "array([" in stripped[:12] else None
    try:
        value = _AS_WRITTEN.decode(stripped)
    except (ValueError, RecursionError):
        value = printed_list(stripped)
    if not isinstance(value, list) or any(isinstance(entry, list | dict) for entry in value):
        return None
    return value
