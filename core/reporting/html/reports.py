"""Self-contained HTML reports, to hand to someone who decides: figures, tables, settings, words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.pairs import SUM
from ...evaluation.results.run_figures import End, RecordedRequest, RunFigures
from ...interval import Interval
from ...metrics.registry import METRICS
from ...writing import place_for, whole_file
from ..figures.consistency import consistent_queries, rows_to_show
from ..figures.curves import dpo_by_diversity, lambda_curve
from ..figures.grids import cells_of_k, dpo_by_k, lambda_heat_map
from ..figures.layout import take_title
from ..figures.methods import method_differences, method_dots
from ..figures.sweeps import sweep_figure, swept_metric
from ..results.sweeps import sweep_of_models, sweeps_of
from ..tables.comparison import (
    RANKS_TITLE,
    TITLE,
    orders_table,
    ranks_table,
    sums_table,
    wins_table,
)
from ..tables.runs import (
    KINDS_TITLE,
    calibration_table,
    difference_table,
    kinds_table,
    method_table,
    text_table,
)
from ..templates.rendering import render
from ..words.calibration_findings import line_of
from ..words.cautions import LEAK, leaks_counted, skipped_sentences
from ..words.provenance import (
    INTERVALS,
    RECOMMENDATION,
    calibration_what,
    comparison_what,
    examples_used,
    has_intervals,
    order_sentences,
    provenance,
    spread_of,
)
from ..words.reading import Reading, read_calibration, read_comparison
from ..words.rows import RHO, WIN_INTERVALS, RowWord, row_word

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_ENDS = {
    End.SETTLED: ", ended early as the choice was settled",
    End.STOPPED: ", stopped before the others",
}


def calibration_report(calibration: Calibration) -> str:
    """The report of a calibration as one HTML document."""
    line = line_of(calibration)
    metric = calibration.metric
    shown = provenance(calibration, calibration_what(line), metric)
    figures = [(lambda_curve(calibration), shown), (dpo_by_diversity(calibration), shown)]
    cells = calibration.cells
    if len({cell.lambda_b for cell in cells}) > 1:
        of_k = provenance(calibration, calibration_what(cells_of_k(calibration)), metric)
        figures.append((lambda_heat_map(calibration), of_k))
    if len({cell.k for cell in cells}) > 1:
        of_all = provenance(calibration, calibration_what(cells), metric)
        figures.append((dpo_by_k(calibration), of_all))
    tables = [("Every combination tried", calibration_table(calibration))]
    knobs = {
        "Method": "rel+div+bias (relevance, diversity and quality bias; RAGSys, Algorithm 1)",
        "lambda_d": spread_of(sorted({cell.lambda_d for cell in cells}), ".2f"),
        "lambda_b": spread_of(sorted({cell.lambda_b for cell in cells}), ".2f"),
        "k": spread_of(sorted({cell.k for cell in cells}), "d"),
        "Chosen by": METRICS[metric].axis,
        "Recommendation": RECOMMENDATION,
        "Bias scale": _bias_scale(calibration.settings.cells),
    }
    title = f"Calibration of pool {calibration.settings.pool}"
    return _document(title, calibration, read_calibration(calibration), figures, tables, knobs)


def comparison_report(comparison: Comparison) -> str:
    """The report of a comparison as one HTML document."""
    shown = provenance(comparison, comparison_what(comparison), comparison.metric)
    figures = [(draw(comparison), shown) for draw in (method_dots, method_differences)]
    of_all = provenance(comparison, comparison_what(comparison), "diversity")
    figures.append((method_dots(comparison, "diversity"), of_all))
    figures += _labels_and_sweeps(comparison)
    word = row_word(comparison)
    free = " where the method leaves them free" if word is RowWord.METHOD else ""
    tables = [*_every_metric(comparison), *_pairs(comparison)]
    knobs = {
        "Knobs": f"{comparison_what(comparison)}{free}",
        "Reference": comparison.reference,
        "Bias scale": _bias_scale([each.request for each in comparison.methods.values()]),
    }
    tables += _model_by_model(comparison)
    reading = read_comparison(comparison)
    more = (*reading.sentences, *order_sentences(comparison))
    title = f"Comparison of {word}s on pool {comparison.settings.pool}"
    whole = replace(reading, sentences=more)
    return _document(title, comparison, whole, figures, tables, knobs)


def _every_metric(comparison: Comparison) -> list[tuple[str, Markup]]:
    """Titles and tables of the metrics, of their differences, and of the kinds where there are."""
    rows, word = comparison.methods, row_word(comparison)
    values = [value for row in rows.values() for value in row.metrics.values()]
    differences = [comparison.difference(row, name) for row in rows for name in METRICS]
    minus = f"Each {word} minus {comparison.reference}, paired"
    found = [
        (_with_intervals(f"Every {word}", values), method_table(comparison)),
        (_with_intervals(minus, differences), difference_table(comparison)),
    ]
    if by_kind := kinds_table(comparison):
        of_kinds = [value for row in rows.values() for value in row.by_kind.values()]
        found.append((_with_intervals(KINDS_TITLE, of_kinds), by_kind))
    return found


def _with_intervals(title: str, estimates: Sequence[Interval | None]) -> str:
    """The title of a table, which names the intervals where there are any."""
    return f"{title}, with 95 % intervals" if has_intervals(estimates) else title


def _labels_and_sweeps(comparison: Comparison) -> list[tuple["Figure", str]]:
    """Queries by the labels of their contexts, then what metrics do over knobs and models."""
    found, traced = [], provenance(comparison, comparison_what(comparison))
    if shown := rows_to_show(comparison):
        found.append((consistent_queries(comparison, shown), traced))
    of_models = provenance(comparison, comparison_what(comparison), models=comparison.models)
    sweeps = [(sweep, traced) for sweep in sweeps_of(comparison)]
    for sweep, from_where in (*sweeps, (sweep_of_models(comparison), of_models)):
        metric = None if sweep is None else swept_metric(sweep, comparison)
        if sweep is not None and metric is not None:
            found.append((sweep_figure(sweep, metric), from_where))
    return found


def _model_by_model(comparison: Comparison) -> list[tuple[str, Markup]]:
    """The tables of the earlier models, and whether the orders agree; nothing for one model."""
    if not comparison.earlier:
        return []
    *names, _ = comparison.model_names
    earlier = zip(names, comparison.earlier, strict=True)
    return [
        *(_of_model(each, name) for name, each in earlier),
        (TITLE, text_table(orders_table(comparison))),
        (RANKS_TITLE, text_table(ranks_table(comparison))),
    ]


def _of_model(comparison: Comparison, name: str) -> tuple[str, Markup]:
    values = [value for row in comparison.methods.values() for value in row.metrics.values()]
    title = f"Every {row_word(comparison)} for model {name}"
    return _with_intervals(title, values), method_table(comparison)


def _pairs(comparison: Comparison) -> list[tuple[str, Markup]]:
    """Titles and tables of each row against the reference, example by example."""
    reference, lead = comparison.reference, comparison.metric
    found = [
        (f"{METRICS[name].label}: wins against {reference}, in % of the queries", table)
        for name in (SUM, lead)
        if (table := wins_table(comparison, name))
    ]
    if sums := sums_table(comparison):
        title = f"Does a better sum mean better answers, by {METRICS[lead].label}?"
        found.append((title, sums))
    return found


def write_report(document: str, out: Path, *, overwrite: bool = False) -> None:
    """Write the report, whole or not at all.

    Raises:
        InvalidInput: The place cannot be written, or it is taken and `overwrite` is False.
    """
    with whole_file(place_for(out, overwrite=overwrite)) as unfinished:
        unfinished.write_text(document, encoding="utf-8")


def finished_at(figures: RunFigures) -> str:
    """When the figures were made, to the minute in UTC; now for a run that has just ended."""
    moment = figures.finished or datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _document(
    title: str,
    result: Calibration | Comparison,
    reading: Reading,
    figures: Sequence[tuple["Figure", str]],
    tables: Sequence[tuple[str, Markup]],
    knobs: Mapping[str, str],
) -> str:
    from plotly.offline import get_plotlyjs

    facts = f"{finished_at(result)}. On {examples_used(result)}."
    whole = render(
        "report.html",
        title=title,
        facts=f"{facts} {result.settings.caution}".rstrip(),
        plotly=Markup(get_plotlyjs()),
        reading=reading,
        figures=[_drawn(*each) for each in figures],
        tables=tables,
        settings=_settings(result, knobs),
        intervals=INTERVALS,
    )
    return str(whole)


def _drawn(figure: "Figure", caption: str) -> dict[str, str]:
    """The figure's title, and its data for the script that draws it.

    `to_json` writes every "<" as an escape, so no text in the data can end the script.
    """
    title = take_title(figure)
    figure.update_layout(template="none", height=max(figure.layout.height or 0, 380))
    return {"title": title, "caption": caption, "data": Markup(figure.to_json())}


def _has_pairs(result: Calibration | Comparison) -> bool:
    return isinstance(result, Comparison) and bool(result.pairs)


def _bias_scale(requests: Sequence[RecordedRequest]) -> str:
    return ", ".join(sorted({request.bias_scale for request in requests})) or "raw"


def _settings(result: Calibration | Comparison, knobs: Mapping[str, str]) -> dict[str, str]:
    """Everything that the figures depend on, by names that people read."""
    settings = result.settings
    limit = settings.limit
    return {
        **knobs,
        "Pool": f"{settings.pool}, version {settings.pool_version}",
        "Evaluation examples": (
            f"{result.examples:,} of pool {settings.examples_from}, "
            + ("all of them" if limit is None else f"at most {limit:,} asked for")
            + ("" if result.end is None else _ENDS.get(result.end, ""))
            + f", drawn with seed {settings.seed}"
        ),
        "Left out of each context": settings.leave_out
        + ("; all but one answer of each query" if settings.one_per_query else ""),
        "Contexts that leak": f"{leaks_counted(result)}. A leak: {LEAK}",
        "Examples skipped": " ".join(skipped_sentences(result)) or "none",
        "Examples without incorrect answers": f"{result.without_incorrect:,}",
        "Model": settings.model,
        "Model fingerprint": settings.model_fingerprint,
        "Number type and device": f"{settings.dtype} on {settings.device}",
        "Template": f"{settings.template} ({settings.template_fingerprint})",
        "Order in the prompt": settings.order,
        "Encoder": f"{settings.encoder_name} ({settings.encoder})".strip(),
        "Distinct contexts scored": f"{result.distinct_sets:,}",
        "New model evaluations": f"{result.language_model_calls:,} pairs of prompt and answer",
        "Intervals": INTERVALS,
        **({"Wins": WIN_INTERVALS, "Rank correlations": RHO} if _has_pairs(result) else {}),
        "Run": str(result.run),
        "Finished": finished_at(result),
    }
