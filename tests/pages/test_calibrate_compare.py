"""Calibrate and Compare: controls, a run, its picture, what is kept, what is missing."""

import json
import re
import threading
from dataclasses import replace

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.evaluation.results.run_figures import look_at
from core.evaluation.runs.calibrate import CalibrationOptions
from core.reporting.tables.comparison import methods_in
from core.reporting.tables.runs import KINDS_TITLE
from core.retrieval.knobs import Knobs
from core.studio import Studio
from core.studio.runs import calibrate, compare
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.studio.runs.starts import STANDARD
from core.studio.runs.stories import Stories
from core.studio.session.studio import Setup
from core.watcher import EXAMPLES, Watcher
from tests.pages.conftest import parameter
from tests.pages.drawn import html_of, show
from tests.support.gated import gated

BOTH = pytest.mark.parametrize("page", ["calibrate", "compare"])
EITHER = pytest.mark.parametrize("page", gated(["compare", "calibrate"]))
VERB = {"calibrate": "Calibrate", "compare": "Compare"}


def button(app, label):
    return next(each for each in app.button if each.label == label)


def labels(app):
    return [each.label for each in app.button]


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def charts(app):
    return [json.loads(each.proto.spec) for each in app.get("plotly_chart")]


def titles(app):
    bodies = html_of(app)
    return [body for body in bodies if body.startswith('<p class="figure-title">')]


def html(app):
    return " ".join(html_of(app))


@pytest.mark.thorough
def test_before_its_first_run_calibrate_says_what_its_button_does(visited_pool, open_page, finish):
    app = finish(open_page("calibrate"))
    assert "No calibration of this pool yet. The button asks the model" in words(app)


@pytest.fixture
def calibrated(visited_pool, language_model, open_page, finish):
    app = finish(open_page("calibrate", limit="4", k="2"))
    button(app, "Calibrate").click().run()
    return finish(app)


@pytest.fixture
def compared(visited_pool, language_model, open_page, finish):
    app = finish(open_page("compare", limit="4", k="2"))
    button(app, "Compare").click().run()
    return finish(app)


@BOTH
def test_before_the_first_run_the_page_says_what_the_button_does(
    page, small_pool, language_model, open_page, finish
):
    app = finish(open_page(page))
    assert not button(app, VERB[page]).disabled
    assert "yet. The button asks the model about each example's answers" in words(app)
    count = {"calibrate": f"About {5 * 27:,}", "compare": f"At most {5 * len(STANDARD):,}"}[page]
    assert f"{count} contexts for the model to judge".lower() in words(app).lower()
    assert charts(app) == []


@EITHER
def test_the_router_opens_the_page(page, small_pool, language_model, open_app, finish):
    app = finish(open_app(page))
    assert app.title[0].value == VERB[page]


@BOTH
def test_an_empty_pool_says_what_to_do(page, workspace, language_model, open_page, finish):
    with Studio.open() as studio:
        studio.store.pools.create("empty")
    app = finish(open_page(page))
    assert "no included demonstration" in words(app)
    assert button(app, VERB[page]).disabled


def test_a_calibration_shows_both_charts_the_table_and_where_they_come_from(
    calibrated, visited_pool, the_studio
):
    found = calibrate.RUNS.latest(the_studio(), visited_pool)
    dpo, figure_1 = charts(calibrated)
    values = [cell.dpo.mean for cell in found.cells]
    line = next(trace for trace in dpo["data"] if trace.get("name") == "DPO per triple")
    assert line["y"] == pytest.approx(values)
    assert line["x"] == pytest.approx([cell.lambda_d for cell in found.cells])
    axis = figure_1["layout"]["xaxis"]["title"]["text"].replace("<br>", " ")
    assert "lower is more diverse" in axis
    table = calibrated.dataframe[0].value
    assert list(table["DPO per triple"]) == pytest.approx(values)
    assert table["low"].isna().all()  # of four examples
    assert calibrated.dataframe[0].proto.placeholder == "-"
    traced = (
        "rel+div+bias, k 2, lambda_b 0.95, lambda_d 0.00 to 1.00; "
        f"pool {visited_pool}, version {found.settings.pool_version}; model"
    )
    assert words(calibrated).count(traced) == 2
    assert "4 examples, seed 0" in words(calibrated)
    assert "intervals over examples" not in words(calibrated), "there are too few examples for any"
    too_few = "4 examples: too few to say what lambda_d does. It takes about 30."
    assert too_few in words(calibrated)


