"""Explore: what does this query retrieve, and why?"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import islice
from typing import Any, Self, TypeVar

from ...demonstration.demonstration import EvaluationExample, IncorrectAnswer
from ...engines import LocalEngine, StoredEngine
from ...errors import InvalidInput, NotComputed
from ...evaluation.plan.engine import fitted, places_in_prompt, prompt_of
from ...evaluation.plan.examples import examples_of
from ...evaluation.scoring.example_scores import Setting, with_model
from ...interval import Piece, defined
from ...reporting.results.query import Pick, TaskOrder
from ...retrieval.candidates import choose_from_candidates
from ...retrieval.choosing import choose_context, find_method
from ...retrieval.context import Certainty, Context, SettingChosen
from ...retrieval.doubts import Doubts, doubts_of
from ...retrieval.knobs import Knobs, SettledKnobs
from ...retrieval.lambda_path import context_path
from ...retrieval.pool_view import LivePool, PoolView
from ...text import same_text
from ...types import FloatArray
from ...watcher import NOBODY, Watcher
from ..session.studio import ModelNow, Setup, Studio
from .task_order import task_order

T = TypeVar("T")


@dataclass(frozen=True)
class ExploreRequest:
    """A query and the knobs with which its context is chosen.

    `leave_out` is True when the query is an evaluation example of the pool: its own
    demonstrations are then never in its context. `answers` and `incorrect` may be typed by hand.
    """

    setup: Setup
    query: str
    knobs: Knobs = Knobs()
    _: KW_ONLY
    leave_out: bool = False
    answers: tuple[str, ...] = ()
    incorrect: tuple[IncorrectAnswer, ...] = ()

    def with_knobs(self, **values: Any) -> Self:
        """The same request with these knobs changed."""
        return replace(self, knobs=replace(self.knobs, **values))

    @property
    def example(self) -> EvaluationExample | None:
        """The query with its typed answers; None without a correct one."""
        if not self.answers:
            return None
        return EvaluationExample(self.query, self.answers, self.incorrect)

    def answered(self) -> EvaluationExample:
        """The query with its typed answers.

        Raises:
            InvalidInput: There is no correct one.
        """
        if self.example is None:
            raise InvalidInput("The query has no correct answer; type one, or choose an example.")
        return self.example


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvedRequest:
    """A request with the view, vector and model that it needs, fetched once for all that draw it.

    `usable` is the request as the pool can serve it, with the knobs as the method uses them, and
    `note` gives the reason where it differs from the request.
    `vector` is the query's unit vector, shape (d,).
    """

    studio: Studio
    request: ExploreRequest
    usable: ExploreRequest
    note: str
    view: LivePool
    vector: FloatArray
    now: ModelNow

    @property
    def knobs(self) -> SettledKnobs:
        """Those of the usable request."""
        return SettledKnobs(self.usable.knobs)

    def with_knobs(self, **values: Any) -> Self:
        """The same with these knobs changed."""
        request = self.request.with_knobs(**values)
        usable, note = usable_request(self.view, request)
        return replace(self, request=request, usable=usable, note=note)

    def context(self) -> Context:
        """The query's context, from the whole pool."""
        return choose_context(
            self.view, self.usable.query, self.vector, self.knobs, leave_out=self.usable.leave_out
        )

    def path(self, over: str = "lambda_d") -> list[Piece[Context]]:
        """The contexts at every value of a lambda, over the whole pool.

        Raises:
            InvalidInput: The path needs the quality bias and that is not scored yet.
        """
        usable, vector = self.usable, self.vector
        return context_path(
            self.view, usable.query, vector, self.knobs, leave_out=usable.leave_out, over=over
        )

    def if_stored(self, compute: Callable[[StoredEngine], T]) -> T | None:
        """The result of `compute` from the model's stored results; None where one is missing.

        The model itself need not be in memory.
        """
        if self.now.quality is None:
            return None
        model = self.now.quality.model
        try:
            return compute(StoredEngine(self.studio.store, model, self.now.template))
        except NotComputed:
            return None


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """A query's context, in the order chosen, and the prompt it makes.

    `lambda_d` and `lambda_b` are the ones used: what the method fixes, and lambda_b 1 with
    the reason in `note` while the quality is not scored. `in_prompt` lists ranks in the order in
    which the demonstrations appear in the prompt. `tokens` and `window` are None until a
    language model is in memory, and `tokens` where it counts none; `left_out` counts demonstrations
    that its window has no room for.
    `own` counts the query's own demonstrations that its leave-out keeps away; `leaks` are the ids
    of the context's demonstrations that give one of its correct answers under another query.
    `doubts` are those about the context as it was chosen. `order` is how a task reordered a first
    stage, `setting` which setting of a run the query got; None for a method without one.
    """

    request: ExploreRequest
    resolved: ResolvedRequest = field(repr=False, compare=False)
    picks: tuple[Pick, ...]
    diversity: float | None
    lambda_d: float
    lambda_b: float
    prompt: str
    in_prompt: tuple[int, ...]
    tokens: int | None
    window: int | None
    left_out: int
    own: int
    demonstrations: int
    pool_version: int
    certainty: Certainty
    doubts: Doubts
    note: str = ""
    leaks: tuple[int, ...] = ()
    order: TaskOrder | None = None
    setting: SettingChosen | None = None


