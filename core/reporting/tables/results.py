"""What a comparison and a calibration show on a terminal: their figures, then what they say."""

from collections.abc import Iterable

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import DPO
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.pairs import SUM
from ...evaluation.results.run_figures import RunFigures
from ...evaluation.results.verdict import CORRECT_ONLY
from ...metrics.scores import OfAnswer
from ..words.calibration_findings import basis_sentences
from ..words.cautions import doubt_counts, leak_sentence, skipped_sentences
from ..words.comparison_findings import has_figure
from ..words.own_answers import own_answer_sentences
from ..words.provenance import comparison_what, order_sentences
from ..words.reading import read_calibration
from ..words.rows import RowWord, row_word
from ..words.verdict import label_sentences, sorting_warnings, verdict_sentences
from .comparison import orders_table, sums_figures, wins_figures
from .table import Column, Part, Sheet, Table, plain_table

_LABELS = ("label_consistency",)
_ANSWERS_COMPARED = (DPO, "dpo", "delta", "triple_accuracy", "mc1", "mc2", "mc3_normalised")
_GAINS = ("gain_per_token", "gain_per_answer")
_GENERATED = tuple(OfAnswer.__annotations__)
_OF_RUN = (
    "examples", "without_incorrect", "skipped", "total", "end", "distinct_sets", "model",
    "language_model_calls", "run",
)  # fmt: skip
"""What a run's JSON has that is neither a table nor the settings."""


def comparison_sheet(comparison: Comparison) -> Sheet:
    """The methods' figures and what they say; of several models one by one, then their orders."""
    if not comparison.earlier:
        return tuple(_of_one_model(comparison))
    named = zip(comparison.model_names, comparison.models, strict=True)
    models = [part for name, each in named for part in ((f"Model {name}",), *_of_one_model(each))]
    return (*models, (orders_table(comparison),), tuple(order_sentences(comparison)))


def _of_one_model(comparison: Comparison) -> Iterable[tuple[Part, ...]]:
    yield (_means(comparison),)
    word = row_word(comparison)
    if word is not RowWord.METHOD:
        yield (f"The {word}s: {comparison_what(comparison)}.",)
    yield from _each(basis_sentences(comparison.basis))
    references = dict.fromkeys(
        reference for each in comparison.methods.values() for reference in each.differences
    )
    for reference in references:
        yield (_differences(comparison, reference),)
    of_labels = (*label_sentences(comparison), *sorting_warnings(comparison))
    sentences = (*verdict_sentences(comparison), *of_labels, *own_answer_sentences(comparison))
    if sentences:
        yield sentences
    for reference in references:
        yield from _pairs_with(comparison, reference)
    if kinds := comparison.kinds:
        rows = comparison.methods.items()
        of_kinds = ((method, *map(each.by_kind.get, kinds)) for method, each in rows)
        yield (plain_table(("dpo_per_triple by kind", *kinds), of_kinds),)
    yield from _each(skipped_sentences(comparison))
    yield from _each(filter(None, (leak_sentence(comparison),)))
    yield from _each(doubt_counts(comparison))
    yield (_named_values(comparison, "reference", "headline"),)


def _each(sentences: Iterable[str]) -> Iterable[tuple[str]]:
    return ((sentence,) for sentence in sentences)


def _named_values(figures: RunFigures, *first: str) -> dict[str, object]:
    row = figures.to_json()
    return {name: row[name] for name in (*first, *_OF_RUN)}


def _means(comparison: Comparison) -> Table:
    """A row for each method: the metric that leads with its interval, and the others' means."""
    lead, rest = comparison.metric, _beside(comparison)
    rows = []
    for method, figures in comparison.methods.items():
        first, *others = (comparison.value(method, name) for name in (lead, *rest))
        means = (each.mean for each in others)
        rows.append((method, first.mean, first.ends, *means, figures.leaks.contexts))
    names = (row_word(comparison), lead, f"95 % of {lead}", *rest, "leaks")
    return Table(tuple(map(Column, names)), tuple(rows))


def _beside(comparison: Comparison) -> list[str]:
    """The metrics besides the one that leads: those that have a figure and fit a line."""
    gains = _GAINS if comparison.without_incorrect else ()
    return [
        name
        for name in (*_LABELS, *_ANSWERS_COMPARED, CORRECT_ONLY, *gains, *_GENERATED, "diversity")
        if name != comparison.metric and has_figure(comparison, name)
    ]


def _differences(comparison: Comparison, reference: str) -> Table:
    """Each method's paired differences from the reference."""
    beside = "mc1" if comparison.metric == DPO else "gain_per_answer"
    names = (comparison.metric, beside)
    return plain_table(
        ("paired, 95 %", *names),
        (
            (f"{method} less {reference}", *(found.get(name) for name in names))
            for method, each in comparison.methods.items()
            if (found := each.differences.get(reference))
        ),
    )


def _pairs_with(comparison: Comparison, reference: str) -> Iterable[tuple[str, Table]]:
    """Each row's wins over the reference, and whether its better sums go with better answers."""
    lead = comparison.metric
    title = f"Rank correlation of the difference in {SUM} with that in {lead}"
    wins = (
        (f"Wins in {name} (the larger value)", wins_figures(comparison, name, reference))
        for name in (SUM, lead)
    )
    tables = (*wins, (title, sums_figures(comparison, reference)))
    return ((title, table) for title, table in tables if table.rows)


def calibration_sheet(calibration: Calibration) -> Sheet:
    """A row for each cell, what the run was, and what the figures say."""
    metric = calibration.metric
    value = "dpo" if metric == DPO else metric
    names = ("lambda_d", metric, f"{value}_low", f"{value}_high", "diversity", "leaks")
    rows = (
        (cell.lambda_d, *cell.value.numbers, cell.diversity.mean, cell.leaks.contexts)
        for cell in calibration.cells
    )
    reading = read_calibration(calibration)
    return (
        (plain_table(names, rows), _named_values(calibration, "metric", "best", "leaks")),
        (reading.headline, *reading.warnings, *reading.sentences),
    )
