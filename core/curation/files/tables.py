"""A file of any format that is understood, as one table of columns and rows."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ...errors import InvalidInput
from .binary_tables import read_parquet, read_xlsx
from .delimited import Cells, Grid, read_delimited
from .encodings import Encoding, Sureness, decode, decompressed
from .json_tables import read_json, read_json_lines

TRUTHFULQA_COLUMNS = ("Question", "Correct Answers", "Incorrect Answers")
"""A comma-separated file with these columns is TruthfulQA's; both versions have more."""

_TextReader: TypeAlias = Callable[[str, str], Grid]
_TEXT_READERS: dict[str, _TextReader] = {
    "truthfulqa": lambda text, name: read_delimited(text, name, ","),
    "csv": lambda text, name: read_delimited(text, name, ","),
    "tsv": lambda text, name: read_delimited(text, name, "\t"),
    "jsonl": read_json_lines,
    "json": read_json,
}
_BINARY_READERS: dict[str, Callable[[bytes, str], Grid]] = {
    "parquet": read_parquet,
    "xlsx": read_xlsx,
}
FORMATS = (*_TEXT_READERS, *_BINARY_READERS)
"""The names of the formats that can be imported."""

_EXTENSIONS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "json", ".parquet": "parquet", ".pq": "parquet", ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, each with a value for the columns it has; nothing is interpreted yet.

    `encoding` is what was found in a text file, "binary" for parquet and xlsx; `encoding_sureness`
    tells how sure that is, and `other_encodings` which others fit; `format` is one of `FORMATS`;
    `warnings` are sentences for the person who imports.
    """

    columns: list[str]
    rows: Sequence[Cells]
    encoding: str
    format: str
    name: str = ""
    warnings: tuple[str, ...] = ()
    encoding_sureness: Sureness = Sureness.CERTAIN
    other_encodings: tuple[str, ...] = ()


def read_table(
    path: str | os.PathLike[str], *, format: str | None = None, encoding: str | None = None
) -> Table:
    """The table in a file; text stays text ("NA", "007" and "True" are words, not values).

    Args:
        path: The file; text formats may be gzipped.
        format: One of `FORMATS`; None takes it from the file's name, and TruthfulQA from the
            columns of a csv file.
        encoding: The encoding of a text file; None takes its mark, UTF-8, or a guess.

    Raises:
        InvalidInput: The file is missing, empty, damaged, not of the format, or has no rows; the
            encoding is unknown or not the file's.
    """
    place = Path(path).expanduser()
    chosen = _known_format(format) if format else _format_of(place)
    content = _content(place)
    if not content.strip():
        raise InvalidInput(f"{place.name} is empty: give a file with a header and rows.")
    grid, found = _grid(content, place.name, chosen, encoding)
    if not grid.columns and not grid.rows:
        raise InvalidInput(f"{place.name} holds no rows: give a file with at least one.")
    if not grid.rows:
        raise InvalidInput(
            f"{place.name} has a header ({listed(grid.columns)}) but no rows: nothing to import."
        )
    if chosen == "csv" and not format and _looks_like_truthfulqa(grid.columns):
        chosen = "truthfulqa"
    if chosen == "truthfulqa" and not _looks_like_truthfulqa(grid.columns):
        raise InvalidInput(
            f"{place.name} is not in TruthfulQA's format, which has the columns "
            f"{listed(TRUTHFULQA_COLUMNS)}: it has {listed(grid.columns)}; import it as csv."
        )
    return Table(
        grid.columns,
        grid.rows,
        found.name,
        chosen,
        place.name,
        grid.warnings,
        found.sureness,
        found.others,
    )


def find_encoding(path: str | os.PathLike[str], *, format: str | None = None) -> Encoding | None:
    """The encoding in which `read_table` would read a text file; None for parquet and xlsx.

    Raises:
        InvalidInput: The file is missing, not of a known format, or not text.
    """
    place = Path(path).expanduser()
    chosen = _known_format(format) if format else _format_of(place)
    if chosen in _BINARY_READERS:
        return None
    _, found = decode(decompressed(_content(place), place.name), place.name)
    return found


def _grid(content: bytes, name: str, format: str, encoding: str | None) -> tuple[Grid, Encoding]:
    content = decompressed(content, name)
    if format in _BINARY_READERS:
        if encoding is not None:
            raise InvalidInput(
                f"{name} is read as {format}, which holds its own encoding: leave {encoding} out."
            )
        return _BINARY_READERS[format](content, name), Encoding("binary")
    text, found = decode(content, name, encoding)
    return _TEXT_READERS[format](text, name), found


def _known_format(format: str) -> str:
    known = format.strip().lower().lstrip(".")
    if known not in FORMATS:
        raise InvalidInput(f'Unknown format "{format}": choose one of {listed(FORMATS)}.')
    return known


def _format_of(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    extension = os.path.splitext(name)[1]
    if not path.is_dir() and path.exists() and extension not in _EXTENSIONS:
        raise InvalidInput(
            f"The format of {path.name} cannot be told from its name: name one of "
            f"{listed(FORMATS)}, or rename the file."
        )
    return _EXTENSIONS.get(extension, "csv")


def _content(path: Path) -> bytes:
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


def listed(names: Sequence[str], most: int = 40) -> str:
    """The names with commas between; long names and long lists are cut."""
    cut = [short(name) for name in names[:most]]
    more = [f"and {len(names) - most:,} more"] if len(names) > most else []
    return ", ".join(cut + more)


def short(text: str, most: int = 60) -> str:
    """The text on one line, cut to at most so many letters, as a message can hold it."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
