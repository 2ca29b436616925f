"""The path of a query: its pieces, and what enters and leaves at each breakpoint."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...reporting.results.path import Step
from ...retrieval.context_path import context_path
from ...retrieval.pool_view import PoolView
from ..session.studio import Studio
from .exploration import ExploreRequest, query_vector


@dataclass(frozen=True)
class PathRow:
    """One piece of a path over a lambda: these demonstrations, in this order, from low to high."""

    lambda_low: float
    lambda_high: float
    ids: tuple[int, ...]


def path_of(studio: Studio, request: ExploreRequest, over: str = "lambda_d") -> tuple[PathRow, ...]:
    """Every piece of the query's path over one lambda, the other and k as requested, exactly.

    Always over the whole pool, also when the request asks for candidates. A path over lambda_b
    weighs the quality bias also at its end 1.

    Args:
        studio: The open workspace.
        request: Query and knobs; where the one that is free stands does not matter.
        over: "lambda_d" or "lambda_b".

    Raises:
        InvalidInput: The quality bias that the path needs is not scored yet.
    """
    view = studio.view(request.setup)
    vector = query_vector(studio, request.setup, request.query)
    pieces = context_path(
        view, request.query, vector, request.knobs, leave_out=request.leave_out, over=over
    )
    return tuple(
        PathRow(piece.low, piece.high, tuple(piece.context.ids.tolist())) for piece in pieces
    )


def steps_of(view: PoolView, rows: Sequence[PathRow]) -> tuple[Step, ...]:
    """The pieces of a path from 0 to 1, each compared with the one before."""
    steps = []
    before: tuple[int, ...] = rows[0].ids if rows else ()
    for row in rows:
        steps.append(
            Step(
                row.lambda_low,
                row.lambda_high,
                enters=_texts(view, [id for id in row.ids if id not in before]),
                leaves=_texts(view, [id for id in before if id not in row.ids]),
                ids=row.ids,
            )
        )
        before = row.ids
    return tuple(steps)


def _texts(view: PoolView, ids: Sequence[int]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (view.queries[place], view.answers[place]) for place in view.positions(ids).tolist()
    )
