"""Values as the database keeps them: JSON without NaN, and times in UTC."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

import numpy as np

Json: TypeAlias = "None | bool | float | str | Sequence[Json] | Mapping[str, Json]"
"""What JSON can say."""


def to_json(value: Any) -> str:
    """The value as JSON text; NaN and the infinities become null, numpy values plain ones.

    Raises:
        TypeError: A part of the value is nothing that JSON knows.
    """
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> Any:
    """The value that `to_json` wrote."""
    return json.loads(text)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def utc_now() -> datetime:
    """The time now, in UTC, without a zone: what goes into the database."""
    return datetime.now(UTC).replace(tzinfo=None)


def aware(stored: datetime) -> datetime:
    """A stored time with its zone, UTC: what comes out of the database."""
    return stored.replace(tzinfo=UTC)
