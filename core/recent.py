"""The few values used last, kept in memory."""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """The few values used last, each made once, also when many threads ask at the same time.

    While one is being made, the others can be read.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        # Reentrant: long work lets other work run, on the same thread and perhaps about the same.
        self._making: defaultdict[Hashable, threading.RLock] = defaultdict(threading.RLock)
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of that key, made unless it is kept; the one used longest ago makes room."""
        return self.renew(key, lambda kept: make() if kept is None else kept)

    def renew(self, key: Hashable, make: Callable[[V | None], V]) -> V:
        """The value that is made of the kept one, of None without one, and kept in its place."""
        with self._lock:
            own_lock = self._making[key]
        with own_lock:
            value = make(self.peek(key))
            self._keep(key, value)
        return value

    def peek(self, key: Hashable) -> V | None:
        """The value of that key if it is kept; never makes it."""
        return self._values.get(key)

    def drop(self, stale: Callable[[V], bool]) -> None:
        """Let go of the values that are stale."""
        with self._lock:
            for key in [key for key, value in self._values.items() if stale(value)]:
                del self._values[key]

    def _keep(self, key: Hashable, value: V) -> None:
        with self._lock:
            self._making.pop(key, None)
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
