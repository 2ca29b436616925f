"""Keys and values with room for the tokens to come, so that a step copies its own alone."""

from functools import cache
from typing import Any

_ROOM = 64
"""Tokens for which room is made at once."""


def roomy_cache(network: Any) -> Any:
    """An empty cache for the network; layers of another kind, such as sliding ones, are its own.

    `DynamicCache` copies all keys and values at every step: with eight rows of 250 tokens and 124
    million parameters that takes as long as the rest of the step.
    """
    from transformers.cache_utils import DynamicCache, DynamicLayer

    empty = DynamicCache(config=network.config)
    layer = _layer()
    empty.layers = [layer() if type(each) is DynamicLayer else each for each in empty.layers]
    return empty


@cache
def _layer() -> Any:
    """The class of a layer; made when first needed, since it takes `transformers`."""
    from transformers.cache_utils import DynamicLayer

    # The base has no types for what it does with its subclasses.
    class RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
        """A layer whose `keys` and `values` are the beginnings of larger tensors."""

        keys: Any
        values: Any
        _larger: Any = None

        def update(
            self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any
        ) -> tuple[Any, Any]:
            """Take keys and values of further tokens; those of all tokens."""
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
                self.keys, self.values = key_states[..., :0, :], value_states[..., :0, :]
            before = self.keys.shape[-2]
            after = before + key_states.shape[-2]
            if not self._has_room(after):
                self._larger = [_copied(old, after + _ROOM) for old in (self.keys, self.values)]
            self.keys, self.values = (each[..., :after, :] for each in self._larger)
            self.keys[..., before:, :] = key_states
            self.values[..., before:, :] = value_states
            return self.keys, self.values

        def _has_room(self, length: int) -> bool:
            """Whether the larger tensors are those of these rows, and long enough."""
            if self._larger is None or self._larger[0].data_ptr() != self.keys.data_ptr():
                return False  # rows were repeated or chosen since, which made tensors of their own
            return bool(self._larger[0].shape[-2] >= length)

    return RoomyLayer


def _copied(old: Any, length: int) -> Any:
    import torch

    larger = torch.empty(
        (*old.shape[:-2], length, old.shape[-1]), dtype=old.dtype, device=old.device
    )
    larger[..., : old.shape[-2], :] = old
    return larger
