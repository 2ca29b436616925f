"""What each demonstration is worth, and choosing a setting for each query: tables and words."""

from collections.abc import Mapping, Sequence

from ...demonstration.demonstration import Demonstration
from ...evaluation.runs.crossvalidation import ChoicePerQuery, FixedSets, Payoff
from ...evaluation.runs.worth import DemonstrationWorth, Worth
from ...interval import Sign
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS
from ...retrieval.context import SettingChosen
from ...text import counted, listed, three_decimals
from ..words.calibration_findings import ANOTHER_MODEL
from ..words.provenance import chosen_among, edits_sentence, examples_used
from ..words.rows import knobs_in_words
from .table import Column, Table

ONE_SIDE = 0.025
"""The share of 95 % intervals that lie above the true figure by chance; as many lie below it."""
_KNOBS = ("k", "lambda_d", "lambda_b")


def worth_counts(found: Worth) -> str:
    """How many help, harm, are unclear, are rarely shown or never, and what chance alone shows.

    Before it what was edited since; where the figures mean nothing, that in its place.
    """
    edits = edits_sentence(found.edits, "judge again")
    return f"{edits} {ANOTHER_MODEL if found.settings.by_a_toy else _counts(found)}".strip()


def _counts(found: Worth) -> str:
    helps, harms, unclear = map(found.of_sign, (Sign.POSITIVE, Sign.NEGATIVE, Sign.UNCLEAR))
    few = len(found.demonstrations) - helps - harms - unclear
    bounded = helps + harms + unclear
    others = [f"of {unclear:,} it is not clear"] if unclear else []
    others += [f"{few:,} are in too few contexts to say"] if few else []
    counts = (
        f"Of {len(found.demonstrations) + found.unused:,} included demonstrations {helps:,} help "
        f"and {harms:,} harm beyond chance; "
        f"{listed([*others, f'{found.unused:,} are in none'])}."
    )
    if not bounded:
        return counts
    return (
        f"{counts} If none of the {bounded:,} with an interval mattered, about "
        f"{ONE_SIDE * bounded:.1f} would seem to help, and as many to harm."
    )


def worth_origin(found: Worth) -> str:
    """What the contexts were chosen with, and which pool, model and examples the figures are of."""
    settings, request = found.settings, found.settings.request
    depends = METHODS[request.method].knobs if request.method in METHODS else ("k",)
    knobs = {name: getattr(request, name) for name in _KNOBS if name in depends}
    return "; ".join(
        (
            f"{METRICS[found.metric].label} ({METRICS[found.metric].unit})",
            ", ".join(filter(None, (request.method, knobs_in_words(knobs))))
            + chosen_among(settings.candidates, settings.embed)
            + (", at most one answer per query" if settings.one_per_query else ""),
            f"{examples_used(found)}, template {settings.template}, seed {settings.seed}"
            + (", leaks left out" if settings.leave_out_leaks else ""),
            f"pool version {settings.pool_version}",
        )
    )


def worth_table(figures: Sequence[DemonstrationWorth], rows: Mapping[int, Demonstration]) -> Table:
    """A row for each figure, with its 95 % interval and the texts of those that are there."""
    numbers = (Column(name, 3) for name in ("worth", "low", "high"))
    columns = (Column("id"), *numbers, *map(Column, ("contexts", "query", "answer")))
    texts = {id: (row.query, row.answer) for id, row in rows.items()}
    return Table(
        columns,
        tuple(
            (each.id, *each.worth.numbers, each.worth.n, *texts.get(each.id, ("", "")))
            for each in figures
        ),
    )


SETTINGS_TITLE = "The settings, and for how many examples each was chosen"
SETS_TITLE = "The sets, the best on the examples that chose first"
_ENDS = (Column("low", 3), Column("high", 3))


def settings_table(found: ChoicePerQuery) -> Table:
    """A row for each setting: its metric over all examples, and how often it was chosen.

    By its neighbours, as the one setting for all in the other folds, and by the oracle.
    """
    counts = map(Column, ("by neighbours", "one for all", "own best"))
    columns = (Column("setting"), Column(METRICS[found.metric].label, 3), *_ENDS, *counts)
    rows = tuple(
        (each.name, *each.value.numbers, each.chosen, each.overall, each.best)
        for each in found.settings
    )
    return Table(columns, rows)


