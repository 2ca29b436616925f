"""The map by task: what is drawn before the model has read the pool, and after."""

import json

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status
from core.studio.pools import demonstrations
from pages.common.map.selection import SELECTED
from tests.pages.conftest import shown
from tests.support.planted_model import LABELS, NO_STATES, PlantedModel

POOL = "moods"
N = 40
TOLD = (
    "river",
    "stone",
    "house",
    "garden",
    "winter",
    "letter",
    "window",
    "music",
    "bread",
    "silver",
)


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture
def load_once(model):
    return lambda name: model


def stories(n):
    """Drafts of n texts that tell of anything: one word of ten makes each sad or glad."""
    drawn = np.random.default_rng(5)
    for number in range(n):
        mood = ("sad", "glad")[number % 2]
        yield Draft(" ".join([*drawn.choice(TOLD, 10), mood]), LABELS[number % 2])


@pytest.fixture
def classified(workspace, workspace_with):
    """A pool of forty texts with their labels."""
    workspace_with(workspace, POOL, tuple(stories(N)))
    return POOL


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def charts(app):
    """The traces of each chart by their names, with the number of their points."""
    found = []
    for chart in app.get("plotly_chart"):
        traces = json.loads(chart.proto.spec)["data"]
        found.append([trace["name"] for trace in traces])
    return found


def titles(app):
    bodies = [each.proto.body for each in app.get("html")]
    return [body for body in bodies if "figure-title" in body]


def turn(app, key, value):
    app.button_group(key=key).set_value(value).run()
    return app


@pytest.mark.thorough
def test_the_map_is_by_text_until_the_model_has_read_the_pool_then_by_task(
    classified, open_page, finish, model
):
    app = finish(open_page("map"))
    assert app.button_group(key="map_points").value == "text"
    assert app.button_group(key="map_colour").value == "label", "its demonstrations have no tags"
    assert "points" not in app.query_params
    assert not model.read
    model.go_on.clear()
    turn(app, "map_points", "task")
    assert app.button_group(key="map_colour").value == "label"
    assert charts(app) == [["0 (20)", "1 (20)"]]
    assert "Neighbours with the same label" not in words(app)
    assert "encoder" in words(app), "meanwhile points lie by text"
    model.go_on.set()
    app = finish(app)
    assert charts(app) == [["0 (20)", "1 (20)"]]
    (title,) = titles(app)
    assert "By task 100 % of a text&#x27;s nearest neighbours have its label (" in title
    said = words(app)
    assert "by task 100 % [" in said
    assert "this model sorts these texts by what the task asks" in said
    assert "By task: 40 demonstrations, language model planted" in said
    assert "Task plain, 8 exemplars." in said
    assert "task" in app.query_params["points"]
    read = len(model.read)
    finish(turn(app, "map_points", "text"))
    assert app.button_group(key="map_colour").value == "label"
    finish(turn(app, "map_points", "task"))
    assert len(model.read) == read, "what was read is kept"


def test_both_maps_have_the_same_points_and_colours(classified, open_page, finish, the_studio):
    app = finish(open_page("map", points="both"))
    assert not app.exception
    assert app.button_group(key="map_colour").value == "label"
    assert charts(app) == [["0 (20)", "1 (20)"]] * 2
    by_text, by_task = titles(app)
    assert "By text " in by_text
    assert "By task 100 %" in by_task
    assert "both" in app.query_params["points"]
    ids = list(shown(the_studio(), classified))
    demonstrations.set_status(the_studio(), ids[-2:], Status.EXCLUDED)
    app = finish(app)
    assert charts(app) == [["0 (19)", "1 (19)", "excluded (2)"], ["0 (19)", "1 (19)"]]
    assert "2 excluded demonstrations are not read and not on this map." in words(app)


def test_a_link_keeps_its_colour_and_the_same_charts_are_not_sent_anew(
    classified, open_page, finish
):
    app = finish(open_page("map", points="both", colour="length", **{"from": "typed"}))
    assert app.button_group(key="map_colour").value == "length"
    before = [(chart.proto.id, chart.proto.spec) for chart in app.get("plotly_chart")]
    app.text_input(key="map_typed").set_value("A glad text of its own").run()
    app = finish(app)
    assert [(chart.proto.id, chart.proto.spec) for chart in app.get("plotly_chart")] == before


def test_a_typed_query_is_read_once_and_drawn_on_both(classified, open_page, finish, model):
    app = finish(open_page("map", points="both", method="rel", k="3", **{"from": "typed"}))
    read = len(model.read)
    app.text_input(key="map_typed").set_value("A glad text of its own").run()
    app = finish(app)
    assert len(model.read) == read + 1
    assert app.dataframe[0].value[""].tolist() == [1, 2, 3]
    app = finish(app)
    assert len(model.read) == read + 1


def test_the_context_of_pgra_is_drawn_once_the_model_was_asked(
    classified, open_page, finish, model
):
    model.go_on.clear()
    app = open_page("map", points="task", method="pgra", k="4")
    for _ in range(3):
        app.run()
    assert not app.exception
    model.go_on.set()
    app = finish(app)
    assert "Until it has answered" not in words(app)
    first, labels = app.selectbox(key=f"map_query_{POOL}").value, app.dataframe[0].value["answer"]
    assert "sad" in first
    assert labels.tolist() == ["0"] * 4


def test_a_selection_holds_on_both_maps(classified, open_page, finish, the_studio):
    app = finish(open_page("map", points="both"))
    ids = list(shown(the_studio(), classified))
    keys = [chart.proto.id for chart in app.get("plotly_chart")]
    app.text_input(key="map_search").set_value(f"id:{ids[0]},{ids[3]}").run()
    assert app.session_state[SELECTED] == [ids[0], ids[3]]
    drawn = [chart.proto.id for chart in app.get("plotly_chart")]
    assert not set(drawn) & set(keys), "no chart keeps the outline of an earlier lasso"


def test_without_a_task_there_is_no_choice_and_a_link_learns_why(
    workspace, workspace_with, open_page, finish
):
    drafts = tuple(Draft(f"Question {n}", f"Answer {n}") for n in range(9))
    workspace_with(workspace, "free", drafts)
    app = finish(open_page("map"))
    assert "this pool has no task" not in words(app)
    assert [each.key for each in app.button_group if each.key == "map_points"] == []
    assert "Label" not in app.button_group(key="map_colour").options
    app = finish(open_page("map", points="both", colour="label"))
    assert not app.exception
    assert "Points are placed by text: this pool has no task" in words(app)
    assert app.button_group(key="map_colour").value == "tag"


@pytest.mark.parametrize("model", [{"window": 5}], indirect=True)
def test_a_window_that_holds_no_text_is_one_sentence_beside_the_map_by_text(
    classified, open_page, finish, model
):
    for points in ("task", "both"):
        app = finish(open_page("map", points=points))
        assert "No text of pool 'moods' fits the language model's window" in words(app)
        assert charts(app) == [["0 (20)", "1 (20)"]], "no empty chart"
    assert not model.read


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_is_one_sentence_beside_the_map_by_text(
    classified, open_page, finish, model
):
    app = finish(open_page("map", points="task"))
    assert words(app).count(NO_STATES) == 1
    assert charts(app) == [["0 (20)", "1 (20)"]]
    model.hidden = True
    app = finish(app)
    assert words(app).count(NO_STATES) == 1, "nothing is tried again by itself"
    again = [each for each in app.button if each.label == "Lay out the map by task"]
    again[0].click().run()
    assert "by task 100 %" in words(finish(app))
