"""A collection of the store as what is searched, with its embeddings where these are needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..embedding import Encoder
from ..programs.example import Passage
from ..retrieval.embedded_texts import embed_texts
from ..store import Store
from ..types import FloatArray, IsCancelled, OnProgress


@dataclass(frozen=True)
class Collected:
    """The passages of a collection as arrays: what is searched.

    Attributes:
        name: The collection's.
        version: Its version.
        passages: In the order of their ids, n of them.
        embeddings: A unit row for each, as "title | text", shape (n, d); None where nothing is
            embedded, for searches by BM25.
        encode: The unit rows of any texts, (len(texts), d); used with `embeddings` only.
    """

    name: str
    version: int
    passages: tuple[Passage, ...] = field(repr=False)
    embeddings: FloatArray | None = field(default=None, repr=False, compare=False)
    encode: Callable[[Sequence[str]], FloatArray] | None = field(
        default=None, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.passages)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each passage as prompts and the encoder have it."""
        return tuple(each.shown for each in self.passages)

    @cached_property
    def place_of(self) -> dict[Passage, int]:
        """Where each passage is."""
        return {passage: place for place, passage in enumerate(self.passages)}


def load_collected(
    store: Store,
    name: str,
    encoder: Encoder | None,
    *,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> Collected:
    """The passages of a collection; texts that are not embedded yet are embedded first.

    Embeddings are kept by content, chunk by chunk, so that a killed run goes on where it stopped,
    and the passages of two collections, or of a collection that was removed and imported again,
    are embedded once.

    Args:
        store: The workspace.
        name: The collection's.
        encoder: Embeds passages, as "title | text", and queries; None reads the texts alone, for
            searches by BM25.
        on_progress: Called with (texts done, texts) once something has to be embedded.
        cancelled: Asked before every chunk.

    Raises:
        InvalidInput: No collection has that name.
        Cancelled: `cancelled` answered True.
    """
    collection, rows = store.passages.snapshot(name)
    passages = tuple(Passage(each.id, each.text, each.title) for each in rows)
    if encoder is None:
        return Collected(collection.name, collection.version, passages)

    def encode(texts: Sequence[str]) -> FloatArray:
        return embed_texts(store, encoder, texts)[0]

    embeddings, _ = embed_texts(
        store,
        encoder,
        [each.shown for each in passages],
        on_progress=on_progress,
        cancelled=cancelled,
    )
    return Collected(collection.name, collection.version, passages, embeddings, encode)
