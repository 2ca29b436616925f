"""Tables of exact figures, for page and report.

Every text is escaped: what came from a user is shown, never interpreted.
"""

import html
from collections.abc import Iterable, Mapping, Sequence

from ...evaluation.calibration import Calibration
from ...evaluation.cells import Cell
from ...evaluation.comparison import Comparison
from ...evaluation.estimate import UNDEFINED, Estimate, three_decimals
from ...evaluation.leaks import Leaks
from ...metrics.registry import METRICS
from ...retrieval.registry import METHODS
from ..words.calibration_findings import clearly_behind, marked_best
from ..words.cautions import LEAK
from ..words.comparison_findings import leaders, leaders_of_kind
from ..words.metric_facts import DIVERSITY, metric_facts
from .table import Column, Table, Value

BEST = "best"
_FIRST = ("dpo_per_triple", "mc1", DIVERSITY.name)
KINDS_TITLE = "DPO per triple by kind of incorrect answer (nats)"


def calibration_figures(calibration: Calibration) -> Table:
    """One row a cell; `verdict` compares it with the best, first of all where room is short."""
    label = metric_facts(calibration.metric).label
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
                None if cell.leaks is None else cell.leaks.contexts,
            )
            for cell in calibration.cells
        ),
    )


def _verdict(cell: Cell, best: Cell | None) -> str:
    if best is None or cell.value.mean is None:
        return ""
    if cell.knobs == best.knobs:
        return BEST
    return "clearly behind" if clearly_behind(cell, best) else "not clearly behind"


def calibration_table(calibration: Calibration) -> str:
    """The same as an HTML table: lambdas with two decimals, everything else with three."""
    table = calibration_figures(calibration)
    places = [column.places for column in table.columns]
    body = (
        _row([html.escape(_number(*each)) for each in zip(row, places, strict=True)], BEST in row)
        for row in table.rows
    )
    return _table([html.escape(name) for name in table.names if table.rows], body)


def method_table(comparison: Comparison) -> str:
    """Methods by metrics with intervals as an HTML table; the best of a column says so."""
    metrics = _columns(comparison)
    best = {name: leaders(comparison, name) for name in metrics}
    head = ["Method"]
    for name in metrics:
        facts = metric_facts(name)
        way = {True: "higher is better", False: "lower is better", None: "lower is more diverse"}
        unit = "cosine" if name == DIVERSITY.name else facts.unit
        title = html.escape(facts.explanation, quote=True)
        note = html.escape(f"{unit}, {way[facts.higher_is_better]}")
        head.append(f'<span title="{title}">{html.escape(facts.label)}</span><small>{note}</small>')
    counted = any(each.leaks and each.leaks.contexts for each in comparison.methods.values())
    if counted:
        title = html.escape(f"How often {LEAK}", quote=True)
        head.append(f'<span title="{title}">Leaks</span><small>contexts</small>')
    body = []
    for method in comparison.methods:
        figures = [
            _estimate(comparison.value(method, name), method in best[name]) for name in metrics
        ]
        if counted:
            figures.append(_leaks(comparison.methods[method].leaks))
        body.append(_row([_method_cell(comparison, method), *figures], False))
    return _table(head, body)


def kinds_table(comparison: Comparison) -> str:
    """Methods by kinds of incorrect answer, DPO per triple with intervals, as an HTML table.

    Empty where no incorrect answer has a kind.
    """
    kinds = comparison.kinds
    if not kinds:
        return ""
    best = {kind: leaders_of_kind(comparison, kind) for kind in kinds}
    body = []
    for method, figures_of in comparison.methods.items():
        figures = [_estimate(figures_of.by_kind[kind], method in best[kind]) for kind in kinds]
        body.append(_row([_method_cell(comparison, method), *figures], False))
    return _table(["Method", *map(html.escape, kinds)], body)


def difference_table(comparison: Comparison) -> str:
    """Each method minus the reference, paired, as an HTML table; clear ones are in bold."""
    metrics = _columns(comparison)
    body = []
    for method in comparison.methods:
        differences = [comparison.difference(method, name) for name in metrics]
        if any(differences):
            cells = [_difference(each or UNDEFINED) for each in differences]
            body.append(_row([_method_cell(comparison, method), *cells], False))
    return _table(["Method", *(html.escape(metric_facts(n).label) for n in metrics)], body)


