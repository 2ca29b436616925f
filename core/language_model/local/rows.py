"""What the model reads at once: rows of one prompt and its answers, gathered into batches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from .tokenisation import Tokens
from .tree import AnswerTree


class Reading(Enum):
    """How several answers of one prompt are read; each needs less of an architecture."""

    PACKED = "packed"
    """In one sequence, as branches from the prompt, separated by a 4-D mask and positions."""

    CACHED = "cached"
    """The prompt first, then all answers as a batch on its keys and values."""

    PLAIN = "plain"
    """Each answer with the prompt before it."""


class Budget(NamedTuple):
    """How large one batch may be; a row that alone exceeds it is a batch of its own.

    Attributes:
        tokens: Padded tokens of all rows together.
        logits: Numbers that the head puts out, padding included (4 bytes each in float32).
        cached: Tokens whose keys and values are in memory, repetitions included.
    """

    tokens: int
    logits: int
    cached: int = 4096

    def halved(self) -> "Budget":
        """Half of everything, at least 1."""
        return Budget(*(max(1, size // 2) for size in self))


@dataclass(frozen=True)
class Row:
    """One prompt with some of its answers; `slots` are the positions of the answers' results."""

    prompt: Tokens
    answers: tuple[Tokens, ...]
    slots: tuple[int, ...]
    reading: Reading = Reading.PACKED

    @cached_property
    def tree(self) -> AnswerTree:
        """What is read after the prompt."""
        return AnswerTree.of(self.answers)

    @property
    def length(self) -> int:
        """Tokens to read: the last token of an answer is only predicted."""
        return len(self.prompt) + len(self.tree.tokens)

    @property
    def packed(self) -> bool:
        """Whether several answers are in one sequence, so that a mask must separate them."""
        return self.reading is Reading.PACKED and len(self.answers) > 1

    @property
    def cached(self) -> bool:
        """Whether several answers are read on the prompt's keys and values."""
        return self.reading is Reading.CACHED and len(self.answers) > 1

    def pieces(self, size: int) -> list["Row"]:
        """The same answers in rows of at most `size`."""
        return [
            Row(self.prompt, self.answers[i : i + size], self.slots[i : i + size], self.reading)
            for i in range(0, len(self.answers), size)
        ]


def batches(
    rows: Iterable[Row], budget: Budget, vocabulary: int, *, padded_up_to: int
) -> list[list[Row]]:
    """The rows in batches within the budget, longest first, similar lengths together.

    The longest come first so that memory, if it is short, is short at once. A row of one answer
    that is longer than `padded_up_to` tokens is a batch of its own, as is a cached row; others that
    are alone come last, by their prompts, so that those that begin alike are neighbours.
    """
    made: list[list[Row]] = []
    shortest_prompt = 0
    for row in sorted(
        rows, key=lambda row: (row.cached, row.packed, row.length, row.slots), reverse=True
    ):
        if made and not row.cached and made[-1][0].packed == row.packed:
            longest, size = made[-1][0].length, len(made[-1]) + 1
            shortest = min(shortest_prompt, len(row.prompt))
            fits = (row.packed or longest <= padded_up_to) and (
                size * longest <= budget.tokens
                and size * (longest - shortest + 1) * vocabulary <= budget.logits
            )
            if fits and not made[-1][0].cached:
                made[-1].append(row)
                shortest_prompt = shortest
                continue
        made.append([row])
        shortest_prompt = len(row.prompt)
    return sorted(
        made, key=lambda batch: () if len(batch) > 1 or batch[0].cached else batch[0].prompt
    )


def scored_width(rows: Sequence[Row]) -> int:
    """At how many positions, counted from the end of the longest row, the head is needed."""
    return max(row.length for row in rows) - min(len(row.prompt) for row in rows) + 1
