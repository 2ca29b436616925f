"""What the browser gets of a triangle: once all that the handle can show, then what changes."""

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.reporting.figures.layout import SEQUENTIAL_STOPS
from core.reporting.results.query import Effect
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import LAMBDAS, BiasScale
from core.retrieval.method import Method
from core.retrieval.triangle import ContextTriangle
from core.studio.explore.exploration import Exploration
from core.studio.explore.slots import TriangleNow
from core.studio.explore.triangle import is_of_its_cell
from pages.common.explore.cockpit.colours import LABELS, Measure, offered
from pages.common.frame.notice import Notice


def stage_to_json(found: Exploration, triangle: ContextTriangle, key: str) -> dict[str, Any]:
    """The cells with their demonstrations, and the answers; nothing that the handle changes."""
    request, view = found.request, triangle.asked.view
    method, drawing = METHODS[request.knobs.method], triangle.drawing
    places, pinned = triangle.demonstrations, {*view.pinned.tolist()}
    surprise = request.knobs.bias_scale is BiasScale.SURPRISE
    example = request.example
    return {
        "key": key,
        "k": triangle.lists.shape[1],
        "open": _open(method, drawing.is_edge),
        "likely": "unlikely" if surprise else "likely",
        "spread": drawing.spread,
        "corners": _numbers_to_json(np.concatenate(drawing.polygons)[:, :2], "f4"),
        "counts": _numbers_to_json([len(polygon) for polygon in drawing.polygons], "u1"),
        "contexts": _numbers_to_json(triangle.context_of, "u2"),
        "lists": _numbers_to_json(np.searchsorted(places, triangle.lists), "u2"),
        "redundancy": _numbers_to_json(triangle.redundancy, "f4"),
        "sameness": _numbers_to_json(triangle.diversity, "f4"),
        "demonstrations": [
            {
                "id": int(view.ids[place]),
                "query": view.queries[place],
                "answer": view.answers[place],
                "relevance": float(triangle.asked.relevance[place]),
                "quality": _known(view.quality_bias[place]),
                "pinned": place in pinned,
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


def live_to_json(
    found: Exploration,
    triangle: ContextTriangle,
    key: str,
    now: TriangleNow,
    effect: Effect | None,
    measure: Measure,
    notice: Notice | None,
) -> dict[str, Any]:
    """Where the handle is, what is chosen there if ties decide, and how far the scoring is."""
    return {
        "key": key,
        "at": [found.lambda_d, found.lambda_b],
        "tied": _tied_to_json(found, triangle, effect),
        "measure": measure,
        "progress": _progress_to_json(now),
        "notice": {
            "text": "" if notice is None else notice.text,
            "back": notice.back if notice is not None and notice.actions else "",
        },
    }


def scores_to_json(key: str, now: TriangleNow, effect: Effect | None) -> dict[str, Any]:
    """What is known of every context: the sizes of the prompts, and what the model has scored."""
    scores, sizes = now.scores, now.sizes
    rows = () if effect is None else effect.rows
    return {
        "key": key,
        "tokens": _numbers_to_json(sizes.tokens, "f4"),
        "leftOut": _numbers_to_json(sizes.left_out, "u2"),
        "answerTokens": [row.alone.n_tokens for row in rows] or None,
        "logProbs": _numbers_to_json(scores.log_probs, "f4"),
        "alone": _numbers_to_json(scores.alone, "f4"),
        "dpo": _numbers_to_json(scores.dpo, "f4"),
        "delta": _numbers_to_json(scores.delta, "f4"),
    }


def _tied_to_json(
    found: Exploration, triangle: ContextTriangle, effect: Effect | None
) -> dict[str, Any] | None:
    """The context where it is not that of the cell: on its edges ties may choose otherwise.

    `chosen` numbers the demonstrations that the browser has; -1, -2 and so on are the `others`.
    """
    if is_of_its_cell(found, triangle):
        return None
    ids = triangle.asked.view.ids[triangle.demonstrations].tolist()
    known = {id: number for number, id in enumerate(ids)}
    others = [pick for pick in found.picks if pick.id not in known]
    known |= {pick.id: -1 - place for place, pick in enumerate(others)}
    return {
        "chosen": [known[pick.id] for pick in found.picks],
        "others": [
            {
                "id": pick.id,
                "query": pick.query,
                "answer": pick.answer,
                "relevance": pick.relevance,
                "quality": pick.quality_bias,
                "pinned": pick.pinned,
            }
            for pick in others
        ],
        "redundancy": [pick.redundancy or 0.0 for pick in found.picks],
        "logProbs": None if effect is None else [row.with_context.total for row in effect.rows],
        "dpo": None if effect is None else effect.dpo,
        "delta": None if effect is None else effect.delta,
        "sameness": found.diversity,
        "tokens": found.tokens,
        "leftOut": 0,
    }


def _progress_to_json(now: TriangleNow) -> dict[str, str]:
    """How far scoring is, and what a button there does; no label where there is none."""
    total = len(now.scores.dpo)
    count = f"{now.scores.scored:,} of {total:,} contexts"
    if now.offered:
        return {"text": f"{count} scored.", "label": "Score all", "does": "score"}
    if now.job is None or now.job.state == "finished":
        return {"text": "", "label": "", "does": ""}
    if now.job.over:
        text = now.job.error or f"Stopped after {count}; what is scored is kept."
        return {"text": text, "label": "Go on", "does": "again"}
    return {"text": f"{count} scored.", "label": "Cancel", "does": "cancel"}


def _open(method: Method, edge: bool) -> list[str]:
    """The lambdas that the handle can change: without a scored quality only the first."""
    names = [name for name in LAMBDAS if getattr(method, name) is None]
    return names[:1] if edge else names


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _numbers_to_json(values: ArrayLike, kind: str) -> dict[str, str]:
    """Numbers for the browser, which reads them as an array of this kind."""
    array = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"kind": kind, "bytes": base64.b64encode(array.tobytes()).decode("ascii")}
