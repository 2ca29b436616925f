"""Where a figure comes from, in words; whether one model ranks rows as another does."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import CalibrationCell
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.orders import LEAST_ROWS, SettingOrder
from ...evaluation.results.recommendation import FOLDS
from ...evaluation.results.run_figures import PoolEdits, RunFigures
from ...interval import Interval, Sign
from ...metrics.registry import METRICS
from ...settings import Embed
from ...text import counted, listed
from .calibration_findings import MEANINGLESS, counted_in
from .rows import knobs_in_words, row_in_words, row_name, shared_knobs

INTERVALS = (
    "95 % intervals over evaluation examples, all answers of an example together: corrected for "
    "skewness (Hall 1992), exact for shares of right answers (Clopper-Pearson). Differences are "
    "paired and bounded all together (max-T over sign flips), so they are valid whichever is "
    "chosen. In a run that is watched all of them are valid at every look"
)
RECOMMENDATION = (
    f"a value is behind where another is better beyond chance, all of them taken together, and by "
    f"more than the margin; the gain over the paper's defaults and the best's figure by "
    f"cross-fitting ({FOLDS} folds of examples); the bound on what else may be better is an "
    "asymptotic confidence sequence (Waudby-Smith et al. 2024), at 95 % for all looks together"
)


def provenance(
    figures: Calibration | Comparison,
    what: str,
    metric: str | None = None,
    models: Sequence[Comparison] = (),
) -> str:
    """One line that traces a figure: what is shown, pool, model, template, examples, intervals.

    Intervals are named only where a figure has one.

    Args:
        figures: A calibration or a comparison, complete or partial.
        what: The method with its lambdas and k, as `calibration_what` or `comparison_what` give it.
        metric: What is shown; None where it is several metrics.
        models: The figures of each model, where it shows several.
    """
    settings, of = figures.settings, models or (figures,)
    counting = "" if metric is None else counted_in(figures.basis, metric)
    named = ", ".join(
        f"{model_name(each)} ({each.settings.dtype} on {each.settings.device})" for each in of
    )
    bounded = any(has_intervals(_shown(each, metric)) for each in of)
    return "; ".join(
        (
            what,
            f"pool {settings.pool}, version {settings.pool_version}",
            f"{'model' if len(of) == 1 else 'models'} {named}",
            f"template {settings.template}",
            f"encoder {settings.encoder_name or settings.encoder}",
            examples_used(figures, short=True)
            + (f" ({counting})" if counting else "")
            + f", seed {settings.seed}"
            + (", leaks left out" if settings.leave_out_leaks else "")
            + chosen_among(settings.candidates, settings.embed)
            + (", at most one answer per query" if settings.one_per_query else ""),
            *(("95 % intervals over examples",) if bounded else ()),
        )
    )


def edits_sentence(edits: PoolEdits | None, again: str) -> str:
    """What was edited since a result and what that changes of it; empty for no edits.

    Args:
        edits: Since the result.
        again: What to do to measure again, as "compare again".
    """
    if edits is None:
        return ""
    before = f"Judged before {counted(edits.count, 'edit')} of the pool"
    if edits.outdated is False:
        which = "changes" if edits.count == 1 else "change"
        return f"{before}, which {which} none of its {counted(edits.examples, 'context')}."
    if edits.differing:
        least = "at least " if edits.at_least else ""
        of = f"{least}{edits.differing:,} of its {counted(edits.examples, 'example')}"
        before += f"; {of} would have another context or other answers"
    return f"{before}: {again}."


def has_intervals(estimates: Iterable[Interval | None]) -> bool:
    """Whether any of the estimates has an interval."""
    return any(each is not None and each.low is not None for each in estimates)


def _shown(figures: Calibration | Comparison, metric: str | None) -> list[Interval | None]:
    """The estimates of a metric with their differences, of all metrics if None."""
    if isinstance(figures, Calibration):
        return [each for cell in figures.cells for each in (cell.value, cell.diversity)]
    names = METRICS if metric is None else (metric,)
    return [
        each
        for row in figures.methods
        for name in names
        for each in (figures.value(row, name), figures.difference(row, name))
    ]


def chosen_among(candidates: int, embed: Embed) -> str:
    """What the contexts were chosen from; empty for the whole pool by its queries."""
    among = f", among the {candidates:,} most similar" if candidates else ""
    return among + (", compared by query and answer" if embed is not Embed.QUERY else "")


def calibration_what(cells: Sequence[CalibrationCell]) -> str:
    """The knobs of the cells that a figure shows, in words."""
    if not cells:
        return "rel+div+bias"
    named = (
        ("k", sorted({cell.k for cell in cells}), "d"),
        ("lambda_b", sorted({cell.lambda_b for cell in cells}), ".2f"),
        ("lambda_d", sorted({cell.lambda_d for cell in cells}), ".2f"),
    )
    parts = [f"{name} {spread_of(values, style)}" for name, values, style in named]
    return f"rel+div+bias, {', '.join(parts)}"


def comparison_what(comparison: Comparison) -> str:
    """The knobs of a comparison's rows, in words: those of most rows, then those that differ.

    A knob counts where the row's choice depends on it.
    """
    if not comparison.methods:
        return "no methods"
    stated = {"one_per_query": True, "seed": comparison.settings.seed}  # beside the examples
    shared = {
        name: value
        for name, value in shared_knobs(comparison).items()
        if name not in stated or value != stated[name]
    }
    rows = [row_in_words(comparison, row) for row in comparison.methods]
    return "; ".join(filter(None, (knobs_in_words(shared), *rows))) or "no demonstrations"


def model_name(figures: RunFigures) -> str:
    """The model's short name: the last part of a folder's path."""
    name = figures.settings.model
    return Path(name).name or name


def examples_used(figures: RunFigures, *, short: bool = False) -> str:
    """How many examples the figures are from, and of which pool; unless short, with which model."""
    settings = figures.settings
    count = counted(figures.examples, "example" if short else "evaluation example")
    other = settings.other_pool
    if short:
        return f"{count} from pool {other}" if other else count
    if other:
        return (
            f"{count} from pool {other}, demonstrations from pool "
            f"{settings.pool}, with model {model_name(figures)}"
        )
    return f"{count} of pool {settings.pool}, with model {model_name(figures)}"


def spread_of(values: Sequence[float], style: str) -> str:
    """The values in ascending order: all of a few, the ends of many."""
    if len(values) == 1:
        return format(values[0], style)
    if len(values) <= 6:
        return ", ".join(format(value, style) for value in values)
    return f"{values[0]:{style}} to {values[-1]:{style}}"


NEVER_ACROSS = (
    "DPO itself is never compared across models: it is measured against what each model thinks "
    "without a context, in nats of its own tokens. The orders of the settings are compared."
)


def order_sentences(comparison: Comparison, metric: str | None = None) -> tuple[str, ...]:
    """Whether the models agree on the order, a sentence for each pair; none for one model.

    Args:
        comparison: Its figures are those of the last model.
        metric: What the settings are ordered by, the one that leads if None.
    """
    if not comparison.earlier:
        return ()
    metric = metric or comparison.metric
    orders = {order.models: order for order in comparison.orders.of(metric)}
    found = []
    named = zip(comparison.model_names, comparison.models, strict=True)
    toys = {name for name, each in named if each.settings.by_a_toy}
    for first, second in combinations(comparison.model_names, 2):
        order = orders.get((first, second))
        if toys & {first, second}:
            found.append(
                f"{MEANINGLESS}, so there is no order by which {first} and {second} compare."
            )
        elif order is None:
            found.append(
                f"{first} and {second} have no setting in common with a {METRICS[metric].label}, "
                "so there is no order to compare."
            )
        else:
            found.append(_sentence(comparison, order))
    return (*found, NEVER_ACROSS)


def _sentence(comparison: Comparison, order: SettingOrder) -> str:
    first, second = order.models
    label, settings = METRICS[order.metric].label, counted(len(order.rows), "setting")
    if len(order.rows) < LEAST_ROWS:
        return (
            f"{first} and {second} have {settings} in common; it takes {LEAST_ROWS} to compare "
            "their orders."
        )
    if order.correlation.sign is Sign.UNDEFINED:
        return (
            f"By {label}, {settings} are all equal for {first} or for {second}, so there is no "
            "order to compare."
        )
    both = zip(order.best, order.models, strict=True)
    best = " and ".join(_best(comparison, rows, model) for rows, model in both)
    return (
        f"{_verdict(order)}: by {label} the best of {settings} is {best}; the rank "
        f"correlation is {order.correlation} over {counted(order.correlation.n, 'example')}."
    )


def _best(comparison: Comparison, rows: Sequence[str], model: str) -> str:
    """What is best for the model, which is left out where a row is already named after it."""
    names = [_row_name(comparison, row) for row in rows]
    named_after_it = any(f"({model})" in name for name in names)
    return listed(names) if named_after_it else f"{listed(names)} for {model}"


def _row_name(comparison: Comparison, row: str) -> str:
    """The row's name in a sentence, whichever model it is of."""
    owner = next((each for each in comparison.models if row in each.methods), comparison)
    return row_name(owner, row)


def _verdict(order: SettingOrder) -> str:
    """The verdict by the interval of the correlation."""
    first, second = order.models
    return {
        Sign.TOO_FEW: (
            f"Too few examples to say whether what is better for {first} is better for {second} "
            f"(it takes about {order.correlation.needed:,})"
        ),
        Sign.UNBOUNDED: f"There is no interval for how far {first} and {second} agree",
        Sign.POSITIVE: f"What is better for {first} tends to be better for {second}",
        Sign.NEGATIVE: f"What is better for {first} tends to be worse for {second}",
        Sign.UNCLEAR: f"What is better for {first} is not clearly better for {second}",
    }[order.correlation.sign]
