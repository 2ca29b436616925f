"""What an encoder is, the one check that every encoder's rows pass, and texts in batches."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..text import cut
from ..types import BoolArray, FloatArray
from ..watcher import NOBODY, Watcher

SHORTEST_VECTOR = 1e-12
"""Rows shorter than this have no direction."""

SHOWN_LETTERS = 80

UNREAD = 0.25
"""A text with this share of unknown tokens or more is not read: its subject is among them."""
UNREAD_SAMPLED = 1000
"""Of more texts, a sample this large decides: an encoder cannot read a whole script."""


class Encoder(Protocol):
    """Texts to unit rows, so that an inner product is a cosine.

    Deterministic: a text's row does not depend on the other texts of a call beyond rounding
    (1e-5), and equal texts of one call get equal rows, bit for bit. Safe to call from many threads.
    """

    @property
    def name(self) -> str:
        """The encoder's name on the screen."""

    @property
    def fingerprint(self) -> str:
        """Hash of the weights and settings, in whatever folder: embeddings are cached under it."""

    @property
    def dimensions(self) -> int:
        """Length d of a row."""

    def encode(self, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> NDArray[np.float32]:
        """Unit rows of the texts, in their order, shape (n, d).

        Args:
            texts: What to embed; doubles are embedded once. An empty list gives shape (0, d).
            watcher: Gets (distinct texts done, distinct texts) after a batch; asked before each.

        Raises:
            InvalidInput: A text's vector is zero or not finite; the text is named.
            Cancelled: The watcher asked to stop.
        """

    def encode_tokens(
        self, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> list[NDArray[np.float32]]:
        """For each text the unit rows of its tokens, in the order of the text, shape (t, d).

        Each row is the token's own in its text, so that an inner product compares two tokens as
        they are used there. Left out are tokens that the encoder puts around a text, those beyond
        its window (see `cut`), and those whose vector is zero; t may be 0.

        Args:
            texts: What to compute the tokens of; doubles are computed once.
            watcher: Asked before every batch; it is told nothing.

        Raises:
            InvalidInput: A vector is not finite, or the encoder has no vectors of tokens.
            Cancelled: The watcher asked to stop.
        """

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than what the encoder reads of one, shape (n,).

        Of those only the beginning is in the row. Quick: nothing is embedded, no weights are read.
        All False for an encoder that reads texts of any length.
        """

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that the encoder has no letters for, shape (n,), in [0, 1].

        Measured in tokens, and as quick as `cut`; 0 for an encoder without a tokenizer.
        """


def sampled(texts: Sequence[str]) -> Sequence[str]:
    """The texts, or of more than `UNREAD_SAMPLED` so many at most, evenly spread."""
    return texts[:: 1 + (len(texts) - 1) // UNREAD_SAMPLED] if texts else texts


def unread_share(encoder: Encoder, texts: Sequence[str]) -> float:
    """The share of the texts that the encoder does not read, in [0, 1]; of many, of a sample.

    A text is not read when the encoder has no letters for a quarter of its tokens or more.
    """
    some = sampled(texts)
    return float((encoder.unknown(some) >= UNREAD).mean()) if some else 0.0


def no_token_rows(encoder_name: str) -> InvalidInput:
    """The sentence for an encoder that has no vectors of tokens."""
    return InvalidInput(
        f"The encoder {encoder_name} has no vectors of tokens, only of whole texts; choose another "
        "encoder, or a method that compares whole texts."
    )


def unit_rows(rows: FloatArray, texts: Sequence[str], encoder_name: str) -> NDArray[np.float32]:
    """The rows at unit length, shape (n, d).

    Args:
        rows: What the encoder computed, shape (n, d), any length.
        texts: The text of each row, for the message.
        encoder_name: For the message.

    Raises:
        InvalidInput: A row is zero or not finite, so that it has no cosine with anything.
    """
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)  # (n,)
    unusable = np.flatnonzero(~(np.isfinite(lengths) & (lengths > SHORTEST_VECTOR)))
    if len(unusable):
        shown = cut(texts[int(unusable[0])], SHOWN_LETTERS)
        others = f" and {len(unusable) - 1:,} more" if len(unusable) > 1 else ""
        raise InvalidInput(
            f"The encoder {encoder_name} gives a zero or not finite vector for the text "
            f"{shown!r}{others}; change or exclude it, or choose another encoder."
        )
    unit: NDArray[np.float32] = (rows / lengths[:, np.newaxis]).astype(np.float32)
    return unit


def unit_token_rows(rows: FloatArray, text: str, encoder_name: str) -> NDArray[np.float32]:
    """The rows of a text's tokens at unit length, shape (t, d), those that are zero left out.

    A text without letters that the encoder knows may still be embedded, so a token whose vector
    has no direction is no mistake of the text.

    Raises:
        InvalidInput: A row is not finite.
    """
    zero = np.linalg.norm(rows.astype(np.float64), axis=1) <= SHORTEST_VECTOR
    return unit_rows(rows[~zero], [text] * int((~zero).sum()), encoder_name)


BATCH = 32
"""Texts computed together: 371 questions a second by all-MiniLM-L6-v2 on two cores, against 238
with 256."""


def rows_in_batches(
    texts: Sequence[str],
    compute: Callable[[list[str]], FloatArray],
    encoder_name: str,
    dimensions: int,
    *,
    watcher: Watcher,
) -> NDArray[np.float32]:
    """Unit rows of the texts, in their order, shape (n, d); see `Encoder.encode`.

    Args:
        texts: What to embed.
        compute: Gives the rows of a batch, of any length.
        encoder_name: For messages.
        dimensions: Length d of a row.
        watcher: Gets (distinct texts done, distinct texts) after every batch; asked before each.

    Raises:
        InvalidInput: A text's vector is zero or not finite.
        Cancelled: The watcher asked to stop.
    """
    positions = {text: position for position, text in enumerate(dict.fromkeys(texts))}
    rows = np.empty((len(positions), dimensions), dtype=np.float32)
    done = 0
    for batch in batches(texts, watcher):
        rows[[positions[text] for text in batch]] = unit_rows(compute(batch), batch, encoder_name)
        done += len(batch)
        watcher.on_progress(done, len(positions))
    return rows[[positions[text] for text in texts]]


def batches(texts: Sequence[str], watcher: Watcher) -> Iterator[list[str]]:
    """The distinct texts, some at a time.

    Texts of like length share a batch without padding; the longest come first, so that what does
    not fit into memory is known at once and time estimates err on the safe side.

    Raises:
        ValueError: `texts` is one text, not a list.
        Cancelled: The watcher asked to stop.
    """
    if isinstance(texts, str):
        raise ValueError("an encoder takes a list of texts, not one text")
    ordered = sorted(dict.fromkeys(texts), key=len, reverse=True)
    for start in range(0, len(ordered), BATCH):
        watcher.checkpoint("Embedding was cancelled.")
        yield ordered[start : start + BATCH]
