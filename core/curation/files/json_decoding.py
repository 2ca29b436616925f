"""JSON as it is written: numbers keep their digits, and of two equal keys both are kept."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .cells import clean
from .grid import unused_name

_BETWEEN = re.compile("[\\s,\\x1e\ufeff]*")
"""White space, and what some programs write between the values of a file."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Decoder:
    """Decodes the JSON of one file.

    Attributes:
        repeated: How many objects have a key twice or more, by the key.
    """

    def __init__(self) -> None:
        self.repeated: Counter[str] = Counter()
        # Numbers as text: 1.10 stays 1.10, and a number of 5,000 digits is no error.
        self._json = json.JSONDecoder(
            parse_int=str,
            parse_float=str,
            parse_constant=lambda _: None,
            object_pairs_hook=self.object_of,
        )

    def decode(self, text: str) -> Any:
        """The value; half of a surrogate pair, which only JSON can spell, becomes U+FFFD.

        A key that an object has twice becomes two keys: `answer` and `answer (2)`.

        Raises:
            ValueError: The text is not JSON.
            RecursionError: It nests too deeply.
        """
        value = self._json.decode(text)
        return _cleaned(value) if _SURROGATE.search(text) else value

    def first_in(self, text: str) -> str:
        """The first value of the text as it is written; empty where that is none."""
        start = _after_blanks(text, 0)
        try:
            return text[start : self._json.raw_decode(text, start)[1]]
        except json.JSONDecodeError:
            return ""

    def decode_all(self, text: str) -> list[Any]:
        """The values that the text has one after the other, whatever lines they are on.

        Raises:
            ValueError: What follows a value is none; the error says where.
            RecursionError: One nests too deeply.
        """
        values = []
        place = _after_blanks(text, 0)
        while place < len(text):
            value, place = self._json.raw_decode(text, place)
            values.append(value)
            place = _after_blanks(text, place)
        return _cleaned(values) if _SURROGATE.search(text) else values

    def object_of(self, pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
        """The object of these keys and values, where equal keys get names of their own."""
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        found = {}
        for key, value in pairs:
            found[unused_name(key, found)] = value
        counts = Counter(key for key, _ in pairs)
        self.repeated.update(key for key, count in counts.items() if count > 1)
        return found

    def warnings(self) -> tuple[str, ...]:
        """What to say about keys that occur twice in an object; empty where none does."""
        if not self.repeated:
            return ()
        keys = [f'"{key}" ({count:,})' for key, count in self.repeated.items()]
        example = next(iter(self.repeated))
        return (
            f"Objects that have a key twice, by the key: {', '.join(keys)}; both values were read, "
            f'the second as "{example} (2)".',
        )


def _after_blanks(text: str, place: int) -> int:
    blanks = _BETWEEN.match(text, place)
    return blanks.end() if blanks else place


def is_json(text: str) -> bool:
    """Whether the text is one JSON value."""
    try:
        Decoder().decode(text.strip().strip("\ufeff").strip())
    except (ValueError, RecursionError):
        return False
    return True


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {clean(key): _cleaned(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    return clean(value) if isinstance(value, str) else value