def test_use_puts_the_recommended_setting_into_what_the_pages_share(
    calibrated, visited_pool, the_studio
):
    advice = calibrate.RUNS.latest(the_studio(), visited_pool).advice
    assert not advice.clear, "four examples decide nothing"
    assert advice.needed == 30
    calibrated.number_input(key="calibrate_k").set_value(5).run()
    assert (
        "Use rel+div+bias with k 6, lambda_d 0.75, lambda_b 0.95: the paper's setting, until there "
        "are enough examples to choose another." in words(calibrated)
    )
    app = button(calibrated, "Use this setting").click().run()
    kept = {key: app.session_state[f"kept_{key}"] for key in ("lambda_d", "lambda_b", "k")}
    assert kept == {key: getattr(advice.knobs, key) for key in kept}
    assert app.number_input(key="calibrate_k").value == 6
    assert "now" in str(charts(app)[0]["layout"]["annotations"])
    assert "Use this setting" not in labels(app), "what is set already is not offered"
    assert "In use" in [each.value for each in app.caption]


def test_a_result_is_there_again_in_a_new_session(calibrated, open_page, finish):
    app = finish(open_page("calibrate"))
    assert titles(app) == titles(calibrated)
    assert len(titles(app)) == 2


@pytest.mark.thorough
def test_the_report_can_be_downloaded(calibrated, compared):
    for app in (calibrated, compared):
        (download,) = app.get("download_button")
        assert download.proto.label == "Download report"


@pytest.mark.thorough
def test_the_heat_map_and_the_curve_over_k_cost_and_draw_more(
    small_pool, language_model, open_page, finish
):
    app = finish(open_page("calibrate", limit="1", k="2", heat="True"))
    line = 5 * 1 + 1 + 1
    assert f"about {line + 4 * 21} contexts" in words(app)
    app.toggle(key="calibrate_sweep").set_value(True).run()
    assert f"about {line + 29 * 21} contexts" in words(app)
    app.toggle(key="calibrate_heat").set_value(False).run()
    assert f"about {line + 5 * 21} contexts" in words(app)
    app.toggle(key="calibrate_heat").set_value(True).run()
    button(app, "Calibrate").click().run()
    finish(app)
    kinds = [chart["data"][0]["type"] for chart in charts(app)]
    assert kinds == ["scatter", "scatter", "heatmap", "scatter"]
    assert charts(app)[3]["data"][0]["x"] == [1, 2, 4, 6, 8, 12]


@EITHER
def test_the_cost_is_a_time_once_the_model_was_timed(
    page, small_pool, language_model, open_page, finish
):
    counted = {"compare": "at most 10 contexts", "calibrate": "about 135 contexts"}[page]
    rows = {"rows": "none;rel"} if page == "compare" else {}
    assert f"{counted[0].upper()}{counted[1:]} for the model" in words(open_page(page, **rows))
    app = finish(open_page(page, **rows))
    assert re.search(rf"About \d+ (s|min): {counted} for the model to judge", words(app))


@BOTH
def test_a_link_opens_the_same_view(page, small_pool, language_model, open_page, finish):
    link = {"limit": "3", "k": "4", "lambda_b": "0.5", "seed": "9", "scale": "rank"}
    app = finish(open_page(page, **link))
    assert app.number_input(key=f"{page}_limit").value == 3
    assert app.number_input(key=f"{page}_k").value == 4
    assert app.slider(key=f"{page}_lambda_b").value == 0.5
    assert app.number_input(key=f"{page}_seed").value == 9
    assert app.selectbox(key=f"{page}_scale").value == "rank"
    wanted = link | {"lambda_b": "0.50", "pool": small_pool}
    assert {name: parameter(app, name) for name in wanted} == wanted


