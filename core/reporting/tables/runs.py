"""Tables of exact figures, for page and report.

A text that came from a user is shown, never interpreted: the templates escape it.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from markupsafe import Markup

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import CalibrationCell
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.label_figures import CONSISTENCY, RIGHT, LabelFigures
from ...evaluation.results.verdict import CORRECT_ONLY
from ...interval import CLEAR, Interval
from ...metrics.metric import MetricInfo
from ...metrics.registry import METRICS
from ...text import number, three_decimals
from ..templates.rendering import render
from ..words.calibration_findings import counted_of, marked_best, verdict_of_cell
from ..words.cautions import LEAK
from ..words.comparison_findings import has_figure, leaders, leaders_of_kind
from ..words.rows import breakable, row_note, row_word
from ..words.verdict import RIGHT_ANSWERS
from .table import Column, NotedText, Table, Value

_FIRST = (CONSISTENCY, RIGHT, "exact_match", "f1", "nf1", "diversity")
_GAINS = ("gain_per_token", "gain_per_answer")
KINDS_TITLE = "DPO per triple by kind of incorrect answer (nats)"


def calibration_figures(calibration: Calibration) -> Table:
    """One row per cell; `verdict` compares it with the best, and comes first for narrow pages."""
    label = METRICS[calibration.metric].label
    lambdas = (Column("lambda_b", 2), Column("lambda_d", 2))
    numbers = (Column(name, 3) for name in (label, "low", "high", "sameness"))
    verdict = (Column("verdict"), Column("behind best", 3))
    best = marked_best(calibration)
    return Table(
        (Column("k"), *lambdas, *verdict, *numbers, Column("leaks")),
        tuple(
            (
                *cell.knobs,
                _verdict(cell, best),
                None if cell.behind is None else cell.behind.mean,
                *(*cell.value.numbers, cell.diversity.mean, cell.leaks.contexts),
            )
            for cell in calibration.cells
        ),
    )


def _verdict(cell: CalibrationCell, best: CalibrationCell | None) -> str:
    return "" if best is None or cell.value.mean is None else str(verdict_of_cell(cell, best))


def calibration_table(calibration: Calibration) -> Markup:
    """The same as an HTML table: lambdas with two decimals, everything else with three."""
    table, best = calibration_figures(calibration), marked_best(calibration)
    knobs = [cell.knobs for cell in calibration.cells]
    leader = knobs.index(best.knobs) if best is not None and best.knobs in knobs else None
    columns = table.columns if table.rows else ()
    return _figures(replace(table, columns=columns, leader=leader))


def method_table(comparison: Comparison, metrics: Sequence[str] | None = None) -> Markup:
    """Rows by metrics, by all unless some are named, with intervals; the best are marked."""
    metrics, methods = metrics or metrics_shown(comparison), comparison.methods
    columns = [_rows_head(comparison), *(_metric_column(comparison, name) for name in metrics)]
    rows = [
        [_heading(comparison, method), *(comparison.value(method, name) for name in metrics)]
        for method in methods
    ]
    if any(each.leaks.contexts for each in methods.values()):
        columns.append(Column("Leaks", note="contexts", title=f"How often {LEAK}"))
        for row, each in zip(rows, methods.values(), strict=True):
            row.append(NotedText(number(each.leaks.contexts), f"of {number(each.leaks.examples)}"))
    if any(each.leakage for each in methods.values()):
        facts = METRICS[comparison.metric]
        about = f"{facts.label} minus the same with leaks left out"
        columns.append(Column("Due to leaks", note=facts.unit, title=about, signed=True))
        for row, each in zip(rows, methods.values(), strict=True):
            row.append(each.leakage)
    return _figures(Table(tuple(columns), tuple(map(tuple, rows))))


def _metric_column(comparison: Comparison, name: str) -> Column:
    facts = METRICS[name]
    note = f"{'cosine' if name == 'diversity' else facts.unit}, {_direction(facts)}"
    if counting := counted_of(comparison.basis, name):
        note += f"; {counting} examples"
    note += _of_labels(comparison.labels, name)
    best = _places(comparison, leaders(comparison, name))
    return Column(facts.label, note=note, title=facts.explanation, best=best)


def _places(comparison: Comparison, names: Container[str]) -> frozenset[int]:
    return frozenset(place for place, name in enumerate(comparison.methods) if name in names)


def _of_labels(labels: LabelFigures | None, metric: str) -> str:
    """The addition to a column's note in a pool with a task: chance, and what MC1 is."""
    if labels is None:
        return ""
    if metric == CONSISTENCY and labels.chance is not None:
        return f"; chance {three_decimals(labels.chance)}"
    return f"; {RIGHT_ANSWERS} of the label" if metric == RIGHT and labels.all_offered else ""


