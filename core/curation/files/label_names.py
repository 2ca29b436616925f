"""The names of labels that a file writes as numbers, as Hugging Face's `datasets` declares them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from .grid import Cells

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