@BOTH
def test_a_broken_link_falls_back_to_the_defaults(page, small_pool, open_page):
    app = open_page(page, limit="0", k="many", lambda_b="7", seed="-1", scale="x", examples="gone")
    assert not app.exception
    assert app.number_input(key=f"{page}_k").value == 6
    assert app.slider(key=f"{page}_lambda_b").value == 0.95
    assert app.number_input(key=f"{page}_limit").value == 5, "no more than there are"


@EITHER
def test_a_small_pool_does_not_take_the_wish_for_more_examples(page, small_pool, open_page):
    with Studio.open() as studio:
        large = studio.store.pools.create("large")
        studio.store.demonstrations.add(
            large.id, [Draft(f"q{i}", "a", incorrect_answers(("b",))) for i in range(9)]
        )
    app = open_page(page, pool="large", limit="7")

    def shown(pool):
        app.selectbox(key="sidebar_pool").set_value(pool).run()
        assert not app.exception
        return app.number_input(key=f"{page}_limit").value

    assert [shown("large"), shown(small_pool), shown("large")] == [7, 5, 7]
    assert parameter(app, "limit") == "7"
    shown(small_pool)
    app.number_input(key=f"{page}_limit").set_value(3).run()
    assert [shown("large"), shown(small_pool)] == [3, 3]


def test_a_cut_off_run_is_offered_to_be_gone_on_with(
    small_pool, language_model, open_page, finish, the_studio
):
    with Studio.open() as studio:
        setup = Setup(small_pool, None, str(language_model))
        request = CalibrateRequest(
            setup=setup, options=CalibrationOptions(lambda_ds=(0.0, 1.0), ks=(2,), limit=3)
        )
        found = calibrate.run(studio, request, Watcher())
        studio.store.runs.start(
            "calibrate", studio.store.pools.get(small_pool).id, found.figures.settings.to_json()
        )
    app = finish(open_page("calibrate"))
    assert "was cut off before its end" in words(app)
    button(app, "Go on with it").click().run()
    finish(app)
    latest = calibrate.RUNS.latest(the_studio(), small_pool)
    assert [cell.lambda_d for cell in latest.cells] == [0.0, 1.0]
    assert latest.language_model_calls == 0
    assert "Go on with it" not in labels(app)


@EITHER
def test_a_waiting_run_can_be_stopped(
    page, small_pool, language_model, open_page, finish, the_studio
):
    app = finish(open_page(page))
    release = threading.Event()
    the_studio().model_worker.submit("test", "Occupies the worker", lambda job: release.wait(60))
    button(app, VERB[page]).click().run()
    assert button(app, VERB[page]).disabled
    button(app, "Stop").click().run()
    release.set()
    finish(app)
    assert charts(app) == []
    assert "Stopped. What was scored is kept" in words(app)


@EITHER
def test_a_run_that_is_asked_to_stop_says_so_until_it_has(
    page, small_pool, language_model, open_page, finish, the_studio
):
    finish(open_page(page))
    service = {"calibrate": calibrate, "compare": compare}[page]
    release = threading.Event()

    def work(job):
        assert release.wait(60)
        job.watcher().checkpoint()

    slot = service.RUNS.slot(the_studio(), small_pool)
    job = the_studio().model_worker.submit(slot, "A long batch", work)
    app = open_page(page)
    button(app, "Stop").click().run()
    assert app.get("progress")[0].proto.text == "Stopping; what was scored is kept"
    release.set()
    finish(app)
    assert job.state == "cancelled"
    assert "Stopped. What was scored is kept" in words(app)


def test_a_failure_is_shown_as_one_sentence(small_pool, monkeypatch, tmp_path, open_page, finish):
    (tmp_path / "no model").mkdir()
    monkeypatch.setenv("SHOTLIST_MODEL", str(tmp_path / "no model"))
    app = finish(open_page("calibrate"))
    button(app, "Calibrate").click().run()
    finish(app)
    assert "no model" in " ".join(each.value for each in app.error).replace("\\", "")
    assert "Traceback" not in words(app)


