"""Cautions about one context, in sentences: what its ranking cannot distinguish, what it lacks.

For a context that a task ordered also how, and how much of the pool was read for it.
"""

from collections.abc import Sequence

from ...retrieval.doubts import Doubts
from ..results.query import Pick, TaskOrder
from .cautions import first_of, quoted

UNREAD_SHOWN = 0.05
"""The share of a pool's queries from which an encoder is reported as unable to read them."""
IF_IT_KNOWS = (
    "A model sorts by a task only if it knows it: compare pgra with rel on Compare (label "
    "consistency) before you rely on it."
)


def doubt_sentences(doubts: Doubts, picks: Sequence[Pick] = ()) -> list[str]:
    """A sentence for each thing that a reader of the context must know; none where all is well.

    Demonstrations are named by the ranks of the `picks`, unless all of them are meant.
    """
    found, chosen = [], doubts.chosen

    def which(ids: Sequence[int]) -> str:
        ranks = [str(pick.rank) for pick in picks if pick.id in ids]
        if not ranks or len(ids) == chosen:
            return ""
        return f" (rank{'' if len(ranks) == 1 else 's'} {', '.join(ranks)})"

    if chosen < doubts.asked:
        found.append(f"{chosen:,} of {doubts.asked:,}: there are no more that may be chosen.")
    if doubts.query_cut:
        found.append("The query is longer than the encoder's window: only its beginning counts.")
    if count := len(doubts.cut):
        one = count == 1
        found.append(
            f"The {'query' if one else 'queries'} of {count:,} of these{which(doubts.cut)} "
            f"{'is' if one else 'are'} longer than the encoder's window: only "
            f"{'its beginning counts' if one else 'their beginnings count'}."
        )
    if doubts.query_unread:
        found.append(
            "The encoder has no letters for a quarter of the query or more, so relevance says "
            "little."
        )
    if count := len(doubts.same_embedding):
        have, their = ("has", "its") if count == 1 else ("have", "their")
        found.append(
            f"{count:,} of these{which(doubts.same_embedding)} {have} the same embedding as "
            f"another text, so relevance cannot distinguish them; {their} order is by id."
        )
    if count := len(doubts.without_word):
        found.append(
            "No demonstration shares a word with the query; their order is by id."
            if count == chosen
            else f"{count:,} of these{which(doubts.without_word)} "
            f"{'shares' if count == 1 else 'share'} no word with the query; their order is by id."
        )
    if doubts.same_query:
        found.append(f"{doubts.same_query:,} of {chosen:,} answer the same query.")
    return found


def order_sentence(order: TaskOrder) -> str:
    """How a task ordered the candidates of a query, and whether their labels are the query's."""
    drawn, precede = len(order.exemplars), "precedes" if order.shown == 1 else "precede"
    before = f"{order.shown:,} exemplar{'' if order.shown == 1 else 's'} {precede} the query"
    if not drawn:
        before = "no exemplar precedes the query"
    elif order.shown < drawn:
        before = (
            f"{order.shown:,} of {drawn:,} exemplars {precede} the query, as many as fit the "
            "model's window"
        )
    kept = "is kept, the one" if order.kept == 1 else "are kept, those"
    found = (
        f"Task {order.task}: {order.kept:,} of {order.candidates:,} candidates {kept} that the "
        f"model finds most like the query when it is about to answer; {before}."
    )
    if not order.words or not order.kept:
        return found
    have = "has" if order.consistent == 1 else "have"
    return (
        f"{found} {order.consistent:,} of {order.kept:,} kept {have} the query's label "
        f"({' or '.join(order.words)}); stage 1's first {order.kept:,}: "
        f"{order.consistent_first:,}; by chance {order.kept * order.chance:.1f}."
    )


def order_cautions(order: TaskOrder) -> list[str]:
    """Cautions about such a context, a sentence each; the last one applies to every context."""
    found = []
    if order.own:
        found.append(
            "The query is one of the exemplars, so the model sees its label: choose another query, "
            "or another seed."
        )
    if count := order.shortened:
        found.append(
            f"Before {count:,} of the pool's texts there is room for fewer exemplars than before "
            "the others, so that their states compare less well."
        )
    if count := len(order.skipped):
        named = first_of(map(quoted, order.skipped_texts), count)
        found.append(
            f"{count:,} {'text is' if count == 1 else 'texts are'} longer than the model's window "
            f"even without exemplars and never kept: {named}."
        )
    return [*found, IF_IT_KNOWS]


def order_sentences(order: TaskOrder | None) -> list[str]:
    """All sentences about a task's order; none where there is no such order."""
    return [] if order is None else [order_sentence(order), *order_cautions(order)]


def cut_sentence(queries: Sequence[str]) -> str:
    """How many of a pool's queries the encoder cuts, the first by name; empty where none is."""
    if not queries:
        return ""
    named = first_of(map(quoted, queries), len(queries))
    one = len(queries) == 1
    return (
        f"{len(queries):,} {'query is' if one else 'queries are'} longer than the encoder's "
        f"window, and only {'its beginning counts' if one else 'their beginnings count'}: {named}."
    )


def unread_sentence(share: float) -> str:
    """That an encoder does not read a pool's texts; empty where only a few are concerned."""
    if share < UNREAD_SHOWN:
        return ""
    return (
        f"This encoder does not read these texts: in {share:.0%} of the queries it has no letters "
        "for a quarter or more, so relevance says little. Choose an encoder for their language, or "
        "the method bm25, which compares words."
    )
