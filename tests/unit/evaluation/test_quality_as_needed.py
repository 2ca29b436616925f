"""Quality that is scored only where a choice turns on it: the same contexts, with fewer scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core.evaluation.runs.running
from core.errors import Cancelled
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.scoring.quality_bias import QualityAsNeeded
from core.retrieval.choosing import choose_context, settled
from core.retrieval.knobs import BiasScale, Knobs
from core.retrieval.lambda_path import context_path
from core.watcher import NOBODY, QUALITY, Watcher
from tests.contracts.test_method_contract import pool, query_vector

BIASED = ("rel+bias", "rel+div+bias", "rel", "none")


class QualityOfTable(QualityAsNeeded):
    """Takes the quality bias from an array instead of a model, and counts what it took."""

    def __init__(self, view, bias):
        super().__init__(None, None, view)
        self.bias, self.taken = bias, set()

    def _score(self, places, watcher):
        self.taken.update(places)
        known = self._bias.copy()
        known[places] = self.bias[places]
        self._bias = known


@st.composite
def pools(draw):
    """A view without quality, the quality of each demonstration, a query's vector."""
    seed = draw(st.integers(0, 10_000))
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(seed)
    view = pool([f"query {number}" for number in range(n)])
    bias = -rng.gamma(2.0, 1.5, n)
    bias[rng.random(n) < draw(st.sampled_from([0.0, 0.2]))] = -np.inf
    bias[rng.random(n) < draw(st.sampled_from([0.0, 0.3]))] = -1.0  # ties
    return view.with_bias(np.full(n, np.nan)), bias, query_vector()


@settings(max_examples=150, deadline=None)
@given(pools(), st.sampled_from([0.0, 0.25, 0.75, 1.0]), st.sampled_from([0.0, 0.9, 0.95, 1.0]),
       st.integers(0, 8))  # fmt: skip
def test_contexts_are_those_of_the_whole_quality(made, lambda_d, lambda_b, k):
    view, bias, query = made
    knobs = Knobs(k=k, lambda_d=lambda_d, lambda_b=lambda_b)
    quality = QualityOfTable(view, bias)

    def choose(of):
        return {"it": choose_context(of, "?", query, knobs, leave_out=False)}

    found = quality.settled(view, choose, Watcher())["it"]
    whole = choose(view.with_bias(bias))["it"]
    assert found.ids.tolist() == whole.ids.tolist()
    np.testing.assert_array_equal(found.values, whole.values)
    if knobs.needs_bias:
        np.testing.assert_array_equal(found.quality_bias, whole.quality_bias)
    if lambda_b == 0.0 and lambda_d == 1.0 and k:
        assert quality.taken == set(range(len(view)))


@settings(max_examples=50, deadline=None)
@given(pools(), st.sampled_from([0.9, 0.95]), st.integers(1, 5))
def test_paths_are_those_of_the_whole_quality(made, lambda_b, k):
    view, bias, query = made
    knobs = Knobs(k=k, lambda_b=lambda_b)

    def choose(of):
        path = context_path(of, "?", query, settled(knobs), leave_out=False)
        return {(piece.low, piece.high): piece.value for piece in path}

    found = QualityOfTable(view, bias).settled(view, choose, Watcher())
    whole = choose(view.with_bias(bias))
    assert [(key, context.ids.tolist()) for key, context in found.items()] == [
        (key, context.ids.tolist()) for key, context in whole.items()
    ]


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        (Knobs(), False),
        (Knobs(method="rel", lambda_b=0.5), False),
        (Knobs(lambda_b=0.9), False),
        (Knobs(lambda_b=0.89), True),
        (Knobs(method="bias"), True),
        (Knobs(bias_scale=BiasScale.RANK), True),
        (Knobs(candidates=20), True),
    ],
)
def test_which_requests_need_all_of_it(bench, knobs, expected):
    quality = QualityAsNeeded(bench.store, bench.engine(), bench.view())
    assert quality.needs_all([settled(Knobs(method="none")), settled(knobs)]) is expected


