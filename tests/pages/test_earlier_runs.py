"""Results of an older pool on the pages: what the headline says, earlier runs in a list, links."""

import pytest

from core.demonstration.demonstration import Status
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.evaluation.runs.calibrate import CalibrationOptions
from core.reporting.html.reports import finished_at
from core.reporting.words.earlier_runs import run_line
from core.reporting.words.provenance import edits_sentence
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.runs import calibrate, compare
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.studio.runs.outdated import count_differing
from core.watcher import NOBODY, Watcher
from tests.pages.conftest import POOL, parameter
from tests.pages.drawn import html_of

SETUP = Setup(POOL)


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning]
    return " ".join(each.value for each in parts).replace("\\", "")


def headline(app):
    return next(each.value for each in app.markdown if each.value.startswith("#####")).replace(
        "\\", ""
    )


@pytest.fixture
def compared(visited_pool, language_model, open_page, finish, the_studio):
    """The page of Compare, and a function that compares two rows on so many examples."""
    app = finish(open_page("compare", limit="4", k="2"))

    def run(limit=4, **knobs):
        rows = rows_of_methods(("none", "rel"), Knobs(k=2, **knobs))
        compare.run(the_studio(), CompareRequest(setup=SETUP, rows=rows, limit=limit), Watcher())
        return compare.RUNS.latest(the_studio(), POOL)

    return app, run


def test_a_comparison_says_in_its_headline_what_was_edited_since(compared, finish, the_studio):
    app, run = compared
    run()
    app.run()
    assert "Judged before" not in words(app)
    demonstrations.set_status(the_studio(), [1], Status.EXCLUDED)
    app = finish(app)
    found = compare.RUNS.latest(the_studio(), POOL)
    edits = count_differing(the_studio(), SETUP, found, 1, NOBODY)
    assert (edits.count, edits.examples) == (1, 4)
    assert headline(app).startswith(f"##### {edits_sentence(edits, 'compare again')}")
    history = the_studio().store.history
    history.undo(history.actions(1, limit=1)[0].id)
    app.run()
    assert "Judged before" not in words(app)


def test_a_calibration_does_so_too(visited_pool, language_model, open_page, finish, the_studio):
    app = finish(open_page("calibrate", k="2"))
    options = CalibrationOptions(ks=(2,), lambda_bs=(1.0,), lambda_ds=(0.5,), limit=3)
    calibrate.run(the_studio(), CalibrateRequest(setup=SETUP, options=options), Watcher())
    demonstrations.set_status(the_studio(), [1], Status.EXCLUDED)
    app = finish(app)
    assert headline(app).startswith("##### Judged before 1 edit of the pool")
    assert "Earlier runs" not in [each.label for each in app.expander], "there is one"


def test_an_earlier_run_is_opened_by_a_press_and_by_its_link(
    compared, finish, the_studio, open_page
):
    app, run = compared
    first, second = run(limit=3), run()
    demonstrations.set_status(the_studio(), [1], Status.EXCLUDED)
    app = finish(app)
    assert "result" not in app.query_params
    assert not app.radio, "the list is closed"
    app.session_state["evaluate_earlier_runs"] = True
    app = finish(app)
    (listed,) = app.radio
    later, earlier = compare.RUNS.earlier(the_studio(), POOL)
    assert (later.run, earlier.run) == (second.run, first.run)
    named = [each.replace("\\", "") for each in listed.options]
    assert named == [f"{finished_at(second)}, the latest", finished_at(first)]
    captions = [each.replace("\\", "") for each in listed.proto.captions]
    assert captions == [run_line(later), run_line(earlier)]
    assert "before 1 edit of the pool" in captions[0]
    listed.set_value(first.run).run()
    assert parameter(app, "result") == str(first.run)
    assert f"An earlier run is shown, of {finished_at(first)}" in words(app)
    assert "3 examples, seed 0" in words(app)
    linked = finish(open_page("compare", result=str(first.run)))
    assert "3 examples, seed 0" in words(linked)
    linked = open_page("compare", result=str(second.run + 1))
    assert "must be one of this pool's last 2 runs" in words(linked)
    assert "4 examples, seed 0" in words(linked)


def test_a_new_run_closes_what_is_open(compared, finish, the_studio):
    app, run = compared
    first, _ = run(limit=3), run()
    app.session_state["kept_evaluate_result"] = first.run
    app = finish(app)
    assert "An earlier run is shown" in words(app)
    next(each for each in app.button if each.label == "Compare").click().run()
    app = finish(app)
    assert "An earlier run is shown" not in words(app)
    assert "result" not in app.query_params


def test_two_runs_are_shown_beside_each_other(compared, finish, the_studio):
    app, run = compared
    first, second = run(limit=3), run()
    app.session_state["evaluate_earlier_runs"] = True
    app = finish(app)
    app.selectbox(key="compare_beside").set_value(first.run).run()
    assert (
        "3 of the 4 examples of this run and of the 3 of the other are the same, answers included"
    ) in words(app)
    table = next(body for body in html_of(app) if "in the other" in body)
    for found in (first, second):
        assert str(found.value("rel", found.metric)) in table
