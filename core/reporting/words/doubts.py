"""Cautions about one context, in sentences: what its ranking cannot distinguish, what it lacks.

For a context that a task ordered also how, and how much of the pool was read for it.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ...retrieval.doubts import FOREIGN_SHOWN, UNREAD_SHOWN, Doubts, Reading
from ...settings import MULTILINGUAL
from ..results.query import Pick, TaskOrder
from .cautions import first_of, quoted
from .provenance import counted
from .start_page import percent

_QUERY_CUT = "The query is longer than the encoder's window: only its beginning counts."
_UNREAD = "The encoder has no letters for a quarter of the query or more, so relevance says little."
IF_IT_KNOWS = (
    "A model sorts by a task only if it knows it: compare pgra with rel on Compare (label "
    "consistency) before you rely on it."
)


def doubt_sentences(doubts: Doubts, picks: Sequence[Pick] = ()) -> list[str]:
    """A sentence for each thing that a reader of the context must know; none where all is well.

    Demonstrations are named by the ranks of the `picks`, unless all of them are meant.
    """
    chosen = doubts.chosen

    def of(ids: Sequence[int], sentence: Callable[[int, str], str]) -> str:
        ranks = [str(pick.rank) for pick in picks if pick.id in ids]
        all_or_none = not ranks or len(ids) == chosen
        which = "" if all_or_none else f" (rank{'' if len(ranks) == 1 else 's'} {', '.join(ranks)})"
        return sentence(len(ids), which) if ids else ""

    same, labels = doubts.same_query, doubts.labels_left_out
    sentences = (
        f"{chosen:,} of {doubts.asked:,}: there are no more that may be chosen."
        if chosen < doubts.asked
        else "",
        _QUERY_CUT if doubts.query_cut else "",
        of(doubts.cut, _cut),
        _UNREAD if doubts.query_unread else "",
        of(doubts.same_embedding, _same_embedding),
        of(doubts.without_word, partial(_without_word, chosen)),
        _not_asked_about(labels) if labels else "",
        f"{same:,} of {chosen:,} answer the same query." if same else "",
    )
    return list(filter(None, sentences))


def _cut(count: int, which: str) -> str:
    verb, rest = ("is", "its beginning counts") if count == 1 else ("are", "their beginnings count")
    return (
        f"The {'query' if count == 1 else 'queries'} of {count:,} of these{which} {verb} longer "
        f"than the encoder's window: only {rest}."
    )


def _same_embedding(count: int, which: str) -> str:
    have, their = ("has", "its") if count == 1 else ("have", "their")
    return (
        f"{count:,} of these{which} {have} the same embedding as another text, so relevance "
        f"cannot distinguish them; {their} order is by id."
    )


def _without_word(chosen: int, count: int, which: str) -> str:
    if count == chosen:
        return "No demonstration shares a word with the query; their order is by id."
    verb = "shares" if count == 1 else "share"
    return f"{count:,} of these{which} {verb} no word with the query; their order is by id."


def _not_asked_about(labels: Sequence[str]) -> str:
    named = first_of(map(quoted, labels), len(labels))
    return (
        f"The model was not asked about {counted(len(labels), 'answer')} of the pool ({named}): "
        "longer than its window, or without tokens."
    )


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


def unread_sentence(found: Reading, option: str = "") -> str:
    """That an encoder is not one for a pool's texts; empty where only a few are concerned.

    Args:
        found: How far it serves them.
        option: What stands before an encoder's name where it is chosen on the command line.
    """
    if found.unread < UNREAD_SHOWN and found.foreign < FOREIGN_SHOWN:
        return ""
    if found.foreign - found.unread < FOREIGN_SHOWN:
        said = (
            f"This encoder does not read these texts: in {percent(found.unread)} of the queries it "
            "has no letters for a quarter or more, so relevance says little."
        )
    else:
        said = (
            "This encoder is for English. Judged by their letters and frequent words, "
            f"{percent(found.foreign)} of the queries are in another language (most often in "
            f"{found.language}), so relevance says little."
        )
    other = f"{option}{MULTILINGUAL}, an encoder for sixteen languages"
    if not found.offered:
        other = f"an encoder for their language ({MULTILINGUAL} is not)"
    return f"{said} Choose {other}, or the method bm25, which compares words."
