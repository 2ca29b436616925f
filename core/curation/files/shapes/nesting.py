"""Objects within rows as columns of their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ..cells import LABELS, TEXTS
from ..grid import Cells, plain, unused_name
from .messages import messages_in

_DEEPEST = 8
"""Objects below this level stay cells; nobody maps a column with so many dots."""

_LABEL = "label"
_CALLED = ("options", "choices", "answers", "candidates", "responses", "completions", "targets")
"""What a column of texts with a flag each may be called, whatever the texts look like."""

CORRECT = "correct"
"""The key of the flag in what was `{"a text": 1, "another": 0}`."""


_CHOICES = "choices"
"""The only key of what a labelling tool writes for several labels of a text."""


def has_objects(rows: Sequence[Cells]) -> bool:
    """Whether any cell is an object or a list of objects."""
    for row in rows:
        for value in row.values():
            kind = type(value)
            # mypy does not see that a value of type list can be indexed.
            if kind is dict or (kind is list and value and type(value[0]) is dict):  # type: ignore[index]
                return True
    return False


def unnested(rows: Sequence[Cells]) -> list[Cells] | None:
    """The rows with a column for each value of an object, such as `metadata.split`.

    An object with a `text`, such as SQuAD's `{"text": [...]}`, and a list of objects with a text
    each stay as they are, with their texts and labels; what else they contain is beside them in
    lists as long: `answers.score`. Texts with a flag each, `{"a text": 1}`, become such a list.
    None when no object has more than a text.
    """
    given = rows
    rows = _with_labels_alone(rows)
    judged = _columns_of_judged_texts(rows)
    if judged:
        rows = [
            {key: _judged_texts(cell) if key in judged else cell for key, cell in row.items()}
            for row in rows
        ]
    flat = _with_labels_apart([_unnested(row) for row in rows])
    changed = any(new.keys() != old.keys() for new, old in zip(flat, rows, strict=True))
    return flat if judged or changed or rows is not given else None


def choices_in(value: object) -> list[str] | None:
    """The labels of `{"choices": [...]}`; None for any other value."""
    labels = value.get(_CHOICES) if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        return None
    return labels


def _with_labels_alone(rows: Sequence[Cells]) -> Sequence[Cells]:
    """The rows with a list for `{"choices": [...]}` where a column's other cells are texts."""
    several = {key for row in rows for key, cell in row.items() if choices_in(cell) is not None}
    single = {key for row in rows for key, cell in row.items() if isinstance(cell, str)}
    if not several & single:
        return rows
    return [
        {
            key: labels if key in single and (labels := choices_in(cell)) is not None else cell
            for key, cell in row.items()
        }
        for row in rows
    ]


def _unnested(row: Cells) -> Cells:
    cells: dict[str, object] = {}
    for key, value in row.items():
        for name, cell in _parts(key, value, _DEEPEST):
            cells[unused_name(name, cells)] = cell
    return cells


def _parts(key: str, value: object, levels: int) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        yield from _parts_of_list(key, value)
    elif not levels or not isinstance(value, dict):
        yield key, value
    else:
        if "text" in value:
            yield key, value
        for name, inner in value.items():
            if name != "text":
                yield from _parts(f"{key}.{name}", inner, levels - 1)


def _parts_of_list(key: str, entries: list[object]) -> Iterator[tuple[str, object]]:
    """The list of objects with their texts and labels, and a list for each other key."""
    objects = [entry for entry in entries if isinstance(entry, dict)]
    names = dict.fromkeys(name for entry in objects for name in entry)
    text = next((name for name in TEXTS if name in names), None)
    text = text or next((name for name in names if "text" in name or "answer" in name), None)
    whole = len(objects) == len(entries) and all(text in entry for entry in objects)
    if not objects or not whole or text is None or messages_in(entries):
        yield key, entries
        return
    names.pop(text)
    label = next((name for name in LABELS if name in names), None)
    yield (
        key,
        [
            {"text": entry[text]} | ({label: entry[label]} if label and label in entry else {})
            for entry in objects
        ]
        if names or text != "text"
        else entries,
    )
    for name in names:
        values = [entry.get(name) for entry in objects]
        if name != label or name == _LABEL or not _distinguish(values):
            yield f"{key}.{name}", values


