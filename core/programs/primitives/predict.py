"""Asking the model to fill in a template, choosing among predictions, running a program again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeVar

from ...errors import InvalidInput
from ...generation import GenerationRequest
from ...metrics.overlap import contains_answer, exact_match, normalised_answer
from ..example import Example
from ..prompting import Completion, ProgramPrompt, ProgramTemplate, fitted
from ..prompting.extraction import completion_of
from ..run import TEMPERATURE, Program, Run
from ..steps import Call, Step
from .demonstrate import reason_of

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


MORE = 2
"""How many times a text that ended before its last field is continued."""

LEAST = 75
"""The least tokens of such a continuation, unless the window has no room for them."""


def generate(
    run: Run,
    template: ProgramTemplate,
    example: Example,
    *,
    n: int = 1,
    temperature: float | None = None,
    stage: str = "",
) -> tuple[Completion, ...]:
    """The completions of an example's prompt, as fields; at least one.

    Completions that ended by length, or are no answer, are dropped where another ended by itself,
    then those that lack a field which another has. Where all lack the last field, the first that
    came farthest is
    continued greedily, twice at most, with half the length (but 75 tokens); then it is the only
    one, whether it has the last field or not.

    Args:
        run: Its trace gets a step.
        template: Makes the prompt and reads what comes back.
        example: What is asked, with its `demos`.
        n: How many texts, >= 1.
        temperature: 0 is greedy; without one, one text is greedy and several are at the run's
            `sampling`, 0.7. The run's own temperature goes before it.
        stage: The name of the step, by which demonstrations know what they did there; without one
            the template's name.

    Raises:
        InvalidInput: The prompt does not fit the window even without demonstrations and passages,
            or n or the temperature is out of its range.
        Cancelled: The run was stopped.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5, and its code.
    """
    run.go_on()
    begun, stage = run.trace.now(), stage or template.name
    room = run.model.window - run.max_new_tokens
    fit = fitted(template, example, stage, most=room, count_tokens=run.model.count_tokens)
    request = GenerationRequest(
        fit.prompt.text,
        n,
        _temperature(run, n, temperature),
        stop=template.stop,
        max_new_tokens=run.max_new_tokens,
        seed=run.writing_seed,
    )
    calls = [_asked(run, request, fit.tokens)]
    written = [
        completion_of(template, text, number) for number, text in enumerate(calls[0].generations)
    ]
    kept = complete(template, written)
    if not kept[0].last and kept[0].ended_by.is_answer:
        farthest, further = _continued(run, template, fit.example, fit.prompt, kept[0])
        kept, calls = (farthest,), calls + further
    numbers = {completion.sample for completion in kept}
    run.trace.add(
        Step(
            stage,
            fit.prompt.parts,
            tuple(calls),
            completions=kept,
            dropped=tuple(each for each in written if each.sample not in numbers),
            left_out=fit.left_out,
            seconds=run.trace.now() - begun,
        )
    )
    return kept


def complete(
    template: ProgramTemplate, completions: Sequence[Completion]
) -> tuple[Completion, ...]:
    """The completions without those that others surpass: in their end, then in their fields."""
    kept = [each for each in completions if _ended(each)] or list(completions)
    for field in template.generated:
        kept = [each for each in kept if each[field.name]] or kept
    return tuple(kept)


def _ended(completion: Completion) -> bool:
    return completion.ended_by.is_answer and not completion.ended_by.is_cut_off


def _temperature(run: Run, n: int, asked: float | None) -> float:
    if run.temperature is not None:
        return run.temperature
    if asked is not None:
        return asked
    return 0.0 if n == 1 else run.sampling


def _asked(run: Run, request: GenerationRequest, tokens: int) -> Call:
    (texts,) = run.model.generate([request], watcher=run.watcher.quietly())
    return Call(request, tokens, tuple(texts))


def _continued(
    run: Run,
    template: ProgramTemplate,
    example: Example,
    prompt: ProgramPrompt,
    completion: Completion,
) -> tuple[Completion, list[Call]]:
    """The completion with what the model wrote from its first missing field on, and the calls."""
    calls = list[Call]()
    before = prompt.text[: prompt.parts[-1].start]
    while len(calls) < MORE and not completion.last:
        run.go_on()
        completion = replace(completion, fields=_leading(template, completion))
        text = before + template.continued(example, completion.fields)
        tokens = run.model.count_tokens(text)
        if tokens >= run.model.window:
            break
        request = GenerationRequest(
            text,
            stop=template.stop,
            max_new_tokens=max(LEAST, run.max_new_tokens // 2),
            seed=run.writing_seed,
        )
        calls.append(_asked(run, request, tokens))
        (further,) = calls[-1].generations
        completion = completion_of(template, further, completion.sample, completion)
    return completion, calls


def _leading(template: ProgramTemplate, completion: Completion) -> dict[str, str]:
    """The fields before the first that is missing."""
    names = (field.name for field in template.generated)
    return {name: completion[name] for name in takewhile(lambda name: completion[name], names)}
