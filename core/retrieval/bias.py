"""Scales on which the quality bias meets the relevance."""

from enum import StrEnum

import numpy as np

from ..types import FloatArray


class BiasScale(StrEnum):
    """How quality bias is scaled before lambda_b weighs it against relevance.

    `raw` is the paper's: mean log-probability, around -5 to -0.5 against cosines in [-1, 1].
    `z-score` has mean 0 and deviation 1 over the pool, `rank` runs from 0 (lowest) to 1 (highest),
    `surprise` is -b, so that what the model finds unlikely is preferred.
    """

    RAW = "raw"
    Z_SCORE = "z-score"
    RANK = "rank"
    SURPRISE = "surprise"


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
