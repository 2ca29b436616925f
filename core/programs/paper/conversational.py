"""The baselines, and conversational question answering, whose question is made self-contained."""

from collections.abc import Sequence

from ...metrics.overlap import f1, precision
from ..example import Example, Turn
from ..primitives import Annotations, all_but, annotate, fused_retrieval, generate, retrieve, sample
from ..primitives.demonstrate import SHOTS
from ..prompting import ProgramTemplate
from ..prompting.templates import CONV, CONV_QA, CONV_REWRITE, QA, QA_CONTEXT
from ..run import Outcome, Reason, Rejection, Run
from .open_domain import SAMPLES


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


TURNS_SHOWN, QUERIES, PASSAGES, FEW_PASSAGES = 4, 10, 5, 2
"""Turns that are sampled, queries that are fused, passages of a turn and of a demonstration."""

PRECISION, F1 = 0.8, 0.75
"""From which precision a passage holds the answer, and from which F1 an answer is right."""


def converse(run: Run, questions: Sequence[str], train: Sequence[Example]) -> tuple[Example, ...]:
    """The turns of a conversation, each answered with the program's own earlier answers before it.

    Args:
        run: With a retriever; its seed samples the training examples.
        questions: The user's, in their order.
        train: Turns of other conversations with their answers.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    turns: list[Example] = []
    demos: tuple[Example, ...] = ()
    for question in questions:
        history = tuple(Turn(turn.question, turn.pred) for turn in turns)
        turns.append(
            conversational(run, Example(question, (), history, train=tuple(train), demos=demos))
        )
        demos = turns[-1].demos
    return tuple(turns)


def conversational(
    run: Run,
    example: Example,
    *,
    shots: int = TURNS_SHOWN,
    augmented: int = TURNS_SHOWN,
    k: int = PASSAGES,
    queries: int = QUERIES,
) -> Example:
    """The example with its demonstrations, its passages and its answer.

    Demonstrations are the same for all questions of a seed: an example that has `demos` keeps them.

    Args:
        run: With a retriever; its seed samples the training examples.
        example: The question with the turns before it and its training examples.
        shots: How many turns are sampled; 0 demonstrates nothing.
        augmented: How many of them are shown with their steps, at most; 0 shows all as they are.
        k: How many passages there are; with 0 nothing is searched for, so that no demonstration
            can come out right.
        queries: How many rewritten questions are fused, >= 1, together with the first question
            and the last one joined; with 1 the most probable one is searched for alone.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    if not example.demos:
        found = demonstrate(run, example, shots=shots, augmented=augmented, k=k)
        example = example.copy(demos=found.demos)
    example = search(run, example, queries, k)
    (written,) = generate(run, CONV_QA, example)
    return example.completed(CONV_QA.name, written.fields).copy(pred=written.last)


def demonstrate(
    run: Run,
    example: Example,
    *,
    shots: int = TURNS_SHOWN,
    augmented: int = TURNS_SHOWN,
    k: int = FEW_PASSAGES,
) -> Annotations:
    """Sampled turns, with their steps where the search and one of 20 answers came out right.

    An attempt has two passages, or k where that is fewer.
    """
    demos = sample(all_but(example.train, example), shots, run.seed)

    def attempt(one: Example) -> Outcome:
        one = search(run, one.copy(demos=all_but(demos, one)), 1, min(k, FEW_PASSAGES))
        if not one.answers or max(_held(one), default=0.0) < PRECISION:
            return Rejection(Reason.SEARCH_FAILED, one)
        written = generate(run, CONV_QA, one, n=SAMPLES)
        chosen = max(written, key=lambda each: f1(each.last, one.answers))
        one = one.completed(CONV_QA.name, chosen.fields).copy(pred=chosen.last)
        right = f1(one.pred, one.answers) >= F1
        return one if right else Rejection(Reason.ANSWER_WRONG, one)

    with run.trace.step("demonstrate"):
        return annotate(run, demos, attempt, augmented)


def search(run: Run, example: Example, n: int, k: int) -> Example:
    """The example with k passages for n rewritten questions and the first and last one joined.

    One rewritten question is searched for alone.
    """
    written = generate(run, CONV_REWRITE, example, n=n)
    example = example.completed(CONV_REWRITE.name, written[0].fields)
    rewritten = [each.last for each in written]
    found = (
        retrieve(run, rewritten[0], k)
        if n == 1
        else fused_retrieval(run, [*rewritten, asked_of(example)], k)
    )
    return example.copy(passages=tuple(each.passage for each in found))


def _held(example: Example) -> list[float]:
    """For each passage, the share of an answer's tokens that it has."""
    passages = [each.shown for each in example.passages]
    return [precision(answer, [text]) for text in passages for answer in example.answers]
