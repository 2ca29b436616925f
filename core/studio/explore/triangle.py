"""The triangle of a query's contexts, and what each of them does to the language model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...engines import LocalEngine, StoredEngine
from ...evaluation.plan.engine import prompt_of
from ...evaluation.results.outcomes import Outcome
from ...evaluation.results.run_figures import SkippedExample
from ...evaluation.scoring.example_scores import Setting, plan_example, score_plans
from ...metrics.preference import delta, dpo
from ...reporting.results.query import Effect
from ...retrieval.choosing import find_method
from ...retrieval.method import Method
from ...retrieval.pool_view import PoolView
from ...retrieval.triangle import ContextTriangle, context_triangle, has_triangle, weights_at
from ...types import IntArray
from ...watcher import NOBODY, Watcher
from .effect import cannot_be_scored
from .exploration import Exploration, ResolvedRequest, fit

Vector: TypeAlias = NDArray[np.float64]
Handle: TypeAlias = Callable[[], tuple[float, float]]
"""Returns the lambda_d and lambda_b of the place that the visitor looks at now."""

MOST_DEMONSTRATIONS = 50_000
"""The largest pool whose triangle is drawn; there its cells take half a second."""


@dataclass(frozen=True, eq=False)
class TriangleScores:
    """The effect of a triangle's contexts on the model, as far as they are scored.

    Attributes:
        log_probs: Of the query's answers after each context, the correct ones first, shape
            (contexts, answers), in nats; NaN where a context is not scored yet.
        alone: The same without a context, shape (answers,).
        dpo: DPO of each context, shape (contexts,), nats; also NaN without incorrect answers.
        delta: Likewise.
        scored: How many contexts are scored.
    """

    log_probs: Vector
    alone: Vector
    dpo: Vector
    delta: Vector
    scored: int = 0

    @classmethod
    def unscored(cls, contexts: int, answers: int) -> Self:
        """Nothing is known yet."""
        unknown = np.full(contexts, np.nan)
        log_probs = np.full((contexts, answers), np.nan)
        return cls(log_probs, np.full(answers, np.nan), unknown, unknown)

    def knows(self, context: int) -> bool:
        """Whether the context is scored."""
        return bool(np.isfinite(self.log_probs[context]).all())

    def with_outcome(self, context: int, outcome: Outcome) -> Self:
        """The same with one context more, in arrays of its own."""
        scores = outcome.scores
        return self._with(
            context,
            np.concatenate([scores.correct, scores.incorrect]),
            np.concatenate([scores.correct_alone, scores.incorrect_alone]),
            dpo([scores]),
            delta([scores]),
        )

    def with_effect(self, context: int, effect: Effect) -> Self:
        """The same with the context whose effect is given."""
        return self._with(
            context,
            np.array([row.with_context.total for row in effect.rows]),
            np.array([row.alone.total for row in effect.rows]),
            np.nan if effect.dpo is None else effect.dpo,
            np.nan if effect.delta is None else effect.delta,
        )

    def _with(self, context: int, there: Vector, alone: Vector, dpo: float, delta: float) -> Self:
        return replace(
            self,
            log_probs=_with(self.log_probs, context, there),
            alone=alone,
            dpo=_with(self.dpo, context, dpo),
            delta=_with(self.delta, context, delta),
            scored=self.scored + 1,
        )


@dataclass(frozen=True, eq=False)
class PromptSizes:
    """The prompts of a triangle's contexts, as far as a model counts tokens.

    Attributes:
        tokens: How many each prompt has, shape (contexts,); NaN where none are counted.
        left_out: How many demonstrations the window has no room for, shape (contexts,); 0 where
            none are counted.
    """

    tokens: Vector
    left_out: IntArray


def _with(values: Vector, place: int, value: Vector | float) -> Vector:
    changed = values.copy()
    changed[place] = value
    return changed


def is_drawn(view: PoolView, method: Method) -> bool:
    """Whether a query's triangle is drawn: not for methods without one, nor for large pools."""
    return has_triangle(method) and is_small(view)


def is_small(view: PoolView) -> bool:
    """Whether the pool is small enough for a query's triangle to be drawn."""
    return len(view) <= MOST_DEMONSTRATIONS


def triangle_of(resolved: ResolvedRequest) -> ContextTriangle | None:
    """The cells of the query's triangle, over the whole pool; None where none is drawn."""
    usable, view = resolved.usable, resolved.view
    if not is_drawn(view, find_method(resolved.knobs.method)):
        return None
    return context_triangle(
        view, usable.query, resolved.vector, resolved.knobs, leave_out=usable.leave_out
    )


