"""What pandas writes as one JSON object: a table by its columns, by its rows, or in parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ....errors import InvalidInput
from ..grid import Cells, Fits, grid_of, unique_columns

Document: TypeAlias = Mapping[str, object]
_ReadDocument: TypeAlias = Callable[[Document, str, Fits], list[Cells] | None]


def split(document: Document, name: str, fits: Fits) -> list[Cells] | None:
    """The rows of `{"columns": [...], "index": [...], "data": [[...], ...]}`."""
    names, data = document.get("columns"), document.get("data")
    if not isinstance(names, list) or not isinstance(data, list):
        return None
    if not all(isinstance(row, list) for row in data):
        return None
    columns = unique_columns([".".join(each) if _is_list(each) else str(each) for each in names])
    for number, row in enumerate(data, start=1):
        if len(row) != len(columns):
            raise InvalidInput(
                f"{name}: row {number} of its data has {len(row)} values for {len(columns)} "
                "columns; give each row one for each column."
            )
    index = document.get("index")
    labels = index if isinstance(index, list) and len(index) == len(data) else []
    return _labelled(labels, [dict(zip(columns, row, strict=True)) for row in data])


def with_schema(document: Document, name: str, fits: Fits) -> list[Cells] | None:
    """The rows of `{"schema": {"fields": [...]}, "data": [{"index": 0, ...}, ...]}`."""
    schema, data = document.get("schema"), document.get("data")
    if not isinstance(schema, dict) or "fields" not in schema or not isinstance(data, list):
        return None
    rows = [row for row in data if isinstance(row, dict)]
    if len(rows) < len(data):
        return None
    labels = [row.get("index") for row in rows]
    return _labelled(labels, [{k: v for k, v in row.items() if k != "index"} for row in rows])


def by_rows(document: Document, name: str, fits: Fits) -> list[Cells] | None:
    """The rows of `{"0": {"question": ..., "answer": ...}, "1": ...}`, whatever the labels."""
    records = _objects(document)
    if records is None or _are_numbers(records[0]):
        return None
    if not _are_numbers(document) and not fits(grid_of(records[:1])):
        return None
    return _labelled(list(document), records)


def by_columns(document: Document, name: str, fits: Fits) -> list[Cells] | None:
    """The rows of `{"question": {"0": ..., "1": ...}, "answer": {"0": ..., ...}}`."""
    columns = _objects(document)
    if columns is None or len({tuple(column) for column in columns}) > 1:
        return None
    if any(isinstance(cell, dict) for column in columns for cell in column.values()):
        return None
    labels = list(columns[0])
    rows = [dict(zip(document, cells, strict=True)) for cells in _transposed(columns)]
    if not _are_numbers(labels) and not fits(grid_of(rows)):
        return None
    return _labelled(labels, rows)


FRAMES: tuple[tuple[str, _ReadDocument], ...] = (
    ("columns, index and data of pandas", split),
    ("schema and data of pandas", with_schema),
    ("a table by its rows, as pandas writes it", by_rows),
    ("a table by its columns, as pandas writes it", by_columns),
)
"""The shapes of a whole document, with their names, in the order in which they are tried."""


def _objects(document: Document) -> list[Mapping[str, object]] | None:
    """The values, when all of them are non-empty objects."""
    objects: list[Mapping[str, object]] = [
        value for value in document.values() if isinstance(value, dict) and value
    ]
    return objects if objects and len(objects) == len(document) else None


def _transposed(columns: Sequence[Mapping[str, object]]) -> list[tuple[object, ...]]:
    return list(zip(*(column.values() for column in columns), strict=True))


def _labelled(labels: Sequence[object], rows: Sequence[Cells]) -> list[Cells]:
    """The rows with their labels in a column `index`, unless these only count them."""
    counted = [str(label) for label in labels] == [str(place) for place in range(len(rows))]
    missing = all(label is None for label in labels)
    if missing or counted or any("index" in row for row in rows):
        return list(rows)
    return [{"index": label, **row} for label, row in zip(labels, rows, strict=True)]


def _are_numbers(labels: Sequence[object] | Mapping[str, object]) -> bool:
    return all(str(label).isdecimal() for label in labels)


def _is_list(value: object) -> bool:
    return isinstance(value, list)
