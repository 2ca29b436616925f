"""Open-domain question answering: demonstrations that write themselves, one search, a vote."""

from collections.abc import Sequence
from operator import attrgetter

from ..example import Example
from ..primitives import (
    Annotated,
    all_but,
    annotate,
    answer_match,
    fused_retrieval,
    generate,
    majority,
    most_common,
    passage_match,
    retrieve,
    sample,
)
from ..primitives.demonstrate import SHOTS
from ..prompting import Completion
from ..prompting.templates import MCQ, QA_COT
from ..run import Outcome, Reason, Rejected, Run

AUGMENTED, PASSAGES, FEW_PASSAGES, SAMPLES = 3, 7, 2, 20
"""Demonstrations that are made, passages of a question and of a demonstration, and votes."""


def open_domain(run: Run, example: Example) -> Example:
    """The example with its demonstrations, its passages and its answer.

    Demonstrations are the same for all questions of a seed: an example that has `demos` keeps them.

    Args:
        run: With a retriever; its seed samples the training examples.
        example: The question with its training examples.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    if not example.demos:
        example = example.copy(demos=demonstrate(run, example).demos)
    return predict(run, search(run, example, PASSAGES), SAMPLES)


def comparing(run: Run, example: Example) -> Example:
    """The same, but the four most frequent answers are compared by what is found for each.

    Each is searched for together with the question, and the model chooses among them after the
    passages of all searches fused. Where the answers agree, there is nothing to compare.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5.
    """
    if not example.demos:
        example = example.copy(demos=demonstrate(run, example).demos)
    example = search(run, example, PASSAGES)
    written = generate(run, QA_COT, example, n=SAMPLES)
    options = most_common([each.last for each in written])
    if len(options) < 2:
        return _answered(example, written)
    queries = [f"{example.question} {option}" for option in options]
    found = tuple(each.passage for each in fused_retrieval(run, queries, PASSAGES))
    example = example.copy(passages=found, choices="; ".join(options))
    (chosen,) = generate(run, MCQ, example)
    return example.completed(MCQ.name, chosen.fields).copy(pred=chosen.last)


def demonstrate(run: Run, example: Example) -> Annotated:
    """Sampled training examples, the first three that came out right with their steps."""
    demos = sample(all_but(example.train, example), SHOTS, run.seed)

    def attempt(one: Example) -> Outcome:
        one = search(run, one.copy(demos=all_but(demos, one)), FEW_PASSAGES)
        if not passage_match(one):
            return Rejected(Reason.SEARCH_FAILED, one)
        one = predict(run, one, 1)
        return one if answer_match(one) else Rejected(Reason.ANSWER_WRONG, one)

    with run.trace.step("demonstrate"):
        return annotate(run, demos, attempt, AUGMENTED)


def search(run: Run, example: Example, k: int) -> Example:
    """The example with the k passages that are found for its question."""
    found = retrieve(run, example.question, k)
    return example.copy(passages=tuple(each.passage for each in found))


def predict(run: Run, example: Example, n: int) -> Example:
    """The example with the answer of most of n chains of thought; n = 1 is greedy."""
    return _answered(example, generate(run, QA_COT, example, n=n))


def _answered(example: Example, written: Sequence[Completion]) -> Example:
    chosen = majority(written, attrgetter("last"))
    return example.completed(QA_COT.name, chosen.fields).copy(pred=chosen.last)
