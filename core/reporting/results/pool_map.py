"""A map of a pool or of passages: each demonstration or passage with its point."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

import numpy as np

from ...demonstration.demonstration import Demonstration
from ...evaluation.results.verdict import Sorting, sorting_of
from ...interval import Interval
from ...types import BoolArray, FloatArray, IntArray


class By(StrEnum):
    """What makes two points near: similar texts, or texts that are similar for the task."""

    TEXT = "text"
    TASK = "task"


@dataclass(frozen=True)
class Layout:
    """Points of a pool's distinct queries, kept when demonstrations are excluded or edited.

    `embeddings` are the rows that were laid out; by task they are states of the language model.
    `placed` counts the queries that were added after the map was laid out and are placed among
    their neighbours, `drawn_in` those placed so because there are too many to lay out.
    """

    queries: tuple[str, ...]
    embeddings: FloatArray  # (u, d), unit rows
    points: FloatArray  # (u, 2)
    placed: int
    drawn_in: int


@dataclass(frozen=True, kw_only=True)
class PoolMap:
    """A pool's demonstrations, excluded ones too, in the order of their ids, each with its point.

    Demonstrations of one query are side by side. `quality_bias` is NaN where it is not scored.
    `labels` are the label words of the pool's task, "" for an answer that is none of its labels,
    and `label_words` are all of them in the task's order: none where the pool has no task. By task,
    only demonstrations with a task state are included. `retrieved` are the shares of the contexts
    of the pool's own queries that each is a part of, NaN for excluded ones; None where they are not
    counted.
    """

    demonstrations: tuple[Demonstration, ...]
    ids: IntArray  # (n,)
    coordinates: FloatArray  # (n, 2)
    excluded: BoolArray  # (n,)
    quality_bias: FloatArray  # (n,), nats per token
    query_words: IntArray  # (n,)
    labels: tuple[str, ...]  # (n,)
    version: int
    edition: int
    seed: int
    encoder: str
    layout: Layout = field(repr=False)
    label_words: tuple[str, ...] = ()
    by: By = By.TEXT
    retrieved: FloatArray | None = None  # (n,), in [0, 1]

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, positions: IntArray) -> Self:
        """The same map with the demonstrations at these positions."""
        places = positions.tolist()
        return replace(
            self,
            demonstrations=tuple(self.demonstrations[place] for place in places),
            labels=tuple(self.labels[place] for place in places),
            ids=self.ids[positions],
            coordinates=self.coordinates[positions],
            excluded=self.excluded[positions],
            quality_bias=self.quality_bias[positions],
            query_words=self.query_words[positions],
            retrieved=None if self.retrieved is None else self.retrieved[positions],
        )


@dataclass(frozen=True, kw_only=True)
class SameLabel:
    """How many of a text's nearest neighbours have its label, in the full space, as shares.

    `difference` is by task less by text, over the same texts, which `texts` counts; `chance` is the
    share for random neighbours, None where nothing has a label. In a large pool the shares are over
    a sample of the texts (`sampled`), with neighbours among all.
    """

    by_text: Interval
    by_task: Interval
    difference: Interval
    chance: float | None
    nearest: int
    texts: int
    sampled: bool = False

    @property
    def verdict(self) -> Sorting | None:
        """Whether the task states sort better than the texts do; None if nothing is known.

        Where there is no interval, the mean decides (`sorting_of`).
        """
        return None if self.difference.mean is None else sorting_of(self.difference, by_mean=True)


@dataclass(frozen=True)
class TaskReading:
    """What was read for a map by task: how often the language model's window was too small.

    `exemplars` of the `asked` ones precede most texts; `shortened` demonstrations have even fewer,
    and `skipped` ones do not fit at all, so that they are not on the map.
    """

    task: str
    asked: int
    exemplars: int
    shortened: int
    skipped: int


@dataclass(frozen=True, kw_only=True)
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
