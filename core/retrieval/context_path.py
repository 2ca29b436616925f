"""Every context that a request gives a query over the whole of lambda_d or lambda_b."""

from dataclasses import dataclass, replace

from ..selection.lambda_b_path import mmr_lambda_b_path
from ..selection.mmr_path import mmr_path
from ..types import BoolArray, FloatArray
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
    also_excluded: BoolArray | None = None,
    over: str = "lambda_d",
) -> list[ContextPiece]:
    """The pieces of a lambda in [0, 1] with the context of each, ascending, over the whole pool.

    A method that holds the lambda fast, or does not choose by value, has one piece. Inside a piece
    the context is that of `choose_context`, without the picks' values, which change on the way. A
    path over lambda_b weighs the quality bias also at its end 1.

    Args:
        view: The pool as arrays.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        request: Method, k and the lambda that stands still; the other one is not used.
        leave_out: True for an evaluation example, False for a query typed by hand.
        also_excluded: Mask (n,) of what else may not be chosen, such as `PoolView.leaks`.
        over: The lambda that runs from 0 to 1, "lambda_d" or "lambda_b".

    Raises:
        InvalidInput: The method needs quality bias and some demonstrations are not scored.
    """
    if not request.info.by_value or getattr(request.info, over) is not None:
        context = choose_context(
            view, query, query_vector, request, leave_out=leave_out, also_excluded=also_excluded
        )
        return [ContextPiece(0.0, 1.0, context)]
    if over == "lambda_b":
        request = replace(request, lambda_b=0.0)
    hidden, relevance = never_shown(view, request), view.relevance(query_vector)
    excluded = hidden | view.same_query(query) if leave_out else hidden
    if also_excluded is not None:
        excluded = excluded | also_excluded
    bias, (lambda_d, lambda_b) = bias_for(view, request), request.lambdas
    pool = relevance, view.matrix, request.k
    if over == "lambda_b" and bias is not None:
        pieces = mmr_lambda_b_path(
            *pool, lambda_d=lambda_d, quality_bias=bias, excluded=excluded, gram=view.gram
        )
    else:
        pieces = mmr_path(
            *pool, lambda_b=lambda_b, quality_bias=bias, excluded=excluded, gram=view.gram
        )
    return [
        ContextPiece(piece.low, piece.high, context_of_indices(view, relevance, piece.indices))
        for piece in pieces
    ]
