"""Objects within rows as columns of their own."""

from collections.abc import Iterator, Sequence

from ..grid import Cells

_DEEPEST = 8
"""Objects below this level stay cells; nobody maps a column with so many dots."""


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

    An object with a `text`, such as SQuAD's `{"text": [...]}`, can be read as it is, and so can
    lists. None when there is no other object.
    """
    if not any(_is_nested(value) for row in rows for value in row.values()):
        return None
    return [_unnested(row) for row in rows]


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
    if not levels or not isinstance(value, dict) or "text" in value:
        yield key, value
        return
    for name, inner in value.items():
        yield from _parts(f"{key}.{name}", inner, levels - 1)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) and "text" not in value
