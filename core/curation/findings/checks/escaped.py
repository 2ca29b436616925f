"""Texts with letters that a program wrote as something else, such as `&quot;` and `%20`."""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from urllib.parse import unquote

from ....demonstration.demonstration import Demonstration
from ..finding import Check, Fault, PoolContents

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_PERCENT = re.compile(r"[^\s:/?#]*%[0-9A-Fa-f]{2}[^\s:/#]*")
_CODE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_LAST_LATIN = "\u024f"
_PUNCTUATION = range(0x2000, 0x2070)
_SIGNS = "€™"


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with such a text, each with the first of these texts as it should be."""
    for place, row in enumerate(checked.rows):
        shown = [other for text in _texts(row) if (other := repair(text)) != text]
        if shown:
            yield Fault((place,), float(len(shown)), shown[0])


def repair(text: str) -> str:
    """The text with its letters; one without such signs as it is.

    One level is undone: `&amp;lt;` is `&lt;` then, and is found again.
    """
    if "&" in text and ";" in text and any(map(_is_for_a_letter, _ENTITY.findall(text))):
        return _ENTITY.sub(lambda entity: _meant_by(entity[0]), text)
    if "%" in text and _PERCENT.fullmatch(text):
        try:
            return unquote(text, errors="strict")
        except UnicodeDecodeError:
            return text
    if "\\u" in text:
        return _CODE.sub(_letter, text)
    return text


def _is_for_a_letter(entity: str) -> bool:
    """Whether the entity is one that programs write: no Greek letter, and no sign of mathematics.

    `&sum;` in a text about C is the address of a variable.
    """
    letters = _meant_by(entity)
    return letters != entity and all(
        letter <= _LAST_LATIN or ord(letter) in _PUNCTUATION or letter in _SIGNS
        for letter in letters
    )


def _meant_by(entity: str) -> str:
    """The letters of an entity; one that HTML does not have as it is."""
    return html.unescape(entity) if entity[1] == "#" or entity[1:] in html5 else entity


def _letter(code: re.Match[str]) -> str:
    letter = chr(int(code[0][2:], 16))
    return letter if letter.isalpha() or ord(letter) in _PUNCTUATION else code[0]


def _texts(row: Demonstration) -> list[str]:
    return [row.query, row.answer, *(each.text for each in row.incorrect), *row.tags]


CHECK = Check(
    "escaped",
    "Escaped letters",
    "A program wrote letters as something else: &quot; for a quotation mark, %20 for a space, "
    "\\u00e9 for é. The text is shown as it should be, and can be repaired.",
    "texts and tags of the demonstration with such letters",
    find,
)
