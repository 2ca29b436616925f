"""What each row of the study of PGRA keeps for each query, and what the readers make of it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.engines import LocalEngine
from core.errors import InvalidInput
from core.evaluation.scoring.task_states import StateReader
from core.retrieval.choosing import choose_context
from core.retrieval.context import Context
from core.retrieval.knobs import Knobs
from core.retrieval.method import context_of_indices
from core.retrieval.methods.pgra import first_stage, never_kept, prompt_of
from core.retrieval.pool_view import LivePool
from core.retrieval.task_prompt import PoolStates, TaskPrompt
from core.types import BoolArray, FloatArray
from core.watcher import EXAMPLES, NOBODY, READING, Watcher

from ..readers.reader import Case, Reader, Reading
from .evidence import Evidence
from .settings import EXEMPLARS, NONE, RANDOM, STAGE_1, Arm, Variant


@dataclass(frozen=True)
class Kept:
    """What one row keeps for a query: positions in the evidence, most similar first, and shares."""

    indices: tuple[int, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, context: Context, scores: FloatArray) -> "Kept":
        """A context with the softmax of its scores, not divided by their sum."""
        shares = np.exp(scores - scores.max(initial=-np.inf)) if len(scores) else scores
        return cls(tuple(context.indices.tolist()), tuple(shares.tolist()))


@dataclass(frozen=True)
class Seen:
    """One row's choice for one query, and each reader's reading of it by the reader's name."""

    kept: Kept
    seconds: float
    readings: Mapping[str, Reading]


@dataclass(frozen=True)
class Cost:
    """What one seed's states took.

    `texts_encoded` counts the distinct texts that need a pass of the model, evidence and queries,
    `prefix_tokens` the tokens of the prefix. `reading_seconds` is None where the store had all.
    Of `drawn` exemplars `shown` precede most texts; `shortened` texts are preceded by still fewer;
    `skipped` texts of the evidence do not fit at all.
    """

    texts_encoded: int
    prefix_tokens: int
    reading_seconds: float | None
    drawn: int
    shown: int
    shortened: int
    skipped: int


@dataclass(frozen=True)
class OfSeed:
    """All rows with one seed's exemplars: what was measured for each query, None if it is too long.

    A query whose state cannot be read is passed over for every row, so that all rows are over the
    same queries.
    """

    seed: int
    seen: Mapping[Arm, tuple[Seen | None, ...]]
    cost: Cost

    @property
    def too_long(self) -> int:
        """How many queries were passed over."""
        return sum(each is None for each in next(iter(self.seen.values()), ()))


