"""An earlier run in a line, and whether two runs are of the same examples."""

from collections.abc import Set
from pathlib import Path

from ...demonstration.demonstration import EvaluationExample
from ...evaluation.results.calibration import Calibration
from ...evaluation.results.comparison import Comparison
from ...evaluation.runs.worth import Worth
from ...metrics.registry import METRICS
from ...text import counted, listed
from .calibration_findings import is_meaningless
from .comparison_findings import best_method
from .provenance import calibration_what, comparison_what, examples_used
from .rows import knobs_in_words, row_name

NAMED = 4
"""Rows of a comparison that are named, at most."""


def run_line(figures: Calibration | Comparison | Worth) -> str:
    """Model, examples, setting, what was edited since, and the figure that leads, of a run."""
    edits = figures.edits
    return "; ".join(
        filter(
            None,
            (
                f"model {_models(figures)}",
                examples_used(figures, short=True),
                _setting(figures),
                f"before {counted(edits.count, 'edit')} of the pool" if edits else "",
                "" if is_meaningless(figures, figures.metric) else _leading(figures),
            ),
        )
    )


def _models(figures: Calibration | Comparison | Worth) -> str:
    runs = figures.models if isinstance(figures, Comparison) else (figures,)
    names = dict.fromkeys(each.settings.model for each in runs)
    return listed([Path(name).name or name for name in names])


def _setting(figures: Calibration | Comparison | Worth) -> str:
    if isinstance(figures, Calibration):
        return calibration_what(figures.cells)
    if isinstance(figures, Comparison):
        rows = list(figures.methods)
        more = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
        return f"{', '.join(rows[:NAMED])}{more} ({comparison_what(figures)})"
    request = figures.settings.request
    return f"{request.method}, {knobs_in_words({'k': request.k})}"


def _leading(figures: Calibration | Comparison | Worth) -> str:
    label = METRICS[figures.metric].label
    if isinstance(figures, Worth):
        return counted(len(figures.demonstrations), "demonstration") + " judged"
    if isinstance(figures, Calibration):
        best = figures.best
        return "" if best is None else f"best lambda_d {best.lambda_d:.2f}, {label} {best.value}"
    name = best_method(figures, figures.metric)
    if name is None:
        return ""
    return f"best {row_name(figures, name)}, {label} {figures.value(name, figures.metric)}"


def examples_in_common(one: Set[EvaluationExample], other: Set[EvaluationExample]) -> str:
    """Whether two runs are of the same examples, with the same answers, in a sentence."""
    both = len(one & other)
    if both == len(one) == len(other):
        return f"Both runs are of the same {counted(both, 'example')}."
    return (
        f"{both:,} of the {counted(len(one), 'example')} of this run and of the {len(other):,} of "
        "the other are the same, answers included: a difference may come from the others."
    )
