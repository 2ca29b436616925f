"""What a reader of any format or shape returns: named columns, rows, what happened to them."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
NUMBERS |= {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}

"""What words for the numbers of candidates mean."""


def plain(column: str) -> str:
    """A column's name for comparing: `Is Correct`, `isCorrect` and `is_correct (2)` are one."""
    without_copy = re.sub(r" \(\d+\)$", "", column.strip())
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", without_copy)
    return re.sub(r"[\W_]+", "_", words.casefold()).strip("_")


def unused_name(name: str, taken: Container[str]) -> str:
    """The name, or where it is taken the first of `name (2)`, `name (3)`, ... that is not."""
    copy, unused = 1, name
    while unused in taken:
        copy += 1
        unused = f"{name} ({copy})"
    return unused


def series(columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """The columns that differ in one letter or number: by their name with # in its place.

    Each is named by its letter or number, and they are in the order of these. A series begins with
    a, 0 or 1 and has two or more.
    """
    found: dict[str, dict[str, str]] = {}
    names = set(map(plain, columns))
    for column in columns:
        name = plain(column)
        if re.fullmatch(r".*[a-z]{2}[a-h]", name) and {f"{name[:-1]}a", f"{name[:-1]}b"} <= names:
            name = f"{name[:-1]}_{name[-1]}"  # opa and opb
        words = re.sub(r"(?<=[a-z])(?=\d)", "_", name).split("_")
        spaced = "_".join(NUMBERS.get(word, word) for word in words)
        for label in re.finditer(r"(?:(?<=_)|^)(?:[a-h]|\d{1,2})(?=_|$)", spaced):
            template = f"{spaced[: label.start()]}#{spaced[label.end() :]}"
            found.setdefault(template, {}).setdefault(label[0], column)
    return {
        template: dict(sorted(labels.items(), key=lambda each: (len(each[0]), each[0])))
        for template, labels in found.items()
        if len(labels) > 1 and {"a", "0", "1"} & set(labels)
    }


Cells: TypeAlias = Mapping[str, object]
"""The values of a row of a file, by column; nothing is interpreted yet."""


class Grid(NamedTuple):
    """Columns, rows and warnings as a reader of one format returns them.

    `shape` describes how a guessed shape was read, `delimiter` is that of delimited text, `sheet`
    the one of a workbook that was read; each is empty where there is none. `unread` names keys of
    the file that no column has.
    """

    columns: list[str]
    rows: Sequence[Cells]
    warnings: tuple[str, ...] = ()
    shape: str = ""
    delimiter: str = ""
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


Fits: TypeAlias = Callable[[Grid], bool]
"""Whether a grid looks as if it has queries and answers: decides between two readings."""


def grid_of(rows: Sequence[Cells], warnings: tuple[str, ...] = (), shape: str = "") -> Grid:
    """The grid of rows that name their own columns, in the order in which the names first occur."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return Grid(columns, rows, warnings, shape)


def unmarked(grid: Grid) -> Grid:
    """The grid without byte-order marks around the names of its columns.

    Programs that read a file's mark as a letter write it into the name of the first column.
    """
    bare = [column.strip("\ufeff") for column in grid.columns]
    if bare == grid.columns:
        return grid
    names = dict(zip(grid.columns, unique_columns(bare), strict=True))
    rows = [{names[key]: value for key, value in row.items()} for row in grid.rows]
    return grid._replace(columns=list(names.values()), rows=rows)


def unique_columns(header: Sequence[str]) -> list[str]:
    """The header with a name for every column and no name twice: `answer`, `answer (2)`."""
    seen: set[str] = set()
    columns = []
    for position, cell in enumerate(header, start=1):
        name = unused_name(" ".join(cell.split()) or f"column {position}", seen)
        seen.add(name)
        columns.append(name)
    return columns


class ShapedRows(NamedTuple):
    """The rows made from records of a known shape, and what to tell about them.

    `warnings` are sentences about what was done; `unread` names the keys that no column has, such
    as `messages.name`.
    """

    rows: list[Cells]
    warnings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


ReadShape: TypeAlias = Callable[[Sequence[Cells]], ShapedRows | None]
"""Reads records as rows of queries and answers; None when they are not of the shape."""

ReadTable: TypeAlias = Callable[[Grid], ShapedRows | None]
"""Reads a table of texts as rows of queries and answers; None when it is not of the shape."""


def beside(row: Cells, *used: str | None, own: Sequence[str]) -> dict[str, object]:
    """The row without the columns that were used.

    A column named like one of the `own` columns of the shape becomes, for example, `other answer`.
    """
    return {
        f"other {key}" if key in own else key: value
        for key, value in row.items()
        if key not in used
    }


def keys_beside(objects: Iterable[object], *used: str, under: str = "") -> list[str]:
    """The keys of the objects that were not used, each once, after the name of what they are in."""
    keys = dict.fromkeys(key for each in objects if isinstance(each, dict) for key in each)
    return [f"{under}.{key}" if under else str(key) for key in keys if key not in used]
