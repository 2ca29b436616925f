"""A file of any format as documents; markdown has one for each of its headings."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..curation.files.decoding import Sureness, decode, decompressed
from ..curation.files.tables import (
    ReadingChoices,
    commas,
    content_of,
    extension_of,
    format_by_name,
    table_in,
)
from ..errors import InvalidInput
from .columns import Columns, columns_of, has_texts, title_and_text


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its title, which is empty where there is none."""

    title: str
    text: str


SEPARATOR = " > "
"""Between a heading and the one below it, in a title."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_HEADING = re.compile(r"[ \t]*$| {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)] )")
"""A line that a line of dashes below it makes no heading of."""


def documents_in(text: str, title: str) -> Iterator[Document]:
    """The documents of a markdown text in their order, each with the headings above it as title.

    A heading's document is the text up to the next heading of any level; a heading without a text
    of its own is in the titles of those below it only. The text before the first heading has the
    given title. Headings are lines that begin with number signs, or are underlined with = or -. In
    a fenced block of code nothing is a heading, so that it is whole in one document.
    """
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for line, level in _levels(text):
        if not level:
            lines.append(line)
            continue
        if any(each.strip() for each in lines):
            yield Document(_title(path, title), "\n".join(lines))
        lines = []
        path = [each for each in path if each[0] < level] + [(level, line)]
    if any(each.strip() for each in lines):
        yield Document(_title(path, title), "\n".join(lines))


def _title(path: list[tuple[int, str]], title: str) -> str:
    return SEPARATOR.join(heading for _, heading in path if heading) or title


def _levels(text: str) -> Iterator[tuple[str, int]]:
    """Each line with the level of the heading that it is, 0 for none; a heading without its signs.

    A block of settings at the beginning of a file, between two lines of three dashes, has none.
    """
    lines = text.split("\n")
    place = _after_settings(lines)
    yield from ((line, 0) for line in lines[:place])
    fence, fresh = "", True  # whether a paragraph would begin with the next line
    while place < len(lines):
        line = lines[place]
        place += 1
        opened = _FENCE.match(line)
        level = 0
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened:
            fence = opened[1]
        elif heading := _HEADING.match(line):
            line, level = (heading[2] or "").strip(), len(heading[1])
        elif fresh and _is_underlined(lines, place):
            line, level = line.strip(), 1 if "=" in lines[place] else 2
            place += 1
        yield line, level
        fresh = bool(level or opened) or not line.strip()


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _is_underlined(lines: list[str], place: int) -> bool:
    """Whether the line at this place underlines the one before it."""
    return (
        place < len(lines)
        and _UNDERLINE.match(lines[place]) is not None
        and not _NO_HEADING.match(lines[place - 1])
    )


def _after_settings(lines: list[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    ends = (place for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
    return next(ends, -1) + 1


_Reader: TypeAlias = Callable[[str, str], Iterable[Document]]

_TEXTS: dict[str, _Reader] = {
    "txt": lambda text, title: [Document(title, text)],
    "md": documents_in,
}
_TABLES = ("jsonl", "json", "tsv", "csv", "parquet", "xlsx")
FORMATS = (*_TEXTS, *_TABLES)
"""The names of the formats that passages can be imported from."""

_EXTENSIONS = {".txt": "txt", ".text": "txt", ".md": "md", ".markdown": "md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was read from a file, its documents in order, also those without a text.

    Parquet and xlsx are "binary" in `encoding`; `other_encodings` are those in which a text could
    be as well, the best first. `columns` of a table were used, None for txt and md, of
    `all_columns`; with keys that no column has, the others are `unused_columns`.
    """

    name: str
    format: str
    documents: tuple[Document, ...] = field(repr=False)
    encoding: str = "binary"
    encoding_sureness: Sureness = Sureness.CERTAIN
    other_encodings: tuple[str, ...] = ()
    columns: Columns | None = None
    all_columns: tuple[str, ...] = ()
    unused_columns: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_documents(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    mapping: str | Columns | None = None,
    encoding: str | None = None,
) -> Source:
    """The documents in a file.

    A txt is one document, whose title is the file's name without its ending; markdown has one for
    each heading with a text (`documents_in`); each row of a table is one, of the columns of the
    mapping (`columns_of`). Text formats may be gzipped. What is None is found from the file.

    Raises:
        InvalidInput: The file is missing, empty, damaged or not of the format, or what was chosen
            does not belong to it.
    """
    place = Path(path).expanduser()
    chosen = _format(place.name, format)
    if chosen in _TEXTS:
        if mapping is not None:
            raise InvalidInput(
                f"{place.name} is read as {chosen}, which has no columns: leave the mapping out."
            )
        return _read_text(place, chosen, encoding)
    return _read_table(place, chosen, mapping, encoding)


def _format(name: str, format: str | None) -> str:
    if format is not None:
        known = format.strip().lower().lstrip(".")
        if known not in FORMATS:
            raise InvalidInput(f'Unknown format "{format}": choose one of {commas(FORMATS)}.')
        return known
    found = _EXTENSIONS.get(extension_of(name)) or format_by_name(name)
    if found is None:
        raise InvalidInput(
            f"The format of {name} is not clear from its name: name one of {commas(FORMATS)}, or "
            "rename the file."
        )
    return found


def _read_text(path: Path, format: str, encoding: str | None) -> Source:
    content = decompressed(content_of(path), path.name)
    text, found = decode(content, path.name, encoding)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    title = Path(path.name.removesuffix(".gz")).stem
    return Source(
        name=path.name,
        format=format,
        documents=tuple(_TEXTS[format](lines, title)),
        encoding=found.name,
        encoding_sureness=found.sureness,
        other_encodings=found.others,
    )


def _read_table(
    path: Path, format: str, mapping: str | Columns | None, encoding: str | None
) -> Source:
    choices = ReadingChoices(encoding=encoding, fits=lambda grid: has_texts(grid.columns))
    table = table_in(path, choices, format=format)
    columns = columns_of(table, mapping)
    documents = tuple(
        Document(*title_and_text(row, columns, number, table.name))
        for number, row in enumerate(table.rows, start=1)
    )
    return Source(
        name=table.name,
        format=table.format,
        documents=documents,
        encoding=table.encoding,
        encoding_sureness=table.encoding_sureness,
        other_encodings=table.other_encodings,
        columns=columns,
        all_columns=tuple(table.columns),
        unused_columns=(*columns.unused(table.columns), *table.unread),
        warnings=table.warnings,
    )
