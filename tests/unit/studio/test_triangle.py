"""The effects of a triangle's contexts: the right ones, each once, large and near ones first."""

from dataclasses import replace

import numpy as np
import pytest

from core.background import Urgency
from core.demonstration.demonstration import incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.engine import prompt_of
from core.evaluation.scoring.quality_bias import score_quality
from core.retrieval.knobs import Knobs
from core.retrieval.triangle import weights_at
from core.studio import Setup
from core.studio.explore import latest as latest_module
from core.studio.explore import triangle as module
from core.studio.explore.effect import effect_of
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.latest import LatestResults
from core.studio.explore.triangle import prompt_sizes, triangle_of, triangle_scores
from core.watcher import NOBODY, Watcher
from tests.unit.studio.exploring import QUERY, ROWS, Asked, wait_for

HERE = (0.75, 0.95)


@pytest.fixture
def model(load_once, tiny_lm_folder):
    return Asked(load_once(str(tiny_lm_folder)))


@pytest.fixture
def load_model(model):
    return lambda name: model


@pytest.fixture
def asked(studio, model, tiny_lm_folder):
    setup = Setup("small", None, str(tiny_lm_folder))
    studio.language_model(setup.model)
    score_quality(studio.store, studio.store.pools.get("small").id, studio.engine(setup))
    model.prompts.clear()
    _, answers, incorrect = ROWS[0]
    return ExploreRequest(
        setup,
        QUERY,
        Knobs(k=3),
        leave_out=True,
        answers=answers,
        incorrect=incorrect_answers(incorrect),
    )


@pytest.fixture
def resolved(studio, asked):
    return resolve(studio, asked)


@pytest.fixture
def triangle(resolved):
    return triangle_of(resolved)


def scores_of(resolved, triangle, here=HERE, watcher=NOBODY):
    engine = resolved.studio.engine(resolved.request.setup)
    return triangle_scores(resolved, triangle, engine, lambda: here, watcher)


def test_each_context_has_the_effect_that_it_has_alone(studio, asked, resolved, triangle):
    scores = scores_of(resolved, triangle)
    assert scores.scored == triangle.n_contexts > 3
    for lambda_d, lambda_b in [(0.2, 0.3), (0.5, 0.9), HERE, (0.95, 0.2)]:
        at = resolve(studio, asked.with_knobs(lambda_d=lambda_d, lambda_b=lambda_b))
        found = explore(at)
        effect = effect_of(asked, studio.engine(asked.setup), found.prompt)
        context = triangle.context_at(lambda_d, lambda_b)
        np.testing.assert_allclose(
            scores.log_probs[context], [row.with_context.total for row in effect.rows], atol=1e-5
        )
        np.testing.assert_allclose(
            scores.alone, [row.alone.total for row in effect.rows], atol=1e-5
        )
        assert scores.dpo[context] == pytest.approx(effect.dpo, abs=1e-5)
        assert scores.delta[context] == pytest.approx(effect.delta, abs=1e-5)


def test_each_distinct_context_is_scored_once(resolved, triangle, model):
    scores_of(resolved, triangle)
    assert len(model.prompts) == len(set(model.prompts)) == triangle.n_contexts + 1
    scores_of(resolved, triangle)
    assert len(model.prompts) == triangle.n_contexts + 1, "the second time it is read"


def order_of(resolved, triangle, here=HERE):
    """The contexts in the order in which their scores come."""
    seen, before = [], np.zeros(triangle.n_contexts, dtype=bool)

    def note(scores):
        nonlocal before
        known = ~np.isnan(scores.dpo)
        seen.extend(np.flatnonzero(known & ~before).tolist())
        before = known

    scores_of(resolved, triangle, here, Watcher(on_partial=note))
    return seen


