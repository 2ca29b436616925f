"""A prompt in its parts, as people look at it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ...programs import Step
from ...programs.prompting import PartKind
from ...programs.prompting.template import one_line
from ...reporting.results.query import PASSAGE, PromptPart

_NUMBERED = (PartKind.RAW, PartKind.AUGMENTED)


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step in which the model was asked or passages were searched; `depth` is that of the tree.

    Only steps that are shown themselves count in its depth, from 0.
    """

    step: Step
    depth: int


def shown_steps(steps: Iterable[Step]) -> tuple[ShownStep, ...]:
    """These steps and those below them, as far as they asked the model or searched, in order."""

    def each(steps: Iterable[Step], depth: int) -> Iterator[ShownStep]:
        for step in steps:
            shown = bool(step.prompt) or step.search is not None
            if shown:
                yield ShownStep(step, depth)
            yield from each(step.children, depth + shown)

    return tuple(each(steps, 0))


def parts_of(step: Step, passages: Sequence[str]) -> tuple[PromptPart, ...]:
    """The step's prompt in its parts; their texts, one after the other, are the prompt.

    Within the query, these passages are parts of their own (see `evidence`). Separators between the
    parts have no kind, and so has a prompt that its program does not divide.
    """
    return tuple(part for part in _divided(step, passages) if part.text)


def evidence(steps: Iterable[Step], shown: Sequence[str] = ()) -> tuple[str, ...]:
    """The passages that these steps found and those of the example, each as prompts have it."""
    searches = (step.search for tree in steps for step in tree.walk())
    found = (each.passage.shown for search in searches if search for each in search.found)
    return tuple(f"«{one_line(text)}»" for text in dict.fromkeys(chain(shown, found)))


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
