"""Every context that the knobs give a query over the whole of lambda_d or lambda_b."""

from dataclasses import replace

from ..errors import InvalidInput
from ..interval import Piece
from ..selection.mmr_path import mmr_path
from ..selection.path_tree import mmr_lambda_b_path
from ..types import BoolArray, FloatArray
from .choosing import asked_of, choose_context, find_method
from .context import Context
from .knobs import SettledKnobs
from .method import bias_for, never_shown
from .pool_view import LivePool


def context_path(
    view: LivePool,
    query: str,
    query_vector: FloatArray,
    knobs: SettledKnobs,
    *,
    leave_out: bool,
    also_excluded: BoolArray | None = None,
    over: str = "lambda_d",
) -> list[Piece[Context]]:
    """The pieces of a lambda in [0, 1] with the context of each, ascending; no index is used.

    A method that fixes the lambda has one piece. Inside a piece the context is that of
    `choose_context`, without the picks' values, which change on the way. A path over lambda_b
    weighs the quality bias also at its end 1.

    The arguments are those of `choose_context`, with the lambda that runs `over` [0, 1].

    Raises:
        InvalidInput: The method needs quality bias and some demonstrations are not scored, or it
            has no known exact path.
    """
    method = find_method(knobs.method)
    if getattr(method, over) is not None:
        context = choose_context(
            view, query, query_vector, knobs, leave_out=leave_out, also_excluded=also_excluded
        )
        return [Piece(0.0, 1.0, context)]
    if not method.has_path(over):
        raise InvalidInput(
            f"No exact path over {over} is known for the method {knobs.method!r}; choose a "
            "method of relevance, diversity and quality bias."
        )
    if over == "lambda_b":
        knobs = replace(knobs, lambda_b=0.0)
    asked = asked_of(
        view, query, query_vector, knobs, leave_out=leave_out, also_excluded=also_excluded
    )
    view, bias = asked.view, bias_for(asked.view, knobs)
    excluded = asked.excluded | never_shown(view, knobs)
    pool = asked.relevance, view.matrix, knobs.k
    if over == "lambda_b" and bias is not None:
        pieces = mmr_lambda_b_path(
            *pool,
            lambda_d=knobs.lambda_d,
            quality_bias=bias,
            excluded=excluded,
            gram=view.gram,
            groups=asked.groups,
            pinned=asked.pinned,
        )
    else:
        pieces = mmr_path(
            *pool,
            lambda_b=knobs.lambda_b,
            quality_bias=bias,
            excluded=excluded,
            gram=view.gram,
            groups=asked.groups,
            pinned=asked.pinned,
        )
    return [Piece(piece.low, piece.high, asked.context(piece.indices)) for piece in pieces]
