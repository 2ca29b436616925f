"""Numbers of a workbook as its sheet shows them, by their number formats."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<space>[_*].)|\[(?P<bracket>[^\]]*)\]|(?P<end>;)'
    r"|(?P<general>General)|(?P<half>AM/PM|A/P)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+)"
    r"|(?P<digit>[0#?])|(?P<mark>[.,%/@])|(?P<letter>.)",
    re.IGNORECASE | re.DOTALL,
)
_COLOUR = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+", re.IGNORECASE)
_NAMES = re.compile(r"mmm|ddd|AM/PM", re.IGNORECASE)
_ENGLISH = 0x09
_FROM_THE_COMPUTER = 0xF000
"""Language codes from this one on mean: as the computer writes its dates and times."""


class Token(NamedTuple):
    """A piece of a format: its kind, named as in the pattern above, and its letters."""

    kind: str
    text: str


Section: TypeAlias = tuple[Token, ...]


@lru_cache(maxsize=256)
def sections(format: str) -> tuple[Section, ...] | None:
    """The format's sections for positive, negative and zero numbers and for texts, as far as given.

    None when something in it is not understood: conditions, digits of another script, names in a
    language other than English, dates as the computer's region writes them.
    """
    found: list[list[Token]] = [[]]
    for piece in _TOKEN.finditer(format):
        kind = piece.lastgroup or "letter"
        text = piece[kind]
        if kind == "end":
            found.append([])
        elif kind in ("quoted", "escaped"):
            found[-1].append(Token("letter", text))
        elif kind == "bracket":
            token = _bracketed(text, named=bool(_NAMES.search(format)))
            if token is None:
                return None
            found[-1].append(token)
        elif kind != "space":
            found[-1].append(Token(kind, text))
    return tuple(map(tuple, found))


def _bracketed(text: str, *, named: bool) -> Token | None:
    """What brackets enclose: a colour, a currency, a language or elapsed time; None for more."""
    if _COLOUR.fullmatch(text):
        return Token("letter", "")
    if re.fullmatch(r"h+|m+|s+", text, re.IGNORECASE):
        return Token("elapsed", text.lower())
    currency = re.fullmatch(r"\$([^-]*)(?:-(?:([0-9A-Fa-f]+)|([A-Za-z]{2})-[A-Za-z-]+))?", text)
    if currency is None:
        return None
    tag = currency[3] or "en"
    language = int(currency[2], 16) if currency[2] else _ENGLISH * (tag.lower() == "en")
    if language >= _FROM_THE_COMPUTER or (named and language & 0xFF != _ENGLISH):
        return None
    return Token("letter", currency[1])


_EXACT = Context(prec=400)
"""Digits enough for any float without rounding."""

_POINT, _COMMA, _PERCENT = Token("mark", "."), Token("mark", ","), Token("mark", "%")
_TEXT, _GENERAL = Token("mark", "@"), "general"


def general(value: int | float) -> str:
    """The number as Excel shows it where it has no format: fifteen digits at most."""
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    return f"{value:.15g}".upper()


def shown_number(value: int | float, section: Sequence[Token]) -> str | None:
    """The text of a number that is not negative; None when the section of a format is no number's.

    Spaces that only align columns are left out.
    """
    kinds = {token.kind for token in section}
    if kinds & {"date", "half", "elapsed"} or Token("mark", "/") in section:
        return None
    if _GENERAL in kinds or _TEXT in section:
        return "".join(
            general(value) if token == _TEXT or token.kind == _GENERAL else token.text
            for token in section
        )
    if "exponent" in kinds:
        return _with_exponent(value, section)
    if "digit" not in kinds:
        return None
    return _digits(value, section)


def _digits(value: int | float, section: Sequence[Token]) -> str:
    places = [place for place, token in enumerate(section) if token.kind == "digit"]
    end = len(section)
    point = next((place for place, token in enumerate(section) if token == _POINT), end)
    before = [place for place in places if place < point]
    after = [place for place in places if place > point]
    commas = [place for place, token in enumerate(section) if token == _COMMA]
    grouped = any(before[0] < place < before[-1] for place in commas) if before else False
    thousands = sum(
        place > before[-1] and not point < place < places[-1] for place in commas if before
    )
    percents = sum(token == _PERCENT for token in section)
    scaled = Decimal(repr(value)).scaleb(2 * percents - 3 * thousands, _EXACT)
    rounded = scaled.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP, _EXACT)
    whole, _, fraction = f"{rounded:f}".partition(".")
    cells = _whole_digits(whole.lstrip("0"), [section[place].text for place in before], grouped)
    cells += _fraction_digits(fraction, [section[place].text for place in after])
    written = dict(zip((*before, *after), cells, strict=True))
    if not before and whole != "0":
        written[point] = f"{whole}."
    return "".join(
        written.get(place, "" if token == _COMMA else token.text)
        for place, token in enumerate(section)
    )


def _whole_digits(digits: str, placeholders: Sequence[str], grouped: bool) -> list[str]:
    """What each place before the point shows; the first one takes all the digits that are left."""
    cells: list[str] = []
    count = 0
    for place in range(len(placeholders) - 1, -1, -1):
        many = len(digits) if place == 0 else min(1, len(digits))
        taken = digits[len(digits) - many :]
        digits = digits[: len(digits) - many]
        if not taken and placeholders[place] == "0":
            taken = "0"
        cell = ""
        for digit in reversed(taken):
            cell = digit + ("," if grouped and count and count % 3 == 0 else "") + cell
            count += 1
        cells.insert(0, cell)
    return cells


def _fraction_digits(digits: str, placeholders: Sequence[str]) -> list[str]:
    """What each place after the point shows; zeros at the end only where the format has them."""
    cells = list(digits)
    for place in range(len(cells) - 1, -1, -1):
        if cells[place] != "0" or placeholders[place] == "0":
            break
        cells[place] = ""
    return cells


def _with_exponent(value: int | float, section: Sequence[Token]) -> str | None:
    """The number under a format such as 0.00E+00, the only kind with an exponent that is common."""
    pattern = re.fullmatch(r"0(?:\.(0+))?E([+-])(0+)", "".join(token.text for token in section))
    if pattern is None:
        return None
    digits = len(pattern[1] or "")
    mantissa, _, exponent = f"{value:.{digits}E}".partition("E")
    power = int(exponent)
    sign = "-" if power < 0 else pattern[2].replace("-", "")
    return f"{mantissa}E{sign}{abs(power):0{len(pattern[3])}d}"
