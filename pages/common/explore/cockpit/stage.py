"""The cockpit: the triangle of weights with its handle, and all that the handle can show."""

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from core.reporting.figures.palette import SEQUENTIAL_STOPS
from core.retrieval.every_context import ContextTriangle, has_triangle
from core.retrieval.knobs import LAMBDAS, BiasScale
from core.retrieval.method import Method
from core.retrieval.registry import find_method
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import EffectNow, TriangleNow
from pages.common.explore.cockpit.colours import (
    LABELS,
    chosen_measure,
    offered,
    remember_measure,
)
from pages.common.state.knobs import apply_knobs
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.kept_places import kept_place

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

KEY = "explore_cockpit"
_SENT = "explore_cockpit_sent"
_HERE = Path(__file__).parent
_SCRIPTS = ("geometry.js", "picture.js", "panels.js", "cockpit.js")
_JS = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
_HTML = (_HERE / "cockpit.html").read_text(encoding="utf-8")
_CSS = (_HERE / "cockpit.css").read_text(encoding="utf-8")
_LIVE = (_HERE / "live.js").read_text(encoding="utf-8")


def cockpit_place(method: Method) -> "DeltaGenerator":
    """The place of the cockpit, as high as it will be where the method has one."""
    return kept_place(st.container(), KEY + "_place") if has_triangle(method) else st.container()


def show_stage(found: Exploration, triangle: ContextTriangle) -> None:
    """Draw the cockpit; nothing of it changes while the handle moves."""
    render = st.components.v2.component("shotlist_cockpit", html=_HTML, css=_CSS, js=_JS)
    render(
        key=KEY,
        data=_sent(found, triangle)[2],
        on_released_change=_released,
        on_colour_change=_recoloured,
    )


def show_live(
    found: Exploration, triangle: ContextTriangle, now: TriangleNow, effect: EffectNow
) -> None:
    """Hand on to the cockpit what changes: where the handle is, and what the model has scored."""
    key, scores = _sent(found, triangle)[1], now.scores
    rows = () if effect.effect is None else effect.effect.rows
    render = st.components.v2.component("shotlist_cockpit_live", js=_LIVE)
    render(
        key=f"{KEY}_live",
        data={
            "key": key,
            "at": [found.lambda_d, found.lambda_b],
            "measure": chosen_measure(found.request),
            "version": [scores.scored, int(np.isfinite(now.tokens).sum())],
            "progress": _progress(now, triangle),
            "tokens": _numbers(now.tokens, "f4"),
            "answerTokens": [row.alone.n_tokens for row in rows] or None,
            "scores": None
            if not scores.scored
            else {
                "logProbs": _numbers(scores.log_probs, "f4"),
                "alone": _numbers(scores.alone, "f4"),
                "dpo": _numbers(scores.dpo, "f4"),
                "delta": _numbers(scores.delta, "f4"),
            },
        },
    )


def _progress(now: TriangleNow, triangle: ContextTriangle) -> str:
    if now.job is None or now.job.state == "finished":
        return ""
    return f"{now.scores.scored:,} of {triangle.n_contexts:,} contexts scored"


@uninterrupted
def _released() -> None:
    released = st.session_state[KEY]["released"]
    if released is not None:
        apply_knobs(("explore",), **{name: float(released[name]) for name in LAMBDAS})


@uninterrupted
def _recoloured() -> None:
    colour = st.session_state[KEY]["colour"]
    if colour is not None:
        remember_measure(colour)


def _sent(found: Exploration, triangle: ContextTriangle) -> tuple[Any, str, dict[str, Any]]:
    """The triangle, a name of its own and its data for the browser, made once."""
    of = (triangle, found.request.query, found.request.answers, found.request.incorrect)
    kept = st.session_state.get(_SENT)
    if kept is None or kept[0] != of:
        key = uuid4().hex
        kept = st.session_state[_SENT] = (of, key, _data(found, triangle, key))
    made: tuple[Any, str, dict[str, Any]] = kept
    return made


def _data(found: Exploration, triangle: ContextTriangle, key: str) -> dict[str, Any]:
    request, view = found.request, triangle.asked.view
    method, drawing = find_method(request.knobs.method), triangle.drawing
    places = triangle.demonstrations
    surprise = request.knobs.bias_scale is BiasScale.SURPRISE
    example = request.example
    return {
        "key": key,
        "k": triangle.lists.shape[1],
        "open": _open(method, drawing.is_edge),
        "likely": "unlikely" if surprise else "likely",
        "spread": drawing.spread,
        "corners": _numbers(np.concatenate(drawing.polygons)[:, :2], "f8"),
        "counts": _numbers([len(polygon) for polygon in drawing.polygons], "u1"),
        "contexts": _numbers(triangle.context_of, "u2"),
        "lists": _numbers(np.searchsorted(places, triangle.lists), "u2"),
        "redundancy": _numbers(triangle.redundancy, "f4"),
        "sameness": _numbers(triangle.diversity, "f4"),
        "demonstrations": [
            {
                "query": view.queries[place],
                "answer": view.answers[place],
                "relevance": float(triangle.asked.relevance[place]),
                "quality": _known(view.quality_bias[place]),
            }
            for place in places.tolist()
        ],
        "answers": []
        if example is None
        else [
            {
                "text": text,
                "correct": number < len(example.answers),
                "best": number == example.best,
            }
            for number, text in enumerate(example.texts)
        ],
        "measures": [[measure.value, LABELS[measure]] for measure in offered(request)],
        "colours": [list(stop) for stop in SEQUENTIAL_STOPS],
    }


def _open(method: Method, edge: bool) -> list[str]:
    """The lambdas that the handle can change: without a scored quality only the first."""
    names = [name for name in LAMBDAS if getattr(method, name) is None]
    return names[:1] if edge else names


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _numbers(values: ArrayLike, kind: str) -> dict[str, str]:
    """Numbers for the browser, which reads them as an array of this kind."""
    array = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"kind": kind, "bytes": base64.b64encode(array.tobytes()).decode("ascii")}