@pytest.mark.parametrize("here", [HERE, (0.1, 0.5), (0.9, 0.1)])
def test_the_one_at_the_handle_comes_first_then_large_ones_the_nearest_first(
    resolved, triangle, here
):
    drawing, of_cell = triangle.drawing, triangle.context_of
    place = drawing.places(weights_at(*here))
    order = order_of(resolved, triangle, here)
    assert sorted(order) == list(range(triangle.n_contexts))
    assert order[0] == of_cell[drawing.cell_at(place)]
    shares = np.bincount(of_cell, drawing.shares)
    halvings = [int(np.ceil(-np.log2(shares[context]))) for context in order[1:]]
    assert halvings == sorted(halvings)
    distances = [
        min(np.linalg.norm(middle - place) for middle in drawing.middles[of_cell == context])
        for context in order[1:]
    ]
    for size in set(halvings):
        same = [d for d, s in zip(distances, halvings, strict=True) if s == size]
        assert same == sorted(same)


def test_a_handle_that_moves_changes_what_comes_next(resolved, triangle):
    """From the second one on it is somewhere else, and the context there comes at once."""
    places = iter([HERE])
    there = (0.02, 0.5)
    engine = resolved.studio.engine(resolved.request.setup)
    seen = []
    triangle_scores(
        resolved,
        triangle,
        engine,
        lambda: next(places, there),
        Watcher(on_partial=lambda scores: seen.append(~np.isnan(scores.dpo))),
    )
    assert seen[1][triangle.context_at(*there)]


def test_what_was_scored_before_a_stop_is_kept(resolved, triangle, model):
    seen = []

    def stop():
        return len(seen) == 2

    with pytest.raises(Cancelled):
        scores_of(resolved, triangle, watcher=Watcher(on_partial=seen.append, cancelled=stop))
    assert [each.scored for each in seen] == [1, 2]
    asked_for = len(model.prompts)
    scores_of(resolved, triangle)
    assert len(model.prompts) == triangle.n_contexts + 1
    assert asked_for == 3


def test_without_incorrect_answers_there_is_no_dpo(studio, asked):
    at = resolve(studio, replace(asked, incorrect=()))
    scores = scores_of(at, triangle_of(at))
    assert np.isnan(scores.dpo).all()
    assert np.isfinite(scores.log_probs).all()


def test_answers_are_needed(studio, asked):
    at = resolve(studio, replace(asked, answers=(), incorrect=()))
    with pytest.raises(InvalidInput, match="no correct answer"):
        scores_of(at, triangle_of(at))


def test_tokens_are_those_of_each_prompt(resolved, triangle, model):
    template, view = resolved.now.template, resolved.view
    sizes = prompt_sizes(resolved, triangle)
    assert not sizes.left_out.any()
    for number, count in enumerate(sizes.tokens):
        prompt = prompt_of(
            view, triangle.context(number), QUERY, template, resolved.request.knobs.order
        )
        assert count == model.count_tokens(prompt)


def test_tokens_are_of_the_prompt_that_fits_the_window(studio, asked, model):
    many = asked.with_knobs(k=12)
    at = resolve(studio, many)
    found = explore(at)
    triangle = triangle_of(at)
    assert found.left_out > 0
    sizes, here = prompt_sizes(at, triangle), triangle.context_at(found.lambda_d, found.lambda_b)
    assert (sizes.tokens[here], sizes.left_out[here]) == (found.tokens, found.left_out)


def test_large_pools_and_other_methods_have_none(studio, asked, monkeypatch):
    assert triangle_of(resolve(studio, asked.with_knobs(method="vrsd"))) is None
    assert triangle_of(resolve(studio, asked.with_knobs(method="rel"))) is None
    monkeypatch.setattr(module, "MOST_DEMONSTRATIONS", 9)
    assert triangle_of(resolve(studio, asked)) is None


