"""One comparison over two models: the figures of each, orders, what is kept, what is let go of."""

import gc
import json
import weakref
from dataclasses import replace

import pytest
from scipy.stats import spearmanr

from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.orders import Orders
from core.language_model import load
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.watcher import EXAMPLES, NOBODY, Watcher
from tests.support.tiny_language_model import build_tiny_language_model

SETTINGS = {
    "none": Knobs("none", 2, lambda_d=1.0, lambda_b=1.0),
    "rel": Knobs("rel", 2, lambda_d=1.0, lambda_b=1.0),
    "bias": Knobs("bias", 2, lambda_d=1.0, lambda_b=0.0),
    "mix": Knobs(k=2, lambda_d=0.3, lambda_b=0.8),
}
TINY, OTHER = "tiny", "other"


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    return [
        str(build_tiny_language_model(folder / name, seed=seed))
        for seed, name in enumerate((TINY, OTHER))
    ]


@pytest.fixture
def second(folders):
    return folders[1]


@pytest.fixture
def setup(folders):
    return Setup("small", None, folders[0])


@pytest.fixture
def rows(second):
    return (
        *(ComparisonRow(name, knobs) for name, knobs in SETTINGS.items()),
        *(ComparisonRow(f"{name} b", knobs, second) for name, knobs in SETTINGS.items()),
    )


def run(studio, request, watcher=NOBODY):
    return compare.run(studio, request, watcher)


def values(summary):
    return {
        name: (each.metrics, each.differences, each.by_kind)
        for name, each in summary.methods.items()
    }


def test_each_models_figures_are_those_of_a_comparison_of_its_own(studio, setup, second, rows):
    found = run(studio, CompareRequest(setup=setup, rows=rows, limit=5))
    (before,) = found.earlier
    assert [each.figures.settings.model for each in (before, found)] == [TINY, OTHER]
    assert before.earlier == ()
    for part, alone in (
        (before, CompareRequest(setup=setup, rows=rows[:4], limit=5)),
        (
            found,
            CompareRequest(
                setup=replace(setup, model=second),
                rows=tuple(replace(row, model=None) for row in rows[4:]),
                limit=5,
            ),
        ),
    ):
        again = run(studio, alone)
        assert again.figures.language_model_calls == 0, "all of it is in the store"
        assert repr(values(again.summary())) == repr(values(replace(part, earlier=()).summary()))
        assert [e.query for e in again.examples] == [e.query for e in part.examples]
    contexts = [[each.ids for each in part.outcomes] for part in (
        before.methods["bias"], found.methods["bias b"])]  # fmt: skip
    assert contexts[0] != contexts[1], "each model has its own quality bias"


def test_the_order_of_the_rows_is_that_of_their_means(studio, setup, rows):
    summary = run(studio, CompareRequest(setup=setup, rows=rows)).summary()
    (before,) = summary.earlier
    for order in summary.orders:
        a, b = (
            [part.value(row.names[side], order.metric).mean for row in order.rows]
            for side, part in enumerate((before, summary))
        )
        assert [row.names for row in order.rows] == [(name, f"{name} b") for name in SETTINGS]
        if order.correlation.mean is not None:
            assert order.correlation.mean == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert len(summary.orders.of("dpo_per_triple")) == 1


@pytest.mark.thorough
def test_each_model_is_a_recorded_run_and_the_last_carries_the_earlier(studio, setup, rows):
    found = run(studio, CompareRequest(setup=setup, rows=rows, limit=3))
    pool = studio.store.pools.get("small").id
    newest, oldest = studio.store.runs.latest("evaluate", pool)
    assert (newest.id, oldest.id) == (found.figures.run, found.earlier[0].figures.run)
    assert {newest.state, oldest.state} == {"finished"}
    assert "earlier" not in oldest.result
    summary = found.summary()
    latest = compare.RUNS.latest(studio, "small")
    assert latest.ended_at(None) == summary
    text = json.dumps(summary.to_json())
    assert Comparison.from_json(json.loads(text)) == summary
    assert json.dumps(Comparison.from_json(json.loads(text)).to_json()) == text
    (row,) = json.loads(text)["earlier"]
    assert not {"earlier", "orders"} & row.keys()
    assert row == json.loads(json.dumps(found.earlier[0].summary().to_json()))


