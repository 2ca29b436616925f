"""What one visitor of Explore has computed and has running: the latest view wins."""

from collections.abc import Callable, Hashable
from typing import Any
from uuid import uuid4

from ...background import Job, Urgency
from ...errors import NotComputed
from ...evaluation.results.own_answer import OwnAnswers
from ...reporting.results.query import Effect, PathStep
from ...retrieval.choosing import find_method
from ...retrieval.knobs import LAMBDAS
from ...retrieval.triangle import ContextTriangle
from ..session.models import describe
from ..session.studio import Studio
from .asking import ask_model, before_asking, by_similarity, from_the_store, what_is_asked
from .effect import (
    QueryCurve,
    Written,
    answer_in_background,
    diversity_curve,
    effect_of,
    own_answers,
    query_curve,
)
from .exploration import Exploration, ResolvedRequest, explore, resolve
from .path import path_of, steps_of
from .slots import AnswersNow, CurveNow, EffectNow, Latest, Slot, TriangleNow
from .triangle import PromptSizes, TriangleScores, prompt_sizes, triangle_of, triangle_scores

PAUSE = 0.15
"""Seconds that the model's work waits: the context is drawn first, and the values that a slider
passes on its way are not scored."""


COARSE = 48
"""How many of a triangle's contexts are scored before runs that wait; a curve has about as many."""