def test_a_comparison_shows_dots_differences_and_the_table_of_all_metrics(
    compared, visited_pool, the_studio
):
    found = compare.RUNS.latest(the_studio(), visited_pool)
    dots, differences = charts(compared)
    shown = {
        name: x for trace in dots["data"] for name, x in zip(trace["y"], trace["x"], strict=True)
    }
    assert shown == {
        name: pytest.approx(found.value(name, "dpo_per_triple").mean) for name in found.methods
    }
    assert tuple(found.methods) == STANDARD
    assert sum(len(trace["y"]) for trace in differences["data"]) == len(STANDARD) - 1
    table = html(show(compared, "metrics"))
    for label in (
        *("DPO per triple", "Delta", "Triple accuracy", "MC1", "MC2", "MC3 (ratio)", "MC3"),
        "Sameness",
    ):
        assert f">{label}</span>" in table
    assert f"{found.value('rel', 'mc2').mean:.3f}" in table
    table = html(show(compared, "examples"))
    stories = Stories(the_studio(), found)
    effects = methods_in(stories.story(stories.queries()[0])).values("effect")
    assert effects[list(found.methods).index("none")] == ""
    assert all(f">{effect}</td>" in table for effect in effects if effect)


@pytest.mark.thorough
def test_metric_and_reference_can_be_chosen_afterwards(compared):
    app = compared.selectbox(key="compare_metric").select("delta").run()
    app = app.selectbox(key="compare_reference").select("rel").run()
    assert not app.exception
    dots, differences = charts(app)
    assert dots["layout"]["xaxis"]["title"]["text"] == "Delta (nats per triple)"
    assert "minus that of rel" in differences["layout"]["xaxis"]["title"]["text"]


def test_an_examples_story_shows_contexts_and_log_probabilities_as_text(compared, visited_pool):
    assert len(show(compared, "examples").selectbox(key="compare_example").options) == 4
    table = html(compared)
    for shown in ("says the book", "Nobody knows", "incorrect", "alone", "rel+div+bias"):
        assert shown in table
    assert "<script>" not in table
    app = compared.button_group(key="compare_context").set_value("none").run()
    assert "none shows the query alone." in words(app)


def test_dpo_by_kind_stands_below_the_table(
    small_pool_with_kinds, language_model, open_page, finish, the_studio
):
    app = finish(open_page("compare", rows="none;rel", limit="4", k="2"))
    assert KINDS_TITLE not in words(app)
    button(app, "Compare").click().run()
    app = finish(app)
    assert KINDS_TITLE in words(show(app, "metrics"))
    found = compare.RUNS.latest(the_studio(), small_pool_with_kinds).methods["rel"]
    mean = found.by_kind["<b>myth</b>"].mean
    assert "&lt;b&gt;myth&lt;/b&gt;</th>" in html(app)
    assert f"{mean:.3f}" in html(app)
    assert "<b>myth" not in html(app)
    assert "incorrect: &lt;b&gt;myth" in html(show(app, "examples"))
    assert "<b>myth" not in html(app)


@EITHER
def test_the_picture_so_far_is_drawn_while_the_run_goes_on(
    page, small_pool, language_model, open_page, finish, the_studio, monkeypatch
):
    monkeypatch.setattr("core.background.job.Pace.left", lambda self, done, total: 240.0)
    app = finish(open_page(page))
    studio, setup, release = the_studio(), Setup(small_pool), threading.Event()
    service = {"calibrate": calibrate, "compare": compare}[page]
    request = {
        "calibrate": CalibrateRequest(setup=setup, options=CalibrationOptions(ks=(2,), limit=3)),
        "compare": CompareRequest(
            setup=setup, rows=rows_of_methods(("none", "rel"), Knobs(k=2)), limit=3
        ),
    }[page]
    done = service.run(studio, request, Watcher())
    figures = replace(done.figures, total=9, end=None, look=look_at(3, done.figures.settings))
    so_far, published = replace(done, figures=figures), threading.Event()

    def work(job):
        job.enter(EXAMPLES)
        job.progress(3, 9)
        job.publish(so_far)
        published.set()
        release.wait(60)

    studio.model_worker.submit(service.RUNS.slot(studio, small_pool), "Half way", work)
    assert published.wait(60)
    app = open_page(page)
    assert len(charts(app)) == 2
    assert "So far, after 3 of 9 examples" in words(app)
    assert app.get("progress")[0].proto.text == "3 of 9 examples, about 4 min left"
    assert "Recommended" not in words(app)
    release.set()
    finish(app)


