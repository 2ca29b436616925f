"""The path of a lambda as a strip under its slider, and in words."""

import math
from collections.abc import Sequence

from ...text import lambda_text
from ..results.path import Step, StepsAround
from ..templates.rendering import render

_WIDEST = 12  # decimals


def strip(knob: str, steps: Sequence[Step], at: float, here: Step | None) -> str:
    """The contexts from 0 to 1 side by side, the present one marked, and where the lambda stands.

    Args:
        knob: "lambda_d" or "lambda_b".
        steps: What is told apart, from 0 to 1.
        at: Where the slider stands.
        here: The step that holds there, one of `steps`; None at a tie.
    """
    return render(
        "path_strip.html", knob=knob, steps=steps, at=at, here=here, range_text=range_text
    )


def range_text(step: Step, decimals: int = 2) -> str:
    """From where to where a step holds; more decimals than given where they tell its ends apart."""
    decimals = max(decimals, _decimals(step))
    return f"from {step.low:.{decimals}f} to {step.high:.{decimals}f}"


def _decimals(step: Step) -> int:
    return min(_WIDEST, max(2, math.ceil(-math.log10(step.width))))


def holds_in_words(knob: str, at: float, where: StepsAround, picked: Step | None = None) -> str:
    """For which values of the lambda the present context holds.

    Args:
        knob: "lambda_d" or "lambda_b".
        at: Where it stands.
        where: It and what stands beside it among the contexts.
        picked: The step within which also the order of choice stays; None where that is all one.
    """
    here = where.here
    if here is None:
        return f"At {knob} {lambda_text(at)} several contexts tie, and this one is chosen."
    within = picked if picked is not None and set(picked.ids) == set(here.ids) else here
    decimals = _decimals(within)
    words = f"This context holds for {knob} {range_text(here, decimals)}"
    if (here.low, here.high) == (0.0, 1.0):
        words = f"This context holds for every {knob}"
    if (within.low, within.high) != (here.low, here.high):
        words += f", chosen in this order {range_text(within)}"
    return f"{words}."


def change_in_words(later: Step, *, upwards: bool) -> str:
    """What enters and leaves at the breakpoint where `later` begins, in the direction taken."""
    enters, leaves = later.enters, later.leaves
    if not upwards:
        enters, leaves = leaves, enters
    if not enters and not leaves:
        return "The same set, chosen in another order."
    return f"Enters: {_pairs_text(enters)}. Leaves: {_pairs_text(leaves)}."


def _pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{query} / {answer}" for query, answer in pairs) or "none"
