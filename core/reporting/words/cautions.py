"""Cautions about a run's examples, in sentences: those skipped, and contexts that leak."""

from collections.abc import Iterable, Sequence
from itertools import islice

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.leaks import Leaks
from ...evaluation.results.run_figures import RunFigures
from ...evaluation.results.skipping import Skipped, SkipReason
from ...metrics.registry import METRICS
from ...retrieval.comparing.answer_index import LABEL_RULE
from ...retrieval.context import Doubt
from ...text import cut, listed
from .provenance import counted

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


def _named(skipped: Sequence[Skipped]) -> str:
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
    return f"{count:,} example{'' if count == 1 else 's'}"
