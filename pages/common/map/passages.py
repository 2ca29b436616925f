"""Passages on the map in place of a pool: which collection, a search, and what it found."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.passages.search import SearchBy
from core.reporting.figures.passage_map import passage_figure
from core.reporting.results.pool_map import PassageMap
from core.studio.passages import (
    K,
    SearchRequest,
    SearchResult,
    names,
    passage_map,
    place_query,
    search,
)
from pages.common.frame.look import beside, draw_figure
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.state.address import write_link
from pages.common.state.knobs import SEARCHES, kept_key
from pages.common.state.readers import one_of, whole
from pages.common.state.segments import choose_segment
from pages.common.state.state import keeper, remember

POOL = ""
"""What is chosen where the pool is on the map."""
MOST = 50
MOST_SHOWN = 500


def choose_collection(frame: Frame) -> str:
    """The collection of passages to be on the map; `POOL` for the pool, where there is none too."""
    offered = names(frame.studio)
    if not offered:
        return POOL
    chosen = st.selectbox(
        "On the map",
        [POOL, *offered],
        format_func=lambda name: f"passages: {name}" if name else f"pool: {frame.setup.pool}",
        key=kept_key("map", "passages", POOL, one_of(POOL, *offered)),
        help="The pool's demonstrations, or a collection of passages, which programs search. "
        "Passages are imported on the page Programs.",
    )
    remember("map", "passages", chosen)
    return chosen or POOL


def passages_panel(frame: Frame, name: str) -> None:
    """The collection's map, a search in it, and the passages selected on it."""
    with shown_errors():
        found, job = passage_map(frame.studio, name, frame.setup.encoder)
        if job is not None:
            watch(frame.studio, job, "Lay out the map of passages", stops=True)
        if found is None:
            return
        map_place, query_place = beside("map", [3, 2], "panels")
        with query_place:
            result = _search(frame, name)
            if result is not None:
                _show_found(result)
        with map_place:
            selected = _draw(frame, found, result)
        _show_selected(found, selected)


def _search(frame: Frame, name: str) -> SearchResult | None:
    """What the typed query finds; None without a query."""
    key = kept_key("map", "passage_query", "")
    query = st.text_input(
        "Query",
        key=key,
        on_change=keeper(key, "map", "passage_query"),
        placeholder="Type a query to search the passages",
    ).strip()
    remember("map", "passage_query", query)
    by = choose_segment("map", "by", "Compare", SEARCHES, SearchBy.FUSED.value)
    k = st.number_input(
        "k (passages found)",
        min_value=0,
        max_value=MOST,
        key=kept_key("map", "passages_k", K, whole(0, MOST)),
    )
    remember("map", "passages_k", int(k))
    link = {"passages": name, "passage_query": query, "by": by, "passages_k": str(int(k))}
    write_link(pool=frame.setup.pool, **link)
    if not query:
        st.info("Type a query to see where it lies and which passages it finds.")
        return None
    with st.spinner("Searching"):
        request = SearchRequest(
            collection=name, query=query, k=int(k), by=SearchBy(by), encoder=frame.setup.encoder
        )
        return search(frame.studio, request)


def _show_found(result: SearchResult) -> None:
    if not result.passages:
        st.caption("No passage was found.")
        return
    st.caption("Star: the query. Numbers: the passages found, the best first.")
    st.dataframe(
        [
            {
                "": rank,
                "score": each.score,
                "title": each.title,
                "text": each.text,
                "source": f"{each.source} {each.document}.{each.part}",
            }
            for rank, each in enumerate(result.passages, start=1)
        ],
        hide_index=True,
        height=38 + 35 * min(len(result.passages), 8),
        column_config={
            "": st.column_config.NumberColumn(width=30),
            "score": st.column_config.NumberColumn(format="%.3f", width=65),
            "title": st.column_config.TextColumn(width=120),
            "text": st.column_config.TextColumn(width=260),
            "source": st.column_config.TextColumn(
                width=120, help="The file, and the numbers of document and part."
            ),
        },
    )
    cut = sum(each.cut for each in result.passages)
    if cut:
        st.caption(
            f"{cut:,} of these are longer than the encoder's window: their beginnings count."
        )


def _draw(frame: Frame, found: PassageMap, result: SearchResult | None) -> list[int]:
    """The chart; the ids of the points inside the lasso or the box."""
    ids = [] if result is None else [each.id for each in result.passages]
    point = None
    if result is not None:
        point = place_query(frame.studio, found, result.query, frame.setup.encoder)
    event = draw_figure(
        passage_figure(found, np.array(ids, dtype=np.int64), point),
        "map_passages_chart",
        on_select="rerun",
        config={"displaylogo": False, "scrollZoom": True},
        alt=f"Map of {len(found):,} passages; the table below lists what is selected",
    )
    st.caption(
        plain(
            f"{len(found):,} passages, version {found.version:,}, encoder {found.encoder}, UMAP "
            f"with seed {found.seed}. Near points are alike; how far apart groups are means little."
        )
    )
    points = event["selection"]["points"] if event else []
    return sorted({_id(each["customdata"]) for each in points if "customdata" in each})


def _id(customdata: int | Sequence[int]) -> int:
    """A point's id: plotly gives it alone or as a list of one."""
    return customdata if isinstance(customdata, int) else int(customdata[0])


def _show_selected(found: PassageMap, ids: list[int]) -> None:
    if not ids:
        st.caption("Nothing is selected. Draw around points to list their passages.")
        return
    shown = found.only(found.positions(np.array(ids[:MOST_SHOWN], dtype=np.int64)))
    st.markdown(f"**{len(ids):,} selected**")
    rows = zip(shown.ids.tolist(), shown.titles, shown.texts, shown.sources, strict=True)
    st.dataframe(
        [{"id": id, "title": t, "text": text, "source": s} for id, t, text, s in rows],
        hide_index=True,
        height=min(400, 38 + 35 * len(shown)),
    )