def is_of_its_cell(found: Exploration, triangle: ContextTriangle) -> bool:
    """Whether the context, as far as the window has room, is that of the cell at its lambdas.

    Not where ties decide on the cell's edge, nor where it was chosen among candidates that miss
    some of the cell's.
    """
    cell = triangle.lists[triangle.cell_at(found.lambda_d, found.lambda_b)]
    ids: list[int] = triangle.asked.view.ids[cell[: len(found.picks)]].tolist()
    return [pick.id for pick in found.picks] == ids


def prompt_sizes(resolved: ResolvedRequest, triangle: ContextTriangle) -> PromptSizes:
    """How long the prompt of each context is, and how much of the context is in it."""
    model, template = resolved.now.model, resolved.now.template
    tokens = np.full(triangle.n_contexts, np.nan)
    left_out = np.zeros(triangle.n_contexts, dtype=np.int64)
    if model is None or not model.abilities.counts:
        return PromptSizes(tokens, left_out)
    request, view = resolved.request, resolved.view
    texts = [*request.answers, *(wrong.text for wrong in request.incorrect), ""]
    longest = max(model.count_tokens(template.answer(text)) for text in texts)
    for number in range(triangle.n_contexts):
        context = triangle.context(number)
        prompt = prompt_of(view, context, request.query, template, request.knobs.order)
        tokens[number] = model.count_tokens(prompt)
        if tokens[number] + longest > model.window:  # fitting takes long, and is rarely needed
            fitting, prompt = fit(resolved, context)
            tokens[number] = model.count_tokens(prompt)
            left_out[number] = len(context) - len(fitting)
    return PromptSizes(tokens, left_out)


def triangle_scores(
    resolved: ResolvedRequest,
    triangle: ContextTriangle,
    engine: LocalEngine | StoredEngine,
    handle: Handle,
    watcher: Watcher = NOBODY,
    most: int | None = None,
) -> TriangleScores:
    """The effect of every context of the triangle, or of the first `most`; each is scored once.

    From coarse to fine: contexts with large cells come before those with small ones, and of about
    the same size the one nearest to the handle comes next, first of all the one at the handle. The
    watcher gets a `TriangleScores` whenever the engine has answered.

    Raises:
        InvalidInput: No answer is given, or the model cannot score one.
        NotComputed: The engine computes nothing, and the store does not have all of it.
        Cancelled: The watcher requested a stop; what was scored is kept.
    """
    example = resolved.request.answered()
    setting = Setting(resolved.view, engine, resolved.request.knobs.order)
    scores = TriangleScores.unscored(triangle.n_contexts, len(example.texts))
    waiting = _Waiting(triangle)
    most = triangle.n_contexts if most is None else min(most, triangle.n_contexts)
    watcher.on_progress(0, most)
    while members := waiting.next(min(engine.examples_at_once, most - scores.scored), handle()):
        contexts = {number: triangle.context(number) for number in members}
        plan = plan_example(setting, example, contexts, watcher)
        if isinstance(plan, SkippedExample):
            raise cannot_be_scored(plan, engine)
        (scored,) = score_plans(setting, [plan], watcher)
        if isinstance(scored, SkippedExample):
            raise cannot_be_scored(scored, engine)
        for number, outcome in scored.by_key.items():
            scores = scores.with_outcome(number, outcome)
        watcher.on_progress(scores.scored, most)
        watcher.on_partial(scores)
        watcher.breathe()
    return scores


class _Waiting:
    """The contexts that are not scored yet, and which of them comes next."""

    def __init__(self, triangle: ContextTriangle) -> None:
        self.drawing, self.of_cell = triangle.drawing, triangle.context_of
        shares = np.bincount(self.of_cell, self.drawing.shares, triangle.n_contexts)
        self.halvings = -np.floor(np.log2(np.maximum(shares, 1e-12)))
        self.left = np.ones(triangle.n_contexts, dtype=bool)
        self.here: tuple[float, float] | None = None

    def next(self, count: int, here: tuple[float, float]) -> list[int]:
        """The numbers of the next few contexts; empty when none is left."""
        if here != self.here:
            self.here, self.order = here, self._ordered(here)
        chosen: list[int] = self.order[self.left[self.order]][:count].tolist()
        self.left[chosen] = False
        return chosen

    def _ordered(self, here: tuple[float, float]) -> IntArray:
        place = self.drawing.places(weights_at(*here))
        distances = np.full(len(self.left), np.inf)
        np.minimum.at(distances, self.of_cell, np.linalg.norm(self.drawing.middles - place, axis=1))
        sizes = self.halvings.copy()
        sizes[self.of_cell[self.drawing.cell_at(place)]] = -1.0
        return np.lexsort((distances, sizes))
