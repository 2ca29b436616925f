"""Verdicts in sentences: whether contexts help or harm, whether task states sort better.

DPO per triple never decides that contexts harm without delta.
"""

from collections.abc import Callable

from ...evaluation.results.cells import CalibrationCell
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.label_figures import CONSISTENCY, LabelFigures, TaskSorting
from ...evaluation.results.verdict import PER_TRIPLE, Sorting, Verdict
from ...metrics.registry import METRICS
from ...text import listed
from ..results.query import Effect
from ..results.story import MethodLine
from .calibration_findings import ANOTHER_MODEL
from .rows import shows_no_demonstrations

JUDGED = (PER_TRIPLE, "dpo", "delta")
"""The metrics that come with a verdict on contexts against none."""
DOES_NOT_KNOW = "it does not know this task. Take a larger model, or"
"""For a model whose task states sort worse than embeddings; an alternative follows."""
RIGHT_ANSWERS = "accuracy"
"""What MC1 is where every example has all other labels as incorrect answers."""
_PAIRS_LOSE = "some pairs of a correct and an incorrect answer lose much"
_OF_THE_BEST: dict[Verdict, Callable[[CalibrationCell], str]] = {
    Verdict.HELPS: lambda best: "The best context clearly beats no context.",
    Verdict.HARMS: lambda best: (
        "Even the best context clearly harms: DPO per triple is below -0.69 and delta below 0 "
        f"({best.delta} nats per triple), so this model does better alone."
    ),
    Verdict.SOME_LOSE_MUCH: lambda best: (
        "Even with the best context some queries lose much: DPO per triple is clearly below "
        f"-0.69, but delta is not clearly below 0 ({best.delta} nats per triple)."
    ),
    Verdict.NO_CLEAR_EFFECT: lambda best: (
        "The best context is not clearly different from no context."
    ),
    Verdict.TOO_FEW: lambda best: (
        "There are too few examples to say whether any context helps or harms."
    ),
}
_OF_ONE_QUERY = {
    Verdict.HELPS: (
        "For this query the context helps: DPO per triple is above -0.69, so delta is above 0 too."
    ),
    Verdict.HARMS: (
        "For this query the context harms: DPO per triple is below -0.69, and delta below 0."
    ),
    Verdict.SOME_LOSE_MUCH: (
        f"For this query {_PAIRS_LOSE}: DPO per triple is below -0.69, but delta is not below 0."
    ),
    Verdict.NO_CLEAR_EFFECT: (
        "For this query the context has no clear effect: DPO per triple is about -0.69."
    ),
}


def verdict_of_the_best(verdict: Verdict, best: CalibrationCell) -> str:
    """The effect of the best cell's contexts against none, in a sentence."""
    return _OF_THE_BEST[verdict](best)


def verdict_sentences(comparison: Comparison) -> list[str]:
    """The effect of each row's contexts against none, a sentence for each verdict that occurs.

    Where the figures mean nothing, that alone.
    """
    if comparison.settings.by_a_toy:
        return [ANOTHER_MODEL]
    found = {
        verdict: [
            name
            for name, each in comparison.methods.items()
            if not shows_no_demonstrations(comparison, name) and each.verdict is verdict
        ]
        for verdict in Verdict
    }
    return [_of_methods(comparison, verdict, names) for verdict, names in found.items() if names]


def caution_where_none_leads(comparison: Comparison) -> str:
    """The rows that are behind none although delta does not agree; empty if there are none."""
    names = [
        name for name, each in comparison.methods.items() if each.verdict is Verdict.SOME_LOSE_MUCH
    ]
    if not names:
        return ""
    return f"With {listed(names)} some queries lose much, while delta is not clearly below 0."


def _of_methods(comparison: Comparison, verdict: Verdict, names: list[str]) -> str:
    who, s = listed(names), "s" if len(names) == 1 else ""
    if verdict is Verdict.HELPS:
        return f"{who} clearly help{s}: DPO per triple is above -0.69, so delta is above 0 too."
    if verdict is Verdict.HARMS:
        return (
            f"{who} clearly harm{s}: DPO per triple is below -0.69, and delta below 0 "
            f"({_deltas(comparison, names)})."
        )
    if verdict is Verdict.SOME_LOSE_MUCH:
        return (
            f"With {who} some queries lose much: DPO per triple, in which losses weigh more than "
            "gains, is clearly below -0.69, but delta is not clearly below 0 "
            f"({_deltas(comparison, names)})."
        )
    if verdict is Verdict.NO_CLEAR_EFFECT:
        return f"No clear effect against no demonstrations: {who}."
    return f"Too few examples to say whether contexts help or harm: {who}."


