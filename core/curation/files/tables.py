"""A file of any format that is understood, as one table of columns and rows."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ...errors import InvalidInput
from ...text import short
from .binary import FileContent, read_parquet, unpacked
from .decoding import Encoding, Sureness, decode, decompressed
from .delimited import known_delimiter, read_delimited
from .grid import Cells, Fits, Grid, unmarked
from .headers import with_header
from .labels import are_labelled_lines, read_labelled_lines
from .objects import read_json, read_json_lines, read_yaml
from .shapes.registry import with_plain_shape
from .shapes.written import with_written_objects
from .workbook_sheets import read_workbook

TRUTHFULQA_COLUMNS = ("Question", "Correct Answers", "Incorrect Answers")
"""A comma-separated file with these columns is TruthfulQA's; both versions have more."""


@dataclass(frozen=True, slots=True)
class ReadingChoices:
    """What a person chose for a file, None where nothing, and what decides in its place.

    Attributes:
        encoding: The encoding of a text file; None takes its mark, UTF-8, or a guess.
        delimiter: The letter that separates the cells of csv and tsv, or its name; None finds it.
        sheet: The sheet of a workbook; None takes a visible one that fits.
        fits: Whether a grid looks as if it has queries and answers.
    """

    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    fits: Fits = lambda grid: False


_TextReader: TypeAlias = Callable[[str, str, ReadingChoices], Grid]


def _delimited_by(usual: str) -> _TextReader:
    def read(text: str, name: str, choices: ReadingChoices) -> Grid:
        chosen = None if choices.delimiter is None else known_delimiter(choices.delimiter)

        def read_part(part: str) -> Grid:
            return read_delimited(part, name, usual, chosen)

        return with_header(text, choices.fits, read_part)

    return read


_DELIMITED: dict[str, _TextReader] = {
    "truthfulqa": _delimited_by(","),
    "csv": _delimited_by(","),
    "tsv": _delimited_by("\t"),
}
_TEXT_READERS: dict[str, _TextReader] = {
    **_DELIMITED,
    "jsonl": lambda text, name, choices: read_json_lines(text, name, choices.fits),
    "json": lambda text, name, choices: read_json(text, name, choices.fits),
    "yaml": lambda text, name, choices: read_yaml(text, name, choices.fits),
    "sent-conv": lambda text, name, choices: read_labelled_lines(text, name),
}
_BINARY_READERS: dict[str, Callable[[bytes, str, ReadingChoices], Grid]] = {
    "parquet": lambda content, name, choices: read_parquet(content, name),
    "xlsx": lambda content, name, choices: read_workbook(
        content, name, choices.sheet, choices.fits
    ),
}
FORMATS = (*_TEXT_READERS, *_BINARY_READERS)
"""The names of the formats that can be imported."""

_EXTENSIONS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".parquet": "parquet", ".pq": "parquet",
    ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """The rows of a file, each with a value for the columns it has; nothing is interpreted yet.

    Attributes:
        columns: The names of the columns, in the file's order.
        rows: The values of each row, by the columns that it has.
        encoding: What was found in a text file, "binary" for parquet and xlsx.
        format: One of `FORMATS`.
        name: The file's name.
        warnings: Sentences for the person who imports.
        encoding_sureness: How certain the encoding is.
        other_encodings: Others in which the file could be.
        shape: In words how a guessed shape was read, such as "chat messages"; empty for plain rows.
        delimiter: What separates the cells of delimited text; empty elsewhere, and for one column.
        sheet: The sheet of a workbook that was read; empty elsewhere.
        other_sheets: Those of its sheets with rows that were not.
        unread: Keys of the file that no column has, such as `messages.name`.
    """

    columns: list[str]
    rows: Sequence[Cells]
    encoding: str
    format: str
    name: str = ""
    warnings: tuple[str, ...] = ()
    encoding_sureness: Sureness = Sureness.CERTAIN
    other_encodings: tuple[str, ...] = ()
    shape: str = ""
    delimiter: str = ""
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def table_in(
    path: str | os.PathLike[str], choices: ReadingChoices, *, format: str | None = None
) -> FileTable:
    """The table in a file; text stays text ("NA", "007" and "True" are words, not values).

    Args:
        path: The file; text formats may be gzipped, and one table may be in a zip archive.
        choices: How to read it.
        format: One of `FORMATS`; None takes it from the file's name, TruthfulQA from the columns
            of a csv file, and `sent-conv` from the lines of a file with no known extension.

    Raises:
        InvalidInput: The file is missing, empty, damaged, not of the format, or has no rows; what
            was chosen is unknown, is not the file's, or does not belong to the format.
    """
    name, content, warnings = _opened(path)
    chosen = _known_format(format) if format else _format_of(name, content)
    _refuse_what_the_format_lacks(name, chosen, choices)
    if not content.strip():
        raise InvalidInput(f"{name} is empty: give a file with a header and rows.")
    grid, found = _grid(content, name, chosen, choices)
    grid = unmarked(grid._replace(warnings=(*warnings, *grid.warnings)))
    if chosen in (*_DELIMITED, "xlsx"):
        grid = with_written_objects(grid)
    grid = with_plain_shape(grid)
    if not grid.columns and not grid.rows:
        raise InvalidInput(f"{name} has no rows: give a file with at least one.")
    if not grid.rows:
        raise InvalidInput(
            f"{name} has a header ({commas(grid.columns)}) but no rows: nothing to import."
        )
    if chosen == "csv" and not format and _looks_like_truthfulqa(grid.columns):
        chosen = "truthfulqa"
    if chosen == "truthfulqa" and not _looks_like_truthfulqa(grid.columns):
        raise InvalidInput(
            f"{name} is not in TruthfulQA's format, which has the columns "
            f"{commas(TRUTHFULQA_COLUMNS)}: it has {commas(grid.columns)}; import it as csv."
        )
    return FileTable(
        columns=grid.columns,
        rows=grid.rows,
        encoding=found.name,
        format=chosen,
        name=name,
        warnings=grid.warnings,
        encoding_sureness=found.sureness,
        other_encodings=found.others,
        shape=grid.shape,
        delimiter=grid.delimiter,
        sheet=grid.sheet,
        other_sheets=grid.other_sheets,
        unread=grid.unread,
    )


