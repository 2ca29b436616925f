"""The text of one cell of a workbook: dates, times and durations as its sheet shows them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias

from .workbook_numbers import Token, general, sections, shown_number

Moment: TypeAlias = datetime | date | time | timedelta

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SOME_DAY = datetime(1900, 1, 1)
_TWELVE = 12


def shown_date(value: Moment, section: Sequence[Token]) -> str | None:
    """The text of a date, time or duration; None when the section of a format is not one of those.

    Names of months and days are English.
    """
    if {"general", "exponent"} & {token.kind for token in section}:
        return None
    has_date = any(token.kind == "date" and token.text[0] in "yYdD" for token in section)
    is_duration = any(token.kind == "elapsed" for token in section)
    if is_duration != isinstance(value, timedelta) or (has_date and isinstance(value, time)):
        return None
    decimals = sum(token.kind == "digit" for token in section)
    moment = _rounded(_moment(value), decimals)
    if moment < _SOME_DAY and is_duration:
        return None
    parts = [
        _part(token, place, section, moment)
        for place, token in enumerate(section)
        if token.kind != "digit"
    ]
    if None in parts or "".join(filter(None, parts)).strip() == "":
        return None
    text = "".join(filter(None, parts))
    return text.strip()


def _moment(value: Moment) -> datetime:
    """The value as a point in time; a time and a duration count from some day's beginning."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, timedelta):
        return _SOME_DAY + value
    if isinstance(value, time):
        return datetime.combine(_SOME_DAY, value.replace(tzinfo=None))
    return datetime.combine(value, time())


def _rounded(moment: datetime, decimals: int) -> datetime:
    """The moment to the last digit of its seconds that is shown, half of one rounded up."""
    unit = 10 ** max(0, 6 - decimals)
    micro = (moment.microsecond + unit // 2) // unit * unit
    return moment.replace(microsecond=0) + timedelta(microseconds=micro)


def _part(token: Token, place: int, section: Sequence[Token], moment: datetime) -> str | None:
    """What one piece of the format shows."""
    if token.kind == "elapsed":
        seconds = int((moment - _SOME_DAY).total_seconds())
        per_unit = {"h": 3600, "m": 60, "s": 1}[token.text[0]]
        return f"{seconds // per_unit:0{len(token.text)}d}"
    if token.kind == "half":
        half = "AM" if moment.hour < _TWELVE else "PM"
        return half if len(token.text) > len("A/P") else half[0]
    if token.kind == "date":
        return _field(token.text.lower(), place, section, moment)
    following = "".join(each.text for each in section[place + 1 :] if each.kind == "digit")
    if token.text == "." and following and section[place + 1].kind == "digit":
        return f".{moment.microsecond:06d}"[: len(following) + 1]
    return token.text


def _field(letters: str, place: int, section: Sequence[Token], moment: datetime) -> str:
    width = min(len(letters), 2)
    if letters[0] == "y":
        return f"{moment.year:04d}" if len(letters) > width else f"{moment.year % 100:02d}"
    if letters[0] == "d" and len(letters) > width:
        name = _DAYS[moment.weekday()]
        return name if len(letters) > 3 else name[:3]
    if letters[0] == "m" and len(letters) > width:
        name = _MONTHS[moment.month - 1]
        return {3: name[:3], 5: name[0]}.get(len(letters), name)
    hours = any(token.kind == "half" for token in section)
    minutes = letters[0] == "m" and _means_minutes(place, section)
    number = {
        "d": moment.day,
        "m": moment.minute if minutes else moment.month,
        "h": (moment.hour - 1) % _TWELVE + 1 if hours else moment.hour,
        "s": moment.second,
    }[letters[0]]
    return f"{number:0{width}d}"


def _means_minutes(place: int, section: Sequence[Token]) -> bool:
    """Whether an m comes after hours or before seconds; elsewhere it means the month."""
    before = [token.text[0].lower() for token in section[:place] if _counts(token)]
    after = [token.text[0].lower() for token in section[place + 1 :] if _counts(token)]
    return before[-1:] == ["h"] or after[:1] == ["s"]


def _counts(token: Token) -> bool:
    return token.kind in ("date", "elapsed")


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
