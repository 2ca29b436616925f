"""An encoder that is known before it is loaded, and how much of a text it reads."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray
from ..watcher import NOBODY, Watcher
from .encoder import Encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


REMEMBERED = 4096
"""How many long texts keep their count: a context's picks are looked at again and again."""
_ROOM = 8
"""Tokens that an encoder puts around a text, at most."""


class Window(Protocol):
    """How much of texts is read, as `Encoder` has it, without any weights."""

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than the window, shape (n,)."""

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that the encoder has no letters for, shape (n,)."""


class TextWindow:
    """Counts tokens as the encoder does; no weights are needed, and for short texts no tokenizer.

    Args:
        read: Gives the encoder's tokenizer, which this window may change; called when needed.
        limit: How many tokens the encoder reads, its own around the text included; None = all.
        unknown: The token for what the encoder has no letters for; None = there is none.
        prefix: What the encoder puts before every text.
    """

    def __init__(
        self,
        read: Callable[[], "Tokenizer"],
        limit: int | None,
        *,
        unknown: str | None,
        prefix: str = "",
    ) -> None:
        self._read, self._limit, self._unknown, self._prefix = read, limit, unknown, prefix
        self._length = lru_cache(REMEMBERED)(self._count)

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than the window, shape (n,)."""
        return np.array([self._is_cut(text) for text in texts], dtype=bool)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text's tokens that replace letters unknown to the encoder, (n,)."""
        unknown = None if self._unknown is None else self._tokenizer.token_to_id(self._unknown)
        if unknown is None:
            return np.zeros(len(texts))
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return np.array([each.ids.count(unknown) / max(1, len(each.ids)) for each in found])

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        tokenizer = self._read()
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _is_cut(self, text: str) -> bool:
        if self._limit is None:
            return False
        whole = self._prefix + text
        # A token takes one byte at least, so that most texts need not be counted.
        if len(whole.encode("utf-8", "surrogatepass")) + _ROOM <= self._limit:
            return False
        return self._length(whole) > self._limit

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids)


class DeferredEncoder:
    """An `Encoder` whose weights are read when the first text is encoded, seconds for most.

    Name and fingerprint are there from the start, so that embeddings of the store can be found.
    With a `window`, so is the knowledge of which texts are cut.
    """

    def __init__(
        self, name: str, fingerprint: str, load: Callable[[], Encoder], window: Window | None = None
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._load = load
        self._window = window
        self._loaded: Encoder | None = None
        self._lock = Lock()

    @property
    def ready(self) -> bool:
        """Whether the weights are in memory."""
        return self._loaded is not None

    def make_ready(self) -> Encoder:
        """The encoder itself, loaded once.

        Raises:
            InvalidInput: It cannot be loaded.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    @property
    def dimensions(self) -> int:
        """Length d of a row; loads the weights."""
        return self.make_ready().dimensions

    def encode(self, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> NDArray[np.float32]:
        """Unit rows of the texts, in their order, shape (n, d); see `Encoder.encode`."""
        return self.make_ready().encode(texts, watcher=watcher)

    def encode_tokens(
        self, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> list[NDArray[np.float32]]:
        """Unit rows of each text's tokens, each (t, d); see `Encoder.encode_tokens`."""
        return self.make_ready().encode_tokens(texts, watcher=watcher)

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than the encoder's window, shape (n,); see `Encoder.cut`."""
        return (self._window or self.make_ready()).cut(texts)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that has no letters, shape (n,); see `Encoder.unknown`."""
        return (self._window or self.make_ready()).unknown(texts)
