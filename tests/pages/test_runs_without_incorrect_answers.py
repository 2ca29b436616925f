"""Compare, Calibrate and Explore on a pool of questions and answers, with nothing incorrect."""

import json

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.studio import Studio
from core.studio.runs import calibrate, compare
from tests.pages.drawn import html_of, show

VERBS, THINGS = ("reset", "close", "mend"), ("door", "phone", "printer", "invoice", "car", "lamp")
FAQ = tuple(
    Draft(f"How do I {verb} the {thing}?", f"Open the {thing}, then {verb} it.")
    for verb in VERBS
    for thing in (*THINGS, "shop")
)
WHY = "No example has incorrect answers, which DPO per triple needs"


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning]
    return " ".join(each.value for each in parts).replace("\\", "")


def titles(app):
    return [body for body in html_of(app) if body.startswith('<p class="figure-title">')]


def charts(app):
    return [json.loads(each.proto.spec) for each in app.get("plotly_chart")]


def pressed(app, label, finish):
    next(each for each in app.button if each.label == label).click().run()
    return finish(app)


@pytest.fixture
def faq(workspace, workspace_with):
    workspace_with(workspace, "faq", FAQ)
    return "faq"


@pytest.fixture
def compared(faq, language_model, open_page, finish):
    app = finish(open_page("compare", rows="none;rel", k="1"))
    return pressed(app, "Compare", finish)


def test_compare_leads_with_what_the_correct_answers_gain(compared, faq, the_studio):
    found = compare.RUNS.latest(the_studio(), faq)
    assert found.metric == "dpo_correct_only"
    assert compared.selectbox(key="compare_metric").value == "dpo_correct_only"
    dots, differences = charts(compared)
    assert dots["layout"]["xaxis"]["title"]["text"].startswith("DPO without incorrect answers")
    shown = {
        name: x for trace in dots["data"] for name, x in zip(trace["y"], trace["x"], strict=True)
    }
    assert shown == {
        name: pytest.approx(found.value(name, "dpo_correct_only").mean) for name in ("none", "rel")
    }
    (less,) = [x for trace in differences["data"] for x in trace["x"]]
    assert less == pytest.approx(found.difference("rel", "dpo_correct_only").mean)
    assert "incorrect answers would add whether a context raises the right answers" in words(
        compared
    )
    assert "no figures yet" not in f"{words(compared)} {titles(compared)}".lower()
    assert "Too few" not in str(titles(compared))
    table = " ".join(html_of(compared))
    for label in ("Gain per token", "Gain per answer", "DPO without incorrect answers"):
        assert f">{label}</span>" in table
    assert ">MC1</span>" not in table
    assert f"{found.value('rel', 'gain_per_token').mean:.3f}" in table


@pytest.mark.thorough
def test_a_metric_that_no_example_has_says_why_and_is_not_kept_for_other_pools(
    compared, open_page, finish
):
    app = compared.selectbox(key="compare_metric").select("dpo_per_triple").run()
    assert str(titles(app)).count(WHY) == 2
    assert f"{WHY}: read DPO without incorrect answers." in words(app)
    app = app.selectbox(key="compare_metric").select("dpo_correct_only").run()
    assert app.session_state["kept_compare_metric"] is None
    assert WHY not in str(titles(app))


@pytest.mark.thorough
def test_the_metric_follows_the_pool(compared, the_studio, finish):
    studio = the_studio()
    rows = [Draft(f"Is {n} odd?", "Yes", incorrect_answers(("No",))) for n in (1, 3, 5)]
    studio.store.demonstrations.add(studio.store.pools.create("quiz").id, rows)
    app = finish(compared.run().selectbox(key="sidebar_pool").set_value("quiz").run())
    app = pressed(app, "Compare", finish)
    assert app.selectbox(key="compare_metric").value == "dpo_per_triple"
    app = finish(app.selectbox(key="sidebar_pool").set_value("faq").run())
    assert app.selectbox(key="compare_metric").value == "dpo_correct_only"


@pytest.mark.thorough
def test_the_story_of_an_example_shows_its_gain(compared):
    assert "Gain per answer" in " ".join(html_of(compared))
    table = " ".join(html_of(show(compared, "examples")))
    assert "a gain above 0 makes the correct answers more probable" in words(compared)
    assert "Delta" not in table


def test_calibrate_leads_with_what_the_correct_answers_gain(
    faq, language_model, open_page, finish, the_studio
):
    app = finish(open_page("calibrate", k="1", limit="3"))
    app = pressed(app, "Calibrate", finish)
    found = calibrate.RUNS.latest(the_studio(), faq)
    assert found.metric == "dpo_correct_only"
    line = next(
        trace
        for trace in charts(app)[0]["data"]
        if trace.get("name") == "DPO without incorrect answers"
    )
    assert line["y"] == pytest.approx([cell.value.mean for cell in found.cells])
    assert "3 examples: too few to say what lambda_d does. It takes about 30." in words(app)
    assert "incorrect answers would add whether a context raises the right answers" in words(app)
    assert "no figures yet" not in f"{words(app)} {titles(app)}".lower()
    assert "it takes about 30" in titles(app)[0]


def test_a_mixed_pool_says_how_many_examples_count(faq, language_model, open_page, finish):
    with Studio.open() as studio:
        pool = studio.store.pools.get(faq).id
        rows = [Draft(f"Is {n} odd?", "Yes", incorrect_answers(("No",))) for n in (1, 3)]
        studio.store.demonstrations.add(pool, rows)
    app = finish(open_page("compare", rows="none;rel", k="1"))
    app = pressed(app, "Compare", finish)
    assert "2 of 23 examples have incorrect answers; on these rest DPO per triple" in words(app)
    assert "23 examples (21 of 23 count in DPO without incorrect answers), seed 0" in words(app)
    app = app.selectbox(key="compare_metric").select("mc1").run()
    assert "23 examples (2 of 23 count in MC1), seed 0" in words(app)
    assert "too few to say which method serves best. It takes about" in words(app)


def test_explore_leads_with_what_the_correct_answer_gains(faq, language_model, open_page, finish):
    app = finish(open_page("explore", k="2", view="answers"))
    figures = next(body for body in html_of(app) if "explore-figures" in body)
    for label in ("DPO without incorrect answers", "Gain per token", "Gain per answer"):
        assert f">{label}<strong>" in figures
    assert "DPO per triple" not in figures
    assert "incorrect answers would add whether it raises them above wrong ones" in words(app)
    app.segmented_control(key="explore_view").set_value("curve").run()
    upper = charts(finish(app))[0]["layout"]["yaxis"]["title"]["text"]
    assert upper.startswith("DPO without incorrect answers")
