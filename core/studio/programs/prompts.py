"""A prompt in its parts, as people look at it."""

from collections.abc import Iterator, Sequence
from itertools import chain

from ...programs import Step
from ...programs.prompting import PartKind
from ...programs.prompting.fields import one_line
from ...reporting.results.prompt import PASSAGE, PromptPart
from .attempts import Tried

_NUMBERED = (PartKind.RAW, PartKind.AUGMENTED)


def asked_steps(tried: Tried) -> tuple[Step, ...]:
    """The steps of an attempt in which the model was asked, in their order."""
    return tuple(step for step in tried.attempt.step.walk() if step.prompt)


def parts_of(tried: Tried, step: Step) -> tuple[PromptPart, ...]:
    """The step's prompt in its parts; their texts, one after the other, are the prompt.

    Within the query, the passages that the attempt found are parts of their own. Separators between
    the parts have no kind, and so has a prompt that its program does not divide.
    """
    shown = _evidence(tried)
    return tuple(part for part in _divided(step, shown) if part.text)


def _divided(step: Step, passages: Sequence[str]) -> Iterator[PromptPart]:
    end, counts = 0, dict.fromkeys(_NUMBERED, 0)
    for part in step.parts:
        yield PromptPart("", step.prompt[end : part.start])
        text, end = step.prompt[part.start : part.end], part.end
        if part.kind in counts:
            counts[part.kind] += 1
            yield PromptPart(part.kind.value, text, counts[part.kind])
        elif part.kind is PartKind.QUERY:
            yield from _with_passages(text, passages)
        else:
            yield PromptPart(part.kind.value, text)
    yield PromptPart("", step.prompt[end:])


def _with_passages(query: str, passages: Sequence[str]) -> Iterator[PromptPart]:
    found = sorted((query.find(text), text) for text in passages if text in query)
    end, number = 0, 0
    for start, text in found:
        if start < end:
            continue  # within the one before
        number += 1
        yield PromptPart(PartKind.QUERY.value, query[end:start])
        yield PromptPart(PASSAGE, text, number)
        end = start + len(text)
    yield PromptPart(PartKind.QUERY.value, query[end:])


def _evidence(tried: Tried) -> list[str]:
    """The passages that were found, as prompts have them, the longest first among equals."""
    searches = (step.search for step in tried.attempt.step.walk())
    found = (each.passage.shown for search in searches if search for each in search.found)
    return [f"«{one_line(text)}»" for text in dict.fromkeys(chain(tried.passages, found))]
