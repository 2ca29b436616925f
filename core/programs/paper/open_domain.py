"""Open-domain question answering: demonstrations that write themselves, one search, a vote."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

from ..example import Example
from ..primitives import (
    Annotations,
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
from ..run import Outcome, Reason, Rejection, Run

AUGMENTED, PASSAGES, FEW_PASSAGES, SAMPLES = 3, 7, 2, 20
"""Demonstrations that are made, passages of a question and of a demonstration, and votes."""


def open_domain(
    run: Run,
    example: Example,
    *,
    shots: int = SHOTS,
    augmented: int = AUGMENTED,
    k: int = PASSAGES,
    samples: int = SAMPLES,
) -> Example:
    """The example with its demonstrations, its passages and its answer.

    Demonstrations are the same for all questions of a seed: an example that has `demos` keeps them.

    Args:
        run: With a retriever; its seed samples the training examples.
        example: The question with its training examples.
        shots: How many training examples are sampled; 0 demonstrates nothing.
        augmented: How many of them are shown with their steps, at most; 0 shows all as they are.
        k: How many passages there are; with 0 nothing is searched for, so that no demonstration
            can come out right.
        samples: How many answers are voted on; 1 is the most probable one.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    if not example.demos:
        found = demonstrate(run, example, shots=shots, augmented=augmented, k=k)
        example = example.copy(demos=found.demos)
    return predict(run, search(run, example, k), samples)


def comparing(
    run: Run,
    example: Example,
    *,
    shots: int = SHOTS,
    augmented: int = AUGMENTED,
    k: int = PASSAGES,
    samples: int = SAMPLES,
) -> Example:
    """The same, but the four most frequent answers are compared by what is found for each.

    Each is searched for together with the question, and the model chooses among them after the
    passages of all searches fused. Where the answers agree, there is nothing to compare; one sample
    agrees with itself. The arguments are those of `open_domain`.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.5.
    """
    if not example.demos:
        found = demonstrate(run, example, shots=shots, augmented=augmented, k=k)
        example = example.copy(demos=found.demos)
    example = search(run, example, k)
    written = generate(run, QA_COT, example, n=samples)
    options = most_common([each.last for each in written])
    if len(options) < 2:
        return _answered(example, written)
    queries = [f"{example.question} {option}" for option in options]
    passages = tuple(each.passage for each in fused_retrieval(run, queries, k))
    example = example.copy(passages=passages, choices="; ".join(options))
    (chosen,) = generate(run, MCQ, example)
    return example.completed(MCQ.name, chosen.fields).copy(pred=chosen.last)


def demonstrate(
    run: Run,
    example: Example,
    *,
    shots: int = SHOTS,
    augmented: int = AUGMENTED,
    k: int = FEW_PASSAGES,
) -> Annotations:
    """Sampled training examples, the first few that came out right with their steps.

    An attempt has two passages, or k where that is fewer.
    """
    found = partial(search, k=min(k, FEW_PASSAGES))
    return demonstrations(run, example, found, shots=shots, augmented=augmented)


def demonstrations(
    run: Run,
    example: Example,
    search: Callable[[Run, Example], Example],
    *,
    shots: int,
    augmented: int,
) -> Annotations:
    """Sampled training examples, the first few where this search and one answer came out right."""
    demos = sample(all_but(example.train, example), shots, run.seed)

    def attempt(one: Example) -> Outcome:
        one = search(run, one.copy(demos=all_but(demos, one)))
        if not passage_match(one):
            return Rejection(Reason.SEARCH_FAILED, one)
        one = predict(run, one, 1)
        return one if answer_match(one) else Rejection(Reason.ANSWER_WRONG, one)

    with run.trace.step("demonstrate"):
        return annotate(run, demos, attempt, augmented)


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
