"""How a measured value is distributed over the demonstrations of each tag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..demonstration.demonstration import Demonstration
from ..types import FloatArray

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a distribution."""
MOST = 15
"""So many tags are told apart, the most frequent ones."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of the demonstrations of one tag.

    Attributes:
        tag: The tag; "" for those without any.
        count: How many demonstrations with a value it has, >= 1.
        quantiles: At `SHARES`, ascending, shape (5,).
    """

    tag: str
    count: int
    quantiles: FloatArray


def by_tag(
    rows: Sequence[Demonstration], values: Mapping[int, float], most: int = MOST
) -> list[Distribution]:
    """The distribution of the values for each of the most frequent tags, by median, lowest first.

    A demonstration with several tags counts for each of them; one without a value for none.

    Args:
        rows: The demonstrations.
        values: By id.
        most: How many tags, >= 0; those without a tag come on top of that.
    """
    found: dict[str, list[float]] = {}
    for row in rows:
        value = values.get(row.id)
        if value is not None:
            for tag in row.tags or ("",):
                found.setdefault(tag, []).append(value)
    tags = sorted((tag for tag in found if tag), key=lambda tag: (-len(found[tag]), tag))[:most]
    kept = [*tags, *([""] if "" in found else [])]
    each = [Distribution(tag, len(found[tag]), np.quantile(found[tag], SHARES)) for tag in kept]
    return sorted(each, key=lambda one: (float(one.quantiles[2]), one.tag))
