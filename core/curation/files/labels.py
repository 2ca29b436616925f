"""Labels in files: the names of those written as numbers, and lines of a label and a text."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ...errors import InvalidInput
from .grid import Cells, Grid

_LABEL = "ClassLabel"
_MISSING = -1
"""What stands for a label that is kept secret, as in the test rows of public data sets."""


def declared_features(metadata: Mapping[bytes, bytes] | None) -> Mapping[str, object]:
    """The types of a parquet file's columns as `datasets` wrote them; empty where it did not."""
    try:
        written = json.loads((metadata or {}).get(b"huggingface", b"{}"))
        features = written["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return features if isinstance(features, dict) else {}


def with_label_names(
    rows: Sequence[Cells], features: Mapping[str, object]
) -> tuple[list[Cells], tuple[str, ...]]:
    """The rows with the names of labels in place of their numbers, and what to say about it.

    Args:
        rows: Rows of numbers, as numbers or as texts.
        features: The type of each column, as `datasets` writes it.
    """
    labels = [column for column, feature in features.items() if _names_in(feature)]
    if not labels:
        return list(rows), ()
    missing: Counter[str] = Counter()
    read: list[Cells] = []
    for row in rows:
        cells = dict(row)
        for column in labels:
            if column in cells:
                cells[column] = _named(cells[column], features[column], column, missing)
        read.append(cells)
    known = ", ".join(f'"{column}" ({_shown(features[column])})' for column in labels)
    warnings = [f"Numbers of labels that the file names: {known}; the names were read."]
    for column, count in missing.items():
        warnings.append(
            f'Labels of -1, which stands for none, in "{column}": {count:,}; they count as empty.'
        )
    return read, tuple(warnings)


def _named(value: object, feature: object, column: str, missing: Counter[str]) -> object:
    names = _own_names(feature)
    if names and isinstance(value, int | str):
        number = _number(value)
        if number == _MISSING:
            missing[column] += 1
            return None
        return names[number] if number is not None and 0 <= number < len(names) else value
    inner = _entries(feature)
    if isinstance(value, list):
        return [_named(each, inner, column, missing) for each in value]
    if isinstance(value, dict) and isinstance(inner, dict):
        # A list of objects is stored as an object of lists: the same types are within them.
        return {key: _named(each, inner.get(key), column, missing) for key, each in value.items()}
    return value


def _own_names(feature: object) -> list[str]:
    """The names, where the feature is a label."""
    if not isinstance(feature, dict) or feature.get("_type") != _LABEL:
        return []
    names = feature.get("names")
    return [str(name) for name in names] if isinstance(names, list) else []


def _entries(feature: object) -> object:
    """The type of what a list of this type contains; the type itself where it is no list."""
    if isinstance(feature, list) and len(feature) == 1:
        return feature[0]
    if isinstance(feature, dict) and isinstance(feature.get("_type"), str):
        return feature.get("feature", feature)
    return feature


def _names_in(feature: object) -> list[str]:
    """The names of the first label in the feature, however deep."""
    own = _own_names(feature)
    if own:
        return own
    inner = list(feature.values()) if isinstance(feature, dict) else feature
    entries = inner if isinstance(inner, list) else []
    return next((found for each in entries if (found := _names_in(each))), [])


def _shown(feature: object) -> str:
    names = _names_in(feature)
    return ", ".join(names[:6]) + (f" and {len(names) - 6:,} more" if len(names) > 6 else "")


def _number(value: int | str) -> int | None:
    try:
        return int(value)
    except ValueError:
        return None


LABEL, FINE_LABEL, TEXT = "label", "fine_label", "text"
"""The columns; `fine_label` only where the file has fine labels."""

_LINE = re.compile(r"(?P<fine>(?P<coarse>[A-Z]+):\w+)(?!\S)|(?P<number>[+-]?\d{1,3})(?!\S)")
"""A whole number of at most three digits, or TREC's COARSE:fine, before white space or the end."""

_LINE_END = re.compile(r"\r\n?|\n")
"""Latin-1 texts contain other letters at which `str.splitlines` would split them."""

_NEARLY_ALL = 0.95
_MOST_LABELS = 50
_LINES_PER_LABEL = 2


def read_labelled_lines(text: str, name: str) -> Grid:
    """A row for each line that is not blank; the text without the white space around it.

    Tokenised texts often end in a space, which is no part of their content. A line with a label
    alone has an empty text. The label of `LOC:city` is `LOC`, its fine label the whole.

    Raises:
        InvalidInput: A line begins with no label.
    """
    rows: list[dict[str, str]] = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        line = line.strip()
        if not line:
            continue
        label = _LINE.match(line)
        if label is None:
            raise InvalidInput(
                f"{name}: line {number} begins with no label: write a whole number of at most "
                "three digits (or a label such as LOC:city), a space and the text, or name "
                "another format."
            )
        fine = {FINE_LABEL: label["fine"]} if label["fine"] else {}
        coarse = label["number"] or label["coarse"]
        rows.append({LABEL: coarse, **fine, TEXT: line[label.end() :].lstrip()})
    has_fine = any(FINE_LABEL in row for row in rows)
    return Grid([LABEL, *([FINE_LABEL] if has_fine else []), TEXT], rows)


def are_labelled_lines(text: str) -> bool:
    """Whether nearly every line begins with a label, followed by a text, and the labels are few.

    A numbered list has as many numbers as lines, so each label needs two lines on average. A file
    with only one label may be anything.
    """
    lines = [line for line in map(str.strip, _LINE_END.split(text)) if line]
    labels: Counter[str] = Counter()
    for line in lines:
        label = _LINE.match(line)
        if label is not None and label.end() < len(line):
            labels[label["number"] or label["coarse"]] += 1
    few = 2 <= len(labels) <= min(_MOST_LABELS, len(lines) // _LINES_PER_LABEL)
    return few and labels.total() >= _NEARLY_ALL * len(lines)
