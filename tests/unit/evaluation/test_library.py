"""The front door's own functions: what they put together gives what the parts give by hand."""

import numpy as np
import pytest

import core
from core.errors import InvalidInput
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.settings import Embed
from core.store import Store
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.evaluation.small_pool import drafts

SETTINGS = {
    "none": Knobs("none", k=3),
    "bias": Knobs("bias", k=3),
    "close": Knobs("rel+div", k=2, lambda_d=0.9),
    "vrsd": Knobs("vrsd", k=3),
}
WRITTEN = ["none", "bias", "close: rel+div k=2 lambda_d=0.9", "vrsd"]


@pytest.fixture
def other(tmp_path, workspace_with):
    """The same pool in a store of its own, where nothing is scored."""
    workspace_with(tmp_path / "other", "small", drafts())
    with Store.open(tmp_path / "other") as opened:
        yield opened


def outcomes(result):
    return [(each.ids, each.scores.correct.tolist()) for each in result.outcomes]


@pytest.mark.parametrize("limit", [None, 4])
def test_a_comparison_is_that_of_the_parts(bench, other, limit):
    bench.score_quality()
    expected = evaluate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder, SETTINGS,
        options=EvaluationOptions(limit=limit, seed=3),
    )  # fmt: skip
    found = core.evaluate(
        other, "small", WRITTEN, Knobs(k=3, seed=3),
        model=FakeLanguageModel(), encoder=HashingEncoder(), limit=limit,
    )  # fmt: skip
    assert [each.query for each in found.examples] == [each.query for each in expected.examples]
    assert list(found.methods) == list(SETTINGS)
    for name in SETTINGS:
        assert outcomes(found.methods[name]) == outcomes(expected.methods[name])
    assert found.summary().reference == "none"


def test_the_model_answers_itself_where_it_is_asked_to(other):
    model = FakeLanguageModel()
    asked = {"model": model, "encoder": HashingEncoder(), "limit": 2}
    without = core.evaluate(other, "small", ["none", "rel"], **asked)
    assert without.methods["rel"].answers == ()
    assert model.generated == []
    found = core.evaluate(other, "small", ["none", "rel"], generate=True, **asked)
    assert [each.text for each in found.methods["none"].answers] == ["nothing", "nothing"]
    assert found.summary().methods["rel"].metrics["exact_match"].n == 2


def test_a_calibration_is_that_of_the_parts(bench, other):
    bench.score_quality()
    knobs = Knobs(k=2, lambda_b=0.8, seed=1)
    expected = calibrate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder,
        options=CalibrationOptions(seed=1, ks=(2,), lambda_bs=(0.8,), knobs=knobs),
    )  # fmt: skip
    found = core.calibrate(
        other, "small", knobs, model=FakeLanguageModel(), encoder=HashingEncoder()
    )
    assert found.steps().lows.tolist() == expected.steps().lows.tolist()
    assert found.steps().values.tolist() == expected.steps().values.tolist()
    assert [outcomes(cell) for cell in found.cells] == [outcomes(cell) for cell in expected.cells]
    assert found.recommendation.best == expected.recommendation.best


def test_a_second_run_asks_the_model_nothing_and_the_store_stays_open(bench):
    for repeat in range(2):
        asked = len(bench.model.asked)
        core.evaluate(
            bench.store, "small", ["rel", "bias"], model=bench.model, encoder=bench.encoder
        )
        assert (len(bench.model.asked) == asked) == bool(repeat)
    assert [run.kind for run in bench.store.runs.latest("evaluate", 1)] == ["evaluate"] * 2


def test_a_view_with_a_model_has_the_quality_bias(bench):
    found = core.load_pool_view(bench.store, "small", bench.encoder, model=bench.model)
    np.testing.assert_array_equal(found.quality_bias, bench.view().quality_bias)
    assert found.unscored == 0
    query = "Is water wet?"
    vector = bench.encoder.encode([query])[0]
    best = core.choose_context(found, query, vector, Knobs("bias", k=1), leave_out=False)
    assert best.indices.tolist() == [int(np.argmax(found.quality_bias))]
    undecided = core.choose_context(found, query, vector, Knobs("mdl", k=2), leave_out=True)
    assert len(undecided.indices) == 2, "a method that asks the model"


def test_a_view_without_a_model_has_none(bench):
    found = core.load_pool_view(bench.store, "small", bench.encoder)
    assert found.unscored == len(found) == len(load_pool_view(bench.store, "small", bench.encoder))
    assert bench.model.asked == []


def test_a_view_by_query_and_answer(bench):
    found = core.load_pool_view(bench.store, "small", bench.encoder, embed="query+answer")
    expected = load_pool_view(bench.store, "small", bench.encoder, embed=Embed.QUERY_AND_ANSWER)
    np.testing.assert_array_equal(found.matrix, expected.matrix)
    assert found.embed is Embed.QUERY_AND_ANSWER


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda store, **with_: core.evaluate(store, "small", [], **with_), "No setting"),
        (lambda store, **with_: core.evaluate(store, "small", ["best"], **with_), "no method"),
        (lambda store, **with_: core.evaluate(store, "small", ["rel", "rel"], **with_), "twice"),
        (lambda store, **with_: core.evaluate(store, "none", ["rel"], **with_), "none"),
        (lambda store, **with_: core.calibrate(store, "small", limit=0, **with_), "limit"),
        (
            lambda store, encoder, model: core.load_pool_view(
                store, "small", encoder, embed="answer"
            ),
            "query, query.answer",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(bench, ask, problem):
    with pytest.raises(InvalidInput, match=problem):
        ask(bench.store, encoder=bench.encoder, model=bench.model)
