"""Choosing one query's context by a named method."""

import numpy as np

from ..types import BoolArray, FloatArray
from .bias import never_shown
from .context import Context
from .knobs import Knobs
from .pool_view import PoolView
from .registry import find_method, settled


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
        view: The pool as arrays, with the embeddings that the knobs ask for, in it or beside it.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        knobs: Method, k, lambdas, seed, candidates; no index is used, whatever they name.
        leave_out: True for an evaluation example, False for a query typed by hand.
        also_excluded: Mask (n,) of what else may not be chosen, such as `PoolView.leaks`.

    Raises:
        InvalidInput: There is no such method, a value of one of its own knobs is not allowed, or
            it needs quality bias and some demonstrations are not scored.
        ValueError: The embeddings that the knobs ask for are not there.
    """
    method = find_method(knobs.method)
    knobs, view = method.settle(knobs), view.embedded_by(knobs.embed)
    excluded = closed_to(view, query, leave_out=leave_out, also_excluded=also_excluded)
    if method.nearest(knobs):
        excluded = beyond_candidates(view, view.relevance(query_vector), knobs, excluded)
    return method.choose(view, query, query_vector, knobs, excluded)


def closed_to(
    view: PoolView, query: str, *, leave_out: bool, also_excluded: BoolArray | None = None
) -> BoolArray:
    """Mask (n,) of what may not be chosen for a query, before candidates are taken.

    Arguments are those of `choose_context`.
    """
    excluded = view.same_query(query) if leave_out else np.zeros(len(view), dtype=bool)
    if also_excluded is not None:
        excluded = excluded | also_excluded
    return excluded


def beyond_candidates(
    view: PoolView, relevance: FloatArray, knobs: Knobs, excluded: BoolArray
) -> BoolArray:
    """The mask with everything closed but the candidates, those of highest relevance.

    Equal relevance goes to the lowest index, as in every method, so that more candidates only add
    to fewer. What the model can never score is no candidate where the bias counts.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 3.1, first premise).
    """
    knobs = settled(knobs)
    wanted = find_method(knobs.method).nearest(knobs)
    if not wanted or wanted >= len(view):
        return excluded
    allowed = np.flatnonzero(~(excluded | never_shown(view, knobs)))
    if wanted < len(allowed):  # the others need no order
        least = np.partition(relevance[allowed], -wanted)[-wanted]
        allowed = allowed[relevance[allowed] >= least]
    nearest = allowed[np.argsort(-relevance[allowed], kind="stable")[:wanted]]
    beyond = np.ones(len(view), dtype=bool)
    beyond[nearest] = False
    return beyond
