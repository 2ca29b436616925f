"""The path of a query, its breakpoints, and why a demonstration is in the context or not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...interval import Piece
from ...reporting.results.query import PathStep
from ...retrieval.pool_view import PoolView
from ...retrieval.triangle import ContextTriangle
from ...retrieval.why_not import WhyNot, why_not
from .exploration import ResolvedRequest


def path_of(
    resolved: ResolvedRequest, over: str = "lambda_d"
) -> tuple[Piece[tuple[int, ...]], ...]:
    """The ids chosen along the query's exact path over one lambda, the other and k as requested.

    Over the whole pool also when the request names an index. A path over lambda_b
    weighs the quality bias also at its end 1.

    Args:
        resolved: Query and knobs; the value of the lambda that varies is not used.
        over: "lambda_d" or "lambda_b".

    Raises:
        InvalidInput: The quality bias that the path needs is not scored yet.
    """
    return tuple(
        Piece(piece.low, piece.high, tuple(piece.value.ids.tolist()))
        for piece in resolved.path(over)
    )


def steps_of(view: PoolView, path: Sequence[Piece[tuple[int, ...]]]) -> tuple[PathStep, ...]:
    """The pieces of a path from 0 to 1, each compared with the one before."""
    steps = []
    before = path[0].value if path else ()
    for piece in path:
        ids = piece.value
        steps.append(
            PathStep(
                piece.low,
                piece.high,
                enters=_texts(view, [id for id in ids if id not in before]),
                leaves=_texts(view, [id for id in before if id not in ids]),
                ids=ids,
            )
        )
        before = ids
    return tuple(steps)


def _texts(view: PoolView, ids: Sequence[int]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (view.queries[place], view.answers[place]) for place in view.positions(ids).tolist()
    )


@dataclass(frozen=True)
class Explanation:
    """The reason, with the texts of all that it names, and where in the triangle it is chosen.

    `queries` has the query of the demonstration and of every winner, by id. `contexts` counts the
    distinct contexts it is in and `share` their part of the triangle as drawn, in [0, 1]; None
    where no triangle is drawn.
    """

    found: WhyNot
    queries: dict[int, str]
    contexts: int | None
    share: float | None


def explain(resolved: ResolvedRequest, triangle: ContextTriangle | None, id: int) -> Explanation:
    """Why the demonstration is chosen or not for the query, from the whole pool.

    Raises:
        InvalidInput: What `why_not` raises.
    """
    usable, view = resolved.usable, resolved.view
    chosen = resolved.context()
    found = why_not(
        view,
        usable.query,
        resolved.vector,
        resolved.knobs,
        chosen.indices,
        id,
        leave_out=usable.leave_out,
    )
    named = [id, *(trial.winner for trial in found.trials)]
    rows = {each: int(np.flatnonzero(view.ids == each)[0]) for each in named}
    queries = {each: view.queries[row] for each, row in rows.items()}
    if triangle is None:
        return Explanation(found, queries, None, None)
    cells = np.flatnonzero((triangle.lists == rows[id]).any(axis=1))
    contexts = len(np.unique(triangle.context_of[cells]))
    return Explanation(found, queries, contexts, float(triangle.drawing.shares[cells].sum()))
