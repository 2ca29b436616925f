"""What was computed of the bundled pools: true of the encoder, model and texts at hand."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.embedding import load_encoder
from core.engines import LocalEngine
from core.evaluation.scoring.example_scores import Setting, score_example
from core.language_model import AnswerRequest, known_fingerprint, load
from core.metrics.preference import dpo_per_triple
from core.reporting.words.start_page import why_chosen
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs, PromptOrder
from core.retrieval.pool_view import demonstration_hash
from core.settings import PRACTICE
from core.studio import Setup, Studio
from core.studio.explore.effect import query_curve
from core.studio.explore.exploration import ExploreRequest, example_of, explore, resolve
from core.studio.map.pool_map import pool_map
from core.studio.pools.bundled import bundled_choice, bundled_effects, opening
from core.studio.pools.pools import BUNDLED, import_bundled, load_bundled
from core.studio.session import readiness
from core.text import content_hash
from core.watcher import Watcher
from practice.commands.computed import METHODS

ROOT = Path(__file__).resolve().parents[3]
EVERY = 60
"""Recomputed is every so manieth text of a pool."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """A new workspace as a first visit makes it."""
    with Studio.open(tmp_path_factory.mktemp("bundled") / "workspace") as opened:
        load_bundled(opened)
        yield opened


@pytest.fixture(scope="module")
def model():
    return load(PRACTICE)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


def setup(pool):
    return Setup(pool, model=PRACTICE)


def test_it_is_of_the_encoder_and_the_model_at_hand(encoder, model):
    effects = bundled_effects()
    assert effects.encoder == encoder.fingerprint
    assert effects.model == known_fingerprint(PRACTICE) == model.fingerprint


def test_another_models_fingerprint_is_not_guessed(tiny_lm_folder):
    assert known_fingerprint(str(tiny_lm_folder)) is None


@pytest.mark.parametrize("pool", BUNDLED)
def test_the_pools_are_there_whole_and_as_they_would_be_computed(studio, encoder, model, pool):
    view = studio.view(setup(pool))
    assert not encoder.ready or pool != BUNDLED[0]
    assert view.unscored == 0
    some = range(0, len(view), EVERY)
    rows = encoder.encode([view.queries[place] for place in some])
    assert np.abs(view.matrix[::EVERY] - rows).max() < 1e-5
    template = studio.template(setup(pool))
    asked = [
        AnswerRequest(template.prompt([], view.queries[at]), (template.answer(view.answers[at]),))
        for at in some
    ]
    found = [row.total / row.n_tokens for (row,) in model.log_probs(asked)]
    assert np.abs(view.quality_bias[::EVERY] - found).max() < 1e-4


@pytest.mark.parametrize("pool", BUNDLED)
def test_the_map_is_there_and_neighbours_on_it_are_alike(studio, pool):
    view = studio.view(setup(pool))
    found, job = pool_map(studio, setup(pool), view)
    assert job is None
    assert found.layout.placed == 0
    points, rows = found.layout.points, found.layout.embeddings
    itself = np.eye(len(points)) * 1e9
    beside = (np.linalg.norm(points[:, None] - points, axis=2) + itself).argmin(axis=1)
    cosines = rows @ rows.T
    anyone, nearest = cosines.mean(), (cosines - itself).max(axis=1).mean()
    on_the_map = (rows * rows[beside]).sum(axis=1).mean()
    assert (on_the_map - anyone) / (nearest - anyone) > 0.5


@pytest.mark.parametrize("pool", BUNDLED)
def test_the_first_screen_of_explore_is_what_the_model_says(studio, model, pool):
    view = studio.view(setup(pool))
    query = opening(studio, setup(pool), view).query
    example = example_of(studio, view, query)
    request = ExploreRequest(
        setup(pool), query, leave_out=True, answers=example.answers, incorrect=example.incorrect
    )
    resolved = resolve(studio, request)
    curve = resolved.if_stored(lambda engine: query_curve(resolved, engine))
    assert curve.distinct_sets == curve.total_sets > 20
    piece = next(each for each in curve.pieces if each.low <= request.knobs.lambda_d < each.high)
    found = explore(resolve(studio, request))
    assert set(piece.ids) == {pick.id for pick in found.picks}
    template = studio.template(request.setup)
    texts = tuple(template.answer(text) for text in example.texts)
    alone, after = (
        np.array([each.total for each in row])
        for row in model.log_probs(
            [
                AnswerRequest(template.prompt([], query), texts),
                AnswerRequest(found.prompt, texts),
            ]
        )
    )
    change, split = after - alone, len(example.answers)
    deltas = np.subtract.outer(change[:split], change[split:])
    assert piece.dpo_per_triple == pytest.approx(-np.logaddexp(0, -deltas).mean(), abs=1e-4)


@pytest.mark.parametrize("every", [240, pytest.param(24, marks=pytest.mark.thorough)])
def test_the_effects_are_those_of_compares_methods(studio, model, every):
    pool, effects, chosen = BUNDLED[0], bundled_effects(), bundled_choice()
    view = studio.view(setup(pool))
    assert effects.queries == tuple(map(content_hash, view.distinct_queries))
    checked = {effects.queries.index(chosen.example), effects.queries.index(chosen.typical)}
    engine = LocalEngine(studio.store, model, studio.template(setup(pool)))
    setting = Setting(view, engine, PromptOrder.MOST_RELEVANT_LAST)
    for at in checked | {*range(0, len(effects.queries), every)}:
        query = view.distinct_queries[at]
        vector = studio.query_vector(None, query)
        contexts = {
            name: choose_context(view, query, vector, Knobs(name), leave_out=True)
            for name in METHODS
        }
        example = example_of(studio, view, query)
        found = score_example(setting, example, contexts, Watcher()).by_key
        none, similar, mix = (found[name].scores for name in METHODS)
        expected = {
            "similar_dpo": dpo_per_triple([similar]),
            "mix_dpo": dpo_per_triple([mix]),
            "similar_sameness": similar.diversity,
            "none_margin": none.correct[example.best] - none.incorrect.max(),
            "similar_margin": similar.correct[example.best] - similar.incorrect.max(),
            "mix_margin": mix.correct[example.best] - mix.incorrect.max(),
        }
        for name, value in expected.items():
            assert getattr(effects, name)[at] == pytest.approx(value, abs=1e-3), (query, name)


def test_with_another_encoder_nothing_of_it_is_used(tmp_path, hashing_encoder):
    with Studio.open(tmp_path / "workspace", load_encoder=lambda name: hashing_encoder) as other:
        load_bundled(other)
        found = readiness.make_ready(other, setup(BUNDLED[1]))
        assert found.view is None
        assert found.embedding.wait(60)
        view = other.view(setup(BUNDLED[1]))
        assert view.encoder == hashing_encoder.fingerprint
        assert np.array_equal(view.matrix, hashing_encoder.encode(view.queries))
        first = opening(other, setup(BUNDLED[0]), other.view(setup(BUNDLED[0])))
        assert first.chosen is None
        assert why_chosen(first, first.query) == ""


def test_an_old_workspace_gets_it_and_keeps_what_it_had(tmp_path):
    with Studio.open(tmp_path / "workspace") as old:
        import_bundled(old)
        key, pool = bundled_effects(), old.store.pools.get(BUNDLED[0])
        first = old.store.demonstrations.all(pool.id)[0]
        pair = demonstration_hash(first.query, first.answer)
        old.store.quality.put(key.model, key.template, [pair], [-1.5])
        load_bundled(old)
        view = old.view(setup(BUNDLED[0]))
        assert view.unscored == 0
        assert view.quality_bias[0] == -1.5


def test_the_first_screens_need_no_torch(tmp_path):
    script = """
import sys
from core.studio import Setup, Studio
from core.studio.pools.bundled import opening
from core.studio.explore.exploration import ExploreRequest, example_of, explore, resolve
from core.studio.pools.pools import load_bundled
from core.studio.explore.effect import query_curve
studio = Studio.open()
load_bundled(studio)
setup = Setup("service-desk")
view = studio.view(setup)
query = opening(studio, setup, view).query
example = example_of(studio, view, query)
request = ExploreRequest(
    setup, query, leave_out=True, answers=example.answers, incorrect=example.incorrect
)
assert len(explore(resolve(studio, request)).picks) == 6
resolved = resolve(studio, request)
assert resolved.if_stored(lambda engine: query_curve(resolved, engine)) is not None
heavy = {"torch", "transformers", "sentence_transformers", "umap", "faiss"} & {*sys.modules}
assert not heavy, heavy
studio.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "SHOTLIST_WORKSPACE": str(tmp_path / "workspace")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
