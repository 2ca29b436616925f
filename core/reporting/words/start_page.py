"""The sentences of the start page, and whether diversity can pay in a pool."""

from ...evaluation.results.suitability import HUNDREDS, Criterion, Suitability
from ...text import number
from ..results.idea import AnswerWay, Chosen, Idea, Opening, Preference

WHAT = (
    "Before a language model answers, it can be shown a few solved cases, called demonstrations. "
    "Shotlist chooses which ones, and measures what each choice does to the answers."
)
"""What Shotlist is, for a person who has not read a paper."""

WAITING = "Waiting for the model."


def headline(idea: Idea) -> str:
    """What this query shows, in one sentence."""
    similar, mix = idea.similar.preference, idea.mix.preference
    if similar is None or mix is None:
        return "The same query, answered with different demonstrations"
    if mix.wins and not similar.wins:
        return "With look-alikes the model prefers a wrong answer, with a mix the right one"
    if similar.wins and not mix.wins:
        return "With look-alikes the model prefers the right answer, with a mix a wrong one"
    if not mix.wins:
        return "With neither choice does the model prefer the right answer"
    return "With either choice the model prefers the right answer"


def repeats(way: AnswerWay) -> str:
    """How many demonstrations of a context repeat an earlier one."""
    many = len(way.shown)
    if many < 2:
        return f"{many} demonstration" if many else "No demonstrations"
    if not way.repeated:
        return f"All {many} differ"
    verb = "repeats" if way.repeated == 1 else "repeat"
    return f"{way.repeated} of {many} {verb} one before"


def sameness(way: AnswerWay) -> str:
    """The figure behind `repeats`; empty where it is undefined."""
    if way.sameness is None:
        return ""
    return f", sameness {way.sameness:.2f}"


SAMENESS = "Sameness: mean cosine of the context's pairs; lower is more diverse."
CHOICE = "Bars: the two answers' probabilities, made to sum to 1."


def percent(probability: float) -> str:
    """A probability in percent; one that is merely close to 0 or 1 is never 0 % or 100 %."""
    if 0.0 < probability < 0.01:
        return "under 1 %"
    if 0.99 < probability < 1.0:
        return "over 99 %"
    return f"{100 * probability:.0f} %"


def verdict(preference: Preference | None) -> str:
    """What the model prefers, and how strongly."""
    if preference is None:
        return WAITING
    if preference.wins:
        return f"Right answer preferred: {percent(preference.right)}"
    return f"Wrong answer preferred: {percent(1 - preference.right)}"


def usual(chosen: Chosen | None) -> tuple[str, ...]:
    """How usual this is, over all queries of the example; nothing where that is unknown."""
    if chosen is None:
        return ()
    none, similar, mix = chosen.right
    return (
        f"Over all {chosen.queries:,} queries of the example the right answer wins in {none:,} "
        f"without demonstrations, in {similar:,} with the most similar ones and in {mix:,} with "
        "the mix.",
        f"This query was chosen to show the effect: of the {chosen.showing:,} queries whose most "
        "similar demonstrations repeat one another and whose right answer wins only with the mix, "
        f"it gains most. {wins_and_losses(chosen)}",
    )


def small_print(idea: Idea) -> str:
    """Where the figures come from and what they are."""
    return f"{idea.provenance} {SAMENESS} {CHOICE}"


def why_chosen(shown: Opening, query: str) -> str:
    """What a reader must know about the query on the screen; empty where it was not chosen."""
    chosen = shown.chosen
    if chosen is None or query not in (shown.query, shown.typical):
        return ""
    if query == shown.query:
        return (
            f"An example chosen to show the effect: it gains {nats(chosen.gain)} per triple from a "
            f"mix, the median query {nats(chosen.median_gain)}."
        )
    return (
        f"A typical query: its gain from a mix, {nats(chosen.typical_gain)} per triple, is nearest "
        f"to the median of {chosen.queries:,} queries."
    )


def how_chosen(chosen: Chosen) -> str:
    """From how many queries the example was chosen, and how often the mix decides."""
    return (
        f"Of the {chosen.showing:,} queries whose most similar demonstrations repeat one another "
        "and whose right answer wins only with a mix, the example gains most from the mix over "
        f"similarity alone. {wins_and_losses(chosen)}"
    )


def wins_and_losses(chosen: Chosen) -> str:
    """How often the mix decides whether the right answer wins, both ways."""
    return (
        f"The mix turns the right answer from losing to winning in {chosen.won:,} of "
        f"{chosen.queries:,} queries, and from winning to losing in {chosen.lost:,}."
    )


def nats(value: float) -> str:
    """A gain in words; a zero has no sign."""
    return f"{number(value)} nats"


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
