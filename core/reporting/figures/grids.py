"""A calibration over more than lambda_d: lambda_b by lambda_d, and k."""

from typing import TYPE_CHECKING

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import CalibrationCell
from ...metrics.registry import METRICS
from ...text import listed
from ..words.calibration_findings import clearly_behind, finding_of, marked_best
from . import layout
from .curves import LAMBDA_D_AXIS
from .layout import empty_figure, error_bars, styled

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def lambda_heat_map(calibration: Calibration, *, k: int | None = None) -> "Figure":
    """DPO by lambda_b and lambda_d for one k, the best cell's unless given."""
    facts, best = METRICS[calibration.metric], marked_best(calibration)
    cells = cells_of_k(calibration, k)
    lambda_ds = sorted({cell.lambda_d for cell in cells})
    lambda_bs = sorted({cell.lambda_b for cell in cells})
    at = {(cell.lambda_b, cell.lambda_d): cell for cell in cells}
    rows = [[at[b, d] for d in lambda_ds] for b in lambda_bs]
    figure = empty_figure()
    figure.add_heatmap(
        x=lambda_ds,
        y=[f"{b:.2f}" for b in lambda_bs],
        z=[[cell.value.mean for cell in row] for row in rows],
        text=[[f"{facts.label} {c.value}<br>sameness {c.diversity}" for c in row] for row in rows],
        hovertemplate="lambda_d %{x:.2f}, lambda_b %{y}<br>%{text}<extra></extra>",
        colorscale=layout.SEQUENTIAL,
        colorbar={"title": {"text": facts.unit, "side": "right"}, "thickness": 12},
        xgap=1,
        ygap=1,
    )
    if best is not None and best in cells:
        figure.add_scatter(
            x=[best.lambda_d],
            y=[f"{best.lambda_b:.2f}"],
            mode="markers",
            marker={
                "symbol": "diamond",
                "size": 14,
                "color": layout.QUERY,
                "line": {"width": 2, "color": "white"},
            },
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_xaxes(title_text=LAMBDA_D_AXIS, showgrid=False)
    figure.update_yaxes(
        title_text="lambda_b (1 = no quality bias)", type="category", showgrid=False
    )
    title = finding_of(calibration, lambda best: _heat_map_title(cells, best))
    return styled(figure, title, height=150 + 46 * max(len(lambda_bs), 3))


def dpo_by_k(calibration: Calibration) -> "Figure":
    """The best DPO that each k reaches, over lambda_d and lambda_b, with its 95 % interval."""
    facts, tops = METRICS[calibration.metric], _best_of_each_k(calibration)
    figure = empty_figure()
    figure.add_scatter(
        x=[cell.k for cell in tops],
        y=[cell.value.mean for cell in tops],
        error_y=error_bars([cell.value for cell in tops]) | {"color": layout.DPO},
        mode="lines+markers+text",
        line={"color": layout.DPO, "width": 2},
        marker={"size": 9, "color": layout.DPO},
        text=[f" {cell.lambda_d:.2f}" for cell in tops],
        textposition="top right",
        hovertext=[
            f"k {cell.k}, lambda_d {cell.lambda_d:.2f}, lambda_b {cell.lambda_b:.2f}"
            f"<br>{facts.label} {cell.value}<br>sameness {cell.diversity}"
            for cell in tops
        ],
        hoverinfo="text",
        showlegend=False,
    )
    figure.update_xaxes(
        title_text="k (demonstrations), each at its best lambda_d, written beside the point",
        tickvals=[cell.k for cell in tops],
        range=[tops[0].k - 0.5, tops[-1].k + 1.5] if tops else None,
    )
    figure.update_yaxes(title_text=facts.axis)
    title = finding_of(calibration, lambda best: _k_title(tops, best))
    return styled(figure, title)


def cells_of_k(calibration: Calibration, k: int | None = None) -> list[CalibrationCell]:
    """The cells of one k, the best cell's unless given."""
    cells, best = calibration.cells, calibration.best
    if not cells:
        return []
    wanted = k if k is not None else (best or cells[0]).k
    return [cell for cell in cells if cell.k == wanted]


def _best_of_each_k(calibration: Calibration) -> list[CalibrationCell]:
    sign = 1.0 if METRICS[calibration.metric].higher_is_better else -1.0
    tops: dict[int, tuple[tuple[float, float, float], CalibrationCell]] = {}
    for cell in calibration.cells:
        if cell.value.mean is None:
            continue
        rank = (sign * cell.value.mean, cell.lambda_d, cell.lambda_b)
        if cell.k not in tops or rank > tops[cell.k][0]:
            tops[cell.k] = (rank, cell)
    return [tops[k][1] for k in sorted(tops)]


def _heat_map_title(cells: list[CalibrationCell], best: CalibrationCell) -> str:
    if not any(clearly_behind(cell, best) for cell in cells):
        return "No clear difference between the lambdas"
    behind = {cell.lambda_b for cell in cells}
    for cell in cells:
        if not clearly_behind(cell, best):
            behind.discard(cell.lambda_b)
    where = f"Best at lambda_d {best.lambda_d:.2f} with lambda_b {best.lambda_b:.2f}"
    if behind:
        named = ", ".join(f"{b:.2f}" for b in sorted(behind))
        return f"{where}; lambda_b {named} clearly behind"
    return f"{where}, but no lambda_b is clearly behind"


def _k_title(tops: list[CalibrationCell], best: CalibrationCell) -> str:
    if len(tops) == 1:
        return f"Only k {tops[0].k} was tried"
    behind = [cell.k for cell in tops if clearly_behind(cell, best)]
    if not behind:
        return "No clear difference between the values of k"
    named = listed([str(k) for k in behind])
    if max(behind) < best.k:
        return f"More demonstrations are better: k {best.k} is best, k {named} clearly behind"
    if min(behind) > best.k:
        return f"More than k {best.k} is worse: k {named} clearly behind"
    return f"k {best.k} is best; fewer and more are clearly behind"
