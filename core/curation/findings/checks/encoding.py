"""Texts that were read with a wrong encoding on the way into the pool."""

import re
from collections.abc import Iterator

from ..finding import Check, Fault, PoolContents, texts_of

_LOST = re.compile("[\x80-\x84\x86-\x9f\N{REPLACEMENT CHARACTER}]")
"""What is in a text where a letter could not be read: U+FFFD, or a control that no text has."""
_CUT = re.compile("(?<!\xe2)\x80(?=[\x80-\xbf])")
"""The last two bytes of a dash or a quotation mark in UTF-8, whose first was dropped."""


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with such a text, each with the first of these texts as it should be."""
    for place, row in enumerate(checked.rows):
        shown = [repair(text) for text in texts_of(row) if is_damaged(text)]
        if shown:
            yield Fault((place,), float(len(shown)), shown[0])


def is_damaged(text: str) -> bool:
    """Whether a text has damaged letters, that can be repaired or are lost."""
    repaired = repair(text)
    return text != repaired or _LOST.search(repaired) is not None


def repair(text: str) -> str:
    """The text as it was before it was read with a wrong encoding; a good one as it is."""
    from ftfy import TextFixerConfig, fix_encoding

    config = TextFixerConfig(unescape_html=False, restore_byte_a0=True)
    return str(fix_encoding(_CUT.sub("\xe2\x80", text), config))


CHECK = Check(
    "encoding",
    "Damaged letters",
    "A text was read with a wrong encoding, as in \u201cschÃ¶n\u201d, or has letters that could "
    "not be read. What ftfy can repair is shown as it should be; edit what is lost.",
    "texts of the demonstration that are damaged",
    find,
)
