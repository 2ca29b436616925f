"""One query's context: the demonstrations chosen, and the order in which they are shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

import numpy as np

from ..metrics.cos_sum import cos_sum_from
from ..metrics.diversity import diversity
from ..metrics.scores import OfContext
from ..types import FloatArray, IntArray


class Doubt(StrEnum):
    """A caution about a context, as runs count it; `doubts` explains each."""

    CUT = "cut"
    UNREAD = "unread"
    SAME_EMBEDDING = "same_embedding"
    WITHOUT_WORD = "without_word"
    TOO_FEW = "too_few"
    LABELS_LEFT_OUT = "labels_left_out"


@dataclass(frozen=True)
class Certainty:
    """Whether a context is the whole pool's, and how that is known.

    `kind` is `exact` (chosen from the whole pool), `certified` (chosen among candidates, proven
    equal to the whole pool's choice) or `approximate` (an index that may have missed some).
    `recall` is the mean share of the best candidates that such an index finds, over `sampled`
    queries.
    """

    kind: Literal["exact", "certified", "approximate"] = "exact"
    index: str | None = None
    candidates: int | None = None
    recall: float | None = None
    sampled: int = 0


@dataclass(frozen=True, kw_only=True)
class Reranking:
    """How a task reordered the candidates of a first stage into a context.

    `candidates` is how many that stage fetched, and `first` are the ids of those that would have
    been kept in its order. `first_ranks` are the places in it, from 1, of these and of the chosen,
    and `words` their label words ("" where the answer is no label), both by id. `exemplars` are the
    ids of the task's exemplars, of which the last `shown` precede most texts. `shortened` counts
    the pool's texts preceded by still fewer, `skipped` are the ids of those that do not fit the
    model's window.
    """

    task: str
    candidates: int
    first: tuple[int, ...]
    first_ranks: Mapping[int, int]
    words: Mapping[int, str]
    exemplars: tuple[int, ...]
    shown: int
    shortened: int = 0
    skipped: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SettingChosen:
    """The setting of a run that a query got, and why.

    `mean` is its mean of the run's `metric` over the `neighbours` nearest examples, signed so that
    higher is better, and `overall_mean` that of the setting that is best over all examples. `k` is
    how many demonstrations were asked of it.
    """

    name: str
    k: int
    run: int
    metric: str
    neighbours: int
    mean: float
    overall: str
    overall_mean: float


@dataclass(frozen=True, kw_only=True)
class Context:
    """The chosen demonstrations of one query, in the order chosen.

    `indices` are positions in the pool view; the first `pinned` ones are pinned. The parts are
    those of `Selection`: NaN where a part is undefined (redundancy of the first, quality bias that
    is not scored, the value of a pinned one unless `mmr` chose). `left_out` counts the
    demonstrations that were taken away because the prompt would not have fitted the window.
    `reranking` is how it came from a first stage, for a method that has one, `setting` which one
    was chosen for the query, for a method that chooses among settings.
    `without_word` are the ids that a method of shared words ranked without one, `labels_left_out`
    the answers that the model could not be asked about, `doubts` the cautions that a run found.
    """

    indices: IntArray  # (k,)
    ids: IntArray  # (k,)
    values: FloatArray  # (k,)
    relevance: FloatArray  # (k,)
    quality_bias: FloatArray  # (k,)
    redundancy: FloatArray  # (k,)
    embeddings: FloatArray  # (k, d)
    pinned: int = 0
    left_out: int = 0
    without_word: tuple[int, ...] = ()
    labels_left_out: tuple[str, ...] = ()
    certainty: Certainty = Certainty()
    reranking: Reranking | None = None
    setting: SettingChosen | None = None
    doubts: frozenset[Doubt] = frozenset()

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def diversity(self) -> float:
        """Mean cosine over the pairs of the context, lower is more diverse; NaN below two."""
        return diversity(self.embeddings)

    @property
    def cos_sum(self) -> float:
        """Cosine of the sum of the context's rows with the query; NaN for an empty context."""
        return cos_sum_from(self.relevance, self.embeddings)

    @property
    def measured(self) -> OfContext:
        """Measurements of the context itself, whatever a model answers."""
        return {"diversity": self.diversity, "cos_sum": self.cos_sum}

    def in_prompt_order(self) -> list[int]:
        """Places 0..k-1 in the order of the prompt: most relevant last, ties by id."""
        return [int(place) for place in np.lexsort((self.ids, self.relevance))]

    def without_least_relevant(self) -> "Context":
        """The context without the demonstration that is first in the prompt.

        Pinned ones are taken away only where there are no others.
        """
        places = self.in_prompt_order()
        out = next((place for place in places if place >= self.pinned), places[0])
        kept = np.ones(len(self), dtype=bool)
        kept[out] = False
        return replace(
            self,
            indices=self.indices[kept],
            ids=self.ids[kept],
            values=self.values[kept],
            relevance=self.relevance[kept],
            quality_bias=self.quality_bias[kept],
            redundancy=self.redundancy[kept],
            embeddings=self.embeddings[kept],
            pinned=min(self.pinned, len(self) - 1),
            left_out=self.left_out + 1,
        )
