"""Objects within rows as columns of their own."""

from collections.abc import Iterator, Mapping, Sequence

from ..cells import LABELS, TEXTS
from ..grid import Cells
from .messages import messages_in

_DEEPEST = 8
"""Objects below this level stay cells; nobody maps a column with so many dots."""

CORRECT = "correct"
"""The key of the flag in what was `{"a text": 1, "another": 0}`."""


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
    judged = _columns_of_judged_texts(rows)
    if judged:
        rows = [
            {key: _judged_texts(cell) if key in judged else cell for key, cell in row.items()}
            for row in rows
        ]
    flat = [_unnested(row) for row in rows]
    return (
        flat
        if judged or any(a.keys() != b.keys() for a, b in zip(flat, rows, strict=True))
        else None
    )


def _unnested(row: Cells) -> Cells:
    cells: dict[str, object] = {}
    for key, value in row.items():
        for name, cell in _parts(key, value, _DEEPEST):
            copy = 1
            unique = name
            while unique in cells:
                copy += 1
                unique = f"{name} ({copy})"
            cells[unique] = cell
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
            if name != "text" and not _are_labels(name, inner, value):
                yield from _parts(f"{key}.{name}", inner, levels - 1)


def _parts_of_list(key: str, entries: list[object]) -> Iterator[tuple[str, object]]:
    """The list of objects with their texts and labels, and a list for each other key."""
    objects = [entry for entry in entries if isinstance(entry, dict)]
    text = next((name for name in TEXTS if any(name in entry for entry in objects)), None)
    whole = len(objects) == len(entries) and all(text in entry for entry in objects)
    if not objects or not whole or text is None or messages_in(entries):
        yield key, entries
        return
    names = dict.fromkeys(name for entry in objects for name in entry if name != text)
    label = next((name for name in LABELS if name in names), None)
    yield (
        key,
        [
            {"text": entry[text]} | ({"label": entry[label]} if label and label in entry else {})
            for entry in objects
        ]
        if names or text != "text"
        else entries,
    )
    for name in names:
        values = [entry.get(name) for entry in objects]
        if name != label or not _distinguish(values):
            yield f"{key}.{name}", values


def _are_labels(name: str, values: object, of: Mapping[str, object]) -> bool:
    """Whether the values are the labels of the object's texts; flags are none."""
    texts = of.get("text")
    listed = isinstance(values, list) and isinstance(texts, list) and len(values) == len(texts)
    return name == "label" and listed and _distinguish(values)


def _distinguish(values: object) -> bool:
    """Whether the values are labels: all different, and no flags."""
    texts = [str(value).lower() for value in values] if isinstance(values, list) else []
    flags = ("0", "1", "true", "false", "yes", "no")
    return len(set(texts)) == len(texts) and not all(text in flags for text in texts)


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
    return {key for key, found in objects.items() if are_judged_texts(found)}


def are_judged_texts(objects: Sequence[Mapping[str, object]]) -> bool:
    """Whether most keys of the objects contain spaces, and each has a flag or a number."""
    texts = [text for each in objects for text in each]
    return (
        any(len(each) > 1 for each in objects)
        and all(_is_judgement(value) for each in objects for value in each.values())
        and sum(" " in text for text in texts) * 2 > len(texts)
    )


def _is_judgement(value: object) -> bool:
    if isinstance(value, str):  # numbers of JSON are read as they are written
        return value.lstrip("-").replace(".", "", 1).isdigit()
    return isinstance(value, bool | int | float)


def _judged_texts(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return [
        {"text": text, CORRECT: judgement}
        for text, judgement in value.items()
        if judgement is not None
    ]