def resolve(studio: Studio, request: ExploreRequest, *, ask: bool = False) -> ResolvedRequest:
    """The request with the pool's view, the query's vector and the model, each fetched once.

    With `ask` a method that asks the language model about contexts may do so, which takes seconds.

    Raises:
        InvalidInput: An empty query, an unknown pool, or a method that needs the quality bias
            while it is not scored.
    """
    view = studio.view(request.setup, embed=request.knobs.embed)
    needs_model = find_method(request.knobs.method).needs_model
    engine = studio.engine(request.setup) if ask and needs_model else None
    vector = query_vector(studio, request.setup, request.query)
    usable, note = usable_request(view, request)
    now = studio.model_now(request.setup)
    resolved = ResolvedRequest(
        studio=studio, request=request, usable=usable, note=note, view=view, vector=vector, now=now
    )
    return resolved if engine is None else asking(resolved, engine)


def asking(
    resolved: ResolvedRequest, engine: LocalEngine | StoredEngine, watcher: Watcher = NOBODY
) -> ResolvedRequest:
    """The same for a method that asks the language model: the engine answers."""
    setting = Setting(resolved.view, engine, resolved.knobs.order)
    view = with_model(setting, resolved.studio.pool_states, watcher=watcher)
    return replace(resolved, view=view)


def query_vector(studio: Studio, setup: Setup, query: str) -> FloatArray:
    """The query's unit vector, shape (d,).

    Raises:
        InvalidInput: The query is empty.
    """
    if not query.strip():
        raise InvalidInput("The query is empty; type the text that the context is chosen for.")
    return studio.query_vector(setup.encoder, query)


def explore(resolved: ResolvedRequest) -> Exploration:
    """Choose the query's context; never waits for the language model.

    Raises:
        InvalidInput: The query and its longest answer do not fit the model's window.
    """
    request, usable, view = resolved.request, resolved.usable, resolved.view
    chosen = _chosen(resolved)
    context, prompt = fit(resolved, chosen)
    model = resolved.now.model
    picks = picks_of(view, chosen, context)
    return Exploration(
        request=request,
        resolved=resolved,
        picks=picks,
        diversity=defined(context.diversity),
        lambda_d=usable.knobs.lambda_d,
        lambda_b=usable.knobs.lambda_b,
        prompt=prompt,
        in_prompt=tuple(
            picks[place].rank for place in places_in_prompt(context, request.knobs.order)
        ),
        tokens=model.count_tokens(prompt) if model is not None and model.abilities.counts else None,
        window=None if model is None else model.window,
        left_out=context.left_out,
        own=int(view.same_query(request.query).sum()) if request.leave_out else 0,
        demonstrations=len(view),
        pool_version=view.version,
        certainty=chosen.certainty,
        doubts=_doubts(resolved, chosen),
        note=resolved.note,
        leaks=_leaks(view, request, resolved.vector, context),
        order=_order(resolved, chosen),
        setting=chosen.setting,
    )


def _order(resolved: ResolvedRequest, chosen: Context) -> TaskOrder | None:
    usable = resolved.usable
    reads = find_method(resolved.knobs.method).reads
    if reads is None:
        return None
    prompt = reads(resolved.view, resolved.knobs)
    return task_order(resolved.view, prompt, chosen, usable.query, usable.answers)


def _doubts(resolved: ResolvedRequest, chosen: Context) -> Doubts:
    request, view = resolved.usable, resolved.view
    return doubts_of(
        view,
        request.query,
        resolved.vector,
        resolved.knobs,
        chosen,
        resolved.studio.encoder(request.setup.encoder),
        excluded=view.same_query(request.query) if request.leave_out else None,
    )


