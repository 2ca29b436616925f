"""How long a run will take: the model's pace on a pool, and the cost that is said with it."""

import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import Cancelled
from core.evaluation.plan.comparison_rows import ComparisonRow, rows_of_methods
from core.evaluation.runs.calibrate import CalibrationOptions
from core.evaluation.runs.running import RunOptions
from core.evaluation.scoring.quality_bias import score_quality
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.runs import calibrate, compare, worth
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.studio.runs.duration import LONGEST, ScoringPace, measure, timing
from core.studio.runs.worth import WorthRequest
from core.watcher import NOBODY, Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

SETUP = Setup("small", None, "fake")
THREE = RunOptions(limit=3)


class Clock:
    """Moves on when the model is asked: by 0.25 s, and 0.125 s for each demonstration.

    By 0.0625 s for an answer alone, as when its quality is scored.
    """

    def __init__(self):
        self.now, self.asked, self.pairs = 0.0, [], []

    def __call__(self):
        return self.now

    def ask(self, requests):
        if len(requests) > 1:
            assert {len(each.answers) for each in requests} == {1}
            self.pairs.append(len(requests))
            self.now += 0.0625 * len(requests)
            return
        self.asked += requests
        shown = requests[0].prompt.count("Q: ") - 1
        warm_up = 100.0 if len(self.asked) == 1 else 0.0
        self.now += 0.25 + 0.125 * shown + warm_up


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def model(clock):
    return FakeLanguageModel(before_call=clock.ask)


@pytest.fixture
def load_model(model):
    return lambda name: model


@pytest.fixture
def pool_drafts():
    wrong = incorrect_answers(("maybe", "ask again"))
    return [Draft(f"question {n} of them", f"answer {n}", wrong) for n in range(12)]


def request_of(rows=("none", "rel"), limit=3, **changes):
    return CompareRequest(setup=SETUP, rows=rows_of_methods(rows, Knobs()), limit=limit, **changes)


@pytest.fixture
def timed(studio, clock, monkeypatch):
    """The studio once the model was timed."""
    monkeypatch.setattr(measure, "__defaults__", (clock,))
    studio.language_model("fake")
    studio.view(SETUP)
    assert timing(studio, request_of()).wait(60)
    return studio


@pytest.mark.parametrize(
    ("contexts", "k", "seconds"), [(0, 6, 0), (8, 0, 2), (8, 6, 8), (8, 3, 5), (8, 12, 14)]
)
def test_seconds_grow_with_contexts_and_with_what_they_show(contexts, k, seconds):
    assert ScoringPace(alone=0.25, shown=1.0).seconds(contexts, k) == seconds


def test_more_demonstrations_never_take_less_than_no_time():
    assert ScoringPace(alone=1.0, shown=0.5).seconds(3, 50) == 0.0


def test_quality_that_is_missing_takes_time_of_its_own():
    pace = ScoringPace(alone=0.25, shown=1.0, quality=0.5)
    assert pace.seconds(8, 6, unscored=20) == 18.0
    assert pace.seconds(0, 6, unscored=1) == 0.5


def test_the_pace_is_that_of_single_contexts_without_the_first(studio, clock, model):
    assert measure(studio, request_of(), NOBODY, clock) == ScoringPace(0.25, 1.0, 0.0625)
    # Besides the first, as many as fit into the time: four of a quarter of a second, one of one.
    shown = [each.prompt.count("Q: ") - 1 for each in clock.asked]
    assert shown == [0, 0, 0, 0, 0, 6]
    assert LONGEST == 1.0
    assert clock.pairs == [8, 4]  # the quality of the pool's twelve
    assert {each.answers[1:] for each in clock.asked} == {(" maybe", " ask again")}


def test_a_pool_of_one_shows_what_it_has(studio, clock):
    pool = studio.store.pools.get("small")
    others = [each.id for each in studio.store.demonstrations.all(pool.id)][1:]
    demonstrations.set_status(studio, others, Status.EXCLUDED)
    assert measure(studio, request_of(), NOBODY, clock) == ScoringPace(0.25, 0.375, 0.25)


@pytest.mark.parametrize("model", [FakeLanguageModel(window=5)])
def test_without_room_for_any_context_there_is_no_pace(studio, model):
    assert measure(studio, request_of(), NOBODY) is None
    assert not model.asked


