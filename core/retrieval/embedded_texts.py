"""Embeddings of texts and of their tokens, each computed once and kept by its content."""

from collections.abc import Sequence

import numpy as np

from ..embedding import Encoder
from ..store import Store
from ..text import content_hash
from ..types import FloatArray
from ..watcher import NOBODY, Watcher

EMBEDDING_CHUNK = 128
"""Texts embedded between two commits and two reports of progress: what a killed process loses."""


def embed_texts(
    store: Store, encoder: Encoder, texts: Sequence[str], *, watcher: Watcher = NOBODY
) -> tuple[FloatArray, int]:
    """Unit rows (len(texts), d) of the texts, and how many of them had to be computed.

    Only texts whose content is not in the store are embedded; each chunk is committed, so that a
    killed run continues where it stopped. Progress counts the distinct texts, also those that were
    there before, and is reported once before the first chunk.
    """
    hashes = [content_hash(text) for text in texts]
    text_of = dict(zip(hashes, texts, strict=True))
    missing = store.embeddings.missing(encoder.fingerprint, list(text_of))
    known = len(text_of) - len(missing)
    if missing:
        watcher.on_progress(known, len(text_of))
    for start in range(0, len(missing), EMBEDDING_CHUNK):
        watcher.checkpoint("Embedding was stopped; what was embedded is kept.")
        chunk = missing[start : start + EMBEDDING_CHUNK]
        rows = encoder.encode([text_of[key] for key in chunk], watcher=watcher.quietly())
        store.embeddings.put(encoder.fingerprint, chunk, rows)
        watcher.on_progress(known + start + len(chunk), len(text_of))
    if not hashes:
        return np.empty((0, encoder.dimensions), dtype=np.float32), 0
    return store.embeddings.get(encoder.fingerprint, hashes), len(missing)


def token_vectors(store: Store, encoder: Encoder, texts: Sequence[str]) -> list[FloatArray]:
    """Unit rows (t, d) of each text's tokens, float32, in the order of the texts.

    Only texts whose content is not in the store are computed, and each chunk is committed. What is
    returned comes from the store also the first time, so that its rounding never changes a choice.

    Raises:
        InvalidInput: The encoder has no vectors of tokens.
    """
    hashes = [content_hash(text) for text in texts]
    text_of = dict(zip(hashes, texts, strict=True))
    found = store.token_vectors.get(encoder.fingerprint, list(text_of))
    missing = [key for key in text_of if key not in found]
    for start in range(0, len(missing), EMBEDDING_CHUNK):
        chunk = missing[start : start + EMBEDDING_CHUNK]
        rows = encoder.encode_tokens([text_of[key] for key in chunk])
        store.token_vectors.put(encoder.fingerprint, chunk, rows)
    if missing:
        found |= store.token_vectors.get(encoder.fingerprint, missing)
    return [found[key] for key in hashes]
