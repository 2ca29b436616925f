"""The candidates of a row with their labels, and the keys that name some of them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ...text import normalised
from ..files.grid import NUMBERS, series
from ..mapping import Mapping
from ..rows import CellReader
from .verdicts import number_in, plain_value

_LABELS = ("ABCDEFGHIJ", "abcdefghij", "1234567890", "0123456789")
_MARK = r"(?:^|(?<=[\s,;|]))\(?{}(?:\s?[).\]:](?=\s|$)|\s?\)(?=\S))\s*"
"""What a label looks like in front of its text: `A.`, `(A)`, `a )`, `1:`."""


@dataclass(frozen=True, slots=True)
class Option:
    """One candidate of a row.

    Attributes:
        label: Its letter or number: beside its text, or at the end of its column; else empty.
        text: Its text.
        column: The name of its column, where it has one of its own.
    """

    label: str
    text: str
    column: str = ""


def options_of(cells: CellReader, mapping: Mapping) -> list[Option]:
    """The candidates of the row, without the empty ones after the last."""
    if len(mapping.options) > 1:
        labels = labels_of(mapping.options)
        options = [
            Option(label, cells.text(column), column)
            for label, column in zip(labels, mapping.options, strict=True)
        ]
    else:
        options = [Option(*pair) for pair in cells.labelled(mapping.options[0])]
        if len(options) == 1 and (apart := split_options(options[0].text)):
            options = apart
    while options and not options[-1].text.strip():
        options.pop()
    return options


def split_options(cell: str) -> list[Option]:
    """The options that are written one after the other: `A. oak B. eel`; none where they are not.

    Their labels are letters from A or numbers from 0 or 1, each in front of its text.
    """
    for labels in _LABELS:
        marks: list[re.Match[str]] = []
        for label in labels:
            after = marks[-1].end() if marks else 0
            mark = re.compile(_MARK.format(label)).search(cell, after)
            if mark is None or (not marks and cell[: mark.start()].strip()):
                break
            marks.append(mark)
        if len(marks) > 1:
            ends = [*(mark.start() for mark in marks[1:]), len(cell)]
            texts = [cell[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
            return [
                Option(label, text.strip(" \t\r\n,;|"))
                for label, text in zip(labels, texts, strict=False)
            ]
    return []


@lru_cache(maxsize=64)
def labels_of(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The letter or number in which the names of columns differ; empty where they do not."""
    for labels in series(columns).values():
        if set(labels.values()) == set(columns):
            place = {column: label for label, column in labels.items()}
            return tuple(place[column] for column in columns)
    return tuple(map(_last, columns))


def _last(column: str) -> str:
    found = re.search(r"(?:^|[\W_]|(?<=[a-z]))([A-Za-z]|\d+)$", column.strip())
    return found[1] if found else ""


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Places: TypeAlias = tuple[int, ...]
"""The right ones among a row's options, by their places; none where all of them are wrong."""
Find: TypeAlias = Callable[[str, Sequence[Option]], int | None]
"""The place of the option that a key names in one way; None where it names none."""

_KINDS = (
    "option|answer|choice|response|candidate|model|assistant|completion|output|ending|conversation|"
    "reply|sol|opt|text|side"
)
_NAMED = re.compile(
    rf"(?:the\s+)?(?:correct\s+)?(?:(?:{_KINDS})\s*(?:is\b)?[\W_]*)?"
    rf"\(?(?P<name>[a-z]|\d{{1,2}}|{'|'.join(NUMBERS)})[).:]?(?:\s+(?:{_KINDS}|one))?",
    re.IGNORECASE,
)
_LIKE_A_KEY = re.compile(
    r"[ivx]{1,4}|left|right|none|all|last|middle|(?:both|neither|tie|draw)\b.*|[a-h]\s*[=<>]\s*[a-h]|\d{1,2}(?:st|nd|rd|th)|"
    rf"(?:{_KINDS})[\W_]*\w{{1,2}}",
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
    key = keys[0].strip().strip("[]")
    texts = find is by_text
    parts = [
        part
        for part in re.split(r"[;|\n]" if texts else r"[\s,;|/&+]+(?:and\s+)?", key)
        if part.strip()
    ]
    if len(parts) == 1 and not texts and key.isalpha() and sorted(set(key)) == list(key):
        parts = list(key)
    with_texts = [part.strip() for part in re.split(r"[;|\n]", key)]
    if len(with_texts) > 1 and all(map(_WITH_TEXT.fullmatch, with_texts)):
        parts = with_texts
    elif len(parts) < 2 or not (
        texts or all(_NAMED.fullmatch(plain_value(each)) for each in parts)
    ):
        return None
    several = _all_found(parts, options, find)
    return several if several and len(several) == len(parts) else None


def like_a_key(value: str) -> bool:
    """Whether the value looks like a key of some kind: a letter, `left`, `tie`, `model_a`."""
    text = plain_value(value).strip(" #*")
    return bool(_NAMED.fullmatch(text) or _LIKE_A_KEY.fullmatch(text))


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
    named = _NAMED.fullmatch(plain_value(key))
    bare = named["name"] if named else ""
    if bare in NUMBERS:  # the second is the second, also of 0, 1 and 2
        place = int(NUMBERS[bare]) - 1
        return place if place < len(options) else None
    for name in (plain, bare):
        if name and name in labels:
            return labels.index(name)
    with_text = _WITH_TEXT.fullmatch(key.strip())
    if with_text is not None and with_text[1].lower() in labels:
        place = labels.index(with_text[1].lower())
        if plain_key(options[place].text) == plain_key(with_text[2]):
            return place
    # One row may write its answer out, but a number is no text among labels.
    return by_text(key, options) if number_in(key) is None else None


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