@pytest.mark.parametrize(("window", "fits"), [(13, 0), (50, 5)])
def test_what_does_not_fit_is_left_out_as_in_a_run(studio, clock, model, window, fits):
    model.window = window
    pace = measure(studio, request_of(), NOBODY, clock)
    assert pace == ScoringPace(0.25, 0.25 + 0.125 * fits, 0.0625)


@pytest.mark.parametrize("model", [FakeLanguageModel(unknown=("maybe",))])
def test_answers_without_tokens_are_not_asked_about(studio, model):
    assert measure(studio, request_of(), NOBODY) is None
    assert not model.asked


def test_it_can_be_cancelled(studio):
    with pytest.raises(Cancelled):
        measure(studio, request_of(), Watcher(cancelled=lambda: True))


def test_it_waits_for_model_and_pool_and_is_done_once(studio, model):
    assert timing(studio, request_of()) is None
    studio.language_model("fake")
    assert timing(studio, request_of()) is None
    studio.view(SETUP)
    job = timing(studio, request_of())
    assert job.wait(60)
    asked = len(model.asked)
    assert timing(studio, request_of(limit=None)) is job
    assert timing(studio, CalibrateRequest(setup=SETUP)) is job
    assert len(model.asked) == asked


def test_other_evaluation_examples_are_timed_by_themselves(studio):
    studio.language_model("fake")
    studio.view(SETUP)
    studio.store.pools.create("other")
    job = timing(studio, request_of(examples="other"))
    assert job is not timing(studio, request_of())
    assert job.wait(60)
    assert job.snapshot().result is None


def test_a_model_behind_a_server_is_not_timed(studio):
    assert timing(studio, CompareRequest(setup=Setup("small", None, "openai:x"), rows=())) is None


def test_the_cost_of_each_run_begins_with_the_time(timed):
    # 3 examples, with none and with one row of 6: 6 contexts of a second.
    assert compare.cost(timed, request_of()) == "About 10 s: at most 6 contexts"
    options = CalibrationOptions(limit=3, ks=(1,), lambda_bs=(1.0,))
    few = calibrate.cost(timed, CalibrateRequest(setup=SETUP, options=options))
    assert few == "About 5 s: about 6 contexts"  # of one demonstration: 6 times 0.375 s
    whole = calibrate.cost(
        timed, CalibrateRequest(setup=SETUP, options=CalibrationOptions(limit=3))
    )
    assert whole == "About 1 min, the pool's quality bias included: about 81 contexts"  # 81.75 s
    judged = worth.cost(timed, WorthRequest(setup=SETUP, knobs=Knobs(k=6), options=THREE))
    assert judged == "About 25 s, the pool's quality bias included: at most 24 contexts"


def test_the_quality_that_a_row_needs_is_in_the_time(timed):
    biased = request_of(("none", "rel+bias"))
    assert compare.cost(timed, biased) == (  # 6 contexts of a second, 12 of a sixteenth
        "About 10 s, the pool's quality bias included: at most 6 contexts"
    )
    pool = timed.store.pools.get("small").id
    score_quality(timed.store, pool, timed.engine(SETUP))
    assert compare.cost(timed, biased) == "About 10 s: at most 6 contexts"


def test_the_cost_waits_for_no_embedding(timed):
    pool = timed.store.pools.get("small").id
    timed.store.demonstrations.add(pool, [Draft("another question", "another answer")])
    assert not timed.has_view(SETUP)
    biased = request_of(("none", "rel+bias"))
    assert compare.cost(timed, biased) == "About 10 s: at most 6 contexts"
    assert not timed.has_view(SETUP)


def test_nothing_is_timed_for_quality_where_all_is_scored(studio, clock):
    pool = studio.store.pools.get("small").id
    score_quality(studio.store, pool, studio.engine(SETUP))
    clock.pairs.clear()
    assert measure(studio, request_of(), NOBODY, clock) == ScoringPace(0.25, 1.0, 0.0)
    assert not clock.pairs


def test_the_time_does_not_hide_what_comes_on_top_of_it(timed):
    assert compare.cost(timed, request_of(generate=True)) == (
        "About 10 s: at most 6 contexts (and beyond that time at most 6 answers generated)"
    )


def test_rows_of_another_model_are_not_timed(timed):
    other = CompareRequest(
        setup=SETUP,
        rows=(ComparisonRow("a", Knobs(), "fake"), ComparisonRow("b", Knobs(), "else")),
        limit=3,
    )
    assert compare.cost(timed, other) == "At most 12 contexts"


def test_before_the_model_was_timed_only_contexts_are_said(studio):
    assert compare.cost(studio, request_of()) == "At most 6 contexts"
