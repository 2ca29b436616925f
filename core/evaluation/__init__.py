"""Methods x examples x metrics: evaluation and calibration."""

from .plan.examples import examples_of, sample

__all__ = ["examples_of", "sample"]
