"""What a run's model itself answers after the prompts that were scored, and how right that is."""

from collections.abc import Sequence

from ...demonstration.demonstration import EvaluationExample
from ...errors import InvalidInput
from ...generation import Generation, GenerationRequest
from ...metrics import overlap
from ...metrics.scores import NOTHING_GENERATED, OfAnswer
from ...watcher import Watcher
from ..plan.engine import Engine, GeneratingEngine

ANSWERS_AT_ONCE = 16
"""Answers that are asked for together, about: a model that writes several is quicker for each."""


def generating(engine: Engine) -> GeneratingEngine:
    """The engine, as one that generates.

    Raises:
        InvalidInput: It does not.
    """
    if isinstance(engine, GeneratingEngine):
        return engine
    raise InvalidInput(
        f"Answers were to be generated, and {engine.name} only scores answers that are given: "
        "evaluate without generated answers, or name a model that writes its own."
    )


def answers_after(
    engine: Engine, prompts: Sequence[str], watcher: Watcher
) -> dict[str, Generation]:
    """The model's greedy answer after each of the prompts, each generated once.

    A prompt that was scored leaves room for at least the longest answer that was scored after it,
    so that a correct answer is never too long to be written.

    Args:
        engine: What generates.
        prompts: Those that were scored, exactly.
        watcher: May let other work run between two steps, and stop it.

    Raises:
        InvalidInput: The engine generates nothing.
        Cancelled: The watcher asked to stop; what was generated before the last batch is kept.
    """
    stop, distinct = engine.template.stop, list(dict.fromkeys(prompts))
    texts = generating(engine).generate(
        [GenerationRequest(prompt, stop=stop) for prompt in distinct],
        watcher=watcher.quietly().breathing(),
    )
    return {prompt: text for prompt, (text,) in zip(distinct, texts, strict=True)}


def measured_answer(example: EvaluationExample, generation: Generation) -> OfAnswer:
    """What a generated answer has in common with the correct ones; undefined where it is none."""
    if not generation.ended_by.is_answer:
        return NOTHING_GENERATED
    text, correct = generation.text, example.answers
    return OfAnswer(
        exact_match=overlap.exact_match(text, correct),
        f1=overlap.f1(text, correct),
        precision=overlap.precision(text, correct),
        rouge_l=overlap.rouge_l(text, correct),
        nf1=overlap.novel_f1(text, correct, [example.query]),
    )
