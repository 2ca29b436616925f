"""A query, its context and what is selected drawn over the map, which itself is not sent again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.reporting.figures.layout import CHOSEN, QUERY
from core.reporting.results.pool_map import By
from core.text import listed

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def plot_key(by: By) -> str:
    """Key of the container of that map's chart."""
    return "map_plot" if by is By.TEXT else f"map_plot_{by}"


@dataclass(frozen=True)
class Drawn:
    """What is drawn over a map, as points (x, y) in its coordinates.

    Attributes:
        query: Of the query, a star; None where it is not known, or there is none.
        chosen: Of its context's demonstrations.
        numbers: Their places in the order in which they were chosen, from 1.
        selected: Of the demonstrations that are selected, rings.
        holes: Of queries with no demonstration near them, squares.
    """

    query: Sequence[float] | None = None
    chosen: Sequence[Sequence[float]] = ()
    numbers: Sequence[int] = ()
    selected: Sequence[Sequence[float]] = ()
    holes: Sequence[Sequence[float]] = ()

    @property
    def in_words(self) -> str:
        """The same for who does not see it."""
        parts = [
            f"the query and its {len(self.chosen)} chosen demonstrations",
            f"{len(self.selected)} that are selected",
        ]
        if self.holes:
            parts.append(f"{len(self.holes)} holes")
        return f"On the map: {listed(parts)}"


def draw_over(by: By, drawn: Drawn) -> None:
    """Draw this over a map."""
    render = st.components.v2.component("shotlist_map_overlay", js=_SCRIPT)
    render(
        key="map_overlay" if by is By.TEXT else f"map_overlay_{by}",
        data={
            "name": plot_key(by),
            "plot": f".st-key-{plot_key(by)}",
            "query": None if drawn.query is None else list(drawn.query),
            "chosen": [list(point) for point in drawn.chosen],
            "numbers": list(drawn.numbers),
            "selected": [list(point) for point in drawn.selected],
            "holes": [list(point) for point in drawn.holes],
            "queryColour": QUERY,
            "chosenColour": CHOSEN,
            "description": drawn.in_words,
        },
    )
