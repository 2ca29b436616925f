"""The map of a pool: one point per demonstration, in a chosen colouring."""

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...demonstration.demonstration import Demonstration, Status
from ...text import short
from ...types import BoolArray, FloatArray
from ..results.pool_map import PoolMap, SameLabel
from .layout import CANDIDATE, CHOSEN, NEUTRAL, SEQUENTIAL, empty_figure, styled
from .same_label import map_title

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLOURINGS = {
    "tag": "Tag",
    "label": "Label",
    "quality": "Quality bias",
    "length": "Query length",
    "status": "Status",
    "retrieved": "Retrieval",
}
"""What the points can be coloured by, with a label for each."""

TAG_COLOURS = ("#77AADD", "#EE8866", "#44BB99", "#FFAABB", "#AAAA00", "#99DDFF", "#BBCC33")
"""Paul Tol's light scheme (2021), safe for colour-blind eyes and paler than the palette's colours,
which on the map mark the query and its context."""

MOST_TAGS = len(TAG_COLOURS)
DECIDES = {"rarest": "Rarest", "commonest": "Most frequent", "listed": "First chosen"}
"""Which of several tags of a demonstration colours its point, with a label for each."""
RAREST = "rarest"
NO_TAG = "no tag"
OTHER = "other tags"
NO_LABEL = "no label"
OTHER_LABELS = "other labels"

Marker: TypeAlias = Mapping[str, object]
"""Properties of plotly's markers, by name: texts, numbers, arrays, and such mappings again."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down")
HEIGHT = 640
BAR = 60
"""Pixels above the points, for the title, which the page takes out, and the bar of tools."""
_LETTERS = 90  # of query and answer in the label of a point
CROWDED = 5_000  # points; with this many or more they are small and have short labels
_FEW_LETTERS = 40  # of the query alone where points are many: labels are most of what is sent

DRAWN = 50_000
"""Points drawn at once, a seeded sample of a larger pool."""

EDGE = {"width": 0.5, "color": NEUTRAL}
"""Without it the palest points vanish on a light page and the darkest on a dark one."""


def common_tags(found: PoolMap, most: int = MOST_TAGS) -> list[str]:
    """The tags that most demonstrations carry, at most `most` of them."""
    counted = Counter(tag for row in found.demonstrations for tag in row.tags)
    return [tag for tag, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:most]]


def common_labels(found: PoolMap, most: int = MOST_TAGS) -> list[str]:
    """The labels that most demonstrations have, at most `most` of them, in the task's order."""
    counted = Counter(label for label in found.labels if label)
    ranked = sorted(
        (word for word in found.label_words if word in counted), key=lambda w: -counted[w]
    )
    return [word for word in found.label_words if word in ranked[:most]]


def map_figure(
    found: PoolMap,
    colour: str,
    tags: Sequence[str] = (),
    *,
    decides: str = RAREST,
    same: SameLabel | None = None,
    height: int = HEIGHT,
    most: int = DRAWN,
) -> "Figure":
    """The map, coloured; excluded demonstrations are hollow whatever the colour.

    Every point carries its demonstration's id as `customdata`.

    By one of `COLOURINGS`; up to `MOST_TAGS` tags get a colour and a shape of their own, and where
    a demonstration has several of them, one of `DECIDES` does, which the legend says. `same` is for
    the title; at most so many points are drawn, a seeded sample of a larger pool.
    """
    figure = empty_figure()
    found = _sample(found, most)
    label = _label if len(found) < CROWDED else _short_label
    labels = [label(row) for row in found.demonstrations]
    for name, mask, marker in _groups(found, colour, _by_rank(found, tags, decides)):
        if mask.any():
            chosen = np.flatnonzero(mask).tolist()
            figure.add_scattergl(
                x=found.coordinates[mask, 0],
                y=found.coordinates[mask, 1],
                mode="markers",
                name=f"{html.escape(short(name, 30), quote=False)} ({len(chosen):,})",
                customdata=found.ids[mask],
                text=[labels[position] for position in chosen],
                hovertemplate="%{text}<extra></extra>",
                marker={"size": 7 if len(found) < CROWDED else 4, **marker},
            )
    dressed(figure, map_title(found.by, COLOURINGS[colour], same), height)
    if colour == "tag" and any(len({*tags} & {*row.tags}) > 1 for row in found.demonstrations):
        words = f"Of several tags, the {DECIDES[decides].lower()}:"
        figure.update_layout(legend={"title": {"text": words}})
    return figure


def _by_rank(found: PoolMap, tags: Sequence[str], decides: str) -> dict[str, int]:
    """Of each tag with a colour of its own, in order, how soon it is preferred to the others."""
    wanted = list(dict.fromkeys(tags))[:MOST_TAGS]
    if decides == "listed":
        return {tag: place for place, tag in enumerate(wanted)}
    times = Counter(tag for row in found.demonstrations for tag in row.tags)
    return {tag: times[tag] if decides == RAREST else -times[tag] for tag in wanted}


def _sample(found: PoolMap, most: int) -> PoolMap:
    """The map with the demonstrations that are drawn."""
    if len(found) <= most:
        return found
    generator = np.random.default_rng(found.seed)
    drawn = np.sort(generator.choice(len(found), size=most, replace=False))
    return found.only(drawn)


