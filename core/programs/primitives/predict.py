"""Choosing among predictions, running a program several times, and whether it came out right."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...errors import InvalidInput
from ...metrics.overlap import contains_answer, exact_match, normalised_answer
from ..example import Example
from ..run import TEMPERATURE, Program, Run
from .annotate import reason_of

OPTIONS = 4
"""How many predictions are options of a multiple-choice prompt: DSP, section 2.5."""

BRANCHES = 5
"""How many times a program is run, likewise."""

Option = TypeVar("Option")


def majority(options: Sequence[Option], text: Callable[[Option], str] = str) -> Option:
    """The option whose normalised text is the most frequent: its first occurrence, as it is.

    Options whose normalised text is empty count only where all are. The first seen wins a tie.

    Args:
        options: Texts, or anything that has one: completions with `text=last_field`.
        text: What is voted on.

    Raises:
        ValueError: There is no option.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5, and its code.
    """
    if not options:
        raise ValueError("there is nothing to vote on")
    ranked = _by_votes(options, text)
    return ranked[0] if ranked else options[0]


def most_common(
    predictions: Sequence[Option], k: int = OPTIONS, text: Callable[[Option], str] = str
) -> tuple[Option, ...]:
    """The k predictions of most votes, the most frequent first, each at its first occurrence.

    They are counted as by `majority`; with fewer distinct ones these come.

    Raises:
        InvalidInput: k is negative.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5.
    """
    if k < 0:
        raise InvalidInput(f"k is {k}; it must be 0 or more.")
    return tuple(_by_votes(predictions, text)[:k])


def branch(
    run: Run,
    program: Program,
    example: Example,
    n: int = BRANCHES,
    temperature: float = TEMPERATURE,
) -> tuple[Example, ...]:
    """What the whole program makes of the example n times, with all fields of each.

    Everything that the program writes is drawn at the temperature; what it samples of the training
    examples is the same in all branches. Branch i depends on the run's seed and i alone, so that
    fewer branches are the first ones of more. A branch that gives no example is left out; the trace
    has it.

    Args:
        run: Its trace gets one step a branch.
        program: What is run.
        example: Its input.
        n: How many times, >= 1.
        temperature: 0 makes all branches the same where the program draws nothing else.

    Raises:
        InvalidInput: n is below 1, or the program raises it.
        Cancelled: The run was stopped.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5.
    """
    if n < 1:
        raise InvalidInput(f"To branch, n is {n}; it must be 1 or more.")
    found = []
    for number in range(n):
        run.go_on()
        with run.trace.step(f"branch {number + 1}") as opened:
            outcome = program(run.branched(number, temperature), example)
            opened.note = reason_of(outcome) or ""
        if isinstance(outcome, Example):
            found.append(outcome)
    return tuple(found)


def passage_match(example: Example) -> bool:
    """Whether a passage of the example contains one of its answers, as a sequence of tokens.

    False where there are no passages or no answers.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4, and its code.
    """
    return any(contains_answer(each.shown, example.answers) for each in example.passages)


def answer_match(example: Example) -> bool:
    """Whether the prediction is an accepted answer, by exact match; False where none is known.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    return bool(example.answers) and exact_match(example.pred, example.answers) == 1.0


def _by_votes(options: Sequence[Option], text: Callable[[Option], str]) -> list[Option]:
    first: dict[str, Option] = {}
    votes: dict[str, int] = {}
    for option in options:
        key = normalised_answer(text(option))
        if key:
            first.setdefault(key, option)
            votes[key] = votes.get(key, 0) + 1
    return [first[key] for key in sorted(votes, key=lambda key: -votes[key])]
