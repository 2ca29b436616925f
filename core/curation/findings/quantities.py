"""The numbers of a text with what they measure, for comparing what two answers say."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import inf, prod
from typing import NamedTuple

from ...text import normalised

NEARLY = 0.07
"""Values in two units are equal up to this share: a month has 28 to 31 days."""
ABOUT = 0.25
"""A number after "about" is meant up to this share."""

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_VALUES = {word: value for value, word in enumerate(f"{_ONES}|{_TEENS}".split("|"), start=1)} | {
    word: 10 * value for value, word in enumerate(_TENS.split("|"), start=2)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_KINDS: dict[str, dict[str, float]] = {
    "durations": {
        "second sec": 1, "minute min": 60, "hour hr": 3600, "day": 86_400, "week": 604_800,
        "fortnight": 1_209_600, "month": 2_629_800, "year yr": 31_557_600, "decade": 315_576_000,
    },
    "lengths": {
        "mm": 0.001, "cm centimetre centimeter": 0.01, "m metre meter": 1, "inch inche": 0.0254,
        "km kilometre kilometer": 1000, "foot feet ft": 0.3048, "yard": 0.9144, "mile": 1609.344,
    },
    "weights": {"g gram": 0.001, "kg kilo kilogram": 1, "lb": 0.4536, "tonne": 1000},
    "percentages": {"% percent": 1},
    "degrees": {"°": 1},
    "degrees Celsius": {"°c": 1},
    "degrees Fahrenheit": {"°f": 1},
    "amounts in dollars": {"$ dollar usd": 1},
    "amounts in euros": {"€ euro eur": 1},
    "amounts in pounds": {"£ gbp": 1},
}  # fmt: skip
_UNITS = {
    name: (kind, factor, names)
    for kind, units in _KINDS.items()
    for names, factor in units.items()
    for name in names.split()
}
_SCALE = "|".join(_SCALES)
_UNIT = "|".join(name for name in _UNITS if name.isalpha())
_OF_WORK = "(?:working|business|calendar|full)"
_MONTH = rf"(?P<month>{_MONTHS})(?:r?uary|ch|il|e|y|ust|t|(?:t?em|o)ber)?\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>[12]\d{3})"
_DATES = [
    re.compile(rf"(?<![\w.,]){pattern}(?!\w)")
    for pattern in (
        rf"{_YEAR}-(?P<month>\d\d?)-{_DAY}",
        rf"{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?",
        rf"{_MONTH},? {_YEAR}",
        _YEAR,
    )
]
_IN_WORDS = re.compile(
    rf"\b(?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?!one\b)(?:{_ONES}|{_TEENS})"
    rf"|one(?=[- ](?:{_SCALE}|(?:{_UNIT})s?)\b))\b"
)
_NUMBER = re.compile(
    r"(?P<sign>[$€£] ?)?(?<![\w.,:/])(?<![a-z]-)(?P<value>\d+(?:[.,]\d+)*)"
    rf"(?P<scale>(?:[- ]?(?:{_SCALE})\b)*)(?:(?P<place>st|nd|rd|th)\b)?"
    rf"(?: ?(?P<after>[%$€£]|°[cf]?)|[- ]?(?:{_OF_WORK} )?(?P<unit>{_UNIT})s?\b)?"
    rf"(?!\w|[.,]\d| ?(?:cubic|square|{_SCALE}))"
)
_ABOUT = re.compile(r"\b(?:about|around|approximately|roughly|nearly|almost|circa) (?:a )?$")
_MORE = re.compile(r"\b(?:over|above|more than|at least|minimum of) (?:a )?$")
_LESS = re.compile(r"\b(?:under|below|less than|fewer than|at most|up to|within) (?:a )?$")


class Quantity(NamedTuple):
    """What a number says: the values from `low` to `high`, in one measure for each kind."""

    low: float
    high: float
    unit: str = ""

    def agrees(self, other: "Quantity") -> bool:
        """Whether some value is meant by both; `NEARLY` counts where their units differ."""
        slack = 1.0 if self.unit == other.unit else 1.0 + NEARLY
        return self.low <= other.high * slack and other.low <= self.high * slack


def quantities_of(text: str) -> dict[str, list[Quantity]]:
    """The quantities of a text by what they measure: "durations", "years", "numbers" and so on."""
    folded = _IN_WORDS.sub(_digits, normalised(text))
    found: defaultdict[str, list[Quantity]] = defaultdict(list)
    for pattern in _DATES:
        dates = [each for each in pattern.finditer(folded) if _is_a_date(folded, each)]
        for kind, value in (part for date in dates for part in _parts(date.groupdict())):
            found[kind].append(Quantity(value, value))
        for date in reversed(dates):
            folded = f"{folded[: date.start()]} , {folded[date.end() :]}"
    numbers = list(_NUMBER.finditer(folded))
    for number, other in zip_longest(numbers, numbers[1:]):
        until = other if other and _is_a_range(folded, number, other) else None
        kind, factor, unit = _unit(number, until)
        low, high = _bounds(folded[: number.start()], number, until)
        found[kind].append(Quantity(low * factor, high * factor, unit))
    return dict(found)


def _digits(words: re.Match[str]) -> str:
    return str(sum(_VALUES[word] for word in re.findall(r"[a-z]+", words[0])))


def _is_a_date(text: str, date: re.Match[str]) -> bool:
    """Whether four digits alone are a year: no unit, sign or range makes them a number."""
    if date.groupdict().keys() != {"year"}:
        return True
    number = _NUMBER.match(text, date.start())
    alone = number is not None and number[0] == date[0]
    return alone and not re.search(r"[$€£] ?$", text[: date.start()])


def _parts(date: Mapping[str, str | None]) -> Iterator[tuple[str, float]]:
    if year := date.get("year"):
        yield "years", float(year)
    if month := date.get("month"):
        yield "months", float(month if month.isdigit() else _MONTHS.index(month) // 4 + 1)
    if day := date.get("day"):
        yield "days of a month", float(day)


def _is_a_range(text: str, number: re.Match[str], other: re.Match[str]) -> bool:
    joint = text[number.end() : other.start()].strip()
    between = text[: number.start()].endswith("between ")
    return joint in ("-", "–", "—", "to", "or") or (joint == "and" and between)


def _unit(number: re.Match[str], until: re.Match[str] | None) -> tuple[str, float, str]:
    """What a number measures; the first number of a range has the unit of the second."""
    for each in (number, until):
        name = each and (each["sign"] or each["unit"] or each["after"])
        if name:
            return _UNITS[name.strip()]
    return ("places" if number["place"] else "numbers"), 1.0, ""


def _bounds(before: str, number: re.Match[str], until: re.Match[str] | None) -> tuple[float, float]:
    value = _value(number)
    if until:
        last = _value(until)
        return min(value, last), max(value, last)
    if _ABOUT.search(before):
        return value * (1 - ABOUT), value * (1 + ABOUT)
    if _MORE.search(before):
        return value, inf
    return (0.0 if _LESS.search(before) else value), value


def _value(number: re.Match[str]) -> float:
    """Its value; a comma or dot before three digits stands between thousands, a dot if twice."""
    digits = number["value"]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif digits.count(".") + digits.count(",") > 1:
        digits = re.sub(r"[.,]", "", digits)
    scales = re.findall(_SCALE, number["scale"])
    return float(digits.replace(",", ".")) * prod(_SCALES[scale] for scale in scales)
