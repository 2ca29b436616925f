"""Incorrect answers and the kinds that they may be of: what each of them gets wrong, in a word."""

from collections.abc import Iterable, Mapping, Sequence

from .errors import InvalidInput


def with_kinds(texts: Sequence[str], kinds: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each incorrect answer with its kind, "" where it has none.

    Args:
        texts: Incorrect answers.
        kinds: One for each of them, or none at all.

    Raises:
        InvalidInput: Another number of kinds.
    """
    if kinds and len(kinds) != len(texts):
        raise InvalidInput(
            f"Incorrect answers: {len(texts):,}, kinds of them: {len(kinds):,}; give each answer "
            "one (empty where it has none), or none at all."
        )
    return list(zip(texts, kinds or [""] * len(texts), strict=True))


def kinds_by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Each distinct incorrect answer with its kind, both without the white space around them.

    Empty answers are left out; of one that stands twice the first kind that is not empty counts.
    """
    found: dict[str, str] = {}
    for text, kind in pairs:
        if clean := text.strip():
            found[clean] = found.get(clean) or kind.strip()
    return found


def kinds_in(found: Mapping[str, str]) -> tuple[str, ...]:
    """The kinds in the order of their answers; none at all when no answer has one."""
    kinds = tuple(found.values())
    return kinds if any(kinds) else ()
