"""The candidates of a row, with their labels: a cell of several, or a column for each."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ..files.names import series
from ..mapping import Mapping
from ..rows import CellReader

_LABELS = ("ABCDEFGHIJ", "abcdefghij", "1234567890", "0123456789")
_MARK = r"(?:^|(?<=[\s,;|]))\(?{}(?:\s?[).\]:](?=\s|$)|\s?\)(?=\S))\s*"
"""What a label looks like in front of its text: `A.`, `(A)`, `a )`, `1:`."""


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate of a row.

    Attributes:
        label: Its letter or number: beside its text, or at the end of its column; else empty.
        text: Its text.
        column: The name of its column, where it has one of its own.
    """

    label: str
    text: str
    column: str = ""


def options_of(cells: CellReader, mapping: Mapping) -> list[Option]:
    """The candidates of the row, without the empty ones after the last."""
    if len(mapping.options) > 1:
        labels = labels_of(mapping.options)
        options = [
            Option(label, cells.text(column), column)
            for label, column in zip(labels, mapping.options, strict=True)
        ]
    else:
        options = [Option(*pair) for pair in cells.labelled(mapping.options[0])]
        if len(options) == 1 and (apart := split_options(options[0].text)):
            options = apart
    while options and not options[-1].text.strip():
        options.pop()
    return options


def split_options(cell: str) -> list[Option]:
    """The options that are written one after the other: `A. oak B. eel`; none where they are not.

    Their labels are letters from A or numbers from 0 or 1, each in front of its text.
    """
    for labels in _LABELS:
        marks: list[re.Match[str]] = []
        for label in labels:
            after = marks[-1].end() if marks else 0
            mark = re.compile(_MARK.format(label)).search(cell, after)
            if mark is None or (not marks and cell[: mark.start()].strip()):
                break
            marks.append(mark)
        if len(marks) > 1:
            ends = [*(mark.start() for mark in marks[1:]), len(cell)]
            texts = [cell[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
            return [
                Option(label, text.strip(" \t\r\n,;|"))
                for label, text in zip(labels, texts, strict=False)
            ]
    return []


@lru_cache(maxsize=64)
def labels_of(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The letter or number in which the names of columns differ; empty where they do not."""
    for labels in series(columns).values():
        if set(labels.values()) == set(columns):
            place = {column: label for label, column in labels.items()}
            return tuple(place[column] for column in columns)
    return tuple(map(_last, columns))


def _last(column: str) -> str:
    found = re.search(r"(?:^|[\W_]|(?<=[a-z]))([A-Za-z]|\d+)$", column.strip())
    return found[1] if found else ""
