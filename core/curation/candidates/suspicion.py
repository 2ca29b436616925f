"""A last look at answers that would all be right: are they keys or flags of something else?"""

from ..files.names import plain
from ..files.tables import Table
from ..mapping import Mapping
from .columns import Strength, has_texts, is_beside, strength_of, unnamed_in
from .judges import says_right, text_in
from .keys import like_a_key
from .verdicts import may_be_verdict, number_in

_ANSWERS = (
    "answer", "answers", "correct_answer", "correct_answers", "response", "completion", "output",
    "reply",
)  # fmt: skip
"""Columns of these names have answers: short ones are keys only beside several other texts."""


def suspect(
    table: Table, mapping: Mapping, *, labelled: bool
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Columns that may be candidates, and those that may judge them; None without suspicion.

    Args:
        table: The table.
        mapping: The mapping in which all answers are right.
        labelled: Whether the answers are labels.
    """
    if len(mapping.answer) != 1 or mapping.incorrect:
        return None
    (answer,) = mapping.answer
    called = plain(answer) in _ANSWERS
    used = set(mapping.columns)
    if called:
        several = [
            found.columns
            for found in unnamed_in(table)
            if not used & {*found.columns} and not any(map(is_beside, found.columns))
        ]
        if several and _are_keys(table, answer):
            return several[0], mapping.answer
    asked = plain(mapping.query[0]) in ("question", "query", "prompt", "instruction")
    words = not called and (asked or says_right(answer) or _repeats_queries(table, mapping))
    texts = _texts(table, used, words=words, repeated=not called)
    if called and len(texts) > 1 and _are_keys(table, answer):
        return texts, mapping.answer
    if not called and texts and _are_keys(table, answer, verdicts=True):
        return texts, mapping.answer
    for name in table.columns if labelled else ():
        judging = strength_of(name) > Strength.UNKNOWN and name not in used
        texts = _texts(table, {*used, name}, words=True, repeated=True)
        if judging and texts and _are_keys(table, name, verdicts=True):
            return texts, (name,)
    return None


def _texts(table: Table, used: set[str], *, words: bool, repeated: bool = False) -> tuple[str, ...]:
    free = (name for name in table.columns if name not in used)
    return tuple(name for name in free if has_texts(table, name, words=words, repeated=repeated))


def _repeats_queries(table: Table, mapping: Mapping) -> bool:
    queries = {tuple(text_in(row.get(name)) for name in mapping.query) for row in table.rows}
    return 2 * len(queries) <= len(table.rows)


def _are_keys(table: Table, column: str, *, verdicts: bool = False) -> bool:
    """Whether most texts of the column may be keys, and with `verdicts` also flags and figures."""
    cells = (row.get(column) for row in table.rows)
    every = (each for cell in cells for each in (cell if isinstance(cell, list) else [cell]))
    values = [text for each in every if (text := text_in(each))]
    if verdicts:
        fitting = sum(
            may_be_verdict(value) or like_a_key(value) or number_in(value) is not None
            for value in values
        )
    else:
        fitting = sum(like_a_key(value) and number_in(value) is None for value in values)
    return bool(values) and 2 * fitting > len(values)
