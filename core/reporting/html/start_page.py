"""The picture of the start page as HTML, on the page and as a file to hand on."""

from itertools import groupby

from markupsafe import Markup

from ..figures import palette
from ..results.idea import Idea, Shown, Way
from ..templates.rendering import render
from ..words import start_page as words

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
    colours = Markup(palette.VARIABLES)
    return str(
        render("start_page.html", idea=idea, words=words, picture=picture(idea), colours=colours)
    )


def _grouped(way: Way) -> list[tuple[int | None, list[Shown]]]:
    """The demonstrations; consecutive ones that repeat the same earlier one form a group."""
    groups = groupby(way.shown, key=lambda each: each.again or -each.rank)
    return [(group[0].again, group) for group in (list(rows) for _, rows in groups)]
