"""Exports of Label Studio: tasks with annotations, and tables of one annotation a row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....demonstration.fields import FIELD
from ..grid import Cells, Grid, ShapedRows, beside, keys_beside, plain

_VALUES = ("choices", "text", "taxonomy", "rating", "number")
"""The keys of a result that have an answer: labels, texts typed, and ratings."""
_KEPT_ABOUT_AN_ANNOTATION = {
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement",
}  # fmt: skip


def tasks(rows: Sequence[Cells]) -> ShapedRows | None:
    """A row a task: the text that was labelled, with the labels of all who did.

    With several things to say about a text, each is a column of its own. A task of which every
    annotation was cancelled has the status `skipped`.
    """
    if not all(_objects(row.get("annotations")) is not None for row in rows):
        return None
    if not all(isinstance(row.get("data"), dict) for row in rows):
        return None
    results = [result for row in rows for each in _annotations(row) for result in _results(each)]
    asked = dict.fromkeys(str(result.get("from_name")) for result in results if any(_texts(result)))
    about = dict.fromkeys(str(result.get("to_name")) for result in results)
    if not asked:
        return None
    reshaped: list[Cells] = []
    for row in rows:
        data = row["data"]
        cells: dict[str, object] = dict(data) if isinstance(data, dict) else {}
        query = next((name for name in about if name in cells), None)
        if query is not None:
            cells = {"query": cells.pop(query), **cells}
        given = [each for each in _annotations(row) if not _is_cancelled(each)]
        for name in asked:
            column = "answer" if len(asked) == 1 else name
            cells[column] = _distinct(given or _annotations(row), name)
        status = "submitted" if given else "skipped" if _annotations(row) else "pending"
        used = ("data", "annotations", "predictions", "drafts")
        reshaped.append({**cells, "status": status, **beside(row, *used, own=(*cells, "status"))})
    return ShapedRows(reshaped, unread=tuple(_unread(rows, results)))


def annotations_in_a_table(grid: Grid) -> ShapedRows | None:
    """The rows of a csv or short json of annotations, their only other column as the answer."""
    names = {plain(column): column for column in grid.columns}
    if not {"annotation_id", "lead_time"} <= set(names):
        return None
    others = [names[name] for name in names if name not in _KEPT_ABOUT_AN_ANNOTATION]
    texts = [name for name in others if plain(name) in FIELD["query"].synonyms]
    labels = [name for name in others if name not in texts]
    if len(texts) != 1 or len(labels) != 1:
        return None
    used = (*texts, *labels)
    return ShapedRows(
        [
            {
                "query": row.get(texts[0]),
                "answer": row.get(labels[0]),
                **beside(row, *used, own=("query", "answer")),
            }
            for row in grid.rows
        ]
    )


def _annotations(row: Cells) -> list[Mapping[str, object]]:
    return _objects(row.get("annotations")) or []


def _results(annotation: Mapping[str, object]) -> list[Mapping[str, object]]:
    return _objects(annotation.get("result")) or []


def _is_cancelled(annotation: Mapping[str, object]) -> bool:
    return str(annotation.get("was_cancelled")).lower() == "true"


def _distinct(annotations: Iterable[Mapping[str, object]], name: str) -> list[str]:
    """The texts that the annotations say under a name, each once."""
    texts = (
        text
        for each in annotations
        for result in _results(each)
        if result.get("from_name") == name
        for text in _texts(result)
    )
    return list(dict.fromkeys(texts))


def _texts(result: Mapping[str, object]) -> Iterator[str]:
    """The labels or texts of a result; of a label in a tree, its path; none of a marked place."""
    value = result.get("value")
    parts = value if isinstance(value, dict) and "start" not in value else {}
    content = next((parts[key] for key in _VALUES if key in parts), None)
    for each in content if isinstance(content, list) else [content]:
        if isinstance(each, list):
            yield " / ".join(map(str, each))
        elif each is not None and not isinstance(each, dict):
            yield str(each)


def _unread(rows: Sequence[Cells], results: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The keys that say how and by whom a text was labelled."""
    yield from (key for key in ("predictions", "drafts") if any(row.get(key) for row in rows))
    annotations = [each for row in rows for each in _annotations(row)]
    yield from keys_beside(annotations, "result", "was_cancelled", under="annotations")
    within = "annotations.result"
    yield from keys_beside(results, "value", "from_name", "to_name", "type", under=within)
    values = [result.get("value") for result in results]
    yield from keys_beside(values, *_VALUES, under=f"{within}.value")


def _objects(value: object) -> list[Mapping[str, object]] | None:
    """The objects of a list; None for anything else."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return None
    return value
