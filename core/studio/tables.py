"""Tables of exact figures, as rows for the pages and as HTML for page and report.

Every text is escaped: what came from a user is shown, never interpreted.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..metrics.registry import METRICS
from ..retrieval.methods import METHODS
from .calibration_findings import cells_of, clearly_behind, marked_best
from .cautions import LEAK
from .comparison_findings import kinds_of, leaders, leaders_of_kind, value_of, value_of_kind
from .estimates import DIVERSITY, Estimate, metric_facts, three_decimals

BEST = "best"
_FIRST = ("dpo_per_triple", "mc1", DIVERSITY.name)
KINDS_TITLE = "DPO per triple by kind of incorrect answer (nats)"


def calibration_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a cell with numbers; None where undefined. `verdict` compares it with the best."""
    best, label = marked_best(summary), metric_facts(summary["metric"]).label
    rows = []
    for cell, row in zip(cells_of(summary), summary["curve"], strict=True):
        verdict = ""
        if best is not None and cell.value.mean is not None:
            behind = "clearly behind" if clearly_behind(cell, best) else "not clearly behind"
            verdict = BEST if cell.knobs == best.knobs else behind
        rows.append(
            {
                "k": cell.k,
                "lambda_b": cell.lambda_b,
                "lambda_d": cell.lambda_d,
                label: cell.value.mean,
                "low": cell.value.low,
                "high": cell.value.high,
                "sameness": cell.diversity.mean,
                "leaks": row["leaks"]["contexts"] if "leaks" in row else None,
                "behind best": None if cell.behind is None else cell.behind.mean,
                "verdict": verdict,
            }
        )
    return rows


def calibration_table(summary: Mapping[str, Any]) -> str:
    """The same rows as an HTML table: lambdas with two decimals, everything else with three."""
    rows = calibration_rows(summary)
    names = list(rows[0]) if rows else []
    body = (
        _row([html.escape(_number(name, row[name])) for name in names], row["verdict"] == BEST)
        for row in rows
    )
    return _table([html.escape(name) for name in names], body)


def method_table(summary: Mapping[str, Any]) -> str:
    """Methods by metrics with intervals as an HTML table; the best of a column says so."""
    metrics = _columns(summary)
    best = {name: leaders(summary, name) for name in metrics}
    head = ["Method"]
    for name in metrics:
        facts = metric_facts(name)
        way = {True: "higher is better", False: "lower is better", None: "lower is more diverse"}
        unit = "cosine" if name == DIVERSITY.name else facts.unit
        title = html.escape(facts.explanation, quote=True)
        note = html.escape(f"{unit}, {way[facts.higher_is_better]}")
        head.append(f'<span title="{title}">{html.escape(facts.label)}</span><small>{note}</small>')
    counted = any(row.get("leaks", {}).get("contexts") for row in summary["methods"].values())
    if counted:
        title = html.escape(f"How often {LEAK}", quote=True)
        head.append(f'<span title="{title}">Leaks</span><small>contexts</small>')
    body = []
    for method in summary["methods"]:
        figures = [
            _estimate(value_of(summary, method, name), method in best[name]) for name in metrics
        ]
        if counted:
            figures.append(_leaks(summary["methods"][method]))
        body.append(_row([_method_cell(summary, method), *figures], False))
    return _table(head, body)


def kinds_table(summary: Mapping[str, Any]) -> str:
    """Methods by kinds of incorrect answer, DPO per triple with intervals, as an HTML table.

    Empty where no incorrect answer has a kind.
    """
    kinds = kinds_of(summary)
    if not kinds:
        return ""
    best = {kind: leaders_of_kind(summary, kind) for kind in kinds}
    body = []
    for method in summary["methods"]:
        figures = [
            _estimate(value_of_kind(summary, method, kind), method in best[kind]) for kind in kinds
        ]
        body.append(_row([_method_cell(summary, method), *figures], False))
    return _table(["Method", *map(html.escape, kinds)], body)


def difference_table(summary: Mapping[str, Any]) -> str:
    """Each method minus the reference, paired, as an HTML table; clear ones are in bold."""
    metrics = _columns(summary)
    body = []
    for method, row in summary["methods"].items():
        if "difference" in row:
            body.append(
                _row(
                    [
                        _method_cell(summary, method),
                        *(_difference(Estimate.of(row["difference"][name])) for name in metrics),
                    ],
                    False,
                )
            )
    return _table(["Method", *(html.escape(metric_facts(n).label) for n in metrics)], body)


def text_table(rows: Sequence[Mapping[str, Any]], places: Mapping[str, int]) -> str:
    """Rows of texts and numbers as an HTML table; texts wrap and stand on the left.

    Args:
        rows: All with the same columns.
        places: The decimals of each column of numbers that are not whole.
    """
    names = list(rows[0]) if rows else []
    kind = {
        name: "text" if any(isinstance(row[name], str) for row in rows) else "number"
        for name in names
    }

    def cell(name: str, value: Any) -> str:
        shown = f"{value:.{places[name]}f}" if isinstance(value, float) else _number(name, value)
        return f'<td class="{kind[name]}">{html.escape(shown)}</td>'

    head = "".join(
        f'<th scope="col" class="{kind[name]}">{html.escape(name)}</th>' for name in names
    )
    body = "".join(f"<tr>{''.join(cell(n, row[n]) for n in names)}</tr>" for row in rows)
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


def _columns(summary: Mapping[str, Any]) -> list[str]:
    """Every metric with a figure, first those that tell most: a narrow page shows them at once."""
    names = dict.fromkeys((*_FIRST, *METRICS))
    return [n for n in names if any(row[n] is not None for row in summary["methods"].values())]


def _method_cell(summary: Mapping[str, Any], method: str) -> str:
    label = METHODS[method].label if method in METHODS else ""
    if method == summary["reference"]:
        label = f"{label}; reference"
    return f"{html.escape(method)}<small>{html.escape(label)}</small>"


def _estimate(value: Estimate, best: bool) -> str:
    if value.mean is None:
        return "-"
    mean = three_decimals(value.mean)
    if best:
        mean = f'<span class="best">{mean}</span>'
    return mean + _ends(value)


def _leaks(row: Mapping[str, Any]) -> str:
    leaks = row["leaks"]
    return f"{leaks['contexts']:,}<small>of {leaks['examples']:,}</small>"


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


def _number(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}" if name.startswith("lambda") else f"{value:z.3f}"
    return str(value)


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
