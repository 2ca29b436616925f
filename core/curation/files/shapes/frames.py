"""A table in one JSON object: as pandas, the Hugging Face hub's viewer or DSPy writes it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ....errors import InvalidInput
from ..grid import Cells, Fits, ShapedRows, grid_of, keys_beside, unique_columns
from ..labels import with_label_names
from .records import viewer_rows

_DEMOS = "demos"
_PREDICTOR = "predictor"
_CONTEXT = "context"


def saved_program(document: Mapping[str, object], name: str, fits: Fits) -> ShapedRows | None:
    """A row a demonstration of `{"answer.predict": {"demos": [...], "signature": ...}, ...}`.

    With several predictors, a column names each row's.
    """
    predictors = dict(_predictors(document))
    if not any("signature" in key for each in predictors.values() for key in each):
        return None
    several = len(predictors) > 1
    rows: list[Cells] = [
        {**_plain(demo), **({_PREDICTOR: predictor} if several else {})}
        for predictor, state in predictors.items()
        for demo in _demos(state)
    ]
    if not rows:
        return None
    others = () if "" in predictors else keys_beside([document], *predictors)
    unread = dict.fromkeys(
        key
        for predictor, state in predictors.items()
        for key in keys_beside([state], _DEMOS, under=predictor)
    )
    return ShapedRows(rows, unread=(*others, *unread))


def _predictors(document: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The states with demonstrations, by the names of their predictors; one alone has no name."""
    if isinstance(document.get(_DEMOS), list):
        yield "", document
        return
    for predictor, state in document.items():
        if isinstance(state, dict) and isinstance(state.get(_DEMOS), list):
            yield predictor, state


def _demos(state: Mapping[str, object]) -> list[Mapping[str, object]]:
    demos = state[_DEMOS]
    return [each for each in demos if isinstance(each, dict)] if isinstance(demos, list) else []


def _plain(demo: Mapping[str, object]) -> Cells:
    """The demonstration with the passages of its context as one text, and its reasoning renamed."""
    rename = "rationale" not in demo
    return {
        "rationale" if rename and key == "reasoning" else key: _one_text(value)
        if key == _CONTEXT
        else value
        for key, value in demo.items()
    }


def _one_text(value: object) -> object:
    texts = value if isinstance(value, list) else []
    return "\n".join(texts) if all(isinstance(each, str) for each in texts) and texts else value


Document: TypeAlias = Mapping[str, object]
_ReadDocument: TypeAlias = Callable[[Document, str, Fits], ShapedRows | None]


def split(document: Document, name: str, fits: Fits) -> ShapedRows | None:
    """The rows of `{"columns": [...], "index": [...], "data": [[...], ...]}`."""
    names, data = document.get("columns"), document.get("data")
    if not isinstance(names, list) or not isinstance(data, list):
        return None
    if not all(isinstance(row, list) for row in data):
        return None
    columns = unique_columns(
        [".".join(each) if isinstance(each, list) else str(each) for each in names]
    )
    for number, row in enumerate(data, start=1):
        if len(row) != len(columns):
            raise InvalidInput(
                f"{name}: row {number} of its data has {len(row)} values for {len(columns)} "
                "columns; give each row one for each column."
            )
    index = document.get("index")
    labels = index if isinstance(index, list) and len(index) == len(data) else None
    rows = _labelled(labels or [], [dict(zip(columns, row, strict=True)) for row in data])
    used = ("columns", "data") if labels is None else ("columns", "index", "data")
    return ShapedRows(rows, unread=tuple(keys_beside([document], *used)))


def with_schema(document: Document, name: str, fits: Fits) -> ShapedRows | None:
    """The rows of `{"schema": {"fields": [...]}, "data": [{"index": 0, ...}, ...]}`."""
    schema, data = document.get("schema"), document.get("data")
    if not isinstance(schema, dict) or "fields" not in schema or not isinstance(data, list):
        return None
    records = [row for row in data if isinstance(row, dict)]
    if len(records) < len(data):
        return None
    labels = [row.get("index") for row in records]
    rows = _labelled(labels, [{k: v for k, v in row.items() if k != "index"} for row in records])
    return ShapedRows(rows, unread=tuple(keys_beside([document], "schema", "data")))


def viewer(document: Document, name: str, fits: Fits) -> ShapedRows | None:
    """The rows of `{"features": [{"name": ..., "type": ...}], "rows": [{"row": {...}}, ...]}`."""
    features, wrapped = _list_of_objects(document, "features"), _list_of_objects(document, "rows")
    if not features or not wrapped or not all("type" in each for each in features):
        return None
    found = viewer_rows(wrapped)
    if found is None:
        return None
    types = {str(each.get("name")): each["type"] for each in features}
    rows, sentences = with_label_names(found.rows, types)
    unread = keys_beside([document], "features", "rows")
    unread += [f"rows.{key}" for key in found.unread]
    return ShapedRows(rows, (*found.warnings, *sentences), tuple(unread))


def by_rows(document: Document, name: str, fits: Fits) -> ShapedRows | None:
    """The rows of `{"0": {"question": ..., "answer": ...}, "1": ...}`, whatever the labels."""
    records = _objects(document)
    if records is None or _are_numbers(records[0]):
        return None
    if not _are_numbers(document) and not fits(grid_of(records[:1])):
        return None
    return ShapedRows(_labelled(list(document), records))


def by_columns(document: Document, name: str, fits: Fits) -> ShapedRows | None:
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
    return ShapedRows(_labelled(labels, rows))


FRAMES: tuple[tuple[str, _ReadDocument], ...] = (
    ("columns, index and data of pandas", split),
    ("schema and data of pandas", with_schema),
    ("rows of Hugging Face's viewer", viewer),
    ("a program that DSPy saved", saved_program),
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


def _list_of_objects(document: Document, key: str) -> list[Mapping[str, object]]:
    """The objects that the key lists; none where it lists anything else."""
    entries = document.get(key)
    every = entries if isinstance(entries, list) else []
    objects: list[Mapping[str, object]] = [each for each in every if isinstance(each, dict)]
    return objects if len(objects) == len(every) else []


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
