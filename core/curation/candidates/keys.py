"""Keys that name options: by label, text, letter or position, one or several in a value."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from ...text import normalised
from .options import Option
from .verdicts import number_in, plain_value

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Places: TypeAlias = tuple[int, ...]
"""The right ones among a row's options, by their places; none where all of them are wrong."""
Find: TypeAlias = Callable[[str, Sequence[Option]], int | None]
"""The place of the option that a key names in one way; None where it names none."""

_NAMED = re.compile(
    r"(?:the\s+)?(?:(?:option|answer|choice|response|candidate|model|assistant|completion|output|"
    r"ending|conversation|reply|sol|opt|text|side)[\W_]*)?\(?([a-z]|\d{1,2})[).:]?",
    re.IGNORECASE,
)
_WITH_TEXT = re.compile(r"\(?([A-Za-z]|\d{1,2})[).:]\s*(\S.*)", re.DOTALL)


def places_of(keys: Sequence[str], options: Sequence[Option], find: Find) -> Places | None:
    """The options that the keys name: one a key, or several in one: `A,C`, `A and C`, `AC`.

    None where a key names none.
    """
    whole = _all_found(keys, options, find)
    if whole is not None or len(keys) != 1:
        return whole
    (key,) = keys
    texts = find is by_text
    parts = [
        part
        for part in re.split(r"[;|\n]" if texts else r"[\s,;|/&+]+(?:and\s+)?", key.strip())
        if part.strip()
    ]
    if len(parts) == 1 and not texts and key.isalpha() and sorted(set(key)) == list(key):
        parts = list(key)
    if len(parts) < 2 or not (texts or all(map(_NAMED.fullmatch, parts))):
        return None
    several = _all_found(parts, options, find)
    return several if several and len(several) == len(parts) else None


def _all_found(keys: Sequence[str], options: Sequence[Option], find: Find) -> Places | None:
    found = [find(key, options) for key in keys]
    known = dict.fromkeys(place for place in found if place is not None)
    return tuple(known) if None not in found else None


def by_label(key: str, options: Sequence[Option]) -> int | None:
    """By the option's label, its column's name, or its text."""
    labels = [plain_value(option.label) for option in options]
    names = [normalised(option.column) for option in options]
    if normalised(key) in names and normalised(key):
        return names.index(normalised(key))
    return _by_name(key, labels, options)


def by_letter(key: str, options: Sequence[Option]) -> int | None:
    """By A for the first option, B for the second; or by its text."""
    labels = [letter.lower() for letter in LETTERS[: len(options)]]
    return _by_name(key, labels, options)


def _by_name(key: str, labels: list[str], options: Sequence[Option]) -> int | None:
    """The option with the label; the label's text may follow it, or be written in its place."""
    if not any(labels):
        return None
    plain = plain_key(key)
    named = _NAMED.fullmatch(key.strip())
    for name in (plain, named[1].lower() if named else ""):
        if name and name in labels:
            return labels.index(name)
    with_text = _WITH_TEXT.fullmatch(key.strip())
    if with_text is not None and with_text[1].lower() in labels:
        place = labels.index(with_text[1].lower())
        if plain_key(options[place].text) == plain_key(with_text[2]):
            return place
    return by_text(key, options)  # one row may write its answer out


def by_text(key: str, options: Sequence[Option]) -> int | None:
    """By the option's text."""
    texts = [plain_key(option.text) for option in options]
    return texts.index(plain_key(key)) if plain_key(key) in texts else None


def by_position(first: int) -> Find:
    """By its number, where the first option has the number `first`."""

    def find(key: str, options: Sequence[Option]) -> int | None:
        number = number_in(key)
        if number is None or not number.is_integer():
            return None
        place = int(number) - first
        return place if 0 <= place < len(options) else None

    return find


@lru_cache(maxsize=1 << 16)
def plain_key(text: str) -> str:
    """A label or a text for comparing: `b`, `B.`, `(B)` and `B)` are one."""
    bare = re.fullmatch(r"\(?\s*(\w+)\s*[.):]?", text.strip())
    return plain_value(bare[1] if bare else text)
