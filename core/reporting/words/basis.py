"""The basis of a run's figures, in sentences: which examples count, why a figure is missing."""

from ...evaluation.results.headline import CORRECT_ONLY, ENOUGH, PER_TRIPLE, Basis, HaveIncorrect
from ...evaluation.results.run_figures import RunFigures
from ...metrics.registry import METRICS, Counted
from ...metrics.scores import OfContext
from ...text import listed

ADDED = "whether a context raises the right answers above wrong ones"
"""What incorrect answers would show."""
MEANINGLESS = "These figures mean nothing: the practice model does not know these texts"
"""The title of a chart by it."""
ANOTHER_MODEL = f"{MEANINGLESS}. Choose a real model and run it again."
"""The headline of a run by it."""


def is_meaningless(figures: RunFigures, metric: str) -> bool:
    """Whether the practice model made the metric's figures, on texts that it does not know.

    Labels and contexts are compared without it.
    """
    without_model = METRICS[metric].counts is Counted.LABELLED or metric in (
        OfContext.__annotations__
    )
    return figures.settings.by_a_toy and not without_model


def no_figure(figures: RunFigures, metric: str) -> str:
    """Why a metric has no figure, as a title; while the run goes on, that there is none yet."""
    facts, basis = METRICS[metric], figures.basis
    if figures.partial:
        return f"{facts.label}: no figures yet"
    if not figures.examples:
        return f"No example could be used, so {facts.label} has no figure"
    if facts.counts is Counted.WITH_INCORRECT and not basis.with_incorrect:
        other = METRICS[CORRECT_ONLY].label
        return f"No example has incorrect answers, which {facts.label} needs: read {other}"
    if facts.counts is Counted.WITHOUT_INCORRECT and not basis.without_incorrect:
        other = METRICS[PER_TRIPLE].label
        return (
            f"Every example has incorrect answers, and {facts.label} counts those that have none: "
            f"read {other}"
        )
    if facts.counts is Counted.GENERATED:
        return f"{facts.label} needs answers that the model generates: run it with them to have it"
    if facts.counts is Counted.LABELLED and not basis.labelled:
        return f"{facts.label} needs a pool with a task, and examples that have its labels"
    if facts.counts is Counted.LABELLED or metric in OfContext.__annotations__:
        return f"No context has as many demonstrations as {facts.label} needs"
    return f"This run did not record what {facts.label} needs: run it again to have it"


def basis_sentences(basis: Basis) -> tuple[str, ...]:
    """What incorrect answers would add, or which figures rest on which examples; often nothing."""
    have, n = basis.have_incorrect, basis.examples
    if have is HaveIncorrect.ALL:
        return ()
    if have is HaveIncorrect.NONE:
        return (
            "No example has an incorrect answer, so the figures show how far a context raises the "
            f"right answers; incorrect answers would add {ADDED} "
            f"({_labels(Counted.WITH_INCORRECT)}).",
        )
    rests = (
        f"{basis.with_incorrect:,} of {n:,} examples have incorrect answers; on these "
        f"{_rest(Counted.WITH_INCORRECT)}. On the other {basis.without_incorrect:,} "
        f"{_rest(Counted.WITHOUT_INCORRECT)}, on all {n:,} {_rest(Counted.ALL)}."
    )
    if have is HaveIncorrect.SOME:
        return (rests,)
    return (
        f"{METRICS[PER_TRIPLE].label} needs about {ENOUGH} examples with incorrect answers, so "
        f"{METRICS[CORRECT_ONLY].label} leads here; more incorrect answers would add {ADDED}.",
        rests,
    )


def of_one_query(triples: int) -> str:
    """The same for one query with answers; empty where it has incorrect ones."""
    if triples:
        return ""
    return (
        "No incorrect answer is given, so the figures show how far the context raises the right "
        "answers; incorrect answers would add whether it raises them above wrong ones."
    )


def counted_of(basis: Basis, metric: str) -> str:
    """How many of the examples the metric counts, where that is neither all nor none."""
    number = basis.counted(metric)
    return f"{number:,} of {basis.examples:,}" if 0 < number < basis.examples else ""


def counted_in(basis: Basis, metric: str) -> str:
    """The same with the metric's name."""
    number = counted_of(basis, metric)
    return f"{number} count in {METRICS[metric].label}" if number else ""


def _named(counts: Counted) -> list[str]:
    return [each.label for each in METRICS.values() if each.counts is counts]


def _labels(counts: Counted) -> str:
    return listed(_named(counts))


def _rest(counts: Counted) -> str:
    return f"{'rests' if len(_named(counts)) == 1 else 'rest'} {_labels(counts)}"
