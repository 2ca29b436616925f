"""What each seed has: training examples, its share of the questions, or of conversations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InvalidInput
from ...recorded import Recorded
from ...text import normalised
from ..example import Example, Turn
from ..primitives import sample
from ..primitives.demonstrate import turns_of

SEEDS = 5
"""How many seeds there are: section 3.2 of the paper, where each answers a fifth."""


@dataclass(frozen=True, slots=True)
class Share(Recorded):
    """What one seed has.

    Attributes:
        seed: It draws the training examples, and it is the seed of what is written.
        train: The training examples, in the order drawn.
        questions: In their order; the turns of a conversation one after the other.
    """

    seed: int
    train: tuple[Example, ...]
    questions: tuple[Example, ...]


def draw(
    questions: Sequence[Example], train: Sequence[Example], *, shots: int, seeds: int = SEEDS
) -> tuple[Share, ...]:
    """The share of each seed: 0, 1 and so on.

    The seeds take the questions in turn, so that the shares are disjoint, are all questions
    together, and differ in size by one conversation at most; a conversation is in one share. More
    seeds than questions leave some without any, and they are left out.

    A seed's training examples are drawn from those that share no turn with a question of its
    share. Where these are fewer than `shots`, others are drawn too: a program leaves a question's
    own example out of its prompt (`all_but`).

    Args:
        questions: In the order in which they are given out; their answers score, and no program
            sees them.
        train: What training examples are drawn from; may have the questions among them.
        shots: Training examples of a seed: 0 draws none, more than there are draws all.
        seeds: How many, >= 1; one answers every question.

    Raises:
        InvalidInput: `seeds` is below 1, or `shots` is negative.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.2.
    """
    if seeds < 1:
        raise InvalidInput(f"The number of seeds is {seeds}; give 1 or more.")
    conversations: dict[str, list[Example]] = {}
    for question in questions:
        conversations.setdefault(_root(question), []).append(question)
    grouped = [
        sorted(turns, key=lambda each: len(each.history)) for turns in conversations.values()
    ]
    shares = []
    for seed in range(min(seeds, len(grouped))):
        own = tuple(turn for turns in grouped[seed::seeds] for turn in turns)
        shares.append(Share(seed, _drawn(train, own, shots, seed), own))
    return tuple(shares)


def _drawn(
    train: Sequence[Example], own: Sequence[Example], shots: int, seed: int
) -> tuple[Example, ...]:
    asked = {turn for question in own for turn in turns_of(question)}
    strange = [each for each in train if not asked & turns_of(each)]
    drawn = sample(strange, shots, seed)
    familiar = [each for each in train if asked & turns_of(each)]
    return (*drawn, *sample(familiar, shots - len(drawn), seed))


def _root(question: Example) -> str:
    """The first question of its conversation, which is itself where there is none."""
    first = question.history[0].question if question.history else question.question
    return normalised(first)


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
