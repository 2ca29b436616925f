"""The registry of methods: command line, pages, docs and tests read it here."""

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidInput
from .adaptive import neighbours
from .knobs import Knobs
from .method import Method
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
    none,
    pgra,
    random,
    votek,
    vrsd,
)

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


def settled(knobs: Knobs) -> Knobs:
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
