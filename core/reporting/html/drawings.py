"""Drawings in HTML: the path of a lambda as a strip, and the picture of the start page."""

import math
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from ...text import lambda_text
from ..figures import layout
from ..results.idea import AnswerWay, Idea, Shown
from ..results.query import PathStep, StepsAround
from ..templates.rendering import render
from ..words import start_page as words

_WIDEST = 12  # decimals


def strip(knob: str, steps: Sequence[PathStep], at: float, here: PathStep | None) -> str:
    """The contexts from 0 to 1 side by side, the current one marked, and the lambda's value.

    Args:
        knob: "lambda_d" or "lambda_b".
        steps: The steps to draw, from 0 to 1.
        at: The slider's value.
        here: The step at that value, one of `steps`; None at a tie.
    """
    return render(
        "path_strip.html", knob=knob, steps=steps, at=at, here=here, range_text=range_text
    )


def range_text(step: PathStep, decimals: int = 2) -> str:
    """The ends of a step, with more decimals where its ends would otherwise look equal."""
    decimals = max(decimals, _decimals(step))
    return f"from {step.low:.{decimals}f} to {step.high:.{decimals}f}"


def _decimals(step: PathStep) -> int:
    return min(_WIDEST, max(2, math.ceil(-math.log10(step.width))))


def range_sentence(knob: str, at: float, where: StepsAround, picked: PathStep | None = None) -> str:
    """For which values of the lambda the current context is chosen.

    Args:
        knob: "lambda_d" or "lambda_b".
        at: The lambda's value.
        where: The step of the context at that value, and those beside it.
        picked: The step within which the order of choice stays, too; None where it does not count.
    """
    here = where.here
    if here is None:
        return f"At {knob} {lambda_text(at)} several contexts tie, and this one is chosen."
    within = picked if picked is not None and set(picked.ids) == set(here.ids) else here
    decimals = _decimals(within)
    words = f"This context is chosen for {knob} {range_text(here, decimals)}"
    if (here.low, here.high) == (0.0, 1.0):
        words = f"This context is chosen for every {knob}"
    if (within.low, within.high) != (here.low, here.high):
        words += f", in this order {range_text(within)}"
    return f"{words}."


def change_sentence(later: PathStep, *, upwards: bool) -> str:
    """What enters and leaves at the breakpoint where `later` begins, in the direction taken."""
    enters, leaves = later.enters, later.leaves
    if not upwards:
        enters, leaves = leaves, enters
    if not enters and not leaves:
        return "The same set, chosen in another order."
    return f"Enters: {_pairs_text(enters)}. Leaves: {_pairs_text(leaves)}."


def _pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{query} / {answer}" for query, answer in pairs) or "none"


TITLES = {"none": "No demonstrations", "rel": "Similar only", "rel+div+bias": "A mix"}
MEANINGS = {
    "rel": "the demonstrations most like the query",
    "rel+div+bias": "like the query, but unlike each other",
}


def picture(idea: Idea) -> Markup:
    """Query, both contexts side by side, and what the model prefers with none and with each."""
    return render(
        "idea.html", idea=idea, words=words, titles=TITLES, meanings=MEANINGS, grouped=_grouped
    )


def document(idea: Idea) -> str:
    """The same as one self-contained HTML file, to hand to someone who decides."""
    colours = Markup(layout.VARIABLES)
    return str(
        render("start_page.html", idea=idea, words=words, picture=picture(idea), colours=colours)
    )


def _grouped(way: AnswerWay) -> list[tuple[int | None, list[Shown]]]:
    """The demonstrations; consecutive ones that repeat the same earlier one form a group."""
    groups = groupby(way.shown, key=lambda each: each.again or -each.rank)
    return [(group[0].again, group) for group in (list(rows) for _, rows in groups)]
