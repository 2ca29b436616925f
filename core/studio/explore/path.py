"""The path of a query: its pieces, and what enters and leaves at each breakpoint."""

from collections.abc import Sequence

from ...reporting.results.path import Step
from ...retrieval.pool_view import PoolView
from ...stretches import Piece
from .exploration import Resolved


def path_of(resolved: Resolved, over: str = "lambda_d") -> tuple[Piece[tuple[int, ...]], ...]:
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


def steps_of(view: PoolView, path: Sequence[Piece[tuple[int, ...]]]) -> tuple[Step, ...]:
    """The pieces of a path from 0 to 1, each compared with the one before."""
    steps = []
    before = path[0].value if path else ()
    for piece in path:
        ids = piece.value
        steps.append(
            Step(
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
