"""Every context that a request gives a query over the whole of lambda_d."""

from dataclasses import dataclass

from ..selection.mmr_path import mmr_path
from ..types import FloatArray
from .context import (
    Context,
    ContextRequest,
    bias_for,
    choose_context,
    context_of_indices,
    never_shown,
)
from .pool_view import PoolView


@dataclass(frozen=True)
class ContextPiece:
    """This context is chosen from `low` up to `high`; the last piece of a path includes 1."""

    low: float
    high: float
    context: Context


def context_path(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    request: ContextRequest,
    *,
    leave_out: bool,
) -> list[ContextPiece]:
    """The pieces of lambda_d in [0, 1] with the context of each, ascending, over the whole pool.

    A method that holds lambda_d fast, or does not choose by value, has one piece. Inside a piece
    the context is that of `choose_context`, without the picks' values, which change with lambda_d.

    Args:
        view: The pool as arrays.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        request: Method, k, lambda_b; its lambda_d is not used.
        leave_out: True for an evaluation example, False for a query typed by hand.

    Raises:
        InvalidInput: The method needs quality bias and some demonstrations are not scored.
    """
    if not request.info.by_value or request.info.lambda_d is not None:
        context = choose_context(view, query, query_vector, request, leave_out=leave_out)
        return [ContextPiece(0.0, 1.0, context)]
    hidden, relevance = never_shown(view, request), view.relevance(query_vector)
    pieces = mmr_path(
        relevance,
        view.matrix,
        request.k,
        lambda_b=request.lambdas[1],
        quality_bias=bias_for(view, request),
        excluded=hidden | view.same_query(query) if leave_out else hidden,
    )
    return [
        ContextPiece(piece.low, piece.high, context_of_indices(view, relevance, piece.indices))
        for piece in pieces
    ]
