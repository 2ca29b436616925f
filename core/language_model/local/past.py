"""Keys and values of what was read, under the name that `transformers` has for them."""

import copy
import inspect
from collections import OrderedDict
from os.path import commonprefix
from typing import Any

from .tokenisation import Tokens

_NAME, _FORMER_NAME = "cache", "past_key_values"
"""Since and before version 5.24."""
LEAST = 16
"""Fewer tokens in common are read again: a copy of the past costs as much."""

BYTES = 1 << 28
"""Some 25 prompts with six demonstrations of a model of 135 million parameters."""


class PastPrompts:
    """Keys and values of the prompts that were read last, for prompts that begin as one of them.

    Contexts of one query share demonstrations, and so do a method's for several queries.

    Args:
        size: Bytes that they take together at most; the last one stays whatever its size.
        least: With how many tokens a prompt must begin as one of them.
    """

    def __init__(self, size: int = BYTES, least: int = LEAST) -> None:
        self._size, self._least = size, least
        self._pasts: OrderedDict[Tokens, Any] = OrderedDict()

    def beginning_of(self, prompt: Tokens) -> tuple[int, Any]:
        """How many tokens of the prompt are read, at most all but the last, and a past of these.

        A pass may extend the past in place; (0, None) where too few are.
        """
        known = ((len(commonprefix([prompt[:-1], other])), other) for other in self._pasts)
        read, other = max(known, key=lambda each: each[0], default=(0, ()))
        if read < self._least:
            return 0, None
        self._pasts.move_to_end(other)
        past = copy.deepcopy(self._pasts[other])
        _cut(past, len(other) - read)
        return read, past

    def keep(self, prompt: Tokens, past: Any, beyond: int) -> None:
        """Keep the past of a pass that read the prompt and so many tokens beyond it."""
        _cut(past, beyond)
        self._pasts[prompt] = past
        self._pasts.move_to_end(prompt)
        while len(self._pasts) > 1 and sum(map(_bytes_of, self._pasts.values())) > self._size:
            self._pasts.popitem(last=False)

    def clear(self) -> None:
        """Let go of all of them."""
        self._pasts.clear()


def _cut(past: Any, tokens: int) -> None:
    """Take the last tokens away; a negative number means that in every version."""
    if tokens:
        past.crop(-tokens)


def _bytes_of(past: Any) -> int:
    return sum(int(layer.keys.nbytes + layer.values.nbytes) for layer in past.layers)


def past_of(answer: Any) -> Any:
    """The past that a pass with `use_cache` leaves; a further pass extends it in place."""
    return getattr(answer, _NAME if hasattr(answer, _NAME) else _FORMER_NAME)


def name_of_past(network: Any) -> str:
    """The argument under which a pass is given a past to go on from."""
    known = inspect.signature(network.forward).parameters
    return _NAME if _NAME in known else _FORMER_NAME
