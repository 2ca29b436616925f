"""Choosing one query's context by a named method."""

import numpy as np

from ..types import BoolArray, FloatArray
from .context import Context
from .knobs import Knobs
from .pool_view import PoolView


def choose_context(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    *,
    leave_out: bool,
    also_excluded: BoolArray | None = None,
) -> Context:
    """The context that the method chooses for a query.

    Args:
        view: The pool as arrays.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        knobs: Method, k, lambdas, seed; the whole pool is chosen from, whatever the index.
        leave_out: True for an evaluation example, False for a query typed by hand.
        also_excluded: Mask (n,) of what else may not be chosen, such as `PoolView.leaks`.

    Raises:
        InvalidInput: The method needs quality bias and some demonstrations are not scored.
    """
    excluded = view.same_query(query) if leave_out else np.zeros(len(view), dtype=bool)
    if also_excluded is not None:
        excluded = excluded | also_excluded
    return knobs.info.choose(view, query, query_vector, knobs, excluded)