def find_encoding(path: str | os.PathLike[str], *, format: str | None = None) -> Encoding | None:
    """The encoding in which `table_in` would read a text file; None for parquet and xlsx.

    Raises:
        InvalidInput: The file is missing, not of a known format, or not text.
    """
    name, content, _ = _opened(path)
    chosen = _known_format(format) if format else _format_of(name, content)
    if chosen in _BINARY_READERS:
        return None
    _, found = decode(decompressed(content, name), name)
    return found


def _opened(path: str | os.PathLike[str]) -> FileContent:
    place = Path(path).expanduser()
    return unpacked(place.name, content_of(place), lambda name: format_by_name(name) is not None)


def _refuse_what_the_format_lacks(name: str, format: str, choices: ReadingChoices) -> None:
    if choices.encoding is not None and format in _BINARY_READERS:
        raise InvalidInput(
            f"{name} is read as {format}, which has its own encoding: leave {choices.encoding} out."
        )
    if choices.delimiter is not None and format not in _DELIMITED:
        raise InvalidInput(f"{name} is read as {format}, which has no delimiter: leave it out.")
    if choices.sheet is not None and format != "xlsx":
        raise InvalidInput(
            f'{name} is read as {format}, which has no sheets: leave "{short(choices.sheet)}" out.'
        )


def _grid(content: bytes, name: str, format: str, choices: ReadingChoices) -> tuple[Grid, Encoding]:
    content = decompressed(content, name)
    if format in _BINARY_READERS:
        return _BINARY_READERS[format](content, name, choices), Encoding("binary")
    text, found = decode(content, name, choices.encoding)
    return _TEXT_READERS[format](text, name, choices), found


def _known_format(format: str) -> str:
    known = format.strip().lower().lstrip(".")
    if known not in FORMATS:
        raise InvalidInput(f'Unknown format "{format}": choose one of {commas(FORMATS)}.')
    return known


def extension_of(name: str) -> str:
    """The ending of a file's name, in small letters and with its dot, before any `.gz`."""
    return os.path.splitext(name.lower().removesuffix(".gz"))[1]


def format_by_name(name: str) -> str | None:
    """The one of `FORMATS` that the ending of a file's name says; None where it says none."""
    return _EXTENSIONS.get(extension_of(name))


def _format_of(name: str, content: bytes) -> str:
    known = format_by_name(name)
    if known is not None:
        return known
    if _has_labelled_lines(content, name):
        return "sent-conv"
    raise InvalidInput(
        f"The format of {name} is not clear from its name: name one of {commas(FORMATS)}, or "
        "rename the file."
    )


def _has_labelled_lines(content: bytes, name: str) -> bool:
    try:
        text, _ = decode(decompressed(content, name), name)
    except InvalidInput:
        return False  # no text at all
    return are_labelled_lines(text)


def content_of(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        InvalidInput: There is none, it is a folder, or it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no file {path}: check the path.") from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{path} is a folder: name one file in it.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{path} cannot be read ({reason}): check its rights.") from error


def _looks_like_truthfulqa(columns: list[str]) -> bool:
    return set(TRUTHFULQA_COLUMNS) <= set(columns)


def commas(names: Sequence[str], most: int = 40) -> str:
    """The names with commas between, in quotes where they contain one; what is long is cut."""
    cut = [f'"{short(name)}"' if "," in name else short(name) for name in names[:most]]
    more = [f"and {len(names) - most:,} more"] if len(names) > most else []
    return ", ".join(cut + more)