class LatestResults:
    """One visitor's view of Explore, for the thread that draws it; nothing here waits.

    What does not change with lambda_d (the curve, the path) is computed once and kept until
    something else changes; the model's work runs on the studio's worker, the curve in breaks of
    longer work and the answers in breaks of the curve. A job that failed or was cancelled stays,
    so that nothing starts by itself against the visitor's will, until `try_again`.

    Args:
        studio: Where the pools and the model are.
        pause: Seconds that the model's work waits before it begins.
    """

    def __init__(self, studio: Studio, pause: float = PAUSE) -> None:
        session = uuid4().hex

        def slot(name: str, label: str, urgency: Urgency = Urgency.SHOWN) -> Slot[Any]:
            return Slot(studio.model_worker, f"{name}:{session}", label, urgency, pause)

        self._studio = studio
        self._choice = slot("choice", "")
        self._curve: Slot[QueryCurve] = slot("curve", "DPO over lambda_d")
        self._effect: Slot[Effect] = slot("effect", "Scoring the answers", Urgency.URGENT)
        self._answers = slot("answers", "The model's own answers", Urgency.WANTED)
        self._cells: tuple[Slot[TriangleScores], ...] = (
            slot("cells", "The triangle's contexts"),
            slot("more cells", "The triangle's contexts", Urgency.UNASKED),
        )
        self._slots = (self._choice, self._curve, self._effect, self._answers, *self._cells)
        self._shape = Latest[QueryCurve]()
        self._stored_curve = Latest[QueryCurve | None]()
        self._stored_effect = Latest[Effect | None]()
        self._triangle = Latest[ContextTriangle | None]()
        self._stored_triangle = Latest[TriangleScores | None]()
        self._sizes = Latest[PromptSizes]()
        self._seen = Latest[TriangleScores]()
        self._steps = {name: Latest[tuple[PathStep, ...]]() for name in LAMBDAS}
        self._at = (0.0, 0.0)
        self._wanted: Hashable = None

    def explored(self, resolved: ResolvedRequest) -> tuple[Exploration, Job | None]:
        """The query's context as it is available now, and the job that computes what is missing.

        Where the method asks the language model and the store does not know the answer, the most
        similar demonstrations are in the context until the job has ended.

        Raises:
            InvalidInput: What `explore` raises, or the pool has no task for the method.
        """
        if not find_method(resolved.knobs.method).needs_model:
            self._choice.stop()
            return explore(resolved), None
        job = before_asking(resolved)
        if job is None:
            try:
                found = explore(from_the_store(resolved))
            except NotComputed:
                request = resolved.request
                job = self._choice.job(
                    _key(resolved),
                    lambda job: ask_model(self._studio, request, job),
                    what_is_asked(resolved),
                )
            else:
                self._choice.stop()
                return found, None
        else:
            self._choice.stop()
        return explore(by_similarity(resolved)), job

    def curve(self, resolved: ResolvedRequest) -> CurveNow:
        """DPO and diversity over lambda_d, at once where all of it was scored before.

        Otherwise scoring starts, if there are answers and a model.
        """
        request, key = resolved.request, _key(resolved)
        shape = self._shape.of(key, lambda: diversity_curve(resolved))

        def work(job: Job) -> QueryCurve:
            engine = self._studio.engine(request.setup)
            return query_curve(resolve(self._studio, request), engine, job.watcher())

        known = self._stored_curve.of(key, lambda: _known_curve(resolved))
        curve, job = self._curve.result(key, known, work if _can_score(resolved) else None)
        return CurveNow(curve=curve or shape, job=job)

    def triangle(self, resolved: ResolvedRequest) -> ContextTriangle | None:
        """The cells of the query's triangle of weights; None where none is drawn."""
        knobs = resolved.knobs
        self._at = knobs.lambda_d, knobs.lambda_b
        return self._triangle.of(_triangle_key(resolved), lambda: triangle_of(resolved))

    def triangle_scores(
        self, resolved: ResolvedRequest, triangle: ContextTriangle, effect: Effect | None
    ) -> TriangleNow:
        """The effect of the triangle's contexts, at once where all were scored before.

        Otherwise scoring starts, if there are answers and a model: large cells first, and the
        nearest to the lambdas of the latest `triangle`; what is fine comes after runs that wait.
        For a model behind a server it starts after `score_cells`; until then the contexts that the
        visitor looked at are known, by the `effect` of each: None where it is of no cell.
        """
        key, model = _triangle_key(resolved), resolved.now.model
        known = self._stored_triangle.of(key, lambda: _known_triangle(resolved, triangle))
        sizes = self._sizes.of((key, model), lambda: prompt_sizes(resolved, triangle))
        if known is not None or not _can_score(resolved):
            self._stop(*self._cells)
            known = known or _unscored(resolved, triangle)
            return TriangleNow(scores=known, sizes=sizes, job=None)
        seen = self._seen_effects(resolved, triangle, effect)
        if _is_served(resolved) and self._wanted != key:
            self._stop(*self._cells)
            return TriangleNow(scores=seen, sizes=sizes, job=None, offered=True)

        def scored_up_to(most: int) -> Callable[[Job], TriangleScores]:
            def work(job: Job) -> TriangleScores:
                engine = self._studio.engine(resolved.request.setup)
                return triangle_scores(
                    resolved, triangle, engine, self._handle, job.watcher(), most
                )

            return work

        found = [seen]
        for slot, most in zip(self._cells, (COARSE, triangle.n_contexts), strict=True):
            now = slot.job(key, scored_up_to(most)).snapshot()
            found.append(now.result or now.partial or seen)
            if now.state != "finished" or most >= triangle.n_contexts:
                break
        scores = max(found, key=lambda each: each.scored)
        return TriangleNow(scores=scores, sizes=sizes, job=now)

    def _handle(self) -> tuple[float, float]:
        return self._at

    def _seen_effects(
        self, resolved: ResolvedRequest, triangle: ContextTriangle, effect: Effect | None
    ) -> TriangleScores:
        """The effects of the contexts at which the visitor was, of this triangle and model."""
        key = (_triangle_key(resolved), resolved.now.fingerprint)
        seen = self._seen.of(key, lambda: _unscored(resolved, triangle))
        here = triangle.context_at(*self._at)
        if effect is not None and not seen.knows(here):
            return self._seen.replace(key, seen.with_effect(here, effect))
        return seen

    def effect(self, resolved: ResolvedRequest, prompt: str) -> EffectNow:
        """The answers' log-probabilities with and without the context that makes the prompt."""
        request = resolved.request
        key = (request.setup, prompt, request.query, request.example)
        known = self._known_effect(key, resolved, prompt) if request.answers else None

        def work(job: Job) -> Effect:
            return effect_of(request, self._studio.engine(request.setup), prompt)

        effect, job = self._effect.result(key, known, work if _can_score(resolved) else None)
        return EffectNow(effect=effect, job=job)

    def _known_effect(self, key: Hashable, resolved: ResolvedRequest, prompt: str) -> Effect | None:
        """The effect if the store has it; a redraw needs it twice and reads it once."""
        found_for = key, resolved.now.fingerprint
        missed_for = found_for, resolved  # by the next redraw it may be there
        if self._stored_effect.key in (found_for, missed_for):
            return self._stored_effect.of(self._stored_effect.key, lambda: None)
        found = resolved.if_stored(lambda engine: effect_of(resolved.request, engine, prompt))
        return self._stored_effect.replace(missed_for if found is None else found_for, found)

    def answers(self, resolved: ResolvedRequest, prompt: str) -> AnswersNow:
        """What the model itself answers after the prompt and to the query alone.

        Asked for by a person, so it goes before the curve.
        """
        request = resolved.request
        key = (request.setup, prompt, request.query, request.answers, request.incorrect)
        known = resolved.if_stored(lambda engine: own_answers(request, engine, prompt))
        if known is not None or resolved.now.model is None:
            self._answers.stop()
            return AnswersNow(answers=known, written=Written(), job=None)

        def work(job: Job) -> OwnAnswers:
            engine = self._studio.engine(request.setup)
            return answer_in_background(request, engine, prompt, job)

        now = self._answers.job(key, work).snapshot()
        return AnswersNow(answers=now.result, written=now.partial or Written(), job=now)

    def steps(self, resolved: ResolvedRequest, over: str = "lambda_d") -> tuple[PathStep, ...]:
        """The pieces of the query's path over one lambda.

        Empty where the method has no path over that lambda, where lambda_b is 1 because quality
        bias is missing, and where the context is chosen among candidates.
        """
        knobs, view = resolved.request.knobs, resolved.view
        if not find_method(knobs.method).has_path(over) or knobs.index is not None:
            return ()
        if over == "lambda_b" and view.unscored:
            return ()
        key = _key(resolved, over)
        return self._steps[over].of(key, lambda: steps_of(view, path_of(resolved, over)))

    def score_cells(self) -> None:
        """Let the contexts of the latest triangle be scored, although each is asked of a server."""
        self._wanted = self._triangle.key

    def cancel_cells(self) -> None:
        """Stop the scoring of the triangle's contexts; what was scored stays."""
        for slot in self._cells:
            slot.cancel()

    def cancel_curve(self) -> None:
        """Stop the scoring of the curve; what was scored stays on the screen and in the store."""
        self._curve.cancel()

    def try_again(self) -> None:
        """Let what failed or was cancelled start again; what was scored is not scored twice."""
        self._stop(*self._slots)

    def close(self) -> None:
        """Stop what runs, as when the visitor leaves."""
        self.try_again()

    def _stop(self, *slots: Slot[Any]) -> None:
        for slot in slots:
            slot.stop()


