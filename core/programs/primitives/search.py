"""Finding passages: for a query, for several at once, and scores of given ones."""

from collections.abc import Sequence

from ...text import is_blank
from ..example import Found, Passage
from ..run import Run
from ..steps import Search, SearchKind, Step
from .demonstrate import checked_k
from .fusion import Fusion, comb_sum

FETCHED = 3
"""How many times k are fetched for each query that is fused, as in DSP's code."""


def retrieve(run: Run, query: str, k: int) -> tuple[Found, ...]:
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
) -> tuple[Found, ...]:
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
    found = tuple(Found(*pair) for pair in zip(passages, scores, strict=True))
    _add(run, Search(SearchKind.RANK, (query,), found, len(found)), begun)
    return scores


def _add(run: Run, search: Search, begun: float) -> None:
    run.trace.add(Step(search.kind.value, search=search, seconds=run.trace.now() - begun))