def test_a_comparison_for_one_model_knows_nothing_of_others(studio, setup, rows):
    row = run(studio, CompareRequest(setup=setup, rows=rows[:4], limit=2)).summary().to_json()
    assert not {"earlier", "orders"} & row.keys()
    assert "rows" not in row["settings"]
    read = Comparison.from_json(row)
    assert (read.earlier, read.orders, read.models) == ((), Orders(), (read,))


def test_a_run_that_was_cut_off_goes_on_with_the_rows_of_all_models(studio, setup, rows):
    request = CompareRequest(setup=setup, rows=rows, limit=2, seed=4, leave_out_leaks=True)
    found = run(studio, request)
    for settings in (found.figures.settings, found.earlier[0].figures.settings):
        assert compare.resumed(setup, type(settings).from_json(settings.to_json())) == request
    again = run(studio, compare.resumed(setup, found.figures.settings))
    assert (again.figures.language_model_calls, again.earlier[0].figures.language_model_calls) == (
        0,
        0,
    )


def test_rows_that_all_name_one_model_go_on_with_it(studio, setup, second, rows):
    request = CompareRequest(setup=setup, rows=rows[4:], limit=2)
    settings = run(studio, request).figures.settings
    assert settings.model == OTHER
    assert compare.resumed(setup, settings) == request


class Stop:
    """Asks to stop once the second model has so many examples."""

    def __init__(self, examples):
        self.examples = examples
        self.seen = []

    def watcher(self):
        return Watcher(on_partial=self.seen.append, cancelled=self.asked)

    def asked(self):
        now = self.seen[-1] if self.seen else None
        return now is not None and len(now.earlier) == 1 and now.figures.done == self.examples


def test_what_was_compared_before_a_stop_is_kept(studio, setup, rows):
    stop = Stop(2)
    with pytest.raises(Cancelled):
        run(studio, CompareRequest(setup=setup, rows=rows, limit=3), stop.watcher())
    assert [(len(each.earlier), each.figures.done) for each in stop.seen] == [
        (0, 1), (0, 2), (0, 3), (1, 1), (1, 2),
    ]  # fmt: skip
    kept = compare.RUNS.latest(studio, "small")
    assert (kept.end, kept.done, kept.total) == ("stopped", 2, 3)
    (before,) = kept.earlier
    assert (before.end, before.done) == ("all", 3)
    for name, each in stop.seen[2].methods.items():
        assert before.value(name, "delta").mean == each.metric("delta").mean
    assert kept.orders.of("delta")[0].correlation.n == 2, "the examples that both have"
    going_on = stop.seen[-1].summary()
    assert going_on.earlier == tuple(replace(each, finished=None) for each in kept.earlier)
    assert not going_on.orders, "their intervals are those of one number of examples"


@pytest.mark.thorough
def test_a_stop_before_the_second_models_first_example_keeps_the_first(studio, setup, rows):
    parts = []
    watcher = Watcher(on_part=parts.append, cancelled=lambda: len(parts) == 2)
    with pytest.raises(Cancelled):
        run(studio, CompareRequest(setup=setup, rows=rows, limit=3), watcher)
    kept = compare.RUNS.latest(studio, "small")
    assert (kept.settings.model, kept.end, kept.earlier) == (TINY, "all", ())


def test_progress_says_which_model_is_asked(studio, setup, second, rows):
    labels = []
    watcher = Watcher(on_part=labels.append, on_phase=labels.append)
    run(studio, CompareRequest(setup=setup, rows=rows, limit=1), watcher)
    parts = [each for each in labels if each.startswith("model")]
    assert parts == [f"model {TINY}, 1 of 2", "model other, 2 of 2"]
    assert labels.index(EXAMPLES) < labels.index(parts[1])
    labels.clear()
    run(studio, CompareRequest(setup=setup, rows=rows[:2], limit=1), watcher)
    assert not [each for each in labels if each.startswith("model")]


@pytest.mark.thorough
def test_a_job_shows_which_part_it_is_in(studio, setup, rows):
    job = compare.RUNS.start(studio, CompareRequest(setup=setup, rows=rows, limit=1))
    assert job.wait(60)
    assert job.state == "finished"
    assert job.snapshot().part == "model other, 2 of 2"
    assert job.result.summary().model_names == (TINY, OTHER)