@dataclass(frozen=True)
class _ReadBefore:
    """States that are already known, as `retrieval.tasks.states.ReadStates` returns them."""

    pool: PoolStates
    of: Mapping[str, FloatArray]
    reader: StateReader

    def of_pool(
        self, prompt: TaskPrompt, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> PoolStates:
        return self.pool

    def before_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> int:
        return self.reader.before_query(prompt, pool, query)

    def of_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> FloatArray:
        return self.of[query]


class WithModel:
    """The study with one language model; `readers` read what its rows keep."""

    def __init__(
        self,
        evidence: Evidence,
        engine: LocalEngine,
        states: StateReader,
        readers: Sequence[Reader],
    ) -> None:
        self._evidence = evidence
        self._engine = engine
        self._states = states
        self._readers = readers

    def of_seed(self, variant: Variant, arms: Sequence[Arm], seed: int, watcher: Watcher) -> OfSeed:
        """Every row's choices with one seed's exemplars, and the readings of them.

        Raises:
            InvalidInput: The model gives no states, or has no room for any query.
            Cancelled: The watcher requests a stop; what was read and scored is kept.
        """
        prompt = prompt_of(self._evidence.view, variant.knobs(seed))
        known, cost = self._read(prompt, watcher)
        if not known.of:
            raise InvalidInput(
                f"None of the queries fits into the {self._engine.window:,} tokens that "
                f"{self._engine.name} reads; choose a model with a larger window."
            )
        view = self._evidence.view.with_services(states=known)
        found: dict[Arm, list[Seen | None]] = {arm: [] for arm in arms}
        watcher.on_phase(EXAMPLES)
        for place, query in enumerate(self._evidence.queries):
            watcher.checkpoint()
            if query in known.of:
                one = _OneQuery(view, prompt, known.pool.read, query, self._evidence.vectors[place])
                seen: Mapping[Arm, Seen | None] = self._seen(one, variant, arms, seed, watcher)
            else:
                seen = dict.fromkeys(arms)
            for arm in arms:
                found[arm].append(seen[arm])
            watcher.on_progress(place + 1, len(self._evidence.queries))
        return OfSeed(seed, {arm: tuple(each) for arm, each in found.items()}, cost)

    def _read(self, prompt: TaskPrompt, watcher: Watcher) -> tuple[_ReadBefore, Cost]:
        """The states of the evidence and of the queries, all of one prefix read together."""
        computed, start = False, time.perf_counter()

        def progressed(done: int, total: int) -> None:
            nonlocal computed
            computed = True
            watcher.advance(done, total)

        reading = replace(watcher, on_progress=progressed)
        evidence, engine = self._evidence, self._engine
        watcher.on_phase(READING)
        pool = self._states.of_pool(prompt, evidence.view.queries, watcher=reading)
        prefix = prompt.prefix(len(prompt.pairs) - pool.exemplars)
        of = self._states.of_queries(prompt, pool, evidence.queries, watcher=reading)
        read = {text for text, there in zip(evidence.view.queries, pool.read, strict=True) if there}
        return _ReadBefore(pool, of, self._states), Cost(
            texts_encoded=len(read) + len(of),
            prefix_tokens=engine.count_tokens(prefix) if prefix else 0,
            reading_seconds=time.perf_counter() - start if computed else None,
            drawn=len(prompt.pairs),
            shown=pool.exemplars,
            shortened=pool.shortened,
            skipped=len(pool.skipped),
        )

    def _seen(
        self, one: "_OneQuery", variant: Variant, arms: Sequence[Arm], seed: int, watcher: Watcher
    ) -> dict[Arm, Seen]:
        kept, seconds = {}, {}
        for arm in arms:
            start = time.perf_counter()
            kept[arm] = one.kept(arm, variant, seed)
            seconds[arm] = time.perf_counter() - start
        readings: dict[Arm, dict[str, Reading]] = {arm: {} for arm in arms}
        for reader in self._readers:
            read = [arm for arm in arms if arm.keeps or reader.asks]
            cases = [self._case(one.query, kept[arm]) for arm in read]
            found = reader.read(self._evidence.task, cases, self._engine, watcher)
            for arm, reading in zip(read, found, strict=True):
                readings[arm][reader.name] = reading
        return {arm: Seen(kept[arm], seconds[arm], readings[arm]) for arm in arms}

    def _case(self, query: str, kept: Kept) -> Case:
        texts, words = self._evidence.view.queries, self._evidence.words
        return Case(query, tuple((texts[i], words[i]) for i in kept.indices), kept.shares)


@dataclass(frozen=True, eq=False)
class _OneQuery:
    """One query and the evidence: what each row keeps for it. `read` masks what has a state."""

    view: LivePool
    prompt: TaskPrompt
    read: BoolArray
    query: str
    vector: FloatArray

    def kept(self, arm: Arm, variant: Variant, seed: int) -> Kept:
        """What a row keeps; neither an exemplar nor what has no state, whatever the row."""
        if arm is NONE:
            return Kept((), ())
        if arm is EXEMPLARS:  # the last of them is next to the query, as in the prefix
            indices = self.prompt.indices[::-1]
            return Kept(indices, (0.0,) * len(indices))
        if arm is STAGE_1:
            knobs, relevance = variant.knobs(seed), self.view.relevance(self.vector)
            ranked = first_stage(self.view, self.query, relevance, knobs, self._closed())
            context = context_of_indices(self.view, relevance, ranked[: variant.kept])
            return Kept.of(context, context.relevance)
        if arm is RANDOM:
            context = self._choose(Knobs("random", variant.kept, seed=seed), self._closed())
            return Kept.of(context, np.zeros(len(context)))
        context = self._choose(variant.knobs(seed, arm.similarity), ~self.read)
        return Kept(tuple(context.indices.tolist()), tuple(context.values.tolist()))

    def _closed(self) -> BoolArray:
        return never_kept(self.view, self.prompt, self.query) | ~self.read

    def _choose(self, knobs: Knobs, closed: BoolArray) -> Context:
        return choose_context(
            self.view, self.query, self.vector, knobs, leave_out=True, also_excluded=closed
        )
