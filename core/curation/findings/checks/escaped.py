"""Texts with letters that a program wrote as something else (`&quot;`, `%20`), and HTML tags."""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from urllib.parse import unquote

from ....demonstration.demonstration import Demonstration
from ....retrieval.wording import has_content
from ..finding import Check, Fault, PoolContents, Repair, repairable

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_PERCENT = re.compile(r"[^\s:/?#]*%[0-9A-Fa-f]{2}[^\s:/#]*")
_CODE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_LAST_LATIN = "\u024f"
_PUNCTUATION = range(0x2000, 0x2070)
_SIGNS = "€™"
_NAMES = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|div|dl|dt|em|figure|font|footer|h[1-6]"
    "|header|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s|section|small|span|strike|strong|sub|sup|table|tbody|td"
    "|tfoot|th|thead|tr|tt|u|ul|var|wbr"
)
_ATTRIBUTE = r"""\s+[\w:-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))"""
_TAG = re.compile(rf"<(/?)({_NAMES})(?:{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
_VOID = {"br", "hr", "img", "wbr"}
_ALONE = _VOID | {"p", "li", "tr", "td", "th", "dt", "dd"}
_WRITTEN = [
    (re.compile(r"<sup>\s*(?=[-+]?\d)", re.IGNORECASE), "^"),
    (re.compile(r"</t[dh]\s*>", re.IGNORECASE), " "),
    (
        re.compile(r"<[bh]r\b[^<>]*>|</(?:p|div|li|tr|h\d|blockquote|d[dt])\s*>", re.IGNORECASE),
        "\n",
    ),
]
"""What stands in the place of tags that mean something, before all others are taken out."""
_ABOUT_TAGS = re.compile(
    r"\b(?:x?html5?|xml|svg|tags?|markup|css|javascript|jsx|react|vue|angular|web ?pages?)\b|```",
    re.IGNORECASE,
)


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with such a text, each with the first of these texts as it should be."""
    return repairable(checked, repair_of)


def repair_of(row: Demonstration) -> Repair:
    """What repairs the texts of a demonstration; one that is about HTML keeps its tags."""
    about = any(map(_ABOUT_TAGS.search, (row.query, row.answer)))
    return repair if about else lambda text: repair(without_tags(text))


def without_tags(text: str) -> str:
    """The text with its HTML taken out: a line for each block, powers as `10^3`.

    One with a tag that is not closed, other than a line break and the like, is no HTML and stays
    as it is; so does one that has no word besides its tags.
    """
    if "<" not in text or not _is_html(text):
        return text
    for tag, written in _WRITTEN:
        text = tag.sub(written, text)
    return re.sub(r" *\n\s*", "\n", _TAG.sub("", text)).strip()


def _is_html(text: str) -> bool:
    tags = [(mark, name.lower()) for mark, name in _TAG.findall(text)]
    opened, closed = ({name for mark, name in tags if mark == which} for which in ("", "/"))
    some = closed or opened & _VOID or _TAG.match(text)
    return bool(some) and opened ^ closed <= _ALONE and has_content(_TAG.sub("", text))


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


CHECK = Check(
    "escaped",
    "Escaped letters and HTML tags",
    "A program wrote letters as something else: &quot; for a quotation mark, %20 for a space, "
    "\\u00e9 for é; or left tags such as <b> and <br>, in texts that are not about HTML. The text "
    "is shown as it should be, and can be repaired.",
    "texts and tags of the demonstration with such letters or HTML tags",
    find,
)
