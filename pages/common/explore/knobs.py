"""Explore's knobs: method, k, both lambdas, and those that are rarely used."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, BiasScale, Knob, Knobs
from core.settings import Embed
from core.studio.explore.exploration import ExploreRequest
from core.studio.explore.triangle import is_drawn, is_small
from pages.common.explore.cockpit.colours import measure_link
from pages.common.explore.cockpit.stage import PAGE, cockpit_place
from pages.common.explore.query import ChosenQuery
from pages.common.explore.views import VIEWS
from pages.common.frame.page import Frame
from pages.common.frame.sidebar import template_link
from pages.common.frame.text import plain
from pages.common.state.address import Link, write_link
from pages.common.state.knobs import (
    EMBEDS,
    SCALES,
    choose_k,
    choose_lambda,
    choose_switch,
    choose_whole,
    kept,
    link_of,
    names_of,
    type_lambda,
)
from pages.common.state.readers import one_of
from pages.common.state.state import SHARED, remember, remembered
from pages.common.state.views import view_link
from pages.common.streamlit_workarounds.kept_places import kept_place
from pages.common.streamlit_workarounds.widget_values import was_set

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

WHOLE_POOL = "the whole pool"
SLOWER = {"flat"}
"""As exact as reading the whole pool and slower at every size (benchmarks/large_pool.py): only a
link or the command line asks for it."""


@dataclass(frozen=True)
class Places:
    """Where the page draws what comes of the knobs: the cockpit, and a place under each slider."""

    cockpit: "DeltaGenerator"
    paths: dict[str, "DeltaGenerator"]


def choose_request(frame: Frame, chosen: ChosenQuery) -> tuple[ExploreRequest, Places]:
    """Draw the knobs in a row, or sliders below them; writes the whole view into the address.

    A pool whose triangle is drawn has its lambdas there, so they are numbers to type here.
    """
    view = frame.readiness.view
    typed = view is not None and is_small(view)
    places = st.columns(
        [4, 1.8, 1.8, 1.8, 1.4] if typed else [4, 2, 2], vertical_alignment="bottom"
    )
    with places[0]:
        method = _choice(
            "method",
            lambda name: METHODS[name].label,
            help="  \n".join(f"{m.label}: {plain(m.name)}" for m in METHODS.values()),
        )
    info = METHODS[method]
    with places[1]:
        k = choose_k("explore")
    has_cockpit = k and view is not None and is_drawn(view, info)
    cockpit = cockpit_place() if has_cockpit else st.container()
    lambda_places = places[2:4] if typed else st.columns(2)
    fixed = {"lambda_d": info.lambda_d, "lambda_b": _fixed_bias(frame, method)}
    lambdas, path_places = {}, {}
    for place, (name, at) in zip(lambda_places, fixed.items(), strict=True):
        with place:
            lambdas[name] = type_lambda("explore", name, at) if typed else _slider(name, at)
        if not typed:
            # The path comes after the picture, which must not move then: its place is kept.
            below = kept_place(place, f"explore_standing_{name}")
            path_places[name] = below if info.chooses_by_mmr else place
    with places[-1].popover("More", width="stretch"):
        knobs = _with_rare(
            Knobs(method, k, lambda_d=lambdas["lambda_d"], lambda_b=lambdas["lambda_b"])
        )
    write_link(
        **_setup_link(frame),
        **link_of(knobs),
        **measure_link(),
        **view_link(PAGE, VIEWS),
        **chosen.link(),
    )
    return chosen.request(frame.setup, knobs), Places(cockpit, path_places)


def _fixed_bias(frame: Frame, method: str) -> float | None:
    """The value at which lambda_b is fixed: the method's, or 1 while the quality is not scored."""
    info, view = METHODS[method], frame.readiness.view
    if info.lambda_b is None and view is not None and view.unscored:
        return 1.0
    return info.lambda_b


def _slider(name: str, fixed: float | None) -> float:
    """The visitor's value; a fixed slider shows the fixed one, and the request knows why."""
    if fixed is None:
        return choose_lambda("explore", name)
    knob = KNOBS[name]
    st.slider(
        f"{knob.label}: {knob.ends}",
        knob.low,
        knob.high,
        fixed,
        format="%.2f",
        disabled=True,
        key=f"explore_{name}_held_{fixed:.0f}",
    )
    return float(kept(name))


def _rare(name: str) -> Any:
    """Draw a knob that is rarely used; its value."""
    knob = KNOBS[name]
    if knob.is_switch:
        return choose_switch("explore", name)
    if knob.is_choice:
        return _choice(name, NAMES.get(name, str), help=knob.explanation)
    return choose_whole("explore", knob)


def _with_rare(knobs: Knobs) -> Knobs:
    """The same with those that are rarely used; the method's own come first."""
    own = tuple((knob.name, _own(knob)) for knob in METHODS[knobs.method].own)
    for name, knob in KNOBS.items():
        if knob.rare:
            knobs = replace(knobs, **{name: _rare(name)})
    return replace(knobs, own_values=own)


def _own(knob: Knob) -> Any:
    """Draw a knob that only this method has; its value."""
    return _chosen(knob, str, knob.explanation) if knob.is_choice else choose_whole("explore", knob)


def _choice(name: str, in_words: Callable[[str], str], help: str | None = None) -> Any:
    """One of the choices of a knob that all methods share."""
    return _chosen(KNOBS[name], in_words, help)


def _chosen(knob: Knob, in_words: Callable[[str], str], help: str | None) -> Any:
    """One of the knob's choices; where it may be left unset, that is the first of them."""
    link = knob.link or knob.name
    names = list(names_of(knob)) if knob.default else [WHOLE_POOL, *names_of(knob)]
    default = str(knob.default or WHOLE_POOL)
    now = remembered(SHARED, link, default, one_of(*names))
    offered = [each for each in names if each not in SLOWER or each == now]
    key = f"explore_{link}"
    chosen = st.selectbox(
        knob.label,
        offered,
        index=0 if was_set(key) else offered.index(now),
        format_func=in_words,
        help=help,
        key=key,
    )
    remember(SHARED, link, chosen)
    return None if chosen == WHOLE_POOL else knob.read(chosen)


def _scale_name(name: str) -> str:
    return SCALES[BiasScale(name)]


def _index_name(name: str) -> str:
    if name == WHOLE_POOL:
        return f"{name} (exact)"
    return f"candidates of a {name} index"


def _embed_name(name: str) -> str:
    return EMBEDS[Embed(name)]


NAMES = {"bias_scale": _scale_name, "index": _index_name, "embed": _embed_name}
"""The name of a rare choice on the page, where its own does not explain enough."""


def _setup_link(frame: Frame) -> Link:
    """Pool, encoder, model and template for the address."""
    setup = frame.setup
    return {
        "pool": setup.pool,
        "encoder": setup.encoder,
        "model": None if setup.model == frame.studio.default_model else setup.model,
        **template_link(setup),
    }
