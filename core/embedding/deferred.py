"""An encoder that is known before it is loaded: what it embedded earlier needs no weights."""

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..types import BoolArray, IsCancelled, OnProgress
from .encoder import Encoder
from .window import Window


class DeferredEncoder:
    """An `Encoder` whose weights are read when the first text is encoded, seconds for most.

    Name and fingerprint are there from the start, so that embeddings of the store can be found.
    With a `window`, so is the knowledge of which texts are cut.
    """

    def __init__(
        self,
        name: str,
        fingerprint: str,
        load: Callable[[], Encoder],
        window: Window | None = None,
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

    def encode(
        self,
        texts: Sequence[str],
        *,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> NDArray[np.float32]:
        """Unit rows of the texts, in their order, shape (n, d); see `Encoder.encode`."""
        return self.make_ready().encode(texts, on_progress=on_progress, cancelled=cancelled)

    def encode_tokens(
        self, texts: Sequence[str], *, cancelled: IsCancelled | None = None
    ) -> list[NDArray[np.float32]]:
        """Unit rows of each text's tokens, each (t, d); see `Encoder.encode_tokens`."""
        return self.make_ready().encode_tokens(texts, cancelled=cancelled)

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than the encoder's window, shape (n,); see `Encoder.cut`."""
        return (self._window or self.make_ready()).cut(texts)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that has no letters, shape (n,); see `Encoder.unknown`."""
        return (self._window or self.make_ready()).unknown(texts)
