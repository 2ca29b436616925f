"""Whether diversity can pay in a pool, in a line: the figures, and what follows from them."""

from ...evaluation.results.suitability import HUNDREDS, Criterion, Suitability
from .start_page import percent


def suitability_line(
    found: Suitability, *, where: str = "here", with_incorrect: bool = True
) -> str:
    """The figures of a pool and what follows; empty for an empty pool.

    Args:
        found: The figures and their verdict by each criterion.
        where: How the sentence names the pool.
        with_incorrect: Whether it mentions incorrect answers; not where the page already does.
    """
    if not found.demonstrations:
        return ""
    sentences = [_redundancy(found, where)]
    if found.diversity_can_pay and found.size is Criterion.LACKS:
        sentences.append(
            f"To measure it, {found.queries:,} queries are few; {HUNDREDS:,} or more are better."
        )
    if with_incorrect:
        sentences.append(_incorrect(found))
    return " ".join(sentences)


def _redundancy(found: Suitability, where: str) -> str:
    if found.sameness is None or found.random_sameness is None:
        return (
            f"Diversity cannot pay {where}: no query has two demonstrations of other queries to "
            "choose from."
        )
    pays = found.diversity_can_pay
    return (
        f"Diversity {'can pay' if pays else 'can hardly pay'} {where}: {found.per_query:.1f} "
        f"demonstrations per query, sameness {found.sameness:z.2f} at lambda_d 1 "
        f"({found.random_sameness:z.2f} at random), so relevance alone "
        f"{'repeats' if pays else 'hardly repeats'} itself."
    )


def _incorrect(found: Suitability) -> str:
    having, queries = found.with_incorrect, found.queries
    use = "which show whether a context raises right answers above wrong ones"
    if not having:
        return f"No query has incorrect answers, {use}."
    if having == queries:
        return "Every query has incorrect answers."
    verb = "has" if having == 1 else "have"
    share = percent(having / queries)
    counted = f"{having:,} of {queries:,} queries ({share}) {verb} incorrect answers"
    return f"{counted}." if found.incorrect is Criterion.SUITS else f"Only {counted}, {use}."
