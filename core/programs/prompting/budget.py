"""The prompt that fits the model's window, and what had to be left out of it.

Raw demonstrations are left out first, then augmented ones, both from the front, then passages from
the back. Nothing is ever cut inside a field.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...errors import InvalidInput
from ...text import short
from ..example import Example
from .template import ProgramPrompt, ProgramTemplate


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a prompt had no room for.

    Attributes:
        raw: The questions of raw demonstrations.
        augmented: The questions of augmented demonstrations.
        passages: The ids of passages, in the order of the prompt.
    """

    raw: tuple[str, ...] = ()
    augmented: tuple[str, ...] = ()
    passages: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything was left out."""
        return bool(self.raw or self.augmented or self.passages)

    def __str__(self) -> str:
        """What was left out, in words: "2 raw demonstrations, 1 passage"."""
        counts = (
            (len(self.raw), "raw demonstration"),
            (len(self.augmented), "augmented demonstration"),
            (len(self.passages), "passage"),
        )
        return ", ".join(f"{n} {what}{'s' * (n > 1)}" for n, what in counts if n) or "nothing"


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt within its budget; `example` has the passages that it shows, `tokens` its length."""

    prompt: ProgramPrompt
    example: Example
    left_out: LeftOut
    tokens: int


def fitted(
    template: ProgramTemplate,
    example: Example,
    stage: str,
    *,
    most: int,
    count_tokens: Callable[[str], int],
) -> FittedPrompt:
    """The prompt of a stage with as much as fits.

    Args:
        template: Of the stage.
        example: What is asked, with its demonstrations and passages.
        stage: The stage's name, by which demonstrations know what they did there.
        most: The most tokens of the prompt: the window less what may be written.
        count_tokens: How many tokens a prompt has.

    Raises:
        InvalidInput: It does not fit even without demonstrations and passages.
    """
    tokens = 0
    for raw, augmented, shortened, left_out in _ever_less(template, example, stage):
        prompt = template.prompt(shortened, raw, augmented)
        tokens = count_tokens(prompt.text)
        if tokens <= most:
            return FittedPrompt(prompt, shortened, left_out, tokens)
    raise InvalidInput(
        f"The prompt of stage {stage!r} for {short(example.question)!r} has {tokens:,} tokens "
        f"without any demonstration or passage, and {max(most, 0):,} is the most that leaves room "
        "for what is written: ask for fewer tokens, or shorten the question."
    )


def _ever_less(
    template: ProgramTemplate, example: Example, stage: str
) -> Iterator[tuple[tuple[Example, ...], tuple[Example, ...], Example, LeftOut]]:
    raw, augmented = template.demonstrations(example.demos, stage)
    passages = example.passages
    shows_passages = any(field.name == "context" for field in template.given)
    without_raw = tuple(demo.question for demo in raw)
    without_all = tuple(demo.question for demo in augmented)
    for start in range(len(raw) + 1):
        yield raw[start:], augmented, example, LeftOut(without_raw[:start])
    for start in range(1, len(augmented) + 1):
        yield (), augmented[start:], example, LeftOut(without_raw, without_all[:start])
    for end in range(len(passages) - 1 if shows_passages else -1, -1, -1):
        gone = tuple(passage.id for passage in passages[end:])
        shorter = example.copy(passages=passages[:end])
        yield (), (), shorter, LeftOut(without_raw, without_all, gone)
