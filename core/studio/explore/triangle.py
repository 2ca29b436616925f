"""The triangle of a query's contexts, and what each of them does to the language model."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...background import Watcher
from ...engines import LocalEngine, StoredEngine
from ...evaluation.outcomes.outcomes import Outcome
from ...evaluation.plan.fitting import prompt_of
from ...evaluation.results.skipping import Skipped
from ...evaluation.scoring.asking import UNWATCHED
from ...evaluation.scoring.example_scores import Setting, plan_example, score_plans
from ...metrics.preference import delta, dpo
from ...retrieval.every_context import (
    ContextTriangle,
    context_triangle,
    has_triangle,
    weights_at,
)
from ...retrieval.registry import find_method
from ...types import IntArray
from .effect import cannot_be_scored
from .exploration import Resolved, fit

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
        left_out: How many demonstrations the window has no room for, shape (contexts,).
        scored: How many contexts are scored.
    """

    log_probs: Vector
    alone: Vector
    dpo: Vector
    delta: Vector
    left_out: Vector
    scored: int = 0

    @classmethod
    def unscored(cls, contexts: int, answers: int) -> Self:
        """Nothing is known yet."""
        unknown = np.full(contexts, np.nan)
        log_probs = np.full((contexts, answers), np.nan)
        return cls(log_probs, np.full(answers, np.nan), unknown, unknown, unknown)

    def with_outcome(self, context: int, outcome: Outcome) -> Self:
        """The same with one context more, in arrays of its own."""
        scores = outcome.scores
        there = np.concatenate([scores.correct, scores.incorrect])
        return replace(
            self,
            log_probs=_with(self.log_probs, context, there),
            alone=np.concatenate([scores.correct_alone, scores.incorrect_alone]),
            dpo=_with(self.dpo, context, dpo([scores])),
            delta=_with(self.delta, context, delta([scores])),
            left_out=_with(self.left_out, context, outcome.left_out),
            scored=self.scored + 1,
        )


def _with(values: Vector, place: int, value: Vector | float) -> Vector:
    changed = values.copy()
    changed[place] = value
    return changed


def triangle_of(resolved: Resolved) -> ContextTriangle | None:
    """The cells of the query's triangle, over the whole pool; None where none is drawn.

    That is so for methods without one, and for pools of more than `MOST_DEMONSTRATIONS`.
    """
    usable, view = resolved.usable, resolved.view
    if len(view) > MOST_DEMONSTRATIONS or not has_triangle(find_method(usable.knobs.method)):
        return None
    return context_triangle(
        view, usable.query, resolved.vector, usable.knobs, leave_out=usable.leave_out
    )


def token_counts(resolved: Resolved, triangle: ContextTriangle) -> Vector:
    """How many tokens the prompt of each context has, shape (contexts,); NaN where none count."""
    model, template = resolved.now.model, resolved.now.template
    counts = np.full(triangle.n_contexts, np.nan)
    if model is None or not model.abilities.counts:
        return counts
    request, view = resolved.request, resolved.view
    texts = [*request.answers, *(wrong.text for wrong in request.incorrect), ""]
    longest = max(model.count_tokens(template.answer(text)) for text in texts)
    for number in range(triangle.n_contexts):
        context = triangle.context(number)
        prompt = prompt_of(view, context, request.query, template, request.knobs.order)
        counts[number] = model.count_tokens(prompt)
        if counts[number] + longest > model.window:  # fitting takes long, and is rarely needed
            counts[number] = model.count_tokens(fit(resolved, context)[1])
    return counts


def triangle_scores(
    resolved: Resolved,
    triangle: ContextTriangle,
    engine: LocalEngine | StoredEngine,
    handle: Handle,
    watcher: Watcher = UNWATCHED,
) -> TriangleScores:
    """The effect of every context of the triangle; each is scored once.

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
    watcher.on_progress(0, triangle.n_contexts)
    while members := waiting.next(engine.examples_at_once, handle()):
        contexts = {number: triangle.context(number) for number in members}
        plan = plan_example(setting, example, contexts, watcher)
        if isinstance(plan, Skipped):
            raise cannot_be_scored(plan, engine)
        (scored,) = score_plans(setting, [plan], watcher)
        if isinstance(scored, Skipped):
            raise cannot_be_scored(scored, engine)
        for number, outcome in scored.by_key.items():
            scores = scores.with_outcome(number, outcome)
        watcher.on_progress(scores.scored, triangle.n_contexts)
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
