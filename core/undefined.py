"""What is undefined: NaN and the infinities in arrays, None in results, null in JSON."""

import math
from typing import Any


def defined(value: float) -> float | None:
    """The value as results have it: None where it is undefined or infinite."""
    return float(value) if math.isfinite(value) else None


def without_nan(value: Any) -> Any:
    """A value for JSON, which has no NaN: undefined numbers as null, numpy's values as plain."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(part) for part in value]
    if isinstance(value, float):
        return defined(value)
    return value


NOWHERE = 1e-6
"""A sum of unit rows shorter than this has no direction: where float32 rows cancel, rounding leaves
as much."""
