"""A pool as arrays: what the methods choose from."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from ..demonstration.demonstration import Status
from ..embedding import Encoder
from ..language_model.task import Task
from ..selection.cosines import fast_cosines
from ..settings import Embed
from ..store import Store
from ..text import content_hash, normalised, same_text
from ..types import BoolArray, FloatArray, IntArray
from ..watcher import NOBODY, Watcher
from .context import Context
from .embedded_texts import embed_texts, token_vectors
from .fixed import fixed_demonstrations
from .near_queries import AnswerIndex, IsCut, NearQueries
from .setting_scores import ScoredSettings, no_scores
from .task_prompt import ReadStates, TaskPrompt, chosen_task, suggested_task

GRAM_ROWS = 4096
"""Pools of more demonstrations have no Gram matrix: this one takes 64 MB."""


class AskModel(Protocol):
    """The answers that a method can get from a language model, with its template."""

    def __call__(
        self, contexts: Sequence[Context], query: str, answers: Sequence[str]
    ) -> FloatArray:
        """Log p(answer | query, context) of each answer after each context, in nats.

        Args:
            contexts: Of the view's pool, c of them.
            query: The query.
            answers: The possible answers, a texts.

        Returns:
            Shape (c, a), each <= 0, summed over an answer's tokens; -inf for what cannot be scored:
            an answer that is longer than the window after the query alone, or has no tokens.
        """


@dataclass(frozen=True)
class QualityKey:
    """The language model and template with which the quality bias was measured."""

    model: str
    template: str


T = TypeVar("T")


class _Shared(Generic[T]):
    """A value computed when first needed, for all views whose texts and embeddings are the same.

    A large pool's takes hundreds of megabytes, and the quality bias changes at every rescoring.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, view: "PoolView", owner: type) -> T:
        if self not in view._shared:
            view._shared[self] = self._compute(view)
        found: T = view._shared[self]
        return found


