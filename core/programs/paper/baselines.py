"""The baselines: the question alone, and the question with the passages found for it."""

from ..example import Example
from ..primitives import all_but, generate, retrieve, sample
from ..primitives.demonstrate import SHOTS
from ..prompting import ProgramTemplate
from ..prompting.templates import CONV, CONV_QA, QA, QA_CONTEXT
from ..run import Run


def vanilla(
    run: Run, example: Example, *, shots: int = SHOTS, template: ProgramTemplate | None = None
) -> Example:
    """The example with the model's greedy answer after sampled raw demonstrations.

    Args:
        run: Needs no retriever.
        example: The question with its training examples; its own question is left out of them.
        shots: How many are sampled; 0 asks without any. For conversations the paper has 4.
        template: Of the prompt; None is `QA`, and `CONV` where there are turns of conversations.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.3.
    """
    template = template or (CONV if _converses(example) else QA)
    example = example.copy(demos=sample(all_but(example.train, example), shots, run.seed))
    (written,) = generate(run, template, example)
    return example.completed(template.name, written.fields).copy(pred=written.last)


def retrieve_then_read(
    run: Run,
    example: Example,
    *,
    shots: int = SHOTS,
    k: int = 1,
    template: ProgramTemplate | None = None,
    passages_for_demos: bool = False,
) -> Example:
    """The same with the passages that the retriever finds for the question.

    Args:
        run: With a retriever.
        example: The question with its training examples; of a conversation the first question and
            the last one are searched for together.
        shots: How many training examples are sampled.
        k: How many passages; the paper has 1, and 2 for multi-hop questions.
        template: Of the prompt; None is `QA_CONTEXT`, and `CONV_QA` where there are turns of
            conversations.
        passages_for_demos: Whether the demonstrations get passages for their questions too, as the
            paper's text has it; its code does without.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.3.
    """

    def read(one: Example) -> Example:
        return one.copy(passages=tuple(each.passage for each in retrieve(run, asked_of(one), k)))

    template = template or (CONV_QA if _converses(example) else QA_CONTEXT)
    demos = sample(all_but(example.train, example), shots, run.seed)
    example = read(example.copy(demos=tuple(map(read, demos)) if passages_for_demos else demos))
    (written,) = generate(run, template, example)
    return example.completed(template.name, written.fields).copy(pred=written.last)


def asked_of(example: Example) -> str:
    """The question as a query; in a conversation the first question, then the last one."""
    first = [turn.question for turn in example.history[:1]]
    return " ".join([*first, example.question])


def _converses(example: Example) -> bool:
    return bool(example.history) or any(each.history for each in example.train)
