"""Number formats of workbooks, parsed into parts for digits, dates and plain letters."""

import re
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