@dataclass(frozen=True, kw_only=True)
class PoolView:
    """The included demonstrations of a pool at one version, in the order of their ids.

    Notes and tags are not in it: they make no new version, and are read where they are shown.
    `groups` numbers the normalised queries: demonstrations of one group leave each other out.
    `embed` names the text of a demonstration that is embedded (`texts`) and compared with a query.
    `rows` points into `embeddings`, one unit row for each distinct text, so that equal texts have
    bit-equal relevance. `quality_bias` is NaN where it is not scored yet and minus infinity where
    the language model can never score the demonstration: it does not fit its window, or its
    tokenizer makes no tokens of the answer. `pinned` ones begin every context. `chosen_task` is the
    task that somebody chose for the pool. `writers` names, by the id of a demonstration, the
    program that wrote it; no method uses them. The model, encoder and runs that a method may ask
    are beside it, in a `LivePool`.
    """

    name: str
    version: int
    seed: int
    encoder: str
    ids: IntArray  # (n,)
    queries: tuple[str, ...]
    answers: tuple[str, ...]
    groups: IntArray  # (n,)
    group_of: dict[str, int]
    rows: IntArray  # (n,)
    embeddings: FloatArray  # (u, d)
    quality_bias: FloatArray  # (n,)
    fixed: IntArray  # positions of the pool's fixed demonstrations
    pinned: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # likewise
    embed: Embed = Embed.QUERY
    siblings: tuple[Self, ...] = ()  # the same demonstrations, embedded otherwise
    chosen_task: Task | None = None
    writers: Mapping[int, str] = field(default_factory=dict, repr=False)
    _shared: dict[_Shared[Any], Any] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.ids)

    @_Shared
    def matrix(self) -> FloatArray:
        """One unit row per demonstration, shape (n, d)."""
        if np.array_equal(self.rows, np.arange(len(self.embeddings))):
            return self.embeddings
        return self.embeddings[self.rows]

    @_Shared
    def texts(self) -> tuple[str, ...]:
        """The text of each demonstration that is compared with a query."""
        return tuple(map(text_to_embed, self.queries, self.answers, repeat(self.embed)))

    @_Shared
    def content(self) -> str:
        """Identifies `matrix`: the same for every version of the pool whose rows are the same."""
        return content_hash(self.encoder, *self.texts)

    @_Shared
    def gram(self) -> FloatArray | None:
        """All cosines of the demonstrations, shape (n, n); None where they would fill the memory.

        Computed when first needed; with it a path takes about two thirds of the time.
        """
        if len(self) > GRAM_ROWS:
            return None
        gram: FloatArray = self.matrix @ self.matrix.T
        return gram

    @_Shared
    def distinct_queries(self) -> tuple[str, ...]:
        """The queries that are different texts, each as it is first written in the pool."""
        first: dict[str, str] = {}
        for query in dict.fromkeys(self.queries):
            first.setdefault(same_text(query), query)
        return tuple(first.values())

    def find_query(self, query: str) -> str | None:
        """The distinct query that is this text, else the first left out with it, else None."""
        group = self.group_of.get(normalised(query))
        if group is None:
            return None
        key = same_text(query)
        found = dict.fromkeys(self.queries[at] for at in np.flatnonzero(self.groups == group))
        return next((each for each in found if same_text(each) == key), next(iter(found)))

    @_Shared
    def answer_index(self) -> AnswerIndex:
        """Which demonstrations give the same answer."""
        return AnswerIndex(self.answers, self.groups)

    @_Shared
    def near_queries(self) -> NearQueries:
        """Which queries ask much the same."""
        return NearQueries(self.queries, self.groups)

    @_Shared
    def task(self) -> Task | None:
        """The task of the pool's texts: as chosen, else what its labels suggest; else None."""
        return self.chosen_task or suggested_task(self.answers, self.answer_index)

    @_Shared
    def task_prompts(self) -> dict[Hashable, TaskPrompt]:
        """Tasks with their exemplars, as drawn before: drawing them takes the whole pool."""
        return {}

    @_Shared
    def pair_hashes(self) -> list[str]:
        """Each demonstration's key of its quality bias; a moment's work for 100,000, done once."""
        pairs = zip(self.queries, self.answers, strict=True)
        return [demonstration_hash(query, answer) for query, answer in pairs]

    @property
    def unscored(self) -> int:
        """How many demonstrations have no quality bias yet."""
        return int(np.isnan(self.quality_bias).sum())

    @property
    def unscorable(self) -> BoolArray:
        """Mask (n,) of the demonstrations that the language model can never score."""
        return np.isneginf(self.quality_bias)

    def embedded_by(self, embed: Embed) -> Self:
        """This view, or the one beside it, whose embeddings are of that text.

        Raises:
            ValueError: There is none beside it.
        """
        found = next((each for each in (self, *self.siblings) if each.embed is embed), None)
        if found is None:
            raise ValueError(f"pool {self.name!r} is embedded by {self.embed} here, not by {embed}")
        return found

    def with_bias(self, quality_bias: FloatArray) -> Self:
        """This view, and those beside it, with that quality bias, shape (n,)."""
        siblings = tuple(each.with_bias(quality_bias) for each in self.siblings)
        return self._with(quality_bias=quality_bias, siblings=siblings)

    def beside(self, sibling: Self) -> Self:
        """This view with another one of the same pool and version beside it."""
        return self._with(siblings=(*self.siblings, sibling))

    def _with(self, **changes: Any) -> Self:
        """The view with changes that leave what is computed from its texts as it is."""
        changed = replace(self, **changes)
        vars(changed)["_shared"] = self._shared
        return changed

    def relevance(self, query_vector: FloatArray) -> FloatArray:
        """Cosine of each demonstration's text with the query, shape (n,), in [-1, 1]."""
        cosines = fast_cosines(self.embeddings, np.asarray(query_vector, np.float32))
        np.clip(cosines, -1.0, 1.0, out=cosines)  # equal unit rows may have 1.0000001
        return cosines[self.rows]

    def same_query(self, query: str) -> BoolArray:
        """Mask (n,) of the demonstrations that an evaluation example with this query leaves out."""
        return np.equal(self.groups, self.group_of.get(normalised(query), -1))

    def first_of_each_query(self, indices: IntArray) -> IntArray:
        """Of these positions, in their order, the first one of each normalised query."""
        _, first = np.unique(self.groups[indices], return_index=True)
        return indices[np.sort(first)]

    def positions(self, ids: Sequence[int]) -> IntArray:
        """The positions of the given ids; ids that are not among the included ones are left out."""
        found = np.searchsorted(self.ids, np.asarray(ids, dtype=np.int64))
        inside = [
            position
            for position, wanted in zip(found.tolist(), ids, strict=True)
            if position < len(self.ids) and self.ids[position] == wanted
        ]
        return np.asarray(inside, dtype=np.int64)