def _deltas(comparison: Comparison, names: list[str]) -> str:
    return ", ".join(f"{name} {comparison.value(name, 'delta')}" for name in names)


def verdict_of_effect(effect: Effect) -> str:
    """The effect of the context on one query, in a sentence; empty without incorrect answers."""
    return "" if effect.verdict is None else _OF_ONE_QUERY[effect.verdict]


def short_verdict(line: MethodLine) -> str:
    """The effect of a method's context on one example, in a few words; empty without a context."""
    if not line.ids:
        return ""
    if line.verdict is Verdict.SOME_LOSE_MUCH:
        return "some pairs lose much"
    return "" if line.verdict is None else str(line.verdict)


def label_sentences(comparison: Comparison) -> list[str]:
    """What to know beside label consistency in a pool with a task; none in other pools."""
    labels = comparison.labels
    if labels is None:
        return []
    found = []
    if labels.chance is not None:
        found.append(
            f"Chance for {METRICS[CONSISTENCY].label.lower()}: {labels.chance:.3f}, the mean share "
            "of the query's own label among the demonstrations of all other queries "
            f"(task {labels.task})."
        )
    if labels.all_offered:
        found.append(
            f"MC1 here is the {RIGHT_ANSWERS} of choosing the label: every example has all other "
            "labels as incorrect answers."
        )
    return [*found, *_sorting(labels, (Sorting.BETTER, Sorting.TOO_FEW))]


def sorting_warnings(comparison: Comparison) -> list[str]:
    """That task states sort no better than what fetched the candidates; none where they do."""
    doubtful = (Sorting.WORSE, Sorting.NO_BETTER, Sorting.NOT_CLEARLY_BETTER)
    return [] if comparison.labels is None else _sorting(comparison.labels, doubtful)


def _sorting(labels: LabelFigures, verdicts: tuple[Sorting, ...]) -> list[str]:
    """A sentence for each of these verdicts and each kind of first stage that has it."""
    found: dict[tuple[Sorting, str], list[TaskSorting]] = {}
    as_good = {each.ranked_by for each in labels.sorted if each.verdict is Sorting.NO_BETTER}
    for each in labels.sorted:
        # Where some rows are worse and others are as good, they share the weaker sentence.
        weaker = each.verdict is Sorting.WORSE and each.ranked_by in as_good
        verdict = Sorting.NO_BETTER if weaker else each.verdict
        found.setdefault((verdict, each.ranked_by), []).append(each)
    return [
        _SORTING[verdict](stage, _sorted_rows(rows))
        for (verdict, stage), rows in found.items()
        if verdict in verdicts
    ]


def _sorted_rows(rows: list[TaskSorting]) -> str:
    each = (f"{one.row} less {one.first_stage} {one.difference}" for one in rows)
    return f"{METRICS[CONSISTENCY].label}, {', '.join(each)}."


_SORTING: dict[Sorting, Callable[[str, str], str]] = {
    Sorting.BETTER: lambda stage, figures: (
        f"This model sorts these texts clearly better than {_stage(stage)}. {figures}"
    ),
    Sorting.NOT_CLEARLY_BETTER: lambda stage, figures: (
        f"This model does not sort these texts clearly better than {_stage(stage)}: it may not "
        f"know this task. Take more examples, a larger model, or {stage}. {figures}"
    ),
    Sorting.NO_BETTER: lambda stage, figures: (
        f"{no_better(stage)}: it may not know this task. Take a larger model, or {stage}. {figures}"
    ),
    Sorting.WORSE: lambda stage, figures: f"{worse(stage)}: {DOES_NOT_KNOW} {stage}. {figures}",
    Sorting.TOO_FEW: lambda stage, figures: (
        f"Too few examples to say whether this model sorts these texts better than "
        f"{_stage(stage)}. {figures}"
    ),
}


def worse(stage: str = "rel") -> str:
    """That a model's task states sort worse than a method by embedding or by words."""
    return f"This model sorts these texts worse than {_stage(stage)}"


def no_better(stage: str = "rel") -> str:
    """That a model's task states sort no better than a method by embedding or by words."""
    return f"This model sorts these texts no better than {_stage(stage)}"


def _stage(stage: str) -> str:
    return "the words that they share do" if stage == "bm25" else "their embeddings do"