@pytest.mark.thorough
def test_a_reference_of_one_model_is_its_setting_under_another(studio, setup, rows):
    request = CompareRequest(setup=setup, rows=rows, limit=2, references=("rel",))
    found = run(studio, request)
    assert (found.earlier[0].references, found.references) == (("rel",), ("rel b",))
    few = (*rows[:3], *rows[6:])
    found = run(studio, replace(request, rows=few))
    assert found.references == ("bias b",), "its first row"
    with pytest.raises(InvalidInput, match="'gone' is not among"):
        run(studio, replace(request, references=("gone",)))


def test_a_folder_that_is_not_there_is_refused_before_any_model_is_asked(studio, setup, rows):
    request = CompareRequest(
        setup=setup, rows=(*rows, ComparisonRow("far", SETTINGS["rel"], "/no/such/folder"))
    )
    with pytest.raises(InvalidInput, match="There is no model folder '/no/such/folder'"):
        run(studio, request)
    assert compare.RUNS.latest(studio, "small") is None


def test_a_reference_that_is_no_row_is_refused_before_any_text_is_embedded(studio, setup, rows):
    request = CompareRequest(
        setup=replace(setup, encoder="/no/such/encoder"), rows=rows, references=("best",)
    )
    with pytest.raises(InvalidInput, match="'best' is not among the methods and settings compared"):
        run(studio, request)


@pytest.mark.thorough
def test_the_models_of_a_recorded_run_have_one_end(studio, setup, rows):
    run(studio, CompareRequest(setup=setup, rows=rows))
    found = compare.RUNS.latest(studio, setup.pool)
    assert found.finished is not None
    assert [each.finished for each in found.earlier] == [found.finished]


def test_the_cost_counts_every_example_without_context_for_every_model(studio, setup, rows):
    request = CompareRequest(setup=setup, rows=rows, limit=5)
    assert compare.contexts_at_most(studio, request) == 5 * (3 + 1 + 3 + 1)
    named = tuple(replace(row, model=row.model or setup.model) for row in rows)
    assert compare.contexts_at_most(studio, replace(request, rows=named)) == 5 * 8


@pytest.fixture
def loading(tmp_path, encoder, workspace_with, pool_drafts):
    """A studio whose every loading says which models are in memory at that moment."""
    workspace_with(tmp_path / "loading", "small", pool_drafts)
    seen, known = [], []

    def load_one(name):
        model = load(name)
        seen.append([other.name for other in (each() for each in known) if other is not None])
        known.append(weakref.ref(model))
        return model

    with Studio.open(
        tmp_path / "loading", load_encoder=lambda name: encoder, load_model=load_one
    ) as opened:
        yield opened, seen, known


def alive(known):
    gc.collect()
    return [model.name for model in (each() for each in known) if model is not None]


def test_a_model_is_let_go_of_before_the_next_is_loaded(loading, setup, second, rows):
    studio, seen, known = loading
    third = ComparisonRow("rel c", SETTINGS["rel"], "practice")
    found = run(studio, CompareRequest(setup=setup, rows=(*rows, third), limit=2))
    assert seen == [[], [], []], "no model is in memory while another is loaded"
    assert found.summary().model_names == (TINY, OTHER, "practice")
    assert alive(known) == [], "the last one is not the chosen one"
    assert studio.loaded_model(setup.model) is None


@pytest.mark.thorough
def test_the_chosen_model_stays_where_it_was_the_last(loading, setup, second, rows):
    studio, _, known = loading
    run(studio, CompareRequest(setup=setup, rows=(*rows[4:], *rows[:4]), limit=1))
    assert alive(known) == [TINY]
    assert studio.loaded_model(setup.model) is not None


@pytest.mark.thorough
def test_a_finished_job_holds_no_model(loading, setup, rows):
    studio, seen, known = loading
    model = weakref.ref(studio.language_model(setup.model))
    engine = studio.engine(setup)
    job = studio.model_worker.submit("quality", "", lambda job, engine=engine: engine.name)
    assert job.wait(60)
    del engine
    run(studio, CompareRequest(setup=setup, rows=rows, limit=1))
    assert model() is None
    assert seen == [[], []]