@pytest.fixture
def run(bench, monkeypatch):
    """Compares or calibrates the small pool, whose quality is not scored."""
    monkeypatch.setattr(core.evaluation.runs.running, "FIRST_LOOK", 3)

    def compared(methods, watcher=NOBODY, quality=True):
        view, engine = bench.view(), bench.engine()
        of_view = QualityAsNeeded(bench.store, engine, view) if quality else None
        requests = {name: Knobs(method=name, k=2) for name in methods}
        options = EvaluationOptions(quality=of_view)
        given = bench.store, view, engine, bench.examples(), bench.encoder, requests
        return evaluate(*given, options=options, watcher=watcher)

    return compared


def figures(result):
    row = result.summary().to_json()
    del row["run"], row["language_model_calls"]
    return row


def test_a_comparison_is_the_same_and_no_pair_is_scored_twice(run, bench):
    found = run(BIASED)
    asked = list(bench.model.asked)
    assert len(asked) == len(set(asked))
    bench.score_quality()
    assert figures(run(BIASED, quality=False)) == figures(found)


def test_methods_that_need_no_whole_quality_come_first(run, bench):
    seen, phases = [], []
    methods = ("bias", *BIASED)
    watcher = Watcher(
        on_partial=lambda each: seen.append((len(phases), each)), on_phase=phases.append
    )
    found = run(methods, watcher)
    assert phases.count(QUALITY) == 1
    early = [each for at, each in seen if at <= phases.index(QUALITY)]
    assert [each.figures.done for each in early] == [1, 2, 3]
    for each in early:
        assert each.first_look
        assert tuple(each.methods) == BIASED
        assert each.reference == "rel+bias"
        each.summary()
    later = [each for at, each in seen if at > phases.index(QUALITY)]
    assert [each.figures.done for each in later] == [*range(3, found.figures.total + 1)]
    assert not any(each.first_look for each in later)
    assert tuple(found.methods) == methods
    assert found.reference == "bias"
    assert figures(found) == figures(run(methods, quality=False))


def test_a_calibration_looks_first_where_little_is_needed(bench, monkeypatch):
    monkeypatch.setattr(core.evaluation.runs.running, "FIRST_LOOK", 3)
    quarters = tuple(each / 4 for each in range(5))

    def calibrated(watcher=NOBODY, quality=True, lambda_b=0.95):
        view, engine = bench.view(), bench.engine()
        options = CalibrationOptions(
            lambda_ds=quarters, lambda_bs=(lambda_b,), ks=(2,), first_look=True,
            quality=QualityAsNeeded(bench.store, engine, view) if quality else None,
        )  # fmt: skip
        given = bench.store, view, engine, bench.examples(), bench.encoder
        return calibrate(*given, options=options, watcher=watcher)

    seen = []
    found = calibrated(Watcher(on_partial=seen.append))
    early = [each for each in seen if each.first_look]
    assert [each.figures.done for each in early] == [1, 2, 3]
    assert [cell.lambda_d for cell in early[0].cells] == [0.0, 0.75, 1.0]
    assert found.defaults.request.lambda_b == 0.95
    again = calibrated(quality=False)
    assert figures(again) == figures(found)
    seen.clear()
    calibrated(Watcher(on_partial=seen.append), lambda_b=0.5)
    assert [cell.lambda_d for cell in seen[0].cells] == list(quarters)


def test_stopped_on_the_way_it_keeps_what_was_scored(run, bench):
    done = []
    watcher = Watcher(on_progress=lambda at, total: done.append(at), cancelled=lambda: 8 in done)
    with pytest.raises(Cancelled):
        run(("bias",), watcher)
    assert bench.store.log_probs.count("fake model") == len(bench.model.asked) == 8
    run(("bias",))
    assert len(bench.model.asked) == len(set(bench.model.asked))
