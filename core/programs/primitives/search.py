"""Finding passages: for a query, for several at once and fused, and scores of given ones."""

from collections.abc import Callable, Sequence
from math import exp, fsum
from typing import TypeAlias

from ...errors import InvalidInput
from ...text import is_blank
from ..example import Passage, ScoredPassage
from ..run import Run
from ..steps import Search, SearchKind, Step
from .demonstrate import checked_k

TEMPERATURE = 0.05
"""The softmax temperature at which cosines become probabilities."""

OFFSET = 60
"""What reciprocal rank adds to a rank, so that the first ones do not decide alone."""

Fusion: TypeAlias = Callable[[Sequence[Sequence[ScoredPassage]]], tuple[ScoredPassage, ...]]
"""Lists of passages, each with the best first, as one list with the best first."""


def comb_sum(
    lists: Sequence[Sequence[ScoredPassage]], temperature: float = TEMPERATURE
) -> tuple[ScoredPassage, ...]:
    """Every passage with the sum of its probabilities over the lists, the highest first.

    A passage that a list lacks gets nothing from it. Where a retriever gives no probabilities, they
    are the softmax of the list's scores / temperature. Equal sums are in the order of ids. The
    order of the lists does not matter.

    Args:
        lists: What was found; a passage that is twice in one list counts at its first place.
        temperature: Of the softmax, above 0, in units of the scores: towards 0 every list votes for
            its first passage only, and a high one gives every passage of a list the same share.

    Raises:
        InvalidInput: The temperature is not above 0.

    Source: CombSUM of Fox and Shaw 1994, as in Khattab et al. 2022, Demonstrate-Search-Predict,
        section 2.4.
    """
    if not temperature > 0:
        raise InvalidInput(f"To fuse, the temperature is {temperature}; it must be above 0.")
    return _summed(lists, lambda found: _probabilities(found, temperature))


def reciprocal_rank(
    lists: Sequence[Sequence[ScoredPassage]], offset: float = OFFSET
) -> tuple[ScoredPassage, ...]:
    """Every passage with the sum of 1 / (offset + its rank) over the lists, the highest first.

    Ranks count from 1. Scores do not matter, so lists of different retrievers can be fused.

    Args:
        lists: As for `comb_sum`.
        offset: 0 or more: the higher, the less the first ranks differ.

    Raises:
        InvalidInput: The offset is negative.

    Source: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion.
    """
    if not offset >= 0:
        raise InvalidInput(f"To fuse by rank, the offset is {offset}; it must be 0 or more.")
    return _summed(lists, lambda found: [1 / (offset + rank) for rank in range(1, len(found) + 1)])


def _summed(
    lists: Sequence[Sequence[ScoredPassage]],
    values: Callable[[Sequence[ScoredPassage]], Sequence[float]],
) -> tuple[ScoredPassage, ...]:
    passages: dict[int, Passage] = {}
    votes: dict[int, list[float]] = {}
    for found in lists:
        firsts: dict[int, ScoredPassage] = {}
        for each in found:
            firsts.setdefault(each.passage.id, each)
        once = list(firsts.values())
        for each, value in zip(once, values(once), strict=True):
            passages[each.passage.id] = each.passage
            votes.setdefault(each.passage.id, []).append(value)
    # fsum rounds once, so that no order of the lists gives another sum.
    sums = {id: fsum(each) for id, each in votes.items()}
    return tuple(
        ScoredPassage(passages[id], sums[id]) for id in sorted(sums, key=lambda id: (-sums[id], id))
    )


def _probabilities(found: Sequence[ScoredPassage], temperature: float) -> list[float]:
    given = [each.probability for each in found if each.probability is not None]
    if len(given) == len(found):
        return given
    highest = max(each.score for each in found)
    powers = [exp((each.score - highest) / temperature) for each in found]
    total = fsum(powers)
    return [power / total for power in powers]


FETCHED = 3
"""How many times k are fetched for each query that is fused, as in DSP's code."""


def retrieve(run: Run, query: str, k: int) -> tuple[ScoredPassage, ...]:
    """The retriever's k best passages for the query, the best first.

    Args:
        run: Its trace gets a step.
        query: What is searched for.
        k: How many, >= 0; fewer come where there are fewer.

    Raises:
        InvalidInput: k is negative, or the run has no retriever.
        Cancelled: The run was stopped.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.4.
    """
    run.go_on()
    begun = run.trace.now()
    retriever = run.retrieving()
    found = tuple(retriever.search(query, k))[:k] if checked_k(k) else ()
    _add(run, Search(SearchKind.RETRIEVE, (query,), found, k), begun)
    return found


def fused_retrieval(
    run: Run, queries: Sequence[str], k: int, fuse: Fusion = comb_sum
) -> tuple[ScoredPassage, ...]:
    """The k best passages of several queries together, the best first.

    For each query 3k passages are fetched and the lists are fused. Blank queries are left out; an
    equal query is fetched once and counts as often as it is given. Without a query the result is
    empty.

    Args:
        run: Its trace gets a step, with one a query below it.
        queries: In any order.
        k: How many passages, >= 0.
        fuse: One list out of several: `comb_sum` or `reciprocal_rank`.

    Raises:
        InvalidInput: k is negative, or the run has no retriever.
        Cancelled: The run was stopped.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.4, and its code.
    """
    wanted = [query for query in queries if not is_blank(query)]
    checked_k(k)
    with run.trace.step(SearchKind.FUSE.value) as opened:
        lists = {query: retrieve(run, query, FETCHED * k) for query in dict.fromkeys(wanted)}
        found = fuse([lists[query] for query in wanted])[:k]
        opened.search = Search(SearchKind.FUSE, tuple(wanted), found, k)
    return found


def rank(run: Run, query: str, passages: Sequence[Passage]) -> tuple[float, ...]:
    """The retriever's score of each passage for the query, in the order of the passages.

    Raises:
        InvalidInput: The run has no retriever.
        Cancelled: The run was stopped.
        ValueError: The retriever gives another number of scores.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.4.
    """
    run.go_on()
    begun = run.trace.now()
    retriever = run.retrieving()
    scores = tuple(map(float, retriever.scores(query, passages) if passages else ()))
    found = tuple(ScoredPassage(*pair) for pair in zip(passages, scores, strict=True))
    _add(run, Search(SearchKind.RANK, (query,), found, len(found)), begun)
    return scores


def _add(run: Run, search: Search, begun: float) -> None:
    run.trace.add(Step(search.kind.value, search=search, seconds=run.trace.now() - begun))
