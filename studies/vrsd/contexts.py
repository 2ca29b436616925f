"""Every method's contexts of every held-out query, and the figures of one encoder over them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from core.demonstration.demonstration import EvaluationExample
from core.embedding import Encoder
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.plan.engine import Engine
from core.evaluation.results.run_figures import SkippedExample
from core.evaluation.scoring.example_scores import Setting, score_example
from core.metrics.scores import AnswerScores
from core.retrieval.choosing import choose_context, find_method
from core.retrieval.context import Context
from core.retrieval.embedded_texts import embed_texts
from core.retrieval.pool_view import LivePool
from core.store import Store
from core.types import FloatArray
from core.watcher import EMBEDDING, EXAMPLES, Watcher

from ..over_seeds import Against, Queries, Vector
from ..split import Split
from .greedy import greedy_gap, steps_of
from .results import EncoderFigures, StudyRow


@dataclass(frozen=True)
class Seen:
    """What was measured of one method's context for one held-out query.

    `relevance` is the mean cosine of its demonstrations with the query, `least_relevance` the
    smallest; `scores` is None without a model.
    """

    cos_sum: float
    sameness: float
    relevance: float
    least_relevance: float
    seconds: float
    scores: AnswerScores | None

    @classmethod
    def of(cls, context: Context, seconds: float, scores: AnswerScores | None) -> Self:
        """The figures of a context, which is not kept: it has its demonstrations' embeddings."""
        relevance = context.relevance
        return cls(
            context.cos_sum,
            context.diversity,
            float(relevance.mean()),
            float(relevance.min()),
            seconds,
            scores,
        )


Found = dict[str, list[Seen]]
"""By row, in the order of the held-out queries of one seed after another."""


class WithEncoder:
    """The study with one encoder; the first of the rows is what the others are compared with.

    `skipped` counts the queries that the language model could not score.
    """

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        rows: Sequence[ComparisonRow],
        splits: Sequence[Split],
        engine: Engine | None,
    ) -> None:
        self._store = store
        self._encoder = encoder
        self._rows = rows
        self._splits = splits
        self._engine = engine
        self.skipped = 0

    def figures(self, watcher: Watcher) -> EncoderFigures:
        """All rows, and what VRSD does by itself."""
        vectors = [self._vectors(split, watcher) for split in self._splits]
        found = self._found(vectors, watcher)
        queries = Queries(tuple(each.query for split in self._splits for each in split.held_out))
        shared = self._rows[0].knobs
        return EncoderFigures(
            encoder=self._encoder.name,
            rows=tuple(_row(row, found, queries, self._rows[0].name) for row in self._rows),
            steps=steps_of(self._splits, vectors, shared, queries),
            greedy=greedy_gap(self._splits, vectors, shared),
        )

    def _vectors(self, split: Split, watcher: Watcher) -> FloatArray:
        watcher.on_phase(EMBEDDING)
        vectors, _ = embed_texts(
            self._store, self._encoder, [each.query for each in split.held_out], watcher=watcher
        )
        return vectors

    def _found(self, vectors: list[FloatArray], watcher: Watcher) -> Found:
        watcher.on_phase(EXAMPLES)
        found: Found = {row.name: [] for row in self._rows}
        total, done = sum(map(len, vectors)), 0
        for split, of_split in zip(self._splits, vectors, strict=True):
            for example, vector in zip(split.held_out, of_split, strict=True):
                watcher.checkpoint()
                for name, seen in self._seen(split, example, vector, watcher).items():
                    found[name].append(seen)
                done += 1
                watcher.on_progress(done, total)
        return found

    def _seen(
        self, split: Split, example: EvaluationExample, vector: FloatArray, watcher: Watcher
    ) -> dict[str, Seen]:
        chosen, seconds = {}, {}
        for row in self._rows:
            start = time.perf_counter()
            chosen[row.name] = choose_context(
                split.view, example.query, vector, row.knobs, leave_out=True
            )
            seconds[row.name] = time.perf_counter() - start
        scores = self._scores(split.view, example, chosen, watcher)
        return {
            name: Seen.of(context, seconds[name], scores.get(name))
            for name, context in chosen.items()
        }

    def _scores(
        self,
        view: LivePool,
        example: EvaluationExample,
        chosen: dict[str, Context],
        watcher: Watcher,
    ) -> dict[str, AnswerScores]:
        """The language model's scores with each context; empty where it cannot score them."""
        if self._engine is None:
            return {}
        setting = Setting(view, self._engine, self._rows[0].knobs.order)
        scored = score_example(setting, example, chosen, watcher)
        if isinstance(scored, SkippedExample):
            self.skipped += 1
            return {}
        return {name: outcome.scores for name, outcome in scored.by_key.items()}


def _row(row: ComparisonRow, found: Found, queries: Queries, first: str) -> StudyRow:
    def column(name: str, of: str) -> Vector:
        return np.array([getattr(each, name) for each in found[of]], dtype=np.float64)

    method = find_method(row.knobs.method)
    knobs = method.settle(row.knobs)
    cosines = column("cos_sum", row.name)
    scores = [each.scores for each in found[row.name]]
    scored = any(each is not None for each in scores)
    return StudyRow(
        method=knobs.method,
        lambda_d=knobs.lambda_d if method.lambda_d is None else None,
        candidates=method.nearest(knobs),
        against=None
        if row.name == first
        else Against.of(column("cos_sum", first), cosines, queries),
        mean=queries.estimate(cosines),
        sameness=queries.estimate(column("sameness", row.name)),
        relevance=queries.mean(column("relevance", row.name)),
        least_relevance=queries.mean(column("least_relevance", row.name)),
        accuracy=queries.metric("mc1", scores) if scored else None,
        dpo_per_triple=queries.metric("dpo_per_triple", scores) if scored else None,
        seconds_a_query=float(np.median(column("seconds", row.name))),
    )
