"""Start under AppTest: alone and through the router, on the example and without it."""

import pytest

from core.embedding import load_encoder
from core.reporting.words import start_page as start_words
from core.studio import Studio
from core.studio.pools.pools import BUNDLED, delete, load_bundled
from core.studio.start import EXAMPLE, idea
from tests.pages.drawn import html_of

DOORS = ["Try the example", "Load your own", "Show it to someone"]


@pytest.fixture
def own_encoder(workspace, every_studio):
    """The bundled encoder instead of the fake one: it is not loaded, its embeddings come along."""
    every_studio(load_encoder=load_encoder)
    return workspace


def labels(app):
    return [button.label for button in app.main if getattr(button, "label", None) in DOORS]


def pictures(app):
    return html_of(app.main)


@pytest.mark.usefixtures("own_encoder")
def test_the_first_visit_shows_the_whole_idea_at_once(open_page, the_studio):
    app = open_page("start")
    assert not app.exception
    assert [title.value for title in app.title] == ["Shotlist"]
    assert app.caption[0].value == start_words.WHAT
    found, job = idea(the_studio())
    assert job is None
    (drawn,) = pictures(app)
    assert start_words.headline(found) in drawn
    for each in found.ways:
        assert f'data-method="{each.method}" data-right="{each.preference.right:.6f}"' in drawn
    assert not any(button.disabled for button in app.main.get("button"))


@pytest.mark.usefixtures("own_encoder")
def test_the_router_opens_with_it_and_its_doors_lead_where_they_say(workspace, open_app):
    app = open_app("start")
    assert [title.value for title in app.title] == ["Shotlist"]
    app.button[0].click().run()
    assert not app.exception
    assert [title.value for title in app.title] == ["Explore"]
    app.switch_page("pages/explore.py").run()  # AppTest itself stays on the page of the button
    (query,) = [box.value for box in app.selectbox if box.label == "Evaluation example"]
    assert app.sidebar.selectbox[0].value == EXAMPLE.pool
    assert any("chosen to show the effect" in each.value for each in app.caption)
    (other,) = [b for b in app.main.button if b.label == "Show a typical query"]
    other.click().run()
    (typical,) = [box.value for box in app.selectbox if box.label == "Evaluation example"]
    assert typical != query
    assert any(each.value.startswith("A typical query") for each in app.caption)
    app.switch_page("pages/start.py").run()
    (own,) = [b for b in app.main.button if b.label == "Load your own"]
    own.click().run()
    assert [title.value for title in app.title] == ["Demonstrations"]
    assert len(app.get("file_uploader")) == 1


def test_it_waits_for_what_is_not_there_yet_and_then_draws_it(workspace, open_page, finish):
    app = open_page("start")
    assert pictures(app) == []
    app = finish(app)
    (drawn,) = pictures(app)
    assert [each.value for each in app.error] == []
    assert start_words.WAITING not in drawn


@pytest.mark.thorough
@pytest.mark.usefixtures("own_encoder")
def test_without_the_example_it_offers_to_bring_it_back(workspace, open_page):
    with Studio.open() as studio:
        load_bundled(studio)
        for name in BUNDLED:
            if name != BUNDLED[1]:
                delete(studio, name)
    app = open_page("start")
    assert pictures(app) == []
    assert EXAMPLE.pool in app.info[0].value
    assert app.main.button[0].disabled
    app.main.button[-1].click().run()
    assert not app.exception
    assert len(pictures(app)) == 1


def test_the_name_stands_above_the_menu_of_every_page(small_pool, open_page):
    for page in ("start", "demonstrations", "map", "explore", "calibrate", "compare"):
        assert "Shotlist" in open_page(page).sidebar.get("html")[0].proto.body
