"""Tables of exact figures, for page and report.

A text that came from a user is shown, never interpreted: the templates escape it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from ...evaluation.outcomes.labels import RIGHT
from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import Cell
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.headline import CORRECT_ONLY
from ...evaluation.results.labels import CONSISTENCY, LabelFigures
from ...evaluation.results.leaks import Leaks
from ...interval import CLEAR, UNDEFINED, Interval
from ...metrics.registry import METRICS, MetricInfo
from ...text import three_decimals
from ..templates.rendering import render
from ..words.basis import counted_of
from ..words.cautions import LEAK
from ..words.findings.calibration_findings import marked_best, verdict_of_cell
from ..words.findings.comparison_findings import has_figure, leaders, leaders_of_kind
from ..words.rows import breakable, row_note, row_word
from ..words.verdict import RIGHT_ANSWERS
from .table import Column, Table, Value


@dataclass(frozen=True)
class _Cell:
    """The content of a cell; `title` is its tooltip, `note` is below it in small letters.

    `best` marks the best of a column, `clear` a difference beyond chance.
    """

    text: str
    note: str = ""
    title: str = ""
    best: bool = False
    clear: bool = False


@dataclass(frozen=True)
class _Row:
    """Cells of a row, the first of which is its heading; `leader` marks the best row."""

    cells: tuple[_Cell, ...]
    leader: bool = False


_UNDEFINED = _Cell("-")

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
                *(cell.value.mean, cell.value.low, cell.value.high, cell.diversity.mean),
                cell.leaks.contexts,
            )
            for cell in calibration.cells
        ),
    )


def _verdict(cell: Cell, best: Cell | None) -> str:
    return "" if best is None or cell.value.mean is None else str(verdict_of_cell(cell, best))


def calibration_table(calibration: Calibration) -> Markup:
    """The same as an HTML table: lambdas with two decimals, everything else with three."""
    table, best = calibration_figures(calibration), marked_best(calibration)
    places = [column.places for column in table.columns]
    body = (
        _Row(
            tuple(_Cell(_number(*each)) for each in zip(row, places, strict=True)),
            leader=best is not None and cell.knobs == best.knobs,
        )
        for cell, row in zip(calibration.cells, table.rows, strict=True)
    )
    return _table([_Cell(name) for name in table.names if table.rows], body)


def method_table(comparison: Comparison) -> Markup:
    """Rows by metrics with intervals as an HTML table; the best of a column is marked."""
    metrics = _columns(comparison)
    best = {name: leaders(comparison, name) for name in metrics}
    head = [_rows_head(comparison)]
    for name in metrics:
        facts = METRICS[name]
        unit = "cosine" if name == "diversity" else facts.unit
        note = f"{unit}, {_direction(facts)}"
        if counting := counted_of(comparison.basis, name):
            note += f"; {counting} examples"
        note += _of_labels(comparison.labels, name)
        head.append(_Cell(facts.label, note, facts.explanation))
    counted = any(each.leaks.contexts for each in comparison.methods.values())
    if counted:
        head.append(_Cell("Leaks", "contexts", f"How often {LEAK}"))
    leakage = any(each.leakage for each in comparison.methods.values())
    if leakage:
        facts = METRICS[comparison.metric]
        about = f"{facts.label} minus the same with leaks left out"
        head.append(_Cell("Due to leaks", facts.unit, about))
    body = []
    for method in comparison.methods:
        figures = [
            _estimate(comparison.value(method, name), method in best[name]) for name in metrics
        ]
        if counted:
            figures.append(_leaks(comparison.methods[method].leaks))
        if leakage:
            figures.append(_difference(comparison.methods[method].leakage or UNDEFINED))
        body.append(_Row((_method_cell(comparison, method), *figures)))
    return _table(head, body)


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
    best = {kind: leaders_of_kind(comparison, kind) for kind in kinds}
    body = []
    for method, figures_of in comparison.methods.items():
        figures = (_estimate(figures_of.by_kind[kind], method in best[kind]) for kind in kinds)
        body.append(_Row((_method_cell(comparison, method), *figures)))
    return _table([_rows_head(comparison), *map(_Cell, kinds)], body)


def difference_table(comparison: Comparison) -> Markup:
    """Each row minus the reference, paired, as an HTML table; clear ones are in bold."""
    metrics = _columns(comparison)
    body = []
    for method in comparison.methods:
        differences = [comparison.difference(method, name) for name in metrics]
        if any(differences):
            cells = (_difference(each or UNDEFINED) for each in differences)
            body.append(_Row((_method_cell(comparison, method), *cells)))
    return _table([_rows_head(comparison), *(_Cell(METRICS[n].label) for n in metrics)], body)


def text_table(table: Table) -> Markup:
    """Texts and numbers as an HTML table; texts wrap and are aligned left."""
    kinds = [
        "text" if any(isinstance(value, str) for value in table.values(name)) else "number"
        for name in table.names
    ]

    def shown(value: Value, column: Column) -> str:
        return _number(value, column.places)

    return render(
        "text_table.html",
        head=list(zip(map(breakable, table.names), kinds, strict=True)),
        rows=[list(zip(map(shown, row, table.columns), kinds, strict=True)) for row in table.rows],
    )


def _columns(comparison: Comparison) -> list[str]:
    """Every metric with a figure, the most important first: a narrow page shows only those."""
    lead = comparison.metric
    names = dict.fromkeys((lead, *(_GAINS if lead == CORRECT_ONLY else ()), *_FIRST, *METRICS))
    return [name for name in names if has_figure(comparison, name)]


def _method_cell(comparison: Comparison, method: str) -> _Cell:
    return _Cell(breakable(method), row_note(comparison, method))


def _rows_head(comparison: Comparison) -> _Cell:
    return _Cell(row_word(comparison).capitalize())


def _estimate(value: Interval, best: bool) -> _Cell:
    if value.mean is None:
        return _UNDEFINED
    return _Cell(three_decimals(value.mean), _ends(value), best=best)


def _leaks(leaks: Leaks) -> _Cell:
    return _Cell(f"{leaks.contexts:,}", f"of {leaks.examples:,}")


def _difference(value: Interval) -> _Cell:
    if value.mean is None:
        return _UNDEFINED
    clear = value.sign in CLEAR
    return _Cell(three_decimals(value.mean, sign="+"), _ends(value), clear=clear)


def _ends(value: Interval) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{three_decimals(value.low)} to {three_decimals(value.high)}"


def _number(value: Value, places: int | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:z.{places}f}" if isinstance(value, float) else value


def _table(head: Iterable[_Cell], rows: Iterable[_Row]) -> Markup:
    return render("runs_table.html", head=head, rows=rows)
