"""A pool's map: each demonstration with its point."""

from dataclasses import dataclass, field

from ...types import BoolArray, Demonstration, FloatArray, IntArray


@dataclass(frozen=True)
class Layout:
    """Points of a pool's distinct queries, which excluding, tagging and editing answers keep.

    `placed` counts the queries that came after the map was laid out and stand among their
    neighbours. `drawn_in` counts those that stand there because there are too many to lay out.
    """

    queries: tuple[str, ...]
    embeddings: FloatArray  # (u, d), unit rows
    points: FloatArray  # (u, 2)
    placed: int
    drawn_in: int


@dataclass(frozen=True)
class PoolMap:
    """A pool's demonstrations, excluded ones too, in the order of their ids, each with its point.

    Demonstrations of one query stand side by side. `quality_bias` is NaN where it is not scored.
    """

    demonstrations: tuple[Demonstration, ...]
    ids: IntArray  # (n,)
    coordinates: FloatArray  # (n, 2)
    excluded: BoolArray  # (n,)
    quality_bias: FloatArray  # (n,), nats per token
    query_words: IntArray  # (n,)
    version: int
    edition: int
    seed: int
    encoder: str
    layout: Layout = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)