def dressed(figure: "Figure", title: str, height: int = HEIGHT) -> "Figure":
    """The figure of a map with its title, its axes without numbers, and the lasso."""
    styled(figure, title)
    bare = {"showticklabels": False, "zeroline": False, "showgrid": False, "ticks": ""}
    figure.update_xaxes(title="UMAP 1 (no unit)", **bare)
    figure.update_yaxes(title="UMAP 2 (no unit)", **bare)
    figure.update_layout(
        height=height,
        dragmode="lasso",
        margin={"t": BAR, "l": 30, "r": 10, "b": 30},
        legend={"y": -0.07, "itemsizing": "constant"},
        showlegend=len(figure.data) > 1,
        # plotly takes a transparent page for a dark one: the tool in use would be white on white.
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": NEUTRAL, "activecolor": CHOSEN},
    )
    return figure


def _groups(
    found: PoolMap, colour: str, ranks: Mapping[str, int]
) -> list[tuple[str, BoolArray, Marker]]:
    """(name, mask, marker) of each trace; together they contain every point once."""
    shown = ~found.excluded
    if colour == "quality":
        unscored = np.isnan(found.quality_bias)
        bar = _graded(found.quality_bias, shown & ~unscored, "nats per token")
        groups = [
            # First, so that the scored ones are drawn over them.
            ("not scored yet", shown & unscored, {"color": CANDIDATE, "symbol": "x"}),
            ("quality bias", shown & ~unscored, bar),
        ]
    elif colour == "length":
        lengths = found.query_words.astype(np.float64)
        groups = [("query length", shown, _graded(lengths, shown, "words"))]
    elif colour == "retrieved" and found.retrieved is not None:
        bar = _graded(100 * found.retrieved, shown, "% of contexts")
        groups = [("included", shown, bar)]
    elif colour == "retrieved":
        groups = [("not counted yet", shown, {"color": CANDIDATE, "symbol": "x"})]
    elif colour == "status":
        pinned = np.array([row.status is Status.PINNED for row in found.demonstrations], bool)
        groups = [
            ("included", shown & ~pinned, {"color": TAG_COLOURS[0], "line": EDGE}),
            ("pinned", pinned, {"color": TAG_COLOURS[1], "line": EDGE}),
        ]
    elif colour == "label":
        groups = _label_groups(found, shown)
    else:
        groups = _tag_groups(found, shown, ranks)
    hollow = {"color": NEUTRAL, "symbol": "circle-open"}
    return [*groups, ("excluded", found.excluded, hollow)]


def _tag_groups(
    found: PoolMap, shown: BoolArray, ranks: Mapping[str, int]
) -> list[tuple[str, BoolArray, Marker]]:
    preferred = sorted(ranks, key=ranks.__getitem__)
    names = np.array([_group_name(row, preferred) for row in found.demonstrations], dtype=object)
    others, none = shown & np.equal(names, 1), shown & np.equal(names, 0)
    return [
        *_grey_groups((OTHER, others), (NO_TAG, none)),
        *_named_groups([(tag, shown & np.equal(names, tag)) for tag in ranks]),
    ]


def _label_groups(found: PoolMap, shown: BoolArray) -> list[tuple[str, BoolArray, Marker]]:
    labels, wanted = np.array(found.labels, dtype=object), common_labels(found)
    none = shown & np.equal(labels, "")
    named = [(word, shown & np.equal(labels, word)) for word in wanted]
    others = shown & ~none
    for _, mask in named:
        others = others & ~mask
    return [*_grey_groups((OTHER_LABELS, others), (NO_LABEL, none)), *_named_groups(named)]


def _grey_groups(
    others: tuple[str, BoolArray], none: tuple[str, BoolArray]
) -> list[tuple[str, BoolArray, Marker]]:
    """The groups without a colour of their own: first, so that the others are drawn over them."""
    grey = {"color": CANDIDATE, "opacity": 0.45}
    return [(*others, grey), (*none, {**grey, "symbol": "circle-open-dot"})]


def _named_groups(
    named: Sequence[tuple[str, BoolArray]],
) -> list[tuple[str, BoolArray, Marker]]:
    """Each with a colour and a shape of its own."""
    return [
        (name, mask, {"color": TAG_COLOURS[at], "symbol": SYMBOLS[at], "line": EDGE})
        for at, (name, mask) in enumerate(named)
    ]


def _group_name(row: Demonstration, wanted: Sequence[str]) -> str | int:
    """The first wanted tag that it carries; else 1 when it carries another, 0 when none."""
    return next((tag for tag in wanted if tag in row.tags), int(bool(row.tags)))


def _graded(values: FloatArray, mask: BoolArray, unit: str) -> Marker:
    inside = values[mask]
    low, high = np.percentile(inside, [2, 98]) if len(inside) else (0.0, 1.0)
    return {
        "color": inside,
        "colorscale": SEQUENTIAL,
        "cmin": float(low),
        "cmax": float(high) if high > low else float(low) + 1.0,
        "colorbar": {"title": {"text": unit}, "thickness": 12, "outlinewidth": 0},
        "line": EDGE,
    }


def _label(row: Demonstration) -> str:
    tags = f" | {', '.join(row.tags)}" if row.tags else ""
    lines = (row.query, row.answer, f"id {row.id}{tags}")
    return "<br>".join(html.escape(short(line, _LETTERS), quote=False) for line in lines)


def _short_label(row: Demonstration) -> str:
    return f"{html.escape(short(row.query, _FEW_LETTERS), quote=False)}<br>id {row.id}"
