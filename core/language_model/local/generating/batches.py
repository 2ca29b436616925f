"""Which texts are written side by side, and what their prompts begin with in common."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from os.path import commonprefix

from ....generation import GenerationRequest
from ..probing import Limits
from ..rows import Budget
from ..tokenisation import Tokens

_SHARED = 16
"""Fewer tokens in common are read for each prompt: a pass of their own costs more."""


@dataclass(frozen=True)
class Task:
    """One text to write.

    Attributes:
        prompt: The prompt's token ids.
        request: Of one text: with n 1.
        number: Which of the texts it is, from 0.
        most: The most tokens it can have.
    """

    prompt: Tokens
    request: GenerationRequest
    number: int
    most: int


@dataclass(frozen=True)
class Batch:
    """Texts that are written side by side.

    Attributes:
        tasks: The texts, the longest prompt first.
        shared: With how many tokens all their prompts begin in common.
        beyond: Whether one of them is longer than a sliding window.
        cached: Whether a step reads its tokens on the keys and values of all before them.
    """

    tasks: tuple[Task, ...]
    shared: int
    beyond: bool
    cached: bool = True

    @property
    def prompts(self) -> list[Tokens]:
        """The token ids of their prompts."""
        return [task.prompt for task in self.tasks]

    @property
    def kind(self) -> tuple[int, bool]:
        """What it asks of an architecture: a cache, one of several rows, one of unequal ones."""
        lengths = {len(prompt) for prompt in self.prompts}
        return 2 if len(lengths) > 1 else 1 if len(self.tasks) > 1 else 0, self.beyond


def batches(tasks: Sequence[Task], budget: Budget, limits: Limits) -> Iterator[Batch]:
    """Batches within the budget: prompts that begin alike together, then by length."""

    def reach(task: Task) -> tuple[bool, bool]:
        length = len(task.prompt) + task.most
        return length > limits.padded, length > limits.packed

    for (depends_on_others, beyond), group in groupby(sorted(tasks, key=reach), key=reach):
        for family in _families(list(group)):
            # Beyond a sliding window the gap before the rests of prompts would count.
            equal = len({len(task.prompt) for task in family}) == 1
            apart = depends_on_others or (beyond and not equal)
            yield from _divided(family, budget, beyond=beyond, equal_only=apart)


def _divided(
    family: Sequence[Task], budget: Budget, *, beyond: bool, equal_only: bool
) -> Iterator[Batch]:
    """The tasks in batches within the budget, longest prompts first."""
    waiting = sorted(family, key=lambda task: len(task.prompt), reverse=True)
    while waiting:
        longest = len(waiting[0].prompt)
        least = longest if equal_only else longest // 2  # the rest would mostly be padding
        size, most = 1, waiting[0].most
        for task in waiting[1:]:
            most = max(most, task.most)
            if (size + 1) * (longest + most) > budget.cached or len(task.prompt) < least:
                break
            size += 1
        tasks = tuple(waiting[:size])
        yield Batch(tasks, shared_of(tasks), beyond)
        waiting = waiting[size:]


def _families(tasks: Sequence[Task]) -> list[list[Task]]:
    """Those whose prompts begin with enough in common; those without a like are one family."""
    families: list[list[Task]] = []
    for task in sorted(tasks, key=lambda task: task.prompt):
        if families:
            last = families[-1]
            common, now = shared_of(last), shared_of((last[0], task))
            if now >= _SHARED and len(last) * now >= (len(last) - 1) * common:
                last.append(task)
                continue
        families.append([task])
    alone = [family[0] for family in families if len(family) == 1]
    return [*(family for family in families if len(family) > 1), *([alone] if alone else [])]


def shared_of(tasks: Sequence[Task]) -> int:
    """How many tokens all prompts begin with, at least one less than each has; 0 if too few."""
    if len(tasks) < 2:
        return 0
    common = len(commonprefix([task.prompt for task in tasks]))
    common = min(common, *(len(task.prompt) - 1 for task in tasks))
    return common if common >= _SHARED else 0
