"""Keys and values of what was read, under the name that `transformers` has for them."""

import inspect
from typing import Any

_NAME, _FORMER_NAME = "cache", "past_key_values"
"""Since and before version 5.24."""


def past_of(answer: Any) -> Any:
    """The past that a pass with `use_cache` leaves; a further pass extends it in place."""
    return getattr(answer, _NAME if hasattr(answer, _NAME) else _FORMER_NAME)


def name_of_past(network: Any) -> str:
    """The argument under which a pass is given a past to go on from."""
    known = inspect.signature(network.forward).parameters
    return _NAME if _NAME in known else _FORMER_NAME
