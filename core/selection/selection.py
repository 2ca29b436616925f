"""What a selection returns: the chosen indices, and the parts of each pick's value."""

from dataclasses import dataclass

from ..stretches import Stretch
from ..types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen demonstrations, in the order chosen, each with the parts of its value.

    All arrays have shape (k,), floats are float64. `values` has the winning value of each step:
    the valued relevance v for the first pick, the weighed value w for the others.
    `redundancy[0]` is NaN (nothing was chosen before), and `quality_bias` is all NaN where none
    was given.
    """

    indices: IntArray
    values: FloatArray
    relevance: FloatArray
    quality_bias: FloatArray
    redundancy: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PathPiece(Stretch):
    """One piece of a path over lambda_d or lambda_b: these indices, in this order, shape (k,)."""

    indices: IntArray
