"""The registry of methods, and choosing one query's context by a named one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import BoolArray, FloatArray, IntArray
from .context import Context
from .knobs import Knobs, SettledKnobs
from .method import Method, MethodInput, context_of_indices, never_shown
from .methods import (
    bm25,
    coverage,
    dpp,
    facility_location,
    fixed,
    kmeans,
    mdl,
    mmr,
    msd,
    neighbours,
    none,
    pgra,
    random,
    votek,
    vrsd,
)
from .pool_view import LivePool

METHODS: dict[str, Method] = {}
"""The methods by name, in the order in which they are offered."""


def register(method: Method) -> Method:
    """Offer a method wherever methods are named: command line, pages, evaluation.

    Raises:
        InvalidInput: It cannot choose, or its name is taken.
    """
    if not callable(getattr(method, "choose", None)):
        raise InvalidInput(
            f"The method {method.name!r} has no function `choose`; give it the one that chooses "
            "its contexts."
        )
    if method.name in METHODS:
        raise InvalidInput(f"There is a method {method.name!r} already; choose another name.")
    METHODS[method.name] = method
    return method


def find_method(name: str) -> Method:
    """The method of that name.

    Raises:
        InvalidInput: None is registered under it.
    """
    if name not in METHODS:
        raise InvalidInput(f"There is no method {name!r}; the methods are {', '.join(METHODS)}.")
    return METHODS[name]


def settled(knobs: Knobs) -> SettledKnobs:
    """The knobs as their method uses them (`Method.settle`).

    Raises:
        InvalidInput: There is no such method, or a value of one of its own knobs is not allowed.
    """
    return find_method(knobs.method).settle(knobs)


def knobs_from_json(row: Mapping[str, Any]) -> Knobs:
    """The knobs of a row; what it lacks is at its default.

    Raises:
        InvalidInput: There is no such method, or a value is not allowed.
    """
    method = row.get("method")
    return find_method(Knobs.method if method is None else method).knobs_from_json(row)


for _method in (
    none.METHOD,
    random.METHOD,
    fixed.METHOD,
    bm25.METHOD,
    *mmr.METHODS,
    vrsd.METHOD,
    coverage.METHOD,
    dpp.METHOD,
    msd.METHOD,
    facility_location.METHOD,
    kmeans.METHOD,
    votek.METHOD,
    mdl.METHOD,
    pgra.METHOD,
    neighbours.METHOD,
):
    register(_method)


def choose_context(
    view: LivePool,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    *,
    leave_out: bool,
    also_excluded: BoolArray | None = None,
) -> Context:
    """The context that the method chooses for a query, after the pool's pinned demonstrations.

    Args:
        view: The pool as arrays, with the embeddings that the knobs need, in it or beside it.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        knobs: Method, k, lambdas, seed, candidates; no index is used, whatever they name.
        leave_out: True for an evaluation example, False for a query typed by hand.
        also_excluded: Mask (n,) of what else may not be chosen, such as `LivePool.leaks`.

    Raises:
        InvalidInput: There is no such method, a value of one of its own knobs is not allowed, or
            it needs quality bias and some demonstrations are not scored.
        ValueError: The embeddings that the knobs need are missing.
    """
    method = find_method(knobs.method)
    used = method.settle(knobs)
    asked = asked_of(
        view, query, query_vector, used, leave_out=leave_out, also_excluded=also_excluded
    )
    if method.pins or not method.chooses or not len(asked.pinned):
        return method.choose(asked)
    return _after_pinned(asked, method)


def _after_pinned(asked: MethodInput, method: Method) -> Context:
    """The pinned demonstrations, and what the method chooses of the others for the rest of k."""
    view, pinned = asked.view, asked.pinned
    closed = np.zeros(len(view), dtype=bool)
    closed[view.pinned] = True
    if asked.groups is not None:
        closed |= np.isin(asked.groups, asked.groups[pinned])
    knobs = replace(asked.knobs, k=asked.knobs.k - len(pinned))
    rest = method.choose(replace(asked, knobs=knobs, excluded=asked.excluded | closed))
    both = context_of_indices(view, asked.relevance, np.concatenate([pinned, rest.indices]))
    return replace(
        rest,
        indices=both.indices,
        ids=both.ids,
        values=np.concatenate([np.full(len(pinned), np.nan), rest.values]),
        relevance=both.relevance,
        quality_bias=both.quality_bias,
        redundancy=both.redundancy,
        embeddings=both.embeddings,
        pinned=both.pinned,
    )


def asked_of(
    view: LivePool,
    query: str,
    query_vector: FloatArray,
    knobs: SettledKnobs,
    *,
    leave_out: bool,
    also_excluded: BoolArray | None = None,
) -> MethodInput:
    """The method's input for `choose_context`, with the same arguments but settled knobs.

    Where the knobs set candidates, everything is excluded but those of highest relevance, and the
    pinned ones. Equal
    relevance goes to the lowest index, as in every method, so that more candidates only add to
    fewer. What the model can never score is no candidate where the bias counts.

    Raises:
        ValueError: The embeddings that the knobs need are missing.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 3.1, first premise).
    """
    method = find_method(knobs.method)
    view = view.embedded_by(knobs.embed)
    relevance = view.relevance(query_vector)
    excluded = view.same_query(query) if leave_out else np.zeros(len(view), dtype=bool)
    if also_excluded is not None:
        excluded = excluded | also_excluded
    if 0 < method.nearest(knobs) < len(view):
        open_to = ~(excluded | never_shown(view, knobs))
        beyond = _beyond(np.flatnonzero(open_to), relevance, method.nearest(knobs))
        beyond[view.pinned] = excluded[view.pinned]
        excluded = beyond
    return MethodInput(
        view=view,
        query=query,
        vector=query_vector,
        relevance=relevance,
        knobs=knobs,
        excluded=excluded,
    )


def _beyond(allowed: IntArray, relevance: FloatArray, n: int) -> BoolArray:
    """The mask of all but the n allowed ones of highest relevance."""
    if n < len(allowed):  # the others need no order
        least = np.partition(relevance[allowed], -n)[-n]
        allowed = allowed[relevance[allowed] >= least]
    nearest = allowed[np.argsort(-relevance[allowed], kind="stable")[:n]]
    beyond = np.ones(len(relevance), dtype=bool)
    beyond[nearest] = False
    return beyond
