"""The logits of the next token of each of several rows, on a cache with room for them."""

import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any

from .forward import head_at, integers, name_of_past, past_of
from .rows import Tokens

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


class CachedSteps:
    """Each step reads its tokens alone, on the keys and values of all before them.

    What the prompts begin with in common is read once, the rest of them in one pass, padded at the
    left: tokens that are generated follow on their prompt at once, and only between what is shared
    and the rest there may be a gap, which a mask hides. Positions count each row's own tokens.
    Without padding masks and positions are the network's own.

    Args:
        network: A causal model of `transformers`.
        prompts: The rows' token ids.
        shared: With how many tokens all of them begin in common; less than the shortest has.
    """

    def __init__(self, network: Any, prompts: Sequence[Tokens], shared: int) -> None:
        self._network = network
        self._prompts = prompts
        self._shared = shared
        self._cache: Any = roomy_cache(network)
        self._mask: Any = None
        self._lengths = [len(prompt) for prompt in prompts]
        known = inspect.signature(network.forward).parameters
        self._takes_positions = "position_ids" in known

    def first(self) -> Any:
        """The logits after the prompts; reads them."""
        import torch

        if self._shared:
            self._read([self._prompts[0][: self._shared]], None)
            self._cache.batch_repeat_interleave(len(self._prompts))
        width = max(self._lengths) - self._shared
        padding = [width + self._shared - length for length in self._lengths]
        rests = [prompt[self._shared :] for prompt in self._prompts]
        ids = [rest[:1] * missing + rest for missing, rest in zip(padding, rests, strict=True)]
        if not any(padding):
            return self._read(ids, None)
        hidden = integers(padding, self._network)[:, None]
        columns = torch.arange(width, device=hidden.device)
        ones = torch.ones_like(hidden).expand(-1, self._shared)
        self._mask = torch.cat([ones, (columns >= hidden).long()], dim=1)
        return self._read(ids, (columns - hidden).clamp(min=0) + self._shared)

    def next(self, tokens: Sequence[int]) -> Any:
        """The logits after one more token of each row."""
        positions = None
        if self._mask is not None:
            positions = integers(self._lengths, self._network)[:, None]
            self._mask = self._widened(self._mask)
        self._lengths = [length + 1 for length in self._lengths]
        return self._read([(token,) for token in tokens], positions)

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone."""
        chosen = integers(rows, self._network)
        self._cache.batch_select_indices(chosen)
        self._mask = None if self._mask is None else self._mask[chosen]
        self._lengths = [self._lengths[row] for row in rows]

    def _read(self, ids: Sequence[Tokens], positions: Any) -> Any:
        given: dict[str, object] = dict(head_at(self._network, 1))
        given[name_of_past(self._network)] = self._cache
        if self._mask is not None:
            given["attention_mask"] = self._mask
            if self._takes_positions:
                given["position_ids"] = positions
        found = self._network(input_ids=integers(ids, self._network), use_cache=True, **given)
        self._cache = past_of(found)
        return found.logits[:, -1]

    def _widened(self, mask: Any) -> Any:
        import torch

        return torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)


class PlainSteps:
    """One row, read from its beginning at every step: for what keeps its past in another way.

    Args:
        network: A causal model of `transformers`.
        prompt: The row's token ids.
    """

    def __init__(self, network: Any, prompt: Tokens) -> None:
        self._network = network
        self._tokens = prompt

    def first(self) -> Any:
        """The logits after the prompt, (1, vocabulary)."""
        ids = integers([self._tokens], self._network)
        found = self._network(input_ids=ids, use_cache=False, **head_at(self._network, 1))
        return found.logits[:, -1]

    def next(self, tokens: Sequence[int]) -> Any:
        """The logits after one more token."""
        self._tokens = (*self._tokens, *tokens)
        return self.first()

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with the one row."""
