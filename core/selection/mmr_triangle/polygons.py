"""Convex polygons in the triangle of weights, cut by straight lines.

Plain numbers in tuples: to cut a polygon with five corners takes a quarter of what arrays need.
"""

from collections.abc import Sequence

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
