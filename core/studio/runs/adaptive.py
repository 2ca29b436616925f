"""Choosing by scores: random sets that `fix` might show, or a setting for each query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...errors import InvalidInput
from ...evaluation.plan.examples import is_held_out, sample
from ...evaluation.results.run_figures import RunSettings, SkippedExample
from ...evaluation.results.verdict import Basis
from ...evaluation.runs.crossvalidation import (
    ChoicePerQuery,
    FixedSets,
    HeldOut,
    choice_per_query,
    ranked_sets,
)
from ...evaluation.runs.recorded_scores import LEAST, RecordedScores, find_run, groups_of
from ...evaluation.runs.running import RunOptions, run_settings
from ...evaluation.runs.scores_of_neighbours import RunModel, usable_settings
from ...evaluation.scoring.example_scores import ExamplePlan, Setting, plan_example, score_plans
from ...metrics.bounds.intervals import mean_interval
from ...metrics.metric import Counted
from ...metrics.registry import METRICS
from ...programs.example import Example
from ...programs.primitives.crossval import CrossValidation, crossval
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs
from ...retrieval.method import context_of_indices
from ...retrieval.methods import fixed
from ...retrieval.methods.neighbours import METHOD, NEAREST
from ...retrieval.pool_view import PoolView
from ...settings import SEED, Embed, K
from ...text import same_text, short
from ...types import FloatArray, IntArray
from ...watcher import EMBEDDING, EXAMPLES, Watcher
from ..session.studio import Setup, Studio
from .running import RunInputs, RunKind, examples_in, prepare, result_by

SETS = 20
"""How many sets are tried where nobody says otherwise."""
HELD_OUT = 0.5
"""The share of the examples that have no part in the choice, likewise."""
FEWEST = 2
"""Examples that each part needs at least, so that a mean has a spread."""
AT_ONCE = 16
"""Examples that are given to the engine together."""


@dataclass(frozen=True, kw_only=True)
class FixedRequest:
    """How many sets of how many demonstrations are tried, and on which examples.

    `limit` None takes all of the pool's queries, else a seeded sample of so many. `held_out` is the
    share of them that only judges, greater than 0 and less than 1.
    """

    setup: Setup
    sets: int = SETS
    k: int = K
    limit: int | None = None
    held_out: float = HELD_OUT
    seed: int = SEED


@dataclass(frozen=True, kw_only=True)
class FixedSettings(RunSettings):
    """As `RunSettings`, with the sets that were tried; the examples are those that were drawn."""

    sets: int
    k: int
    held_out: float


def resumed(setup: Setup, settings: FixedSettings) -> FixedRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    return FixedRequest(
        setup=replace(setup, template=settings.template),
        sets=settings.sets,
        k=settings.k,
        limit=settings.limit,
        held_out=settings.held_out,
        seed=settings.seed,
    )


def contexts_about(studio: Studio, request: FixedRequest) -> int:
    """How many contexts the model will have to score, roughly."""
    examples = examples_in(studio, request.setup.pool, request.limit)
    return round(examples * ((1.0 - request.held_out) * request.sets + 2.0 * request.held_out))


def find_fixed(studio: Studio, request: FixedRequest, watcher: Watcher) -> FixedSets:
    """Draw sets from one part of the pool's queries, choose by that part, judge by the other.

    A set's demonstrations are the best answers of its queries. Each set is scored on the part's
    queries that are not in it; what was scored before is taken from the store.

    Raises:
        InvalidInput: An unknown pool, a model that cannot score, a share outside (0, 1), or too few
            examples for sets of k.
        Cancelled: The watcher requested a stop; what was scored is kept.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3 (`crossval`).
    """
    _check_share(request)
    knobs = Knobs(fixed.METHOD.name, request.k)
    ready = prepare(studio, request.setup, None, [knobs], watcher)
    setting = Setting(ready.view, ready.engine, knobs.order)
    drawn = sample(ready.examples, request.limit, request.seed)
    settings = _settings(studio, request, ready, setting, drawn)
    runs, pool = studio.store.runs, studio.store.pools.get(request.setup.pool)
    with runs.recording(RUNS.name, pool.id, settings.to_json()) as run_id:
        found = _searched(studio, request, setting, drawn, watcher)
        runs.save_result(run_id, found.to_json())
    return found


def _settings(
    studio: Studio,
    request: FixedRequest,
    ready: RunInputs,
    setting: Setting,
    drawn: Sequence[EvaluationExample],
) -> FixedSettings:
    options = RunOptions(limit=request.limit, seed=request.seed, caution=ready.caution)
    encoder = studio.encoder(request.setup.encoder)
    settings = run_settings(setting, encoder, ready.view.name, drawn, options)
    return FixedSettings(
        **vars(settings), sets=request.sets, k=request.k, held_out=request.held_out
    )


def _searched(
    studio: Studio,
    request: FixedRequest,
    setting: Setting,
    drawn: Sequence[EvaluationExample],
    watcher: Watcher,
) -> FixedSets:
    """The sets of the examples that choose, and what the others say of the best."""
    view = setting.view
    examples, metric = _apart(setting, drawn, watcher)
    choosing = [each for each in examples if not _only_judges(each, request)]
    held_out = [each for each in examples if _only_judges(each, request)]
    _check_parts(request, choosing, held_out)
    watcher.on_phase(EMBEDDING)
    queries = [each.query for each in examples]
    vectors, _ = embed_texts(studio.store, studio.encoder(request.setup.encoder), queries)
    scorer = _Scorer(setting, metric, dict(zip(queries, vectors, strict=True)), watcher)
    indices = _best_answers(view, choosing)
    found = _tried(request, scorer, choosing, indices, watcher)
    ids = [view.ids[indices[list(places)]].tolist() for places in found.sets]
    ranked = ranked_sets(ids, found.table)
    present = view.fixed[: request.k]
    judged = HeldOut.of(
        scorer.scores(view.positions(ranked[0].ids), held_out), scorer.scores(present, held_out)
    )
    return FixedSets(
        pool=view.name,
        model=setting.engine.name,
        metric=metric,
        seed=request.seed,
        sets=ranked,
        choosing=len(choosing),
        held_out=len(held_out),
        set_aside=len(drawn) - len(examples),
        mean=float(found.means.mean()),
        value=mean_interval(judged.best),
        present=tuple(view.ids[present].tolist()),
        present_value=mean_interval(judged.present),
        gain=judged.gain,
        worth=judged.worth,
    )


class _Scorer:
    """The metric of examples by themselves, with the same demonstrations for all of them."""

    def __init__(
        self, setting: Setting, metric: str, vectors: Mapping[str, FloatArray], watcher: Watcher
    ) -> None:
        self._setting, self._metric = setting, METRICS[metric]
        self._vectors, self._watcher = vectors, watcher

    def scores(self, chosen: IntArray, examples: Sequence[EvaluationExample]) -> list[float]:
        """The score of each example under a set, given as positions, in their order.

        As with `fix`, an example's own demonstrations and those that give it away are left out.

        Raises:
            InvalidInput: An answer of an example has no tokens after the set.
            Cancelled: The watcher requested a stop.
        """
        found = list[float]()
        for start in range(0, len(examples), AT_ONCE):
            self._watcher.checkpoint()
            part = examples[start : start + AT_ONCE]
            plans = [self._plan(chosen, example) for example in part]
            for outcomes in score_plans(self._setting, plans, self._watcher):
                if isinstance(outcomes, SkippedExample):
                    raise InvalidInput(
                        f"The query {short(outcomes.query)!r} cannot be scored after a set of "
                        f"{len(chosen)} demonstrations; exclude it, or try smaller sets."
                    )
                scores = [outcomes.by_key[0].scores]
                above, below = self._metric.numerators(scores), self._metric.denominators(scores)
                found.append(float(above[0] / below[0]))
        return found

    def _plan(
        self, chosen: IntArray, example: EvaluationExample
    ) -> ExamplePlan[int] | SkippedExample:
        view = self._setting.view
        vector = self._vectors[example.query]
        leaks = view.leaks(example.query, example.answers, vector)
        closed, relevance = view.same_query(example.query) | leaks, view.relevance(vector)
        context = context_of_indices(view, relevance, chosen[~closed[chosen]])
        return plan_example(self._setting, example, {0: context}, self._watcher)


def _tried(
    request: FixedRequest,
    scorer: _Scorer,
    choosing: Sequence[EvaluationExample],
    indices: IntArray,
    watcher: Watcher,
) -> CrossValidation:
    """The sets with their scores; `indices` are the demonstrations of the examples, in order."""
    place_of = {each.query: place for place, each in enumerate(choosing)}
    known: dict[tuple[int, ...], dict[int, float]] = {}

    def evaluate(demos: tuple[Example, ...], example: Example) -> float:
        places = tuple(place_of[each.question] for each in demos)
        if places not in known:  # all of a set together: a request at a time keeps a model waiting
            others = [place for place in range(len(choosing)) if place not in places]
            scores = scorer.scores(indices[list(places)], [choosing[place] for place in others])
            known.clear()
            known[places] = dict(zip(others, scores, strict=True))
        return known[places][place_of[example.question]]

    watcher.on_phase(EXAMPLES)
    return crossval(
        [Example(each.query) for each in choosing],
        evaluate,
        n=request.sets,
        k=request.k,
        seed=request.seed,
        watcher=watcher,
    )


def _apart(
    setting: Setting, drawn: Sequence[EvaluationExample], watcher: Watcher
) -> tuple[list[EvaluationExample], str]:
    """The examples that the metric is defined for, one of each group, and the metric that leads."""
    metric = Basis.of(drawn).headline
    empty = context_of_indices(
        setting.view, np.zeros(len(setting.view)), np.empty(0, dtype=np.int64)
    )
    defined = [
        each
        for each in drawn
        if (each.incorrect or METRICS[metric].counts is not Counted.WITH_INCORRECT)
        and not isinstance(plan_example(setting, each, {0: empty}, watcher), SkippedExample)
    ]
    _, first = np.unique(groups_of(defined), return_index=True)
    return [defined[place] for place in np.sort(first).tolist()], metric


def _only_judges(example: EvaluationExample, request: FixedRequest) -> bool:
    # By a seed of its own: the seed of the sample puts the very first places into the sample.
    return is_held_out(example.query, request.held_out, request.seed + 1)


def _best_answers(view: PoolView, examples: Sequence[EvaluationExample]) -> IntArray:
    """The position of the demonstration with each example's best answer, shape (e,)."""
    place_of = {
        (same_text(query), same_text(answer)): place
        for place, (query, answer) in enumerate(zip(view.queries, view.answers, strict=True))
    }
    keys = ((same_text(each.query), same_text(each.answers[each.best])) for each in examples)
    return np.array([place_of[key] for key in keys], dtype=np.int64)


