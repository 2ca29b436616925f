"""The map of a collection of passages: one point per passage, in the colour of its file."""

import html
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...text import short
from ...types import IntArray
from ..results.pool_map import PassageMap
from .layout import CANDIDATE, CHOSEN, QUERY, empty_figure
from .pool_map import CROWDED, DRAWN, EDGE, MOST_TAGS, SYMBOLS, TAG_COLOURS, dressed

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

OTHER = "other files"
FOUND, THE_QUERY = "found", "query"
_LETTERS = 90


def passage_figure(
    found: PassageMap,
    picked: IntArray,
    query: tuple[float, float] | None = None,
    *,
    most: int = DRAWN,
) -> "Figure":
    """The map, with the passages that a search found and the query drawn over it.

    Every point of a passage carries its id as `customdata`. The ranks of those picked, the best
    first, are written beside them; they are always drawn, of a larger collection a seeded sample.
    """
    figure = empty_figure()
    shown = _sample(found, most)
    size = 7 if len(shown) < CROWDED else 4
    for name, places, marker in _groups(shown):
        _add(figure, shown.only(places), name, {"size": size, **marker})
    best = found.only(found.positions(picked))
    if len(best):
        ranks = [str(rank) for rank in range(1, len(best) + 1)]
        marker = {"size": 16, "color": CHOSEN, "symbol": "circle"}
        _add(figure, best, FOUND, marker, ranks)
    if query is not None:
        figure.add_scattergl(
            x=[query[0]],
            y=[query[1]],
            mode="markers",
            name=THE_QUERY,
            hovertemplate="the query<extra></extra>",
            marker={"size": 18, "color": QUERY, "symbol": "star"},
        )
    return dressed(figure, f"Passages of {found.collection}, coloured by file")


def _sample(found: PassageMap, most: int) -> PassageMap:
    if len(found) <= most:
        return found
    generator = np.random.default_rng(found.seed)
    return found.only(np.sort(generator.choice(len(found), size=most, replace=False)))


def _groups(found: PassageMap) -> list[tuple[str, IntArray, dict[str, object]]]:
    """(name, places, marker) of each trace: the largest files, the others in grey below them."""
    counted = Counter(found.sources)
    ranked = sorted(counted, key=lambda name: (-counted[name], name))
    sources = np.array(found.sources, dtype=object)
    others = np.flatnonzero(np.isin(sources, ranked[MOST_TAGS:]))
    groups: list[tuple[str, IntArray, dict[str, object]]] = []
    if len(others):
        groups.append((OTHER, others, {"color": CANDIDATE, "opacity": 0.45}))
    for at, name in enumerate(ranked[:MOST_TAGS]):
        marker: dict[str, object] = {"color": TAG_COLOURS[at], "symbol": SYMBOLS[at]}
        marker["line"] = EDGE
        groups.append((name, np.flatnonzero(np.equal(sources, name)), marker))
    return groups


def _add(
    figure: "Figure",
    shown: PassageMap,
    name: str,
    marker: dict[str, object],
    ranks: Sequence[str] = (),
) -> None:
    labels = [
        "<br>".join(
            html.escape(short(line, _LETTERS), quote=False)
            for line in (title, text, f"id {number}")
            if line
        )
        for title, text, number in zip(shown.titles, shown.texts, shown.ids.tolist(), strict=True)
    ]
    named = {"text": list(ranks), "textfont": {"color": "white", "size": 10}} if ranks else {}
    figure.add_scattergl(
        x=shown.coordinates[:, 0],
        y=shown.coordinates[:, 1],
        mode="markers+text" if ranks else "markers",
        name=f"{html.escape(short(name, 30), quote=False)} ({len(shown):,})",
        customdata=shown.ids,
        hovertext=labels,
        hovertemplate="%{hovertext}<extra></extra>",
        marker=marker,
        **named,
    )
