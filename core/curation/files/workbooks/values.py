"""The text of one cell of a workbook."""

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from .dates import Moment, shown_date
from .formats import sections
from .numbers import general, shown_number

_BY_THE_REGION = ("mm-dd-yy", "m/d/yy h:mm")
"""The names in openpyxl of the two formats in which dates are written by the computer's region."""

_BY_PROGRAMS = ("yyyy-mm-dd h:mm:ss", "yyyy-mm-dd hh:mm:ss")
"""What programs write for every date, also for those that have no time."""

_ERROR = "e"


@dataclass(slots=True)
class Findings:
    """What was found in cells, by the place of their column, counted from 0.

    Attributes:
        formats: Number formats that are not understood.
        errors: How many cells have an error such as #N/A.
        empty: The cells, by row and column as the sheet counts, that may be formulas without a
            stored value.
    """

    formats: dict[int, str] = field(default_factory=dict)
    errors: dict[int, int] = field(default_factory=dict)
    empty: set[tuple[int, int]] = field(default_factory=set)


def cell_text(cell: Any, place: int, findings: Findings) -> str:
    """What the sheet shows of a cell of openpyxl's, as far as its format is understood."""
    value = cell.value
    if isinstance(value, str):
        if cell.data_type == _ERROR:
            findings.errors[place] = findings.errors.get(place, 0) + 1
            return ""
        # Letters that XML cannot contain are written _xHHHH_ in a workbook (ECMA-376, ST_Xstring).
        return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), value)
    if value is None:
        if cell.data_type == "n" and hasattr(cell, "row"):
            findings.empty.add((cell.row, cell.column))
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    format = cell.number_format
    text = shown(value, format)
    if text is None:
        if format != "General":
            findings.formats.setdefault(place, format)
        return _plain(value)
    return text


def shown(value: int | float | Moment, format: str) -> str | None:
    """The text under which a sheet shows the value; None when the format is not understood.

    Args:
        value: The value, as openpyxl reads it.
        format: The cell's number format, such as `0.00%` or `d mmmm yyyy`.
    """
    parts = sections(format)
    if parts is None or format in _BY_THE_REGION:
        return None
    if not isinstance(value, int | float):
        if _is_a_whole_day(value) and format.lower() in _BY_PROGRAMS:
            return _plain(value)
        return shown_date(value, parts[0])
    section, sign = parts[0], "-" if value < 0 else ""
    if value < 0 and len(parts) > 1:
        section, sign = parts[1], ""
    elif value == 0 and len(parts) > 2:
        section = parts[2]
    text = shown_number(abs(value), section)
    if text is None and len(parts) > 1 and all(token.kind == "letter" for token in section):
        text = "".join(token.text for token in section) or None  # such as "none" for zero
        sign = ""
    return None if text is None else f"{sign}{text}".strip()


def _plain(value: int | float | Moment) -> str:
    """The value without a format: dates as ISO writes them, durations as h:mm:ss."""
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    if isinstance(value, date | time):
        written = value.isoformat()
        return written.partition("T")[0] if _is_a_whole_day(value) else written
    return general(value)


def _is_a_whole_day(value: object) -> bool:
    return isinstance(value, datetime) and value.time() == time()
