"""The query on the map: which one, the knobs, and its context drawn in."""

from dataclasses import dataclass

import streamlit as st

from core.reporting.results.pool_map import PoolMap
from core.retrieval.knobs import KNOBS, Knobs
from core.retrieval.pool_view import PoolView
from core.retrieval.registry import METHODS
from core.studio.explore.exploration import Exploration, ExploreRequest, explore, resolve
from core.studio.map.pool_map import place_demonstrations, place_query
from pages.common.explore.example_query import choose_example_query
from pages.common.explore.query import EXAMPLE, SOURCES, TYPED
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import plain
from pages.common.map.overlay import draw_context
from pages.common.state.knobs import choose_k, choose_lambda, kept, kept_key, link_of, reader
from pages.common.state.segments import choose_segment
from pages.common.state.state import Link, keeper, remember, write_link


@dataclass(frozen=True)
class Asked:
    """A query; `leave_out` when it is one of the pool's own."""

    query: str
    leave_out: bool

    def link(self) -> Link:
        """The same for the address."""
        return {"query": self.query} if self.leave_out else {"from": TYPED, "typed": self.query}


@st.fragment
def query_panel(frame: Frame, view: PoolView, found: PoolMap, link: Link) -> None:
    """Choose a query and see its context on the map; a move of a slider redraws only this."""
    with frame.studio.presence.serving():
        _query_panel(frame, view, found, link)
    mark_run()


def _query_panel(frame: Frame, view: PoolView, found: PoolMap, link: Link) -> None:
    asked = _choose_query(frame, view)
    request = _choose_knobs(frame, asked)
    lambdas = [knob.name for knob in request.knobs.info.parameters]
    write_link(**link, **asked.link(), **link_of(request.knobs, "method", "k", *lambdas))
    if not asked.query:
        st.info("Type a query to see where it lies and what it retrieves.")
        return
    with shown_errors():
        explored = explore(resolve(frame.studio, request))
        chosen = place_demonstrations(found, [pick.id for pick in explored.picks])
        _show_context(explored)
        draw_context(place_query(frame.studio, frame.setup, found, asked.query), chosen.tolist())


def _choose_query(frame: Frame, view: PoolView) -> Asked:
    source = choose_segment(
        "map",
        "from",
        "Query",
        SOURCES,
        EXAMPLE,
        help="An evaluation example is one of the pool's own queries: its own demonstrations are "
        "left out of its context. A query typed by hand leaves nothing out.",
    )
    if source == TYPED:
        key = kept_key("map", "typed", "")
        text = st.text_input(
            "Your query",
            key=key,
            on_change=keeper(key, "typed"),
            placeholder="Type a query",
            label_visibility="collapsed",
        ).strip()
        remember("typed", text)
        return Asked(text, leave_out=False)
    query = choose_example_query("map", frame, view)
    return Asked(query or "", leave_out=True)


def _choose_knobs(frame: Frame, asked: Asked) -> ExploreRequest:
    method = st.selectbox(
        "Method",
        list(METHODS),
        format_func=lambda name: METHODS[name].label,
        key=kept_key("map", "method", KNOBS["method"].default, reader(KNOBS["method"])),
        help=plain("\n\n".join(f"{m.label}: {m.explanation}" for m in METHODS.values())),
    )
    remember("method", method)
    k = choose_k("map")
    lambdas = {knob.name: choose_lambda("map", knob.name) for knob in METHODS[method].parameters}
    others = {name: kept(name) for name in ("seed", "candidates", "one_per_query")}
    knobs = Knobs.from_json({"method": method, "k": k, **others, **lambdas})
    return ExploreRequest(frame.setup, asked.query, knobs, leave_out=asked.leave_out)


def _show_context(explored: Exploration) -> None:
    if explored.note:
        st.caption(plain(explored.note))
    if not explored.picks:
        st.caption("The context is empty: the model would see the query alone.")
        return
    diversity = "" if explored.diversity is None else f"{explored.diversity:.2f}"
    st.caption(
        "Star: the query. Numbers: its context, in the order chosen. "
        f"Sameness (mean cosine of its pairs): {diversity or '-'}; lower is more diverse."
    )
    st.dataframe(
        [
            {
                "": pick.rank,
                "query": pick.query,
                "relevance": pick.relevance,
                "redundancy": pick.redundancy,
                "answer": pick.answer,
            }
            for pick in explored.picks
        ],
        hide_index=True,
        placeholder="-",
        height=38 + 35 * min(len(explored.picks), 6),
        column_config={
            "": st.column_config.NumberColumn(width=30),
            "query": st.column_config.TextColumn(width=165),
            "relevance": st.column_config.NumberColumn(
                format="%.2f", width=75, help="Cosine of its query with the query."
            ),
            "redundancy": st.column_config.NumberColumn(
                format="%.2f",
                width=85,
                help="Largest cosine with those chosen before it; the first has none.",
            ),
            "answer": st.column_config.TextColumn(width=160),
        },
    )
