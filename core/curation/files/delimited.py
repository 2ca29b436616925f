"""Delimited text to columns and rows, its delimiter found: every cell stays a text."""

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...errors import InvalidInput
from .grid import Grid, unique_columns

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
"""The delimiters that are tried, with their names; at a tie the first is taken."""

ONE_COLUMN = "\x1f"
"""A letter that occurs in no text: it splits a file whose lines are one cell each."""

_SEP_LINE = re.compile(r'"?sep=([,;|\t])"?(?:\r\n?|\n)', re.IGNORECASE)
"""A first line that Excel understands."""

_SAMPLE = 65_536
"""The delimiter is chosen by so many first letters."""


def known_delimiter(name_or_letter: str) -> str:
    """The delimiter that a person named, by its letter or its name.

    Raises:
        InvalidInput: It is neither a single letter that can separate cells nor a known name.
    """
    letters = {name: letter for letter, name in DELIMITERS.items()} | {r"\t": "\t"}
    found = letters.get(name_or_letter.strip().lower(), name_or_letter)
    if len(found) != 1 or found in '"\r\n\0':
        given = " ".join(name_or_letter.split())[:20]
        raise InvalidInput(
            f'The delimiter "{given}" is not understood: give a single letter such as ; or one of '
            f"{', '.join(DELIMITERS.values())}."
        )
    return found


def without_sep_line(text: str) -> tuple[str, str]:
    """The text without a first line such as `sep=;`, and the delimiter that the line names."""
    declared = _SEP_LINE.match(text)
    return (text[declared.end() :], declared[1]) if declared else (text, "")


def find_delimiter(text: str, usual: str) -> str:
    """The delimiter that makes the rows as long as the header, `ONE_COLUMN` where none splits it.

    Only what splits the header is tried. Of those that make as many rows as long as the header, one
    not followed by spaces there (as in a sentence) wins, then one with more columns, then the usual
    one.
    """
    sample = text[:_SAMPLE]
    best, best_score = ONE_COLUMN, (0.0, False, 0)
    for delimiter in dict.fromkeys((usual, *DELIMITERS)):
        header, *records = _records_of_sample(sample, delimiter) or [[]]
        if len(sample) < len(text) and len(records) > 1:
            records.pop()  # the sample may end within it
        if len(header) < 2 or _is_punctuation(delimiter, header, records):
            continue
        if delimiter == usual == "\t":
            return usual  # quotes may be letters there, which makes its rows look unequal
        even = sum(_is_even(record, header) for record in records)
        tight = not all(cell.startswith(" ") for cell in header[1:])
        score = (even / len(records) if records else 1.0, tight, len(header))
        if best == ONE_COLUMN or score > best_score:
            best, best_score = delimiter, score
    return best


