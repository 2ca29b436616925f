"""The quality bias on the scale on which it is weighed against relevance."""

import numpy as np

from ..errors import InvalidInput
from ..types import BoolArray, FloatArray
from .knobs import BiasScale, Knobs
from .pool_view import PoolView


def scaled(quality_bias: FloatArray, scale: BiasScale) -> FloatArray:
    """The quality bias on the chosen scale, shape (n,), float64; equal values stay equal."""
    bias = np.asarray(quality_bias, dtype=np.float64)
    if scale is BiasScale.RAW or not len(bias):
        return bias
    if scale is BiasScale.SURPRISE:
        return -bias
    if scale is BiasScale.Z_SCORE:
        deviation = bias.std()
        return (bias - bias.mean()) / deviation if deviation > 0 else np.zeros_like(bias)
    distinct, position = np.unique(bias, return_inverse=True)
    return position / max(len(distinct) - 1, 1)


def bias_for(view: PoolView, knobs: Knobs) -> FloatArray | None:
    """The scaled quality bias (n,) that the knobs need, or None if they need none.

    Here and in `never_shown` the knobs are as the method uses them (`Method.settle`).
    Demonstrations that the model can never score get the lowest bias of the others;
    `never_shown` keeps them from being chosen.

    Raises:
        InvalidInput: Some demonstrations have no quality bias yet.
    """
    if not knobs.needs_bias:
        return None
    if view.unscored:
        raise InvalidInput(
            f"{view.unscored:,} of {len(view):,} demonstrations of pool {view.name!r} have no "
            f"quality bias yet; score the pool's quality, or set lambda_b to 1."
        )
    finite = np.isfinite(view.quality_bias)
    lowest = view.quality_bias[finite].min() if finite.any() else 0.0
    return scaled(np.where(finite, view.quality_bias, lowest), knobs.bias_scale)


def never_shown(view: PoolView, knobs: Knobs) -> BoolArray:
    """Mask (n,) of what may not be chosen where the bias counts: its model can never score it."""
    return view.unscorable if knobs.needs_bias else np.zeros(len(view), dtype=bool)
