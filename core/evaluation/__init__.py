"""Methods x examples x metrics: evaluation and calibration."""

from .examples import examples_of, sample

__all__ = ["examples_of", "sample"]