def test_what_is_applied_holds_on_the_other_pages(calibrated, open_app):
    app = open_app("compare")
    app.slider(key="compare_lambda_d").set_value(0.3).run()
    app.number_input(key="compare_k").set_value(3).run()
    app.switch_page("pages/calibrate.py").run()
    button(app, "Use this setting").click().run()
    app.switch_page("pages/compare.py").run()
    assert not app.exception
    assert app.slider(key="compare_lambda_d").value == 0.75
    assert app.number_input(key="compare_k").value == 6


def test_a_stopped_calibration_shows_its_result_and_is_gone_on_with(
    small_pool, language_model, open_page, finish, the_studio
):
    finish(open_page("calibrate"))
    studio, partials = the_studio(), []
    request = CalibrateRequest(
        setup=Setup(small_pool), options=CalibrationOptions(lambda_bs=(1.0,), ks=(2,), limit=4)
    )
    watcher = Watcher(on_partial=partials.append, cancelled=lambda: len(partials) == 2)
    with pytest.raises(Cancelled):
        calibrate.run(studio, request, watcher)
    app = finish(open_page("calibrate"))
    assert "Stopped after 2 of 4 examples; what was scored is kept." in words(app)
    assert "Stopped after 2 of 4 examples: " in words(app)
    assert len(charts(app)) == 2
    button(app, "Go on").click().run()
    finish(app)
    found = calibrate.RUNS.latest(studio, small_pool)
    assert (found.end, found.examples) == ("all", 4)
    assert "Stopped" not in words(app)
    assert "Go on" not in labels(app)
    again = calibrate.run(studio, request, Watcher())
    assert again.figures.language_model_calls == 0


def test_a_settled_calibration_says_so_and_can_be_gone_on_with(
    calibrated, visited_pool, open_page, finish, the_studio
):
    studio = the_studio()
    run = studio.store.runs.latest("calibrate", studio.store.pools.get(visited_pool).id)[0]
    early = run.result | {"end": "settled", "total": 5}
    early["settings"] = early["settings"] | {"until_settled": True, "limit": 5}
    studio.store.runs.save_result(run.id, early)
    app = finish(open_page("calibrate"))
    assert "Settled after 4 of 5 examples: nothing that was tried is better than" in words(app)
    button(app, "Go on").click().run()
    finish(app)
    found = calibrate.RUNS.latest(studio, visited_pool)
    assert (found.end, found.examples) == ("all", 5)
    assert found.settings.until_settled is False


def test_the_margin_and_whether_to_settle_are_in_the_link_and_in_the_run(
    small_pool, language_model, open_page, finish, the_studio
):
    app = finish(open_page("calibrate"))
    assert app.toggle(key="calibrate_settle").value
    assert "margin" not in app.query_params, "it fits the effect"
    assert app.number_input(key="calibrate_margin").value is None
    assert "settle" not in app.query_params
    app = finish(open_page("calibrate", margin="0.125", settle="False", limit="1", k="1"))
    assert app.number_input(key="calibrate_margin").value == 0.125
    assert not app.toggle(key="calibrate_settle").value
    button(app, "Calibrate").click().run()
    finish(app)
    settings = calibrate.RUNS.latest(the_studio(), small_pool).settings
    assert (settings.margin, settings.until_settled) == (0.125, False)
