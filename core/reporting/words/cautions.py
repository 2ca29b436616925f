"""Cautions in sentences: about a run's examples, and about the context of one query.

For a context that a task ordered also how, and how much of the pool was read for it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.run_figures import Leaks, RunFigures, SkippedExample, SkipReason
from ...metrics.registry import METRICS
from ...retrieval.context import Doubt
from ...retrieval.doubts import FOREIGN_SHOWN, UNREAD_SHOWN, Doubts, PoolReading
from ...retrieval.near_queries import LABEL_RULE
from ...settings import MULTILINGUAL
from ...text import counted, cut, listed
from ..results.query import Pick, TaskOrder
from .start_page import percent

NAMED = 3
"""How many of the skipped examples are named."""
_WHY = {
    SkipReason.TOO_LONG: "did not fit the window even without context",
    SkipReason.WITHOUT_TOKENS: "had an answer that this model's tokenizer turns into no tokens",
    SkipReason.EXEMPLAR: "had the query of an exemplar, which precedes every text that the model "
    "reads for its task,",
}
_DOUBTS = {
    Doubt.CUT: "the query or one in the context is longer than the encoder's window, and only its "
    "beginning counts",
    Doubt.UNREAD: "the encoder has no letters for a quarter of the query or more, so relevance "
    "says little",
    Doubt.SAME_EMBEDDING: "a demonstration in the context has the same embedding as another text, "
    "so relevance cannot distinguish them",
    Doubt.WITHOUT_WORD: "no demonstration shares a word with the query",
    Doubt.TOO_FEW: "fewer than k demonstrations may be chosen",
    Doubt.LABELS_LEFT_OUT: "an answer of the pool is longer than the model's window, or has no "
    "tokens, and is none of the labels between which the model hesitates",
}
LEAK = (
    "a demonstration in the context gives a correct answer of the example under another query "
    "(answers compared like queries: case, white space and invisible characters aside; "
    f"{LABEL_RULE}), or has a query that is much the same"
)
"""What a leak is, in words."""


def skipped_sentences(figures: RunFigures) -> list[str]:
    """A sentence for each reason why examples were skipped, with the first ones by name."""
    sentences = []
    for reason, why in _WHY.items():
        found = [each for each in figures.skipped if each.reason == reason]
        if found:
            named = _named([each for each in found if each.query])
            sentences.append(f"{_examples(len(found))} {why} and could not be used{named}.")
    return sentences


def leak_sentence(result: Calibration | Comparison) -> str:
    """How many contexts leak, for which row or cell most do, and its DPO; empty if none does."""
    worst = max(_leaks_by_name(result).items(), key=lambda each: each[1].contexts, default=None)
    if worst is None or not worst[1].contexts:
        return ""
    name, leaks = worst
    words = (
        f"Leaks: with {name}, in {leaks.contexts:,} of {_examples(leaks.examples)} the "
        "context gives the answer away under another query."
    )
    there, elsewhere = leaks.dpo_per_triple, leaks.dpo_per_triple_elsewhere
    if there is not None and elsewhere is not None:
        words += f" There DPO per triple is {there:.2f}, elsewhere {elsewhere:.2f}."
    if isinstance(result, Comparison):
        words += _leakage(result, name)
    return f"{words} Leaks can be left out."


def _leakage(comparison: Comparison, name: str) -> str:
    """What the leaks do to the row's figure; empty where that was not measured."""
    leakage, metric = comparison.methods[name].leakage, METRICS[comparison.metric]
    if leakage is None or leakage.mean is None:
        return ""
    return f" They change its {metric.label} by {leakage} over all examples ({metric.unit})."


def unused_candidates(methods: Sequence[str], candidates: int) -> str:
    """That so many candidates were asked for in vain."""
    alone = len(methods) == 1
    do, ignore = ("does", "ignores") if alone else ("do", "ignore")
    asked = counted(candidates, "candidate")
    return f"{listed(methods)} {do} not choose by similarity and {ignore} the {asked} asked for."


def doubt_counts(comparison: Comparison) -> list[str]:
    """A sentence for candidates that were not used, and one for each doubt that contexts raise.

    A doubt is counted for the method with most of them.
    """
    unused: dict[int, list[str]] = {}
    for name, each in comparison.methods.items():
        unused.setdefault(each.request.unused_candidates, []).append(name)
    sentences = [unused_candidates(names, number) for number, names in unused.items() if number]
    for doubt, what in _DOUBTS.items():
        counts = {name: each.doubts.get(doubt, 0) for name, each in comparison.methods.items()}
        name, count = max(counts.items(), key=lambda each: each[1], default=("", 0))
        if count:
            total = _examples(comparison.examples)
            sentences.append(f"With {name}, in {count:,} of {total} {what}.")
    return sentences


def leaks_counted(result: Calibration | Comparison) -> str:
    """How many contexts of each method leak, or at most at one combination of knobs."""
    found = _leaks_by_name(result)
    if isinstance(result, Comparison):
        return ", ".join(
            f"{name} {leaks.contexts:,} of {leaks.examples:,}" for name, leaks in found.items()
        )
    most = max(leaks.contexts for leaks in found.values())
    return f"at most {most:,} of {result.examples:,} at one combination"


def _leaks_by_name(result: Calibration | Comparison) -> dict[str, Leaks]:
    """The count of each method or cell."""
    if isinstance(result, Comparison):
        return {name: each.leaks for name, each in result.methods.items()}
    return {
        f"lambda_d {cell.lambda_d:.2f}, lambda_b {cell.lambda_b:.2f}, k {cell.k}": cell.leaks
        for cell in result.cells
    }


def _named(skipped: Sequence[SkippedExample]) -> str:
    if not skipped:
        return ""
    words = (
        f"{quoted(each.query)} with the answer {quoted(each.answer)}"
        if each.answer
        else quoted(each.query)
        for each in skipped
    )
    return f": {first_of(words, len(skipped))}"


def first_of(words: Iterable[str], count: int) -> str:
    """The first `NAMED` of them, and how many more there are."""
    more = [f"and {count - NAMED:,} more"] if count > NAMED else []
    return "; ".join([*islice(words, NAMED), *more])


def quoted(text: str) -> str:
    """The text in quotes; of a long one, the beginning."""
    return repr(cut(text))


def _examples(count: int) -> str:
    return counted(count, "example")


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


def unread_sentence(found: PoolReading, option: str = "") -> str:
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
