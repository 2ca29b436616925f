"""Convex polygons in the triangle of weights, cut by lines; who wins where in one.

Plain numbers in tuples: to cut a polygon with five corners takes a quarter of what arrays need.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..types import IntArray
from .cosines import NEAR

Weights = tuple[float, float, float]
"""One place in the triangle, with sum 1; or the coefficients of a function linear in them."""

Polygon = Sequence[Weights]
"""The corners in order round it; none twice."""

TRIANGLE: Polygon = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

SMALLEST = 1e-13
"""The share of the triangle below which a part is rounding, not a cell."""

ON_THE_LINE = 1e-13
"""How far a corner may be from a line, in units of the line's coefficients, and count as on it."""


def leads(polygon: Polygon, line: Weights) -> list[float]:
    """The value of a linear function at each corner; exactly 0 where it is 0 but for rounding."""
    a, b, c = line
    rounding = ON_THE_LINE * max(abs(a), abs(b), abs(c))
    found = []
    for x, y, z in polygon:
        lead = a * x + b * y + c * z
        found.append(0.0 if -rounding <= lead <= rounding else lead)
    return found


def part_above(polygon: Polygon, line: Weights) -> Polygon | None:
    """The part of a polygon in which a linear function is not negative.

    None where that is no more than an edge or a corner.
    """
    at = leads(polygon, line)
    if min(at) >= 0:
        return polygon
    if max(at) <= 0:
        return None
    part = []
    before, lead_before = polygon[-1], at[-1]
    for corner, lead in zip(polygon, at, strict=True):
        if lead * lead_before < 0:
            t = lead_before / (lead_before - lead)
            x, y, z = before
            part.append((x + t * (corner[0] - x), y + t * (corner[1] - y), z + t * (corner[2] - z)))
        if lead >= 0:
            part.append(corner)
        before, lead_before = corner, lead
    part = [corner for place, corner in enumerate(part) if corner != part[place - 1]]
    return part if len(part) > 2 else None


def share(polygon: Polygon) -> float:
    """The share of the triangle that a polygon covers, in [0, 1]."""
    twice = 0.0
    x_before, y_before, _ = polygon[-1]
    for x, y, _ in polygon:
        twice += x_before * y - x * y_before
        x_before, y_before = x, y
    return abs(twice)


def near_winners(polygon: Polygon, parts: NDArray[np.float64], closed: IntArray) -> IntArray:
    """The rows that come near the largest value somewhere in a polygon, ascending; none is missed.

    The largest value of a few rows is linear on each part where one of them has it, so whoever
    exceeds it does so at a corner of such a part: rows are added until nobody does.

    Args:
        polygon: Where to look.
        parts: The coefficients of relevance, quality and diversity in each row's value, shape
            (3, n), rounded by less than half of `NEAR`.
        closed: The rows that may not win.
    """
    near = np.zeros(parts.shape[1], dtype=bool)
    seen: dict[Weights, NDArray[np.float64]] = {}
    found: list[int] = []
    corners = list(polygon)
    while new := [corner for corner in corners if corner not in seen]:
        values = np.array(new) @ parts
        values[:, closed] = -np.inf
        seen |= zip(new, values, strict=True)
        tops = values.argmax(axis=1)
        highest = values[:, found].max(axis=1, initial=-np.inf)
        exceeding = tops[values[np.arange(len(new)), tops] > highest + NEAR]
        found += sorted({*exceeding.tolist()} - {*found})
        corners = list(
            {corner for _, part in parts_won(polygon, parts[:, found]) for corner in part}
        )
    for corner in corners:
        values = seen[corner]
        near |= values >= values[found].max() - NEAR
    return np.flatnonzero(near)


def parts_won(polygon: Polygon, parts: NDArray[np.float64]) -> list[tuple[int, Polygon]]:
    """Each row that has the largest value on a part of the polygon, with that part.

    Of equal rows the first one has it. The parts tile the polygon, except for what is too small to
    be a cell; where all of them would be, one has the whole polygon. Values are compared by the
    differences of their coefficients, as `mmr` compares what nearly ties.

    Args:
        polygon: What is divided.
        parts: The coefficients of relevance, quality and diversity, shape (3, w), w > 0.
    """
    rivals = _unbeaten(polygon, parts)
    lines = parts[:, rivals].T.tolist()
    won = []
    for row, line in zip(rivals, lines, strict=True):
        part = _part_won(polygon, line, lines)
        if part is not None and share(part) > SMALLEST:
            won.append((row, part))
    return won or [(rivals[0], polygon)]


def _part_won(polygon: Polygon, line: Weights, others: list[Weights]) -> Polygon | None:
    a, b, c = line
    part: Polygon | None = polygon
    for x, y, z in others:
        ahead = (a - x, b - y, c - z)
        if part is not None and any(ahead):
            part = part_above(part, ahead)
    return part


def _unbeaten(polygon: Polygon, parts: NDArray[np.float64]) -> list[int]:
    """The rows that none of the others beats at every corner, and perhaps a few more.

    The one that is the largest in the middle comes first.
    """
    if parts.shape[1] == 1:
        return [0]
    corners = np.array(polygon)
    middle = corners.mean(axis=0) @ parts
    kept: list[int] = []
    while True:
        row = int(middle.argmax())
        if middle[row] == -np.inf:
            return kept
        row = int((parts == parts[:, row, None]).all(axis=0).argmax())  # the first of equal ones
        kept.append(row)
        over = parts - parts[:, row, None]  # (3, w): how far each row is above this one
        rounding = ON_THE_LINE * np.abs(over).max(axis=0)
        middle[(corners @ over).max(axis=0) <= rounding] = -np.inf
