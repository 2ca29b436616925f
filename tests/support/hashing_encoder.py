"""A fake encoder: letters instead of meaning, no model, no download, quick and deterministic."""

import hashlib
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.embedding import unit_rows, unit_token_rows
from core.text import normalised
from core.types import BoolArray
from core.watcher import NOBODY, Watcher

BATCH = 32


class HashingEncoder:
    """An `Encoder` whose rows count hashed trigrams: texts that share letters have high cosines.

    `encoded` lists every text that was computed, in order, so that a test can see that nothing is
    computed twice, and `encoded_tokens` every text whose tokens were; a token is a word. The empty
    text has no trigram, hence a zero vector, and is refused.
    """

    def __init__(self, dimensions: int = 64, name: str = "hashing") -> None:
        self.name = name
        self.dimensions = dimensions
        self.fingerprint = hashlib.sha256(f"{name} {dimensions}".encode()).hexdigest()[:32]
        self.encoded: list[str] = []
        self.encoded_tokens: list[str] = []

    def encode(self, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> NDArray[np.float32]:
        if isinstance(texts, str):
            raise ValueError("encode takes a list of texts, not one text")
        rows: dict[str, NDArray[np.float32]] = {}
        distinct = list(dict.fromkeys(texts))
        for start in range(0, len(distinct), BATCH):
            watcher.checkpoint("Embedding was cancelled.")
            batch = distinct[start : start + BATCH]
            counts = np.array([self._counts(text) for text in batch])
            rows.update(zip(batch, unit_rows(counts, batch, self.name), strict=True))
            self.encoded += batch
            watcher.on_progress(start + len(batch), len(distinct))
        return np.array([rows[text] for text in texts], dtype=np.float32).reshape(
            len(texts), self.dimensions
        )

    def encode_tokens(
        self, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> list[NDArray[np.float32]]:
        if isinstance(texts, str):
            raise ValueError("encode_tokens takes a list of texts, not one text")
        lists: dict[str, NDArray[np.float32]] = {}
        distinct = list(dict.fromkeys(texts))
        for start in range(0, len(distinct), BATCH):
            watcher.checkpoint("Embedding was cancelled.")
            for text in distinct[start : start + BATCH]:
                counts = [self._counts(word) for word in normalised(text).split()]
                rows = np.array(counts).reshape(len(counts), self.dimensions)
                lists[text] = unit_token_rows(rows, text, self.name)
                self.encoded_tokens.append(text)
        return [lists[text] for text in texts]

    def cut(self, texts: Sequence[str]) -> BoolArray:
        return np.zeros(len(texts), dtype=bool)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.zeros(len(texts))

    def _counts(self, text: str) -> NDArray[np.float64]:
        counts = np.zeros(self.dimensions)
        letters = f" {normalised(text)} "
        for start in range(len(letters) - 2):
            digest = hashlib.blake2b(letters[start : start + 3].encode(), digest_size=8).digest()
            number = int.from_bytes(digest, "little")
            # Signed, so that texts without common trigrams have cosines around zero.
            counts[(number >> 1) % self.dimensions] += 1.0 if number & 1 else -1.0
        return counts


class WaitingEncoder(HashingEncoder):
    """Embeds once it may."""

    def __init__(self):
        super().__init__(name="waiting")
        self.may = threading.Event()
        self.may.set()

    def encode(self, texts, **options):
        assert self.may.wait(120)
        return super().encode(texts, **options)
