"""Multi-hop question answering: each hop summarises what is known and searches for the rest."""

from collections.abc import Sequence
from functools import partial

from ...metrics.overlap import normalised_answer
from ..example import Example, Passage
from ..primitives import Annotations, fused_retrieval, generate, majority, retrieve
from ..primitives.demonstrate import SHOTS
from ..prompting import best
from ..prompting.template import NOTHING
from ..prompting.templates import HOP, REWRITE
from ..run import Run
from .open_domain import AUGMENTED, SAMPLES, demonstrations, predict

HOPS, QUERIES, PASSAGES = 2, 10, 5
"""Hops, queries that are fused at each, and passages of a prompt."""


def multi_hop(
    run: Run,
    example: Example,
    *,
    shots: int = SHOTS,
    augmented: int = AUGMENTED,
    k: int = PASSAGES,
    samples: int = SAMPLES,
    max_hops: int = HOPS,
    queries: int = QUERIES,
) -> Example:
    """The example with its demonstrations, the evidence of its hops and its answer.

    Demonstrations are the same for all questions of a seed: an example that has `demos` keeps them.

    The arguments are those of `open_domain`, with at most `max_hops` hops, where 0 searches for
    nothing (the paper has 2 for HotPotQA, 3 in general), and `queries` fused at each, >= 1; with 1
    the most probable one is searched for alone.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4 (v2 of the search).
    """
    if not example.demos:
        found = demonstrate(run, example, max_hops, shots=shots, augmented=augmented, k=k)
        example = example.copy(demos=found.demos)
    return predict(run, search(run, example, max_hops, queries, k), samples)


def demonstrate(
    run: Run,
    example: Example,
    max_hops: int = HOPS,
    *,
    shots: int = SHOTS,
    augmented: int = AUGMENTED,
    k: int = PASSAGES,
) -> Annotations:
    """Sampled training examples, the first few that came out right with their steps."""
    found = partial(search, max_hops=max_hops, n=1, k=k)
    return demonstrations(run, example, found, shots=shots, augmented=augmented)


def search(run: Run, example: Example, max_hops: int, n: int, k: int = PASSAGES) -> Example:
    """The example with the summaries of its hops and k passages, divided among them.

    A hop writes n queries, which are fused together with the question, while one is searched for
    alone; it is the last hop where most of them are N/A. Its summary is the one of the highest mean
    log-probability; the first hop has nothing to summarise, and its rationale takes that place.
    """
    found: list[tuple[Passage, ...]] = []
    for hop in range(max_hops):
        template, stage = HOP if hop else REWRITE, f"hop {hop + 1}"
        written = generate(run, template, example, n=n, stage=stage)
        queries = [each.last for each in written]
        example = example.completed(stage, best(written).fields)
        if _says_nothing(majority(queries)):
            break
        queries = [each for each in queries if not _says_nothing(each)]
        passages = (
            retrieve(run, queries[0], k)
            if n == 1
            else fused_retrieval(run, [*queries, example.question], k)
        )
        found.append(tuple(each.passage for each in passages))
        summary = best(written)[template.generated[0].name]
        summaries = (*example.summaries, summary) if summary else example.summaries
        example = example.copy(summaries=summaries, passages=divided(found, k))
    return example


def divided(found: Sequence[Sequence[Passage]], most: int) -> tuple[Passage, ...]:
    """The first passages of each hop, together at most that many, each once, in order of hops.

    Each hop has the same share, later ones one more where it does not come out even: 5 of two hops
    are 2 and 3.
    """
    share, rest = divmod(most, max(1, len(found)))
    chosen: dict[int, Passage] = {}
    for hop, passages in enumerate(found):
        fresh = [each for each in passages if each.id not in chosen]
        size = share + (hop >= len(found) - rest)
        chosen |= {each.id: each for each in fresh[:size]}
    return tuple(chosen.values())


def _says_nothing(query: str) -> bool:
    return normalised_answer(query) in ("", normalised_answer(NOTHING))
