"""The query on the map: which one, the knobs, and its context drawn in."""

from dataclasses import dataclass, replace

import streamlit as st

from core.background import Job
from core.reporting.results.pool_map import PoolMap
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, Knobs
from core.retrieval.pool_view import PoolView
from core.studio import Studio
from core.studio.explore.exploration import Exploration, ExploreRequest, resolve
from core.studio.explore.latest import LatestResults
from core.studio.map.pool_map import place_demonstrations, place_query, present
from core.studio.map.task_map import TaskLayout, place_query_by_task
from pages.common.explore.example_query import choose_example_query
from pages.common.explore.query import EXAMPLE, SOURCES, TYPED, ChosenQuery
from pages.common.frame.look import beside
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.map.holes import hole_points
from pages.common.map.overlay import Drawn, draw_over
from pages.common.map.selection import selected_ids
from pages.common.state.address import Link, write_link
from pages.common.state.knobs import (
    choose_k,
    choose_lambda,
    kept,
    kept_key,
    kept_value,
    link_of,
    reader,
)
from pages.common.state.segments import choose_segment
from pages.common.state.state import SHARED, keeper, remember

MOST_RINGED = 2_000
"""The most selected demonstrations that have a ring."""


@dataclass(frozen=True)
class Maps:
    """The maps that are drawn, by text, by task or both, and their colour.

    `laid` is what the second one is made of; it lacks the `excluded` demonstrations. `waiting` is
    whether it is wanted and not there yet.
    """

    by_text: PoolMap | None
    by_task: PoolMap | None
    laid: TaskLayout | None
    colour: str
    excluded: int
    waiting: bool

    @property
    def two(self) -> bool:
        """Whether both maps are drawn."""
        return self.by_text is not None and self.by_task is not None


@st.cache_resource(scope="session", show_spinner=False, on_release=LatestResults.close)
def open_results(_studio: Studio) -> LatestResults:
    """What the language model computes for this visitor's map; given up with the window."""
    return LatestResults(_studio)


@st.fragment
def query_panel(frame: Frame, view: PoolView, maps: Maps, link: Link) -> None:
    """Choose a query and see its context on the map; a move of a slider redraws only this."""
    with frame.studio.presence.serving():
        _query_panel(frame, view, maps, link)
    mark_run()


def _query_panel(frame: Frame, view: PoolView, maps: Maps, link: Link) -> None:
    # Below two maps there is room for the context beside what it is chosen by.
    places = beside("query", [2, 3], "panels") if maps.two else [st.container(), st.container()]
    with places[0]:
        chosen, knobs = _choose_query(frame, view), _choose_knobs()
    lambdas = [knob.name for knob in METHODS[knobs.method].parameters]
    write_link(**link, **chosen.link(), **link_of(knobs, "method", "k", *lambdas))
    with places[1]:
        if chosen.query:
            with shown_errors():
                _show_query(frame, maps, chosen.request(frame.setup, knobs))
        else:
            st.info("Type a query to see where it lies and what it retrieves.")
            for each in (maps.by_text, maps.by_task):
                if each is not None:
                    _draw_over(frame, each, Drawn())


def _show_query(frame: Frame, maps: Maps, request: ExploreRequest) -> None:
    """The query's context, as a table and on the maps."""
    explored, asking = open_results(frame.studio).explored(resolve(frame.studio, request))
    if asking is not None:
        _show_asking(frame, request.knobs.method, asking, maps)
    _show_context(explored)
    if maps.by_text is not None:
        point = place_query(frame.studio, frame.setup, maps.by_text, request.query)
        _draw(frame, maps.by_text, point, explored)
    if maps.by_task is not None and maps.laid is not None:
        # The work that a method gives the model reads the query as well.
        read = None if asking is not None else _point_by_task(frame, maps.laid, request.query)
        _draw(frame, maps.by_task, read, explored)


def _show_asking(frame: Frame, method: str, job: Job, maps: Maps) -> None:
    """Show what is used until the language model has answered, and how far that is."""
    st.caption(
        plain(
            f"{method} asks the language model. Until it has answered, the most similar "
            "demonstrations are shown (rel)."
        )
    )
    # The side bar shows how far the loading is, and the map how far it is read by task.
    if frame.readiness.loading is None and not maps.waiting:
        watch(frame.studio, job, "Ask the language model again")


def _draw(
    frame: Frame, found: PoolMap, query: tuple[float, float] | None, explored: Exploration
) -> None:
    """The query and the part of its context that is on the map."""
    on_map = [pick for pick in explored.picks if present(found, [pick.id])]
    chosen = place_demonstrations(found, [pick.id for pick in on_map])
    drawn = Drawn(query, chosen.tolist(), [pick.rank for pick in on_map])
    _draw_over(frame, found, drawn)


def _draw_over(frame: Frame, found: PoolMap, drawn: Drawn) -> None:
    """Draw this, what is selected and the holes over a map."""
    selected, holes = _selected_points(found), hole_points(frame, found)
    draw_over(found.by, replace(drawn, selected=selected, holes=holes))


def _selected_points(found: PoolMap) -> list[list[float]]:
    """Where what is selected is on the map; the first of very many."""
    points: list[list[float]] = place_demonstrations(found, selected_ids())[:MOST_RINGED].tolist()
    return points


def _point_by_task(frame: Frame, laid: TaskLayout, query: str) -> tuple[float, float] | None:
    """The query's point once its state is read; until then, how far that is."""
    point, job = place_query_by_task(frame.studio, frame.setup, laid, query)
    if job is not None:
        watch(frame.studio, job, "Read the query")
    return point


def _choose_query(frame: Frame, view: PoolView) -> ChosenQuery:
    source = choose_segment(
        "map",
        "from",
        "Query",
        SOURCES,
        EXAMPLE,
        help="An evaluation example is one of the pool's own queries: its own demonstrations are "
        "left out of its context. A query typed by hand leaves nothing out.",
        owner=SHARED,
    )
    if source == TYPED:
        key = kept_key("map", "typed", "", owner=SHARED)
        text = st.text_input(
            "Your query",
            key=key,
            on_change=keeper(key, SHARED, "typed"),
            placeholder="Type a query",
            label_visibility="collapsed",
        ).strip()
        remember(SHARED, "typed", text)
        return ChosenQuery(text, leave_out=False)
    query = choose_example_query("map", frame, view)
    return ChosenQuery(query or "", leave_out=True)


def _choose_knobs() -> Knobs:
    knob = KNOBS["method"]
    method = st.selectbox(
        knob.label,
        list(METHODS),
        format_func=lambda name: METHODS[name].label,
        key=kept_key("map", "method", knob.default, reader(knob), owner=SHARED),
        help=plain("\n\n".join(f"{m.label}: {m.explanation}" for m in METHODS.values())),
    )
    remember(SHARED, "method", method)
    k = choose_k("map")
    chosen = METHODS[method]
    lambdas = {knob.name: choose_lambda("map", knob.name) for knob in chosen.parameters}
    others = {name: kept(name) for name in ("seed", "candidates", "one_per_query")}
    own = {knob.name: kept_value(knob) for knob in chosen.own}
    return chosen.knobs_from_json({"k": k, **others, **lambdas, **own})


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