def test_the_latest_triangle_is_kept_while_only_the_lambdas_change(studio, asked, model):
    latest = LatestResults(studio, pause=0.0)
    at = resolve(studio, asked)
    triangle = latest.triangle(at)
    now = wait_for(lambda: (n := latest.triangle_scores(at, triangle, None)).complete and n)
    assert now.scores.scored == triangle.n_contexts
    moved = resolve(studio, asked.with_knobs(lambda_d=0.2, lambda_b=0.4))
    assert latest.triangle(moved) is triangle
    assert latest.triangle_scores(moved, triangle, None).scores is now.scores
    other = resolve(studio, asked.with_knobs(k=2))
    assert latest.triangle(other) is not triangle
    assert latest.triangle(other).lists.shape[1] == 2


def test_what_the_store_knows_needs_no_job(studio, asked, resolved, triangle):
    scores = scores_of(resolved, triangle)
    now = LatestResults(studio, pause=0.0).triangle_scores(resolved, triangle, None)
    assert now.job is None
    np.testing.assert_allclose(now.scores.dpo, scores.dpo)


def test_scoring_can_be_cancelled_and_goes_on_when_asked(studio, asked, resolved, model):
    latest = LatestResults(studio, pause=0.0)
    triangle = latest.triangle(resolved)
    model.may_answer.clear()
    assert not latest.triangle_scores(resolved, triangle, None).complete
    latest.cancel_cells()
    model.may_answer.set()
    now = wait_for(lambda: (n := latest.triangle_scores(resolved, triangle, None)).complete and n)
    assert now.job.state == "cancelled"
    assert now.scores.scored < triangle.n_contexts
    latest.try_again()
    now = wait_for(lambda: (n := latest.triangle_scores(resolved, triangle, None)).complete and n)
    assert now.scores.scored == triangle.n_contexts


def test_what_is_fine_waits_for_runs(studio, resolved, triangle, monkeypatch):
    """The first two come at once; the rest has the urgency of what nobody asked for."""
    monkeypatch.setattr(latest_module, "COARSE", 2)
    submit, jobs = studio.model_worker.submit, []

    def noted(slot, label, work, *, urgency):
        jobs.append((urgency, submit(slot, label, work, urgency=urgency)))
        return jobs[-1][1]

    monkeypatch.setattr(studio.model_worker, "submit", noted)
    latest = LatestResults(studio, pause=0.0)
    now = wait_for(lambda: (n := latest.triangle_scores(resolved, triangle, None)).complete and n)
    assert now.scores.scored == triangle.n_contexts
    assert [urgency for urgency, _ in jobs] == [Urgency.SHOWN, Urgency.UNASKED]
    assert [job.result.scored for _, job in jobs] == [2, triangle.n_contexts]


def test_a_server_is_asked_for_all_contexts_only_once_a_person_wants_it(
    studio, asked, resolved, triangle, model, monkeypatch
):
    monkeypatch.setattr(latest_module, "_is_served", lambda resolved: True)
    latest = LatestResults(studio, pause=0.0)
    assert latest.triangle(resolved) is not None
    now = latest.triangle_scores(resolved, triangle, None)
    assert (now.offered, now.complete, now.scores.scored) == (True, True, 0)

    found = explore(resolved)
    effect = effect_of(asked, studio.engine(asked.setup), found.prompt)
    here = triangle.context_at(found.lambda_d, found.lambda_b)
    now = latest.triangle_scores(resolved, triangle, effect)
    assert (now.offered, now.scores.scored) == (True, 1)
    assert now.scores.dpo[here] == pytest.approx(effect.dpo)
    assert now.scores.delta[here] == pytest.approx(effect.delta)
    assert latest.triangle_scores(resolved, triangle, None).scores.knows(here), "it is kept"

    latest.score_cells()
    now = wait_for(lambda: (n := latest.triangle_scores(resolved, triangle, None)).complete and n)
    assert (now.offered, now.scores.scored) == (False, triangle.n_contexts)
    other = resolve(studio, asked.with_knobs(k=2))
    assert latest.triangle_scores(other, latest.triangle(other), None).offered, "another one"