def _records_of_sample(sample: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    return [record for record in reader if record]


def _is_even(record: list[str], header: list[str]) -> bool:
    beyond = record[len(header) :]
    return len(record) >= len(header) and not any(cell.strip() for cell in beyond)


def _is_punctuation(delimiter: str, header: list[str], records: list[list[str]]) -> bool:
    """Whether the commas in a header are those of a sentence: a space follows, no row has any."""
    spaced = delimiter == "," and all(cell.startswith(" ") for cell in header[1:])
    return spaced and bool(records) and all(len(record) == 1 for record in records)


# Python's own limit of 131,072 letters is below what a cell may contain. The limit is the
# process's, so it is raised once and never restored: another thread may be reading.
csv.field_size_limit(2**30)

_MARK = "\ufeff"
_MARKS_AT_A_LINE = re.compile(f"(?:^|(?<=[\r\n])){_MARK}+")
_QUOTED = r'("(?:[^"]|"")*+")'
_GUARDED = re.compile(r'="((?:[^"]|"")*)"\s*')
"""A cell in which a formula keeps a text from being read as a number."""
_Quoting: TypeAlias = Literal[0, 3]
_Record: TypeAlias = tuple[int, list[str]]


class _DelimitedReading(NamedTuple):
    """A grid, and how many of its rows have fewer cells than the header."""

    grid: Grid
    short: int


def read_delimited(text: str, name: str, usual: str, chosen: str | None = None) -> Grid:
    """The columns of the header line and a row for each record that is not blank.

    Quotes follow RFC 4180, and a quoted cell may have spaces around it. Where a file is
    tab-separated or has a single column, quotes are letters if only that makes the rows equally
    long. Byte-order marks and lines that repeat the header, as in joined files, are skipped.

    Args:
        text: The file's text.
        name: The file's name, for messages.
        usual: The delimiter of the format, taken where nothing suggests another.
        chosen: The delimiter as a person named it; None takes a `sep=` line, then the one of
            `DELIMITERS` that makes the rows as long as the header.

    Raises:
        InvalidInput: A quote that is not closed, or a record with more cells than the header has.
    """
    text, declared = without_sep_line(without_marks(text))
    delimiter = chosen or declared or find_delimiter(text, usual)
    grid = _best_reading(text, name, delimiter)
    if delimiter == ONE_COLUMN:
        return grid
    warnings = grid.warnings
    if delimiter != usual and not chosen:
        warnings = (f"The cells are separated by {DELIMITERS[delimiter]}s.", *warnings)
    return grid._replace(delimiter=delimiter, warnings=warnings)


def without_marks(text: str) -> str:
    """The text without the byte-order marks at its own start and at those of the files joined in.

    A mark within a quoted cell is a letter of the cell. Where a file ended without a line end, the
    next one's mark and header follow on the same line: they get a line of their own.
    """
    if _MARK not in text:
        return text
    text = text.lstrip(_MARK)
    header = re.match(r"[^\r\n]+(?:\r\n?|\n)", text)
    if header:
        text = re.sub(f"(?<=[^\r\n{_MARK}]){_MARK}+(?={re.escape(header[0])})", "\n", text)
    kept, last, quoted = [], 0, False
    for mark in _MARKS_AT_A_LINE.finditer(text):
        between = text[last : mark.start()]
        quoted ^= between.count('"') % 2 == 1
        kept += [between, mark[0] if quoted else ""]
        last = mark.end()
    return "".join((*kept, text[last:]))


def _best_reading(text: str, name: str, delimiter: str) -> Grid:
    """The grid of the text, of that without spaces around quotes, or of that with plain quotes."""
    tidied = _without_spaces_around_quotes(text, delimiter)
    quotes_may_be_letters = delimiter in ("\t", ONE_COLUMN) and '"' in text
    if tidied is None and not quotes_may_be_letters:
        return _read(text, name, delimiter).grid
    try:
        plain = _read(text, name, delimiter)
    except InvalidInput:
        plain = None
    if tidied is not None:
        reading = _attempt(tidied, name, delimiter, csv.QUOTE_MINIMAL)
        if reading and (plain is None or reading.short <= plain.short):
            return reading.grid
    if quotes_may_be_letters and (plain is None or plain.short):
        reading = _attempt(text, name, delimiter, csv.QUOTE_NONE)
        if reading and not reading.short:
            return reading.grid
    return plain.grid if plain else _read(text, name, delimiter).grid


def _attempt(text: str, name: str, delimiter: str, quoting: _Quoting) -> _DelimitedReading | None:
    try:
        return _read(text, name, delimiter, quoting)
    except InvalidInput:
        return None


def _without_spaces_around_quotes(text: str, delimiter: str) -> str | None:
    """The text with each quoted cell right beside its delimiters; None where all are already."""
    if delimiter == " ":
        return None
    edge = re.escape(delimiter)
    # Looking for a plain piece first is quick, and most files have none.
    before = f'{delimiter} "' in text or f"{delimiter}  " in text
    before = before and re.search(rf'{edge} +"(?!["\r\n]|{edge}|\Z)', text) is not None
    behind = '" ' in text and re.search(rf'"(?<=[^"]") +(?:{edge}|[\r\n])', text) is not None
    if not before and not behind:
        return None
    return re.sub(rf"(\A|{edge}|[\r\n]) *{_QUOTED} *(?={edge}|[\r\n]|\Z)", r"\1\2", text)


def _read(
    text: str, name: str, delimiter: str, quoting: _Quoting = csv.QUOTE_MINIMAL
) -> _DelimitedReading:
    return _reading(_records(text, name, delimiter, quoting), name, delimiter)


def _records(text: str, name: str, delimiter: str, quoting: _Quoting) -> list[_Record]:
    """Each record that is not blank with the line on which it begins."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=quoting,
        strict=True,
    )
    records = []
    line = 1
    try:
        for record in reader:
            if record:
                records.append((line, record))
            line = reader.line_num + 1
    except csv.Error as error:
        where = f"{name}: the record that begins on line {line} has a quote"
        if "unexpected end of data" in str(error):
            raise InvalidInput(
                f"{where} that is never closed: close it, or where it is a letter of the text, put "
                'quotes around the cell and write it twice ("").'
            ) from error
        raise InvalidInput(
            f"{where} that closes before its cell ends: write each quote inside a quoted cell "
            'twice ("").'
        ) from error
    return records


def _reading(records: list[_Record], name: str, delimiter: str) -> _DelimitedReading:
    if not records:
        return _DelimitedReading(Grid([], []), 0)
    records, guarded = _without_guards(records)
    header = records[0][1]
    columns = unique_columns(header)
    width = len(columns)
    rows: list[dict[str, str]] = []
    short: list[int] = []
    repeated: list[int] = []
    for line, record in records[1:]:
        if record == header:
            repeated.append(line)
            continue
        if len(record) != width:
            if any(cell.strip() for cell in record[width:]):
                raise _too_many_cells(name, line, record, width, delimiter)
            if len(record) < width:
                short.append(line)
                record = record + [""] * (width - len(record))
        rows.append(dict(zip(columns, record, strict=False)))
    kept = _named_or_filled(header, columns, rows)
    if len(kept) < width:
        rows = [{column: row[column] for column in kept} for row in rows]
    warnings = _warnings(short, repeated)
    if places := sorted(place for place in guarded if place < width):
        names = ", ".join(f'"{columns[place]}"' for place in places)
        warnings += (
            f'Cells written as ="0042" so that a spreadsheet takes them for texts: '
            f"{guarded.total():,}, in {names}; the text in the quotes was read.",
        )
    return _DelimitedReading(Grid(kept, rows, warnings), len(short))


def _without_guards(records: list[_Record]) -> tuple[list[_Record], Counter[int]]:
    """The records with the text of cells such as `="0042"`, and how many there are by place."""
    found: Counter[int] = Counter()
    bare: list[_Record] = []
    for line, record in records:
        if any(cell.startswith('="') for cell in record):
            guards = [_GUARDED.fullmatch(cell) for cell in record]
            found.update(place for place, guard in enumerate(guards) if guard)
            record = [
                guard[1].replace('""', '"') if guard else cell
                for cell, guard in zip(record, guards, strict=True)
            ]
        bare.append((line, record))
    return bare, found


def _warnings(short: list[int], repeated: list[int]) -> tuple[str, ...]:
    warnings = []
    if short:
        warnings.append(
            f"Rows with fewer cells than the header: {len(short):,}, the first on line {short[0]}; "
            "missing cells count as empty."
        )
    if repeated:
        warnings.append(
            f"Lines that repeat the header: {len(repeated):,}, the first on line {repeated[0]}; "
            "they were skipped."
        )
    return tuple(warnings)


def _too_many_cells(
    name: str, line: int, record: list[str], width: int, delimiter: str
) -> InvalidInput:
    letter = DELIMITERS.get(delimiter, f'"{delimiter}"')
    if any('"' in cell for cell in record):
        advice = (
            f"put quotes around the whole of each cell that contains a {letter}, and write quotes "
            'inside it twice ("")'
        )
    else:
        advice = f"put quotes around cells that contain a {letter}, or name another delimiter"
    columns = "1 column" if width == 1 else f"{width} columns"
    return InvalidInput(
        f"{name}: line {line} has {len(record)} cells but the header names {columns}; {advice}."
    )


def _named_or_filled(
    header: list[str], columns: list[str], rows: Sequence[Mapping[str, str]]
) -> list[str]:
    """The columns except those that have neither a name nor a cell with text."""
    return [
        column
        for cell, column in zip(header, columns, strict=True)
        if cell.strip() or any(row[column].strip() for row in rows)
    ]