def _leaks(
    view: LivePool, request: ExploreRequest, vector: FloatArray, context: Context
) -> tuple[int, ...]:
    if not request.answers:
        return ()
    leaks = view.leaks(request.query, request.answers, vector)
    return tuple(context.ids[leaks[context.indices]].tolist())


def usable_request(view: PoolView, request: ExploreRequest) -> tuple[ExploreRequest, str]:
    """The request as the pool can serve it now, and why it differs from the given one if it does.

    Its knobs are as the method uses them.

    Raises:
        InvalidInput: The method itself weighs the quality bias, which is not scored.
    """
    method = find_method(request.knobs.method)
    knobs = method.settle(request.knobs)
    request = replace(request, knobs=knobs)
    if not knobs.needs_bias or not view.unscored:
        return request, ""
    reason = (
        f"{view.unscored:,} of {len(view):,} demonstrations have no quality bias from this "
        "language model yet"
    )
    if method.lambda_b is not None:
        raise InvalidInput(
            f"The method {knobs.method!r} cannot choose yet: {reason}; wait for it, or choose a "
            "method without quality bias."
        )
    return request.with_knobs(lambda_b=1.0), f"lambda_b is set to 1: {reason}."


def picks_of(view: PoolView, chosen: Context, used: Context) -> tuple[Pick, ...]:
    """The used demonstrations with the parts of their values, numbered as they were chosen."""
    rank_of = {id: place + 1 for place, id in enumerate(chosen.ids.tolist())}
    ranks = {} if chosen.reranking is None else chosen.reranking.first_ranks
    words = {} if chosen.reranking is None else chosen.reranking.words
    return tuple(
        Pick(
            rank=rank_of[int(used.ids[place])],
            id=int(used.ids[place]),
            query=view.queries[index],
            answer=view.answers[index],
            relevance=float(used.relevance[place]),
            quality_bias=defined(used.quality_bias[place]),
            redundancy=defined(used.redundancy[place]),
            value=defined(used.values[place]),
            stage_1=ranks.get(int(used.ids[place])),
            label=words.get(int(used.ids[place])),
            written_by=view.writers.get(int(used.ids[place]), ""),
            pinned=place < used.pinned,
        )
        for place, index in enumerate(used.indices.tolist())
    )


def matching_queries(view: PoolView, text: str, most: int) -> list[str]:
    """The pool's distinct queries that contain the text, in whatever case; the first `most`."""
    wanted = text.strip().casefold()
    found = (query for query in view.distinct_queries if wanted in query.casefold())
    return list(islice(found, most))


def example_of(studio: Studio, view: PoolView, query: str) -> EvaluationExample:
    """The evaluation example of a pool's query, with all its answers.

    For a text that is not in the pool it is the first query that is left out with it.

    Raises:
        InvalidInput: The pool has no included demonstration with this query.
    """
    ids = view.ids[view.same_query(query)].tolist()
    if not ids:
        raise InvalidInput(f"The pool has no query {query!r}; choose one of its queries.")
    found = examples_of(studio.store.demonstrations.by_ids(ids, deleted=True))
    key = same_text(query)
    return next((each for each in found if same_text(each.query) == key), found[0])


def _chosen(resolved: ResolvedRequest) -> Context:
    """The query's context, from the whole pool or from candidates."""
    request, view, vector = resolved.usable, resolved.view, resolved.vector
    if request.knobs.index is None or not find_method(request.knobs.method).chooses_by_mmr:
        return resolved.context()
    return choose_from_candidates(
        view,
        vector,
        resolved.knobs,
        resolved.studio.index_folder,
        excluded=view.same_query(request.query) if request.leave_out else None,
    )


def fit(resolved: ResolvedRequest, context: Context) -> tuple[Context, str]:
    """The part of the context that fits the loaded model's window, and the prompt it makes.

    Raises:
        InvalidInput: The query and its longest answer do not fit even alone.
    """
    request, view = resolved.usable, resolved.view
    model, template = resolved.now.model, resolved.now.template
    if model is None:
        return context, prompt_of(view, context, request.query, template, request.knobs.order)
    texts = (*request.answers, *(wrong.text for wrong in request.incorrect))
    answers = [template.answer(text) for text in texts] or [""]
    fit = fitted(
        view,
        context,
        request.query,
        template,
        lambda prompt: model.fits(prompt, answers),
        request.knobs.order,
    )
    if fit is None:
        raise InvalidInput(
            f"The query and its longest answer are longer than the model's window of "
            f"{model.window:,} tokens, even without a context; shorten them or choose a model "
            "with a larger window."
        )
    return fit
