"""What a value beside a candidate says about it: right or wrong, or a number to compare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...errors import InvalidInput
from ...text import normalised, short

_RIGHT = (
    "1", "true", "yes", "y", "t", "right", "correct", "good", "pass", "passed", "accept",
    "accepted", "valid", "gold", "chosen", "selected", "winner",
)  # fmt: skip
_WRONG = (
    "0", "false", "no", "n", "f", "wrong", "incorrect", "bad", "fail", "failed", "reject",
    "rejected", "invalid", "not correct", "loser",
)  # fmt: skip
_VERDICTS = dict.fromkeys(_RIGHT, True) | dict.fromkeys(_WRONG, False)

_MAY_MEAN = {
    *_VERDICTS, "-1", "+1", "x", "+", "-", "*", "✓", "✔", "☑", "✅", "✗", "✘", "❌", "👍", "👎",
    "up", "down", "w", "l", "win", "loss", "lose", "lost", "won", "ok", "nok", "not ok", "o.k.",
    "supported", "supports", "refuted", "refutes", "contradicted", "contradiction",
    "contradicts", "entailment", "not_entailment", "entailed", "not entailed", "neutral",
    "relevant", "irrelevant", "not relevant", "partially relevant", "acceptable",
    "unacceptable", "faithful", "unfaithful", "hallucinated", "hallucination", "helpful",
    "unhelpful", "safe", "unsafe", "partly", "partial", "partially", "poor", "excellent",
    "high", "low", "medium", "better", "worse", "best", "worst", "ja", "nein", "richtig",
    "falsch", "korrekt", "sí", "si", "verdadero", "falso", "correcto", "incorrecto", "correcta",
    "incorrecta", "oui", "non", "vrai", "faux", "juste", "vero", "sim", "não", "none", "null",
    "not correct", "unknown", "unsure", "maybe",
}  # fmt: skip
"""Words and signs that may be verdicts: enough to ask, not to decide."""

_BOUND = re.compile(r"(>=|<=)\s*(-?\d+(?:\.\d+)?)")


class Extreme(StrEnum):
    """Which of the numbers beside the candidates of a query is that of the right one."""

    HIGHEST = "highest"
    LOWEST = "lowest"


@dataclass(frozen=True, slots=True)
class Right:
    """Which values mean right: words, a bound, or the highest or lowest of the query's numbers."""

    words: frozenset[str] = frozenset()
    at_least: float | None = None
    at_most: float | None = None
    extreme: Extreme | None = None

    def judge(self, value: str) -> bool | None:
        """Whether the value means right; None where it says nothing, as an empty one."""
        text = plain_value(value)
        if not text:
            return None
        if self.words:
            return text in self.words
        number = number_in(text)
        if number is None:
            return None
        if self.at_most is not None:
            return number <= self.at_most
        return self.at_least is not None and number >= self.at_least

    def best(self, numbers: Sequence[float]) -> float:
        """The number of the right one among all of a query's."""
        return min(numbers) if self.extreme is Extreme.LOWEST else max(numbers)


def parse_right(text: str) -> Right:
    """What a mapping's `right` says: highest, lowest, >=N, <=N, or the words that mean right.

    Raises:
        InvalidInput: It is empty.
    """
    bound = _BOUND.fullmatch(text.strip())
    if bound is not None:
        number = float(bound[2])
        return Right(at_least=number) if bound[1] == ">=" else Right(at_most=number)
    word = plain_value(text)
    if word in tuple(Extreme):
        return Right(extreme=Extreme(word))
    words = frozenset(filter(None, map(plain_value, text.split("|"))))
    if not words:
        raise InvalidInput(
            f'"right={short(text)}" names no value: write highest, lowest, >=N, <=N, or the words '
            "that mean right, as in right=true|yes."
        )
    return Right(words=words)


def verdict_of(value: str) -> bool | None:
    """Whether a value is a word or a figure for right or for wrong; None for any other."""
    return _VERDICTS.get(plain_value(value))


def may_be_verdict(value: str) -> bool:
    """Whether the value may say right or wrong, in some language or sign."""
    return plain_value(value) in _MAY_MEAN


def is_score(value: str) -> bool:
    """Whether the value is a number that is no flag: neither 0 nor 1, nor -1 for a missing one."""
    return number_in(plain_value(value)) not in (None, -1, 0, 1)


def number_in(value: str) -> float | None:
    """The number that the value is, as 3, 0.5, 80% or 4/5; None for any other text."""
    found = re.fullmatch(r"(-?\d{1,15}(?:\.\d*)?)\s*(?:%|/\s*(\d{1,15}))?", value.strip())
    if found is None or (found[2] is not None and not int(found[2])):
        return None
    return float(found[1]) / int(found[2] or 1)


def plain_value(value: str) -> str:
    """A value for comparing: 1.0 is 1, and case does not matter."""
    return re.sub(r"(?<=\d)\.0+$", "", normalised(value))
