"""A query and its context drawn over the map, which itself is not sent again."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.reporting.figures.palette import CHOSEN, QUERY

PLOT_KEY = "map_plot"
"""Key of the container that holds the map's chart."""

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def draw_context(query: Sequence[float], chosen: Sequence[Sequence[float]]) -> None:
    """Draw the query as a star and the chosen ones, numbered in the order given, over the map.

    Args:
        query: Its point (x, y) in the map's coordinates.
        chosen: The points of the context's demonstrations.
    """
    render = st.components.v2.component("shotlist_map_overlay", js=_SCRIPT)
    render(
        key="map_overlay",
        data={
            "plot": f".st-key-{PLOT_KEY}",
            "query": list(query),
            "chosen": [list(point) for point in chosen],
            "queryColour": QUERY,
            "chosenColour": CHOSEN,
            "description": f"The query and its {len(chosen)} chosen demonstrations on the map",
        },
    )
