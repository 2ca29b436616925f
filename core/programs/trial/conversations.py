"""Sets of conversations: which of QReCC's count, and their turns as questions."""

import re
from collections.abc import Sequence

from ..example import Example, Turn

_OPEN = re.compile(r"\bother interesting\b|\belse\b", re.IGNORECASE)
"""What asks for anything more: such a question has no answer of its own."""

MORE_THAN = 2
"""A conversation counts from one question more."""


def counts_in_qrecc(turns: Sequence[Turn]) -> bool:
    """Whether the paper evaluates on this conversation of QReCC.

    It has more than two questions, every turn has a reference answer, and no question asks what
    "other interesting" facts there are or what "else"; both count as words, in any case.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.2.
    """
    answered = all(turn.answer.strip() for turn in turns)
    asks_for_more = any(_OPEN.search(turn.question) for turn in turns)
    return len(turns) > MORE_THAN and answered and not asks_for_more


def questions_of(turns: Sequence[Turn]) -> tuple[Example, ...]:
    """A question for each turn that has an answer, with the turns before it.

    A trial puts the program's own answers in place of those of the earlier turns.
    """
    return tuple(
        Example(turn.question, (turn.answer,), tuple(turns[:place]))
        for place, turn in enumerate(turns)
        if turn.answer.strip()
    )