def _check_share(request: FixedRequest) -> None:
    if not 0.0 < request.held_out < 1.0:
        raise InvalidInput(
            f"The held-out share is {request.held_out:g}; it must be greater than 0 and less "
            "than 1."
        )


def _check_parts(
    request: FixedRequest,
    choosing: Sequence[EvaluationExample],
    held_out: Sequence[EvaluationExample],
) -> None:
    if len(choosing) < request.k + FEWEST or len(held_out) < FEWEST:
        raise InvalidInput(
            f"Of the queries of pool {request.setup.pool!r}, {len(choosing):,} could choose among "
            f"sets of {request.k} and {len(held_out):,} could judge; at least {request.k + FEWEST} "
            f"and {FEWEST} are needed: take smaller sets, another share or more examples."
        )


RUNS = RunKind(
    name="fixed sets",
    label=lambda request: f"Trying {request.sets:,} sets of {request.k} on {request.setup.pool}",
    run=find_fixed,
    settings=FixedSettings.from_json,
    resumed=resumed,
    result=result_by(FixedSets.from_json),
)
"""Searches for a fixed set; the result of a job is a `FixedSets`."""


NEIGHBOURS: int = next(knob.default for knob in METHOD.own if knob.name == NEAREST)
"""How many examples choose, where nobody says otherwise."""


