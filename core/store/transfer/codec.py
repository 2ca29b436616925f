"""Values as the database keeps them: JSON without NaN, and times in UTC."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from ...undefined import without_nan

Json: TypeAlias = "None | bool | float | str | Sequence[Json] | Mapping[str, Json]"
"""What JSON can express."""


def to_json(value: Any) -> str:
    """The value as JSON text; NaN and the infinities become null, numpy values plain ones.

    Raises:
        TypeError: A part of the value is nothing that JSON knows.
    """
    return json.dumps(without_nan(value), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> Any:
    """The value that `to_json` wrote."""
    return json.loads(text)


def utc_now() -> datetime:
    """The time now, in UTC, without a zone: what goes into the database."""
    return datetime.now(UTC).replace(tzinfo=None)


def aware(stored: datetime) -> datetime:
    """A stored time with its zone, UTC: what comes out of the database."""
    return stored.replace(tzinfo=UTC)