ReadScores = Callable[["LivePool", int], ScoredSettings]
"""The scores of a run of the pool, by its id; it raises InvalidInput where there is none."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """What can be asked about a pool while its store, its encoder and a language model are at hand.

    `tokens` returns the unit rows of the tokens of any texts, each (t, d), computed by the encoder
    when they are first needed. `is_cut` tells which texts the encoder does not read to their end.
    `ask` is for methods that ask the model about contexts, `states` for those that compare its
    states; None without a model. `scores` returns the settings of a run of the pool with their
    scores, for a view of it and the run's id, 0 for the latest.
    """

    tokens: Callable[[Sequence[str]], list[FloatArray]]
    is_cut: IsCut
    ask: AskModel | None = None
    states: ReadStates | None = None
    scores: ReadScores = no_scores


@dataclass(frozen=True, kw_only=True)
class LivePool(PoolView):
    """A pool as arrays with the services that its methods may ask."""

    services: Services = field(compare=False, repr=False)

    def with_services(self, **services: Any) -> Self:
        """This pool, and those beside it, with these services changed, by their names."""
        siblings = tuple(each.with_services(**services) for each in self.siblings)
        return self._with(services=replace(self.services, **services), siblings=siblings)

    def leaks(self, query: str, answers: Sequence[str], query_vector: FloatArray) -> BoolArray:
        """Mask (n,) of what gives the answer of this query away under another query.

        That is what has one of its correct answers, or a query that is much the same
        (`NearQueries.of`). Answers are compared by the loose fold; one that many queries share is a
        label, not a leak (`answer_index.LABEL_RULE`).

        Args:
            query: The query.
            answers: Its correct answers.
            query_vector: Its unit vector, shape (d,).
        """
        is_cut = self.services.is_cut if self.embed is Embed.QUERY else None
        near = self.near_queries.of(query, self.relevance(query_vector), is_cut)
        return (self.answer_index.same_answer(answers) | near) & ~self.same_query(query)


def text_to_embed(query: str, answer: str, embed: Embed) -> str:
    """The text of a demonstration that is compared with a query."""
    return query if embed is Embed.QUERY else f"{query} {answer}"


def demonstration_hash(query: str, answer: str) -> str:
    """The key of a demonstration's quality bias: its text, never its id."""
    return content_hash(query, answer)


def load_pool_view(
    store: Store,
    pool_name: str,
    encoder: Encoder,
    *,
    embed: Embed = Embed.QUERY,
    watcher: Watcher = NOBODY,
) -> LivePool:
    """The pool as arrays; texts that are not embedded yet are embedded first.

    The quality bias is NaN throughout: `with_quality` fills in what is scored.

    Raises:
        InvalidInput: No pool has that name.
        Cancelled: The watcher asked to stop while texts were being embedded.
    """
    pool, demonstrations = store.demonstrations.snapshot(
        store.pools.get(pool_name).id, status=Status.INCLUDED
    )
    fixed = fixed_demonstrations(store, pool, demonstrations)
    texts = [text_to_embed(d.query, d.answer, embed) for d in demonstrations]
    row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    embeddings, _ = embed_texts(store, encoder, list(row_of), watcher=watcher)
    group_of: dict[str, int] = {}
    group_of_query = {
        query: group_of.setdefault(normalised(query), len(group_of))
        for query in dict.fromkeys(d.query for d in demonstrations)
    }
    rows = np.array([row_of[text] for text in texts], dtype=np.int64)
    ids = np.array([d.id for d in demonstrations], dtype=np.int64)
    return LivePool(
        name=pool.name,
        version=pool.version,
        seed=pool.seed,
        encoder=encoder.fingerprint,
        ids=ids,
        queries=tuple(d.query for d in demonstrations),
        answers=tuple(d.answer for d in demonstrations),
        groups=np.array([group_of_query[d.query] for d in demonstrations], dtype=np.int64),
        group_of=group_of,
        rows=rows,
        embeddings=embeddings,
        quality_bias=np.full(len(demonstrations), np.nan),
        fixed=np.searchsorted(ids, np.asarray(fixed, dtype=np.int64)).astype(np.int64),
        pinned=np.flatnonzero([d.status is Status.PINNED for d in demonstrations]),
        embed=embed,
        chosen_task=chosen_task(store, pool.id),
        writers={d.id: d.written_by for d in demonstrations if d.written_by},
        services=Services(tokens=partial(token_vectors, store, encoder), is_cut=encoder.cut),
    )


def with_quality(store: Store, view: LivePool, key: QualityKey) -> LivePool:
    """The view with the quality bias that is scored so far under the key."""
    return view.with_bias(store.quality.get(key.model, key.template, view.pair_hashes))
