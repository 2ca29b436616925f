"""Incorrect answers as columns: how files, JSON and the database write them, and how they are read.

Apart from the type itself, `IncorrectAnswer`, only this module knows its attributes.
"""

from collections.abc import Iterable, Mapping, Sequence

from ..errors import InvalidInput
from ..text import same_text
from .demonstration import IncorrectAnswer

TEXTS, KINDS = "incorrect", "incorrect_kinds"
COLUMNS = (TEXTS, KINDS)
"""Each has one value for every incorrect answer; the kinds are empty where no answer has one."""


def incorrect_answers(
    texts: Sequence[str], kinds: Sequence[str] = ()
) -> tuple[IncorrectAnswer, ...]:
    """Incorrect answers from the values of `COLUMNS`.

    Args:
        texts: Their texts.
        kinds: One for each of them, or none at all.

    Raises:
        InvalidInput: Another number of kinds.
    """
    if kinds and len(kinds) != len(texts):
        raise InvalidInput(
            f"Incorrect answers: {len(texts):,}, kinds of them: {len(kinds):,}; give each answer "
            "one (empty where it has none), or none at all."
        )
    return tuple(map(IncorrectAnswer, texts, kinds) if kinds else map(IncorrectAnswer, texts))


def from_columns(row: Mapping[str, Sequence[str]]) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers of a row; a missing column counts as empty."""
    return incorrect_answers(*(row.get(column, ()) for column in COLUMNS))


def to_columns(answers: Iterable[IncorrectAnswer]) -> dict[str, list[str]]:
    """The values of each of `COLUMNS`."""
    kept = list(answers)
    kinds = [each.kind for each in kept]
    return {TEXTS: [each.text for each in kept], KINDS: kinds if any(kinds) else []}


def distinct(answers: Iterable[IncorrectAnswer]) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers that are different texts (`text.same_text`), as they are written.

    Blank ones are left out. Of one that appears twice, the first text counts, and the first kind
    that is not empty.
    """
    kept: dict[str, IncorrectAnswer] = {}
    for answer in answers:
        key = same_text(answer.text)
        first = kept.get(key)
        if first is None:
            kept[key] = answer if not answer.kind else answer._replace(kind=answer.kind.strip())
        elif not first.kind and answer.kind:
            kept[key] = first._replace(kind=answer.kind.strip())
    kept.pop("", None)
    return tuple(kept.values())


def edited(
    answers: Sequence[IncorrectAnswer], columns: Mapping[str, Sequence[str]]
) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers after some of their columns got other values.

    With other texts alone, an answer that stays keeps its kind and a new one has none. Kinds may be
    fewer than the answers: the last ones then have none.

    Raises:
        InvalidInput: More kinds than answers.
    """
    texts = columns.get(TEXTS, [each.text for each in answers])
    known = {same_text(each.text): each.kind for each in answers}
    kinds = columns.get(KINDS, [known.get(same_text(text), "") for text in texts])
    return incorrect_answers(texts, [*kinds, *[""] * (len(texts) - len(kinds))])