def _distinguish(values: Sequence[object]) -> bool:
    """Whether the values may identify texts: all different, and no flags."""
    texts = [str(value).lower() for value in values]
    flags = ("0", "1", "true", "false", "yes", "no")
    return len(set(texts)) == len(texts) and not all(text in flags for text in texts)


def _with_labels_apart(rows: list[Cells]) -> list[Cells]:
    """The rows with labels such as A and B in the cells of their texts, and flags beside them."""
    columns = dict.fromkeys(key for row in rows for key in row if key.endswith(f".{_LABEL}"))
    for column in columns:
        texts = column.removesuffix(f".{_LABEL}")
        cells = [(row.get(texts), row[column]) for row in rows if isinstance(row.get(column), list)]
        if not cells or not all(isinstance(cell, list | dict) for cell, _ in cells):
            continue
        every = [values for _, values in cells if isinstance(values, list)]
        if all(map(_count_on, every)):
            if not all(list(map(str, values)) == ["0", "1"] for values in every):
                rows = [{key: row[key] for key in row if key != column} for row in rows]
        else:
            rows = [{**row, texts: _bare(row[texts])} if texts in row else row for row in rows]
    return rows


def _count_on(values: Sequence[object]) -> bool:
    """Whether the values are letters or whole numbers, each the next of the one before."""
    texts = [str(value).strip().lower() for value in values]
    if not all(re.fullmatch("[a-z]|[0-9]{1,2}", text) for text in texts):
        return False
    numbers = [int(text) if text.isdecimal() else ord(text) for text in texts]
    return all(after == before + 1 for before, after in pairwise(numbers))


def _bare(cell: object) -> object:
    """The texts without labels."""
    if isinstance(cell, dict):
        return {key: value for key, value in cell.items() if key != _LABEL}
    entries = cell if isinstance(cell, list) else []
    bare = [{k: v for k, v in each.items() if k != _LABEL} for each in entries]
    return bare if isinstance(cell, list) else cell


def is_nested(value: object) -> bool:
    """Whether the value is an object that is not read as a text."""
    return isinstance(value, dict) and "text" not in value


def _columns_of_judged_texts(rows: Sequence[Cells]) -> set[str]:
    """The columns of objects whose keys are texts, with a flag or a number for each."""
    objects: dict[str, list[Mapping[str, object]]] = {}
    for row in rows:
        for key, value in row.items():
            if isinstance(value, dict):  # parquet has every row's texts in each
                given = {text: each for text, each in value.items() if each is not None}
                objects.setdefault(key, []).append(given)
    return {key for key, found in objects.items() if are_judged_texts(key, found)}


def are_judged_texts(column: str, objects: Sequence[Mapping[str, object]]) -> bool:
    """Whether the keys of the objects are texts, each with a verdict or a number.

    Their column says so, or most of them contain spaces, or nearly all are in one of the objects
    alone: the keys of records are the same in each.
    """
    called = plain(column) in _CALLED
    texts = [text for each in objects for text in each]
    spaced = sum(" " in text for text in texts) * 2 > len(texts)
    apart = len(objects) > 1 and 3 * len(set(texts)) > 2 * len(texts)
    return (
        any(len(each) > 1 for each in objects)
        and all(_is_judgement(value) for each in objects for value in each.values())
        and (called or spaced or apart)
    )


def _is_judgement(value: object) -> bool:
    if isinstance(value, str):  # numbers of JSON are read as they are written
        words = ("true", "false", "yes", "no", "correct", "incorrect", "right", "wrong")
        return value.lower() in words or value.lstrip("-").replace(".", "", 1).isdigit()
    return isinstance(value, bool | int | float)


def _judged_texts(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return [
        {"text": text, CORRECT: judgement}
        for text, judgement in value.items()
        if judgement is not None
    ]
