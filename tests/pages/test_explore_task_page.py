"""Explore by a task: what is shown before the model has read the pool, and after."""

import pytest

from core.demonstration.demonstration import Draft
from core.reporting.words.cautions import IF_IT_KNOWS
from core.studio import Studio
from tests.pages.drawn import html_of
from tests.support.planted_model import NO_STATES, PlantedModel, moods

POOL = "moods"
EVIL = "<script>alert(1)</script> **bold** glad $x$"


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture
def load_once(model):
    return lambda name: model


@pytest.fixture
def classified(workspace, workspace_with):
    """A pool of thirty texts with their labels."""
    workspace_with(workspace, POOL, tuple(moods(30)))
    return POOL


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def context(app):
    return next(body for body in html_of(app) if '"explore context"' in body)


def test_rel_serves_first_then_both_ranks_stand_beside_each_other(
    classified, open_page, finish, model
):
    model.go_on.clear()
    app = open_page("explore", method="pgra", k="6")
    assert not app.exception
    assert "Until it has answered, the most similar demonstrations are shown (rel)." in words(app)
    assert "Stage 1" not in context(app)
    assert "; pool moods" in words(app)
    assert "rel, k 6, lambda_d 1.00, lambda_b 1.00; pool moods" in words(app)
    model.go_on.set()
    app = finish(app)
    assert "Until it has answered" not in words(app)
    assert "Stage 1<small>of " in context(app)
    assert "Stage 2<small>by the task" in context(app)
    assert context(app).count("0: the query's label") == 6
    said = words(app)
    assert "Task plain: 6 of 2" in said
    assert "6 of 6 kept have the query's label (0); stage 1's first 6: " in said
    assert "by chance 2.9." in said
    assert IF_IT_KNOWS in said
    assert "pgra, k 6, task pool, stage_1 cosine, exemplars 8, draw balanced" in said
    (read,) = [each.value for each in app.code if each.value.endswith("\nThe answer is")]
    assert read.startswith("Follow the demonstrations:\n\n")
    assert (read + " ").count("The answer is ") == 9
    app.selectbox(key="explore_similarity").set_value("dot").run()
    assert "similarity dot" in words(finish(app))
    assert "dot" in app.query_params["similarity"]


def test_a_typed_query_costs_one_pass_and_stays_text(classified, open_page, finish, model):
    app = finish(open_page("explore", method="pgra", k="3"))
    read = len(model.read)
    app.segmented_control(key="explore_from").set_value("typed").run()
    app.text_input(key="explore_typed").set_value(EVIL).run()
    assert "Until it has answered" in words(app)
    app = finish(app)
    assert len(model.read) == read + 1
    assert not app.exception
    assert "kept have the query's label" not in words(app)
    assert context(app).count('<div class="label"><span>1</span>') == 3
    assert any(EVIL in each.value for each in app.code)
    assert not any("<script" in body for body in html_of(app))
    app.text_area(key="explore_answers").set_value("1").run()
    assert "3 of 3 kept have the query's label (1)" in words(finish(app))


def test_a_pool_without_labels_is_one_sentence(workspace, workspace_with, open_page, finish):
    drafts = tuple(Draft(f"Question {n}", f"Answer {n}") for n in range(9))
    workspace_with(workspace, "free", drafts)
    app = finish(open_page("explore", method="pgra"))
    assert not app.exception
    (said,) = [each.value.replace("\\", "") for each in app.error]
    assert said.startswith("The answers of pool 'free' are not labels that many queries share")


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_is_one_sentence_and_is_asked_again_on_demand(
    classified, open_page, finish, model
):
    app = finish(open_page("explore", method="pgra", k="2"))
    assert words(app).count(NO_STATES) == 1
    assert "Stage 1" not in context(app)
    model.hidden = True
    app = finish(app)
    assert words(app).count(NO_STATES) == 1, "nothing is tried again by itself"
    next(each for each in app.button if each.label == "Ask the language model again").click().run()
    assert "Stage 1" in context(finish(app))


@pytest.mark.parametrize("model", [{"window": 16}], indirect=True)
def test_a_window_that_is_too_small_is_one_sentence(classified, open_page, finish):
    app = finish(open_page("explore", method="pgra", k="1", task="acceptability"))
    assert not app.exception
    (said,) = [each.value.replace("\\", "") for each in app.error]
    assert said.startswith("No text of pool 'moods' fits the language model's window")


@pytest.mark.parametrize("model", [{"window": 52}], indirect=True)
def test_what_the_window_left_out_is_said(classified, open_page, finish):
    app = finish(open_page("explore", method="pgra", k="1"))
    assert "4 of 8 exemplars precede the query, as many as fit the model's window" in words(app)


def test_least_hesitation_is_asked_beside_the_page(classified, open_page, finish, model):
    app = finish(open_page("explore", k="2", method="mdl"))
    assert not app.exception
    assert not app.error
    assert "mdl, k 2, sets 10" in words(app)
    assert "Until it has answered" not in words(app)


def test_the_task_of_a_pool_is_chosen_from_its_labels_and_one_can_be_named(
    workspace, open_page, finish
):
    with Studio.open() as studio:
        rows = [
            Draft(f"It is a glad film, part {n}", ("positive", "negative")[n % 2])
            for n in range(20)
        ]
        studio.store.demonstrations.add(studio.store.pools.create("films").id, rows)
    app = finish(open_page("explore", method="pgra", k="2"))
    assert "Task sentiment: 2 of" in words(app)
    app.selectbox(key="explore_task").set_value("subjectivity").run()
    assert "label of the task 'subjectivity'" in words(finish(app))
    app.selectbox(key="explore_task").set_value("sentiment").run()
    assert "Task sentiment: 2 of" in words(finish(app))