def _known_curve(resolved: ResolvedRequest) -> QueryCurve | None:
    """The complete curve where the store has all of it and answers are given, else None."""
    if not resolved.request.answers:
        return None
    return resolved.if_stored(lambda engine: query_curve(resolved, engine))


def _known_triangle(resolved: ResolvedRequest, triangle: ContextTriangle) -> TriangleScores | None:
    """The effects of all contexts where the store has them and answers are given, else None."""
    if not resolved.request.answers:
        return None
    knobs = resolved.knobs
    at = knobs.lambda_d, knobs.lambda_b
    return resolved.if_stored(
        lambda engine: triangle_scores(resolved, triangle, engine, lambda: at)
    )


def _unscored(resolved: ResolvedRequest, triangle: ContextTriangle) -> TriangleScores:
    request = resolved.request
    return TriangleScores.unscored(
        triangle.n_contexts, len(request.answers) + len(request.incorrect)
    )


def _is_served(resolved: ResolvedRequest) -> bool:
    return resolved.now.model is not None and describe(resolved.now.model).served


def _can_score(resolved: ResolvedRequest) -> bool:
    model = resolved.now.model
    return bool(resolved.request.answers) and model is not None and model.abilities.scores


def _triangle_key(resolved: ResolvedRequest) -> Hashable:
    """The same for the triangle: all but both lambdas."""
    usable, *others = _key(resolved)
    return usable.with_knobs(lambda_b=0.0), resolved.view.unscored, *others


def _key(resolved: ResolvedRequest, over: str = "lambda_d") -> tuple[Any, ...]:
    """Everything that decides a curve or path over a lambda: all but that one, and the pool."""
    view = resolved.view
    # The ids as well: a pool that was deleted and imported again can have its old version.
    pool = (view.version, view.encoder, view.ids.tobytes())
    return resolved.usable.with_knobs(**{over: 0.0}), pool, resolved.now.fingerprint
