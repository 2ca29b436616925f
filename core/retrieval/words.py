"""The words of a text, also in scripts that put no spaces between them."""

import re
import unicodedata

from ..text import normalised

_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x3041, 0x30FF), (0x3105, 0x312F), (0x31F0, 0x31FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Thai and Lao, Myanmar, Khmer, kana, bopomofo and Han. First and last of each range."""

_TOKEN = re.compile(r"w[wm]*(?:(?:\+\+|#)(?![wn]))?|n[nm]*")
"""Over the kinds of the letters. C++, C# and F# are other words than C and F."""
_CUT_OFF = {"wa", "ma"}
"""What comes before the letter s in "what's"."""


class _Kinds(dict[int, str]):
    """The kind of each character: of a word, of a script without spaces, a mark, or other."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in "+#":
            kind = character
        elif character in "'\u2019":
            kind = "a"
        elif unicodedata.category(character).startswith("M"):
            kind = "m"
        elif not (character.isalnum() or character == "_"):
            kind = " "
        else:
            kind = "n" if any(low <= code <= high for low, high in _WITHOUT_SPACES) else "w"
        self[code] = kind
        return kind


_KINDS = _Kinds()


def kinds_of(text: str) -> str:
    """The kind of each character, a letter each, in the text's order.

    w: of a word; n: of a script without spaces between words; m: a mark on the one before; a: an
    apostrophe; + and #: themselves; a space: any other.
    """
    return text.translate(_KINDS)


def words_of(text: str) -> list[str]:
    """The text's words in their order, compared as queries are (`text.normalised`).

    A single letter is a word too, unless an apostrophe cuts it off another. Han, kana, Thai,
    Lao, Khmer and Myanmar have no spaces between words: every two neighbouring characters, with
    the marks on them, count as one, and a character without a neighbour by itself.
    """
    text = normalised(text)
    kinds = kinds_of(text)
    found = []
    for token in _TOKEN.finditer(kinds):
        start, end = token.span()
        if kinds[start] == "n":
            found += _pairs(text[start:end], kinds[start:end])
        elif end - start > 1 or not (
            kinds[max(0, start - 2) : start] in _CUT_OFF or kinds[end : end + 2] == "aw"
        ):
            found.append(text[start:end])
    return found


def _pairs(text: str, kinds: str) -> list[str]:
    """Every two neighbouring characters, with their marks; the only one of a text that has one."""
    starts = [place for place, kind in enumerate(kinds) if kind == "n"]
    ends = [*starts[1:], len(text)]
    if len(starts) == 1:
        return [text]
    return [text[start:end] for start, end in zip(starts, ends[1:], strict=False)]
