"""Explore's knobs: method, k, both lambdas, and what is rarely used."""

from typing import Any

import streamlit as st

from core.evaluation.fitting import PromptOrder
from core.index import INDEXES
from core.retrieval.bias import BiasScale
from core.retrieval.candidates import N_CANDIDATES, CandidateSearch
from core.retrieval.methods import LAMBDA_B_PARAMETER, LAMBDA_D_PARAMETER, METHODS, Parameter
from core.settings import SEED, chosen_model
from core.studio.explore import ExploreRequest
from pages.common.explore_query import Asked
from pages.common.knobs import choose_k, choose_lambda, whole
from pages.common.page import Frame
from pages.common.runs import SCALES
from pages.common.sidebar import template_link
from pages.common.state import one_of, remember, remembered, within, write_link
from pages.common.text import plain

WHOLE_POOL = "the whole pool"
MOST = 10**6


def choose_request(frame: Frame, asked: Asked) -> tuple[ExploreRequest, dict[str, Any]]:
    """Draw the knobs; writes the whole view into the address.

    Returns:
        The request, and for each lambda the place under its slider.
    """
    method_place, d_place, b_place = st.columns([12, 13, 14])
    with method_place:
        method = _choice(
            "method",
            "Method",
            list(METHODS),
            "rel+div+bias",
            lambda name: METHODS[name].label,
            help="  \n".join(f"{m.label}: {plain(m.name)}" for m in METHODS.values()),
        )
        k_place, more_place = st.columns(2, vertical_alignment="bottom")
    info = METHODS[method]
    with k_place:
        k = choose_k("explore")
    with d_place:
        lambda_d = _lambda(LAMBDA_D_PARAMETER, info.lambda_d if info.by_value else 1.0)
    with b_place:
        lambda_b = _lambda(LAMBDA_B_PARAMETER, _held_bias(frame, method))
    # The paths come after the picture, which must not move when they do: their place is kept.
    standing = {
        knob: place.container(key=f"explore_standing_{knob}") if info.by_value else place
        for knob, place in (("lambda_d", d_place), ("lambda_b", b_place))
    }
    with more_place.popover("More", width="stretch"):
        rare = _choose_rare()
    request = ExploreRequest(
        frame.setup,
        asked.query,
        method=method,
        k=k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        leave_out=asked.leave_out,
        answers=asked.answers,
        incorrect=asked.incorrect,
        incorrect_kinds=asked.incorrect_kinds,
        **rare,
    )
    write_link(**_link(frame, request), **asked.link())
    return request, standing


def _held_bias(frame: Frame, method: str) -> float | None:
    """Where lambda_b is held: by the method, or at 1 while the quality is not scored."""
    info, view = METHODS[method], frame.upkeep.view
    if not info.by_value or (info.lambda_b is None and view is not None and view.unscored):
        return 1.0
    return info.lambda_b


def _lambda(parameter: Parameter, held: float | None) -> float:
    """The visitor's value; a slider that is held shows where, and the request knows why."""
    if held is None:
        return choose_lambda("explore", parameter)
    st.slider(
        f"{parameter.label}: {parameter.low:.0f} = {parameter.at_low}, "
        f"{parameter.high:.0f} = {parameter.at_high}",
        parameter.low,
        parameter.high,
        held,
        format="%.2f",
        disabled=True,
        key=f"explore_{parameter.name}_held_{held:.0f}",
    )
    return float(remembered(parameter.name, parameter.default, within(0.0, 1.0)))


def _choose_rare() -> dict[str, Any]:
    scale = _choice("scale", "Quality bias scale", list(BiasScale), BiasScale.RAW, _scale_name)
    order = _choice("order", "Order in the prompt", list(PromptOrder), next(iter(PromptOrder)))
    kind = _choice("index", "Choose from", [WHOLE_POOL, *INDEXES], WHOLE_POOL, _index_name)
    search = None
    if kind != WHOLE_POOL:
        search = CandidateSearch(kind, _whole_number("candidates", "Candidates", N_CANDIDATES, 1))
    return {
        "bias_scale": BiasScale(scale),
        "order": PromptOrder(order),
        "search": search,
        "seed": _whole_number("seed", "Seed of the method Random", SEED, 0),
    }


def _choice(
    name: str,
    label: str,
    options: list[Any],
    default: Any,
    format_func: Any = str,
    help: str | None = None,
) -> Any:
    names = [str(option) for option in options]
    chosen = st.selectbox(
        label,
        names,
        index=names.index(remembered(name, str(default), one_of(*names))),
        format_func=format_func,
        help=help,
        key=f"explore_{name}",
    )
    remember(name, chosen)
    return chosen


def _whole_number(name: str, label: str, default: int, low: int) -> int:
    kept = remembered(name, default, whole(low, MOST))
    number = int(st.number_input(label, low, MOST, kept, key=f"explore_{name}"))
    remember(name, number)
    return number


def _scale_name(name: str) -> str:
    return SCALES[BiasScale(name)]


def _index_name(name: str) -> str:
    if name == WHOLE_POOL:
        return f"{name} (exact)"
    return f"candidates of a {name} index"


def _link(frame: Frame, request: ExploreRequest) -> dict[str, Any]:
    """The view for the address; what is rare and stands at its default is left out."""
    setup, search = frame.setup, request.search
    rare = {
        "seed": (request.seed, SEED),
        "scale": (request.bias_scale.value, BiasScale.RAW.value),
        "order": (request.order.value, next(iter(PromptOrder)).value),
    }
    return {
        "pool": setup.pool,
        "encoder": setup.encoder,
        "model": None if setup.model == chosen_model() else setup.model,
        **template_link(setup),
        "method": request.method,
        "k": request.k,
        "lambda_d": request.lambda_d,
        "lambda_b": request.lambda_b,
        **{name: value for name, (value, default) in rare.items() if value != default},
        "index": search.kind if search else None,
        "candidates": search.n_candidates if search else None,
    }