def sets_table(found: FixedSets) -> Table:
    """A row for each set: its rank, its mean on the choosing examples outside it, its ids."""
    metric = Column(METRICS[found.metric].label, 3)
    columns = (Column("rank"), metric, *_ENDS, *map(Column, ("examples", "demonstrations")))
    rows = tuple(
        (rank, *each.value.numbers, each.value.n, ", ".join(map(str, each.ids)))
        for rank, each in enumerate(found.sets, 1)
    )
    return Table(columns, rows)


_WORTH = {
    Payoff.GAINS: "Choosing a setting for each query pays here",
    Payoff.LOSES: "Choosing a setting for each query costs here",
    Payoff.UNCLEAR: "Choosing a setting for each query makes no clear difference here",
    Payoff.SAME: "Each query gets the setting that is best over all, so choosing changes nothing",
    Payoff.TOO_FEW: "Whether choosing a setting for each query pays cannot be said",
}
_SET_WORTH = {
    Payoff.GAINS: "The best set is better than the present one",
    Payoff.LOSES: "The best set is worse than the present one",
    Payoff.UNCLEAR: "The best set is not clearly different from the present one",
    Payoff.SAME: "The best set does what the present one does",
    Payoff.TOO_FEW: "Whether the best set is better than the present one cannot be said",
}


def setting_sentences(chosen: SettingChosen | None) -> tuple[str, ...]:
    """Which setting a query got, and why; none where the method chooses no setting."""
    if chosen is None:
        return ()
    label = METRICS[chosen.metric].label
    nearest = counted(chosen.neighbours, "nearest example")
    why = f"on the {nearest} of run {chosen.run} it has the best {label}"
    if chosen.name == chosen.overall:
        return (f"Chosen as {chosen.name}: {why}, as over all of them.",)
    better = three_decimals(chosen.mean - chosen.overall_mean)
    return (
        f"Chosen as {chosen.name}: {why}, {better} above {chosen.overall}, which is best over all.",
    )


def worth_headline(found: ChoicePerQuery) -> str:
    """Whether choosing a setting for each query pays, in one sentence."""
    label = METRICS[found.metric].label
    if found.worth is Payoff.SAME:
        return f"{_WORTH[found.worth]}."
    return f"{_WORTH[found.worth]}: {label} changes by {found.gain}."


def worth_grounds(found: ChoicePerQuery) -> tuple[str, ...]:
    """What that is based on, and the limits of it, a sentence each."""
    label = METRICS[found.metric].label
    sentences = [
        f"{label} is {found.per_query} with the setting that did best on a query's nearest "
        f"examples (at most {found.neighbours:,}), and {found.overall} with the one setting that "
        f"is best over all (mostly {found.best_overall}); the difference is paired over "
        f"{counted(found.examples, 'example')}.",
        f"Both are chosen on other examples than those they are judged on: {found.folds} folds of "
        f"{counted(found.groups, 'group')}; examples with the same query, or with a correct answer "
        "in common, are of one group.",
    ]
    if found.ceiling.mean is not None:
        sentences.append(
            f"The ceiling is {found.ceiling}: every example with its own best setting. "
            "It is an oracle, for nobody knows the scores before they are measured."
        )
    if found.left_out:
        sentences.append(
            f"Left out, because no query can get them by stored scores: {listed(found.left_out)}."
        )
    return tuple(sentences)


def fixed_headline(found: FixedSets) -> str:
    """Whether the best set is better than the one that `fix` shows now, in one sentence."""
    label = METRICS[found.metric].label
    if found.worth is Payoff.SAME:
        return f"{_SET_WORTH[found.worth]}."
    return (
        f"{_SET_WORTH[found.worth]} on {counted(found.held_out, 'example')} that had no part in "
        f"the choice: {label} changes by {found.gain}."
    )


def fixed_grounds(found: FixedSets) -> tuple[str, ...]:
    """What that is based on, and why the best set looks better than it is, a sentence each."""
    label = METRICS[found.metric].label
    sentences = [
        f"{counted(len(found.sets), 'set')} of {len(found.best.ids)} were drawn from "
        f"{counted(found.choosing, 'example')}, and each was scored on those that are not "
        f"in it; their mean {label} is {three_decimals(found.mean)}.",
        f"The best has {found.best.value} there. That is the best of "
        f"{len(found.sets):,} on the very examples that chose it, so it is too high on average "
        "(winner's curse).",
        f"On the held-out examples it has {found.value}, and the present set "
        f"{found.present_value}.",
    ]
    if found.set_aside:
        many = "example was" if found.set_aside == 1 else "examples were"
        sentences.append(
            f"{found.set_aside:,} {many} not used: another one has the same query or answer, they "
            "have nothing to be judged by, or the model has no room for them."
        )
    return tuple(sentences)
