"""Why a demonstration of the pool is in the query's context or not, and where it would be."""

from dataclasses import dataclass

import numpy as np

from ...retrieval.choosing import choose_context
from ...retrieval.every_context import ContextTriangle, WhyNot, why_not
from .exploration import Resolved


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


def explain(resolved: Resolved, triangle: ContextTriangle | None, id: int) -> Explanation:
    """Why the demonstration is chosen or not for the query, from the whole pool.

    Raises:
        InvalidInput: What `why_not` raises.
    """
    usable, view = resolved.usable, resolved.view
    chosen = choose_context(
        view, usable.query, resolved.vector, usable.knobs, leave_out=usable.leave_out
    )
    found = why_not(
        view,
        usable.query,
        resolved.vector,
        usable.knobs,
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