@dataclass(frozen=True)
class NeighboursRequest:
    """Which run's scores choose, and how many examples choose the setting of a query.

    `run` None is the pool's latest with the setup's model and template.
    """

    setup: Setup
    run: int | None = None
    neighbours: int = NEIGHBOURS


def worth_of_choosing(studio: Studio, request: NeighboursRequest) -> ChoicePerQuery:
    """What choosing per query gains over one setting for all, cross-validated; asks no model.

    The settings are those that compare the query with demonstrations' queries, or where these are
    fewer than two, with queries and answers.

    Raises:
        InvalidInput: There is no such run or pool, or the run has too few settings or examples.
    """
    setup = request.setup
    of_model = RunModel(setup.model_name, setup.template, studio.quality_key(setup))
    run = find_run(studio.store, setup.pool, request.run, of_model.made)
    recorded = RecordedScores.read(studio.store, run)
    names = _names(recorded)
    queries = [example.query for example in recorded.examples]
    embeddings, _ = embed_texts(studio.store, studio.encoder(setup.encoder), queries)
    return choice_per_query(recorded, names, embeddings, request.neighbours)


def _names(recorded: RecordedScores) -> tuple[str, ...]:
    by_queries, _ = usable_settings(recorded, Embed.QUERY)
    if len(by_queries) >= LEAST:
        return tuple(by_queries)
    return tuple(usable_settings(recorded, Embed.QUERY_AND_ANSWER)[0])