def text_table(table: Table) -> str:
    """Texts and numbers as an HTML table; texts wrap and stand on the left."""
    kinds = [
        "text" if any(isinstance(value, str) for value in table.values(name)) else "number"
        for name in table.names
    ]

    def cell(value: Value, column: Column, kind: str) -> str:
        whole = not isinstance(value, float)
        shown = _number(value, None) if whole else f"{value:.{column.places}f}"
        return f'<td class="{kind}">{html.escape(shown)}</td>'

    head = "".join(
        f'<th scope="col" class="{kind}">{html.escape(name)}</th>'
        for name, kind in zip(table.names, kinds, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(map(cell, row, table.columns, kinds))}</tr>" for row in table.rows
    )
    return (
        '<div class="scroll"><table class="shotlist-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def pairs_table(pairs: Mapping[str, str]) -> str:
    """Names and values as an HTML table of two columns."""
    body = (
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(value)}</td></tr>'
        for name, value in pairs.items()
    )
    return f'<div class="scroll"><table class="pairs"><tbody>{"".join(body)}</tbody></table></div>'


STYLE = """
.scroll { overflow-x: auto; }
.shotlist-table, .pairs { border-collapse: collapse; font-size: 0.875rem; line-height: 1.35; }
.shotlist-table { font-variant-numeric: tabular-nums; width: 100%; }
.shotlist-table th, .shotlist-table td, .pairs th, .pairs td {
  padding: 0.3rem 0.45rem; text-align: right; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.3); font-weight: 400;
}
.shotlist-table td:not(.text) { white-space: nowrap; }
.shotlist-table td > small { white-space: normal; min-width: 4rem; }
.shotlist-table thead th { font-weight: 600; vertical-align: bottom; }
.shotlist-table th:first-child, .pairs th, .pairs td { text-align: left; }
/* What a row is about stays in sight when the others are scrolled. */
.shotlist-table th:first-child, .shotlist-table td.text:first-child {
  position: sticky; left: 0; min-width: 7rem; max-width: 12rem; background: var(--ground, Canvas);
}
[data-testid="stMain"] .shotlist-table { --ground: light-dark(#ffffff, #171614); }
.pairs td { white-space: normal; overflow-wrap: anywhere; }
.shotlist-table small { display: block; font-weight: 400; opacity: 0.75; }
.shotlist-table thead small { white-space: normal; min-width: 4.5rem; margin-left: auto; }
.shotlist-table th.text, .shotlist-table td.text {
  text-align: left; white-space: normal; overflow-wrap: break-word; min-width: 8rem;
}
.shotlist-table td.text:first-child { min-width: 11rem; }
.shotlist-table .best { font-weight: 700; }
.shotlist-table .best::before { content: "best "; font-size: 0.75em; font-weight: 400; }
.shotlist-table tr.leader td { font-weight: 700; }
"""
"""How the tables look on a page and in a report; colours are those of what surrounds them."""


def _columns(comparison: Comparison) -> list[str]:
    """Every metric with a figure, first those that tell most: a narrow page shows them at once."""
    names = dict.fromkeys((*_FIRST, *METRICS))
    return [
        n
        for n in names
        if any(comparison.value(each, n).mean is not None for each in comparison.methods)
    ]


def _method_cell(comparison: Comparison, method: str) -> str:
    label = METHODS[method].label if method in METHODS else ""
    if method == comparison.reference:
        label = f"{label}; reference"
    return f"{html.escape(method)}<small>{html.escape(label)}</small>"


def _estimate(value: Estimate, best: bool) -> str:
    if value.mean is None:
        return "-"
    mean = three_decimals(value.mean)
    if best:
        mean = f'<span class="best">{mean}</span>'
    return mean + _ends(value)


def _leaks(leaks: Leaks | None) -> str:
    return "-" if leaks is None else f"{leaks.contexts:,}<small>of {leaks.examples:,}</small>"


def _difference(value: Estimate) -> str:
    if value.mean is None:
        return "-"
    clear = value.above_zero or value.below_zero
    mean = three_decimals(value.mean, sign="+")
    return (f"<b>{mean}</b>" if clear else mean) + _ends(value)


def _ends(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"<small>{three_decimals(value.low)} to {three_decimals(value.high)}</small>"


def _number(value: Value, places: int | None) -> str:
    if value is None:
        return "-"
    return f"{value:z.{places}f}" if isinstance(value, float) else str(value)


def _row(cells: Sequence[str], leader: bool) -> str:
    first, *rest = cells
    opening = '<tr class="leader">' if leader else "<tr>"
    return f'{opening}<th scope="row">{first}</th>{"".join(f"<td>{c}</td>" for c in rest)}</tr>'


def _table(head: Sequence[str], rows: Iterable[str]) -> str:
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    return (
        '<div class="scroll"><table class="shotlist-table">'
        f"<thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
