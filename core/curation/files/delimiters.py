"""Which letter separates the cells of a text file."""

import csv
import io
import re

from ...errors import InvalidInput

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
        header, *records = _records(sample, delimiter) or [[]]
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


def _records(sample: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    return [record for record in reader if record]


def _is_even(record: list[str], header: list[str]) -> bool:
    beyond = record[len(header) :]
    return len(record) >= len(header) and not any(cell.strip() for cell in beyond)


def _is_punctuation(delimiter: str, header: list[str], records: list[list[str]]) -> bool:
    """Whether the commas in a header are those of a sentence: a space follows, no row has any."""
    spaced = delimiter == "," and all(cell.startswith(" ") for cell in header[1:])
    return spaced and bool(records) and all(len(record) == 1 for record in records)
