"""The path of a query: its pieces, and what enters and leaves at each breakpoint."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...reporting.results.path import Step
from ...retrieval.pool_view import PoolView
from .exploration import Resolved


@dataclass(frozen=True)
class PathRow:
    """One piece of a path over a lambda: these demonstrations, in this order, from low to high."""

    lambda_low: float
    lambda_high: float
    ids: tuple[int, ...]


def path_of(resolved: Resolved, over: str = "lambda_d") -> tuple[PathRow, ...]:
    """Every piece of the query's path over one lambda, the other and k as requested, exactly.

    Always over the whole pool, also when the request asks for candidates. A path over lambda_b
    weighs the quality bias also at its end 1.

    Args:
        resolved: Query and knobs; where the one that is free stands does not matter.
        over: "lambda_d" or "lambda_b".

    Raises:
        InvalidInput: The quality bias that the path needs is not scored yet.
    """
    return tuple(
        PathRow(piece.low, piece.high, tuple(piece.context.ids.tolist()))
        for piece in resolved.path(over)
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