def _direction(facts: MetricInfo) -> str:
    if facts.ends is not None:
        return f"lower is {facts.ends[0]}"
    return "higher is better" if facts.higher_is_better else "lower is better"


def kinds_table(comparison: Comparison) -> Markup:
    """Rows by kinds of incorrect answer, DPO per triple with intervals, as an HTML table.

    Empty where no incorrect answer has a kind.
    """
    kinds = comparison.kinds
    if not kinds:
        return Markup()
    rows = (
        (_heading(comparison, method), *(each.by_kind[kind] for kind in kinds))
        for method, each in comparison.methods.items()
    )
    columns = (
        Column(kind, best=_places(comparison, leaders_of_kind(comparison, kind))) for kind in kinds
    )
    return _figures(Table((_rows_head(comparison), *columns), tuple(rows)))


def difference_table(comparison: Comparison) -> Markup:
    """Each row minus the reference, paired, as an HTML table; clear ones are in bold."""
    metrics = metrics_shown(comparison)
    rows = tuple(
        (_heading(comparison, method), *differences)
        for method in comparison.methods
        if any(differences := [comparison.difference(method, name) for name in metrics])
    )
    columns = (Column(METRICS[name].label, signed=True) for name in metrics)
    return _figures(Table((_rows_head(comparison), *columns), rows))


def text_table(table: Table) -> Markup:
    """Texts and numbers as an HTML table; texts wrap and are aligned left."""
    kinds = [
        "text" if any(isinstance(value, str) for value in table.values(name)) else "number"
        for name in table.names
    ]
    rows = [[text for text, *_ in _cells(table, place)] for place in range(len(table.rows))]
    return render("text_table.html", head=map(breakable, table.names), rows=rows, kinds=kinds)


def metrics_shown(comparison: Comparison) -> list[str]:
    """Every metric with a figure, the most important first: a narrow page shows only those."""
    lead = comparison.metric
    names = dict.fromkeys((lead, *(_GAINS if lead == CORRECT_ONLY else ()), *_FIRST, *METRICS))
    return [name for name in names if has_figure(comparison, name)]


def _heading(comparison: Comparison, method: str) -> Value:
    return NotedText(breakable(method), row_note(comparison, method))


def _rows_head(comparison: Comparison) -> Column:
    return Column(row_word(comparison).capitalize())


def _figures(table: Table) -> Markup:
    """The table as HTML, the first column of which is the rows' heading."""
    rows = [_cells(table, place) for place in range(len(table.rows))]
    return render("runs_table.html", head=table.columns, rows=rows, leader=table.leader)


def _cells(table: Table, place: int) -> list[tuple[str, str, str]]:
    """Of each cell of the row its text, its note, and what it is: "best", "clear" or neither."""
    cells = []
    for value, column in zip(table.rows[place], table.columns, strict=True):
        clear = column.signed and isinstance(value, Interval) and value.sign in CLEAR
        mark = "best" if place in column.best else "clear" if clear else ""
        cells.append((*_noted(value, column), mark))
    return cells


def _noted(value: Value, column: Column) -> NotedText:
    """The value's text, and the note below it."""
    if isinstance(value, NotedText):
        return value
    if isinstance(value, Interval):
        if value.mean is None:
            return NotedText("-", "")
        mean = three_decimals(value.mean, sign="+" if column.signed else "")
        return NotedText(mean, "" if value.low is None else value.ends[1:-1].replace(", ", " to "))
    if isinstance(value, str | tuple):
        return NotedText(str(value), "")
    return NotedText(number(value, 3 if column.places is None else column.places), "")
