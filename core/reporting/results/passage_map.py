"""A map of passages: each with its point."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...types import FloatArray, IntArray
from .pool_map import Layout


@dataclass(frozen=True)
class PassageMap:
    """The passages of a collection in the order of their ids, each with its point.

    `layout` has the points of its distinct texts, as "title | text".
    """

    collection: str
    version: int
    encoder: str
    seed: int
    ids: IntArray  # (n,)
    coordinates: FloatArray  # (n, 2)
    titles: tuple[str, ...]  # (n,)
    texts: tuple[str, ...]  # (n,)
    sources: tuple[str, ...]  # (n,)
    layout: Layout = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, positions: IntArray) -> Self:
        """The same map with the passages at these positions."""
        places = positions.tolist()
        return replace(
            self,
            ids=self.ids[positions],
            coordinates=self.coordinates[positions],
            titles=tuple(self.titles[place] for place in places),
            texts=tuple(self.texts[place] for place in places),
            sources=tuple(self.sources[place] for place in places),
        )

    def positions(self, ids: IntArray) -> IntArray:
        """Where the passages with these ids are, in the order given; unknown ones are left out."""
        place_of = {number: place for place, number in enumerate(self.ids.tolist())}
        found = [place_of[number] for number in ids.tolist() if number in place_of]
        return np.array(found, dtype=np.int64)
