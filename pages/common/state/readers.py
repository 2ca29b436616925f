"""Readers of the texts in a link. What one refuses is a ValueError that says what is allowed."""

from collections.abc import Callable, Collection

from core.text import listed

FEW = 8
"""So many names are listed where a text must be one of them."""
MANY = 10**9
"""The upper end of a number that has none; it is not named."""


def within(low: float, high: float) -> Callable[[str], float]:
    """A reader of numbers that refuses what is outside [low, high]."""
    return lambda text: _number(text, float, low, high, f"a number from {low:g} to {high:g}")


def whole(low: int, high: int = MANY) -> Callable[[str], int]:
    """The same of whole numbers."""
    end = f" to {high:,}" if high < MANY else ""
    return lambda text: int(_number(text, int, low, high, f"a whole number from {low:,}{end}"))


def one_of(*allowed: str) -> Callable[[str], str]:
    """A reader that refuses everything but the allowed texts."""

    def read(text: str) -> str:
        if text not in allowed:
            names = [name for name in allowed if name]
            few = 0 < len(names) <= FEW
            raise ValueError(f"must be {listed(names, 'or')}" if few else "there is no such choice")
        return text

    return read


def some_of(allowed: Collection[str], between: str) -> Callable[[str], list[str]]:
    """A reader of several texts, each once, that refuses everything but the allowed ones."""

    def read(text: str) -> list[str]:
        found = [one_of(*allowed)(each) for each in text.split(between)]
        if len(set(found)) < len(found):
            raise ValueError("must have each only once")
        return found

    return read


def switch(on: str = "True", off: str = "False") -> Callable[[str], bool]:
    """A reader of whether something is on."""
    return lambda text: one_of(on, off)(text) == on


def _number(
    text: str, kind: Callable[[str], float], low: float, high: float, allowed: str
) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise ValueError(f"must be {allowed}")
    return value
