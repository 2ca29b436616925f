"""A query, its context and what is selected drawn over the map, which itself is not sent again."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.reporting.figures.palette import CHOSEN, QUERY
from core.reporting.results.pool_map import By

_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def plot_key(by: By) -> str:
    """Key of the container of that map's chart."""
    return "map_plot" if by is By.TEXT else f"map_plot_{by}"


def draw_context(
    by: By,
    query: Sequence[float] | None,
    chosen: Sequence[Sequence[float]],
    numbers: Sequence[int],
    selected: Sequence[Sequence[float]],
) -> None:
    """Draw the query as a star, the chosen ones, numbered, and rings over a map.

    Args:
        by: Which map.
        query: Its point (x, y) in the map's coordinates; None where it is not known yet.
        chosen: The points of the context's demonstrations.
        numbers: Their places in the order in which they were chosen, from 1.
        selected: The points of the demonstrations that are selected.
    """
    render = st.components.v2.component("shotlist_map_overlay", js=_SCRIPT)
    render(
        key="map_overlay" if by is By.TEXT else f"map_overlay_{by}",
        data={
            "name": plot_key(by),
            "plot": f".st-key-{plot_key(by)}",
            "query": None if query is None else list(query),
            "chosen": [list(point) for point in chosen],
            "numbers": list(numbers),
            "selected": [list(point) for point in selected],
            "queryColour": QUERY,
            "chosenColour": CHOSEN,
            "description": f"The query and its {len(chosen)} chosen demonstrations on the map, and "
            f"{len(selected)} that are selected",
        },
    )
