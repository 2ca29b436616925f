"""The line that finds demonstrations, on the table and on the Map, and searches by name."""

import pytest

from core.demonstration.demonstration import Draft, IncorrectAnswer, Status
from core.studio.pools import demonstrations
from core.studio.pools.searching import saved
from pages.common.map.selection import SELECTED
from tests.pages.conftest import errors, parameter, press
from tests.support.gated import gated

POOL = "to find <b>"
ROWS = (
    Draft("Do bats *see*?", "Yes", (IncorrectAnswer("No, never"),), tags=("animals",)),
    Draft("Do bats *see*?", "They do, and rather well", note="in a book"),
    Draft("Is glass a liquid?", "No", tags=("physics", "animals")),
    Draft("Do moles see?", "Hardly", status=Status.EXCLUDED),
    Draft("Is ice a liquid?", "No, it is not"),
)
NONE_MATCH = "No demonstration matches the filters."


@pytest.fixture
def opened(workspace, workspace_with, open_page, finish):
    workspace_with(workspace, POOL, ROWS)
    return lambda page="demonstrations", **link: finish(open_page(page, pool=POOL, **link))


def found(app):
    return app.dataframe[0].value["id"].tolist() if app.dataframe else []


def find(app, text):
    return app.text_input(key="demonstrations_search").set_value(text).run()


@pytest.mark.parametrize(
    ("text", "ids"),
    gated(
        [
            ('"a liquid" -ice', [3]),
            ("-tag:animals status:included", [2, 5]),
            ("bats see", [1, 2]),
            ("answer:/^No/ length:>2", [5]),
            ("tag:physics", [3]),
            ("id:2-3,5", [2, 3, 5]),
            ("wrong:>0", [1]),
        ],
        first=2,
    ),
)
def test_a_line_narrows_the_table_and_is_linked(opened, text, ids):
    app = find(opened(), text)
    assert found(app) == ids
    assert parameter(app, "search") == text
    assert found(opened(search=text)) == ids


def test_the_line_and_the_selections_beside_it_apply_together(opened):
    app = opened(search="see", tags="animals|physics", status="included")
    assert found(app) == [1]


def test_the_nearest_in_meaning_come_first_with_their_similarity(opened):
    app = find(opened(), "like:5")
    table = app.dataframe[0].value
    assert found(app)[0] == 5
    assert sorted(found(app)) == [1, 2, 3, 5]
    assert table["similarity"].tolist() == sorted(table["similarity"], reverse=True)
    assert "The nearest in meaning come first." in [each.value for each in app.caption]
    app.selectbox(key="demonstrations_sort").set_value("answer").run()
    assert found(app) == [3, 5, 2, 1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    gated(
        [
            ("length:>x", "has no range"),
            ("/[/", "cannot be read"),
            ("like:77", "There is no demonstration 77"),
        ]
    ),
)
def test_a_line_that_is_refused_finds_nothing_and_nothing_is_acted_on(opened, text, sentence):
    app = find(opened(), text)
    assert sentence in errors(app)[0]
    assert found(app) == []
    assert NONE_MATCH not in [each.value for each in app.text]
    assert NONE_MATCH in [each.value for each in find(app, "id:77").text]
    find(app, text)
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    assert app.button(key="demonstrations_bulk_Exclude").disabled
    assert found(find(app, "bats")) == [1, 2]
    assert errors(app) == []


def test_how_often_each_is_retrieved_is_counted_when_it_is_asked_for(opened, finish):
    app = finish(find(opened(), "retrieved:yes"))
    assert errors(app) == []
    shown = app.dataframe[0].value
    assert (shown["retrieved"] > 0).all()
    assert sorted(found(app)) == sorted(shown["id"])
    assert found(app)


def test_a_search_is_kept_by_name_looked_for_again_and_removed(opened, the_studio):
    app = opened(search="bats", tags="animals", status="included")
    app.text_input(key="demonstrations_save_as").set_value("seen *bats*").run()
    press(app, "demonstrations_save")
    kept = {"seen *bats*": "bats tag:animals status:included"}
    assert saved(the_studio(), POOL) == kept
    find(app, "glass")
    press(app, "demonstrations_saved_0")
    assert app.text_input(key="demonstrations_search").value == kept["seen *bats*"]
    assert app.multiselect(key="demonstrations_tags").value == []
    assert app.selectbox(key="demonstrations_status").value == "any"
    assert found(app) == [1]
    press(app, "demonstrations_forget_0")
    assert saved(the_studio(), POOL) == {}
    find(app, "")
    assert app.button(key="demonstrations_save").disabled


def test_a_search_without_a_name_is_not_kept(opened, the_studio):
    app = opened(search="bats")
    press(app, "demonstrations_save")
    assert "The search has no name" in str([each.value for each in app.success])
    assert saved(the_studio(), POOL) == {}


def test_more_like_the_one_that_is_meant(opened):
    app = opened(search="glass")
    assert app.button(key="demonstrations_bulk_like").disabled, "nothing is ticked"
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(app, "demonstrations_bulk_like")
    assert app.text_input(key="demonstrations_search").value == "like:3"
    assert found(app)[0] == 3
    assert app.button(key="demonstrations_bulk_like").disabled, "they are several"


def test_more_like_one_of_the_map_leads_to_the_table(opened, open_app, finish):
    opened()
    app = finish(open_app("map"))
    app.text_input(key="map_search").set_value("id:5").run()
    press(app, "map_bulk_like")
    assert [title.value for title in app.title] == ["Demonstrations"]
    assert found(app)[0] == 5


def test_the_map_selects_what_the_link_finds_and_keeps_another_selection(opened, the_studio):
    app = opened("map", search="liquid")
    assert app.session_state[SELECTED] == [3, 5]
    assert parameter(app, "search") == "liquid"
    assert app.button(key="map_words_select").disabled
    press(app, "map_clear")
    assert app.session_state[SELECTED] == []
    press(app, "map_words_select")
    assert app.session_state[SELECTED] == [3, 5]
    press(app, "map_bulk_Exclude")
    status = {id: row.status for id, row in demonstrations.present(the_studio(), [3, 5]).items()}
    assert status == dict.fromkeys((3, 5), Status.EXCLUDED)
    app.text_input(key="map_search").set_value("status:x").run()
    assert "is no status" in errors(app)[0]
    assert app.session_state[SELECTED] == [3, 5]
