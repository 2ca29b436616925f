"""The states of the pools that were read last, kept in memory."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from ...retrieval.tasks.prompt import TaskPrompt
from ...retrieval.tasks.states import PoolStates

POOLS = 4
"""Pools whose states stay in memory beside the pages."""
BYTES = 1 << 30
"""Their size at most, unless one alone is larger: 65,000 texts of a model 4,096 wide."""


def kept_under(model: str, prompt: TaskPrompt, texts: Sequence[str]) -> Hashable:
    """The key of a pool's states in memory: the model's fingerprint, the prompt and the texts."""
    return model, prompt.fingerprint, tuple(texts)


class KeptStates:
    """The states of a few pools, for many threads; the least recently used one is dropped.

    Args:
        pools: How many at most; None is any number.
        size: Bytes that their states take together; None is any number. The last one stays
            whatever its size.
    """

    def __init__(self, pools: int | None = POOLS, size: int | None = BYTES) -> None:
        self._pools = pools
        self._size = size
        self._kept: OrderedDict[Hashable, PoolStates] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> PoolStates | None:
        """The states under the key; None where they are not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, states: PoolStates) -> None:
        """Keep the states under the key, and drop those that no longer fit beside them."""
        with self._lock:
            self._kept[key] = states
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self._too_many():
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._kept.clear()

    def _too_many(self) -> bool:
        taken = sum(each.states.nbytes for each in self._kept.values())
        return (self._pools is not None and len(self._kept) > self._pools) or (
            self._size is not None and taken > self._size
        )
