"""For whom the background gives way: pages and knobs say so, what redraws itself does not."""

import inspect
import sys
import threading

import pytest

from core.background import Presence
from core.evaluation.runs.calibrate import CalibrationOptions
from core.studio import Setup
from core.studio.runs import calibrate
from core.studio.runs.calibrate import CalibrateRequest


class Noted(Presence):
    """Notes which functions say that a person is being served."""

    def __init__(self):
        super().__init__(drawing=0.0)
        self.callers = []

    def serving(self):
        self.callers.append(inspect.stack(0)[1].function)
        return super().serving()


@pytest.fixture
def presence():
    return Noted()


@pytest.fixture
def served(presence):
    """The functions of the pages that said that a person is being served."""
    return presence.callers


def test_explore_serves_a_person_but_not_while_it_fills_in_by_itself(
    small_pool, language_model, open_page, finish, the_studio, served
):
    app = finish(open_page("explore", k="3"))
    assert set(served) == {"open_page", "<module>", "explored", "_settled"}
    release = threading.Event()
    the_studio().model_worker.submit("test", "Occupies the worker", lambda job: release.wait(60))
    served.clear()
    app.number_input(key="explore_k").set_value(2).run()
    assert "DPO: 0 of" in app.get("progress")[0].proto.text
    assert set(served) == {"open_page", "<module>", "explored"}
    release.set()
    finish(app)
    assert "_settled" in served


def test_pages_need_not_wait_long_for_their_turn(small_pool, open_page):
    sys.setswitchinterval(0.005)
    open_page("demonstrations")
    assert sys.getswitchinterval() == pytest.approx(0.001)


def test_the_table_is_drawn_for_a_person(small_pool, open_page, finish, served):
    finish(open_page("demonstrations"))
    assert set(served) == {"open_page", "<module>"}


def test_the_map_serves_a_person_who_turns_a_knob(small_pool, open_page, finish, served):
    finish(open_page("map"))
    assert set(served) == {"open_page", "query_panel"}


def test_the_progress_of_a_run_serves_nobody(
    small_pool, language_model, open_page, finish, the_studio, served
):
    finish(open_page("calibrate"))
    release = threading.Event()
    slot = calibrate.RUNS.slot(the_studio(), small_pool)
    the_studio().model_worker.submit(slot, "A run", lambda job: release.wait(60))
    served.clear()
    app = open_page("calibrate")
    assert [button.label for button in app.button if button.label == "Stop"] == ["Stop"]
    assert set(served) == {"open_page"}
    release.set()


def test_a_calibration_goes_on_beside_a_page_that_never_ends(
    small_pool, language_model, open_page, finish, the_studio
):
    finish(open_page("explore", k="2"))
    studio = the_studio()
    with studio.presence.serving():
        job = calibrate.RUNS.start(
            studio,
            CalibrateRequest(setup=Setup(small_pool), options=CalibrationOptions(ks=(2,), limit=2)),
        )
        assert job.wait(120)
    assert (job.state, job.result.figures.done) == ("finished", 2)
