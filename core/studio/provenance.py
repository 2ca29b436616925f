"""Where a figure comes from, in words: what stands beside each one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..evaluation.recommendation import FOLDS
from ..retrieval.methods import METHODS
from .calibration_findings import Cell
from .cautions import leaks_left_out

INTERVALS = (
    "95 % intervals over evaluation examples, all answers of an example together: corrected for "
    "skewness (Hall 1992), exact for shares of right answers (Clopper-Pearson). Differences are "
    "paired and bounded all together (max-T over sign flips), so they hold whichever is chosen. In "
    "a run that is watched everything holds at every look"
)
RECOMMENDATION = (
    f"a value is behind where another is better beyond chance, all of them taken together, and by "
    f"more than the margin; the gain over the paper's defaults and the best's figure by "
    f"cross-fitting ({FOLDS} folds of examples); the bound on what else may be better is an "
    "asymptotic confidence sequence (Waudby-Smith et al. 2024), at 95 % for all looks together"
)


def provenance(summary: Mapping[str, Any], what: str) -> str:
    """One line that traces a figure: what is shown, pool, model, template, examples, interval.

    Args:
        summary: Of a calibration or an evaluation, whole or so far.
        what: The method with its lambdas and k, as `calibration_what` or `comparison_what` give it.
    """
    settings = summary["settings"]
    model = f"{model_name(summary)} ({settings['dtype']} on {settings['device']})"
    return "; ".join(
        (
            what,
            f"pool {settings['pool']}, version {settings['pool_version']}",
            f"model {model}",
            f"template {settings['template']}",
            f"encoder {settings.get('encoder_name') or settings['encoder']}",
            f"{examples_used(summary, short=True)}, seed {settings['seed']}"
            + (", leaks left out" if leaks_left_out(summary) else ""),
            "95 % intervals over examples",
        )
    )


def calibration_what(cells: Sequence[Cell]) -> str:
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


def comparison_what(summary: Mapping[str, Any]) -> str:
    """The knobs of a comparison's methods, in words: a lambda as those have it that can turn it."""
    requests = [row["request"] for row in summary["methods"].values()]
    if not requests:
        return "no methods"
    turned = {
        knob.name: request[knob.name]
        for request in requests
        if request["method"] in METHODS  # a run of old may name a method that is gone
        for knob in METHODS[request["method"]].parameters
    }
    named = [name for name in ("lambda_d", "lambda_b") if name in turned]
    return ", ".join([f"k {requests[0]['k']}", *(f"{name} {turned[name]:.2f}" for name in named)])


def model_name(summary: Mapping[str, Any]) -> str:
    """The model's name as people say it: the last part of a folder's path."""
    name = str(summary["model"])
    return Path(name).name or name


def examples_used(summary: Mapping[str, Any], *, short: bool = False) -> str:
    """How many examples stand behind the figures, and from which pool; the model unless short."""
    settings = summary["settings"]
    count = counted(summary["examples"], "example" if short else "evaluation example")
    other = settings["examples_from"] != settings["pool"]
    if short:
        return f"{count} from pool {settings['examples_from']}" if other else count
    if other:
        return (
            f"{count} from pool {settings['examples_from']}, demonstrations from pool "
            f"{settings['pool']}, with model {model_name(summary)}"
        )
    return f"{count} of pool {settings['pool']}, with model {model_name(summary)}"


def spread_of(values: Sequence[float], style: str) -> str:
    """The values in ascending order: all of a few, the ends of many."""
    if len(values) == 1:
        return format(values[0], style)
    if len(values) <= 6:
        return ", ".join(format(value, style) for value in values)
    return f"{values[0]:{style}} to {values[-1]:{style}}"


def counted(number: int, word: str) -> str:
    """The number with its word, in the plural where it is not one."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
