"""Start in a browser: the whole idea in sight, its figures, its doors; first visitors."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.store import Store
from core.studio import Studio
from core.studio.pools.pools import load_bundled
from core.studio.start import EXAMPLE, idea
from tests.browser.driver import MENU, a_run, finish, menu, start_app, still, stop_app, turn_to
from tests.browser.pools import FEW


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The studio as its first visitor finds it: no workspace, nothing computed."""
    running = start_app(tmp_path_factory.mktemp("fresh") / "workspace")
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The service's idea of the example."""
    with Studio.open(tmp_path_factory.mktemp("example") / "workspace") as studio:
        load_bundled(studio)
        return idea(studio)[0]


@pytest.fixture
def start(fresh, window):
    page = window(fresh.url, width=1280, height=800)
    finish(page)
    return page


def bars(page):
    """Of each way: the share of the right answer, as a figure and as drawn on the screen."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.idea-bar')].map(bar => {
             const track = bar.querySelector('.idea-track').getBoundingClientRect();
             const right = bar.querySelector('.right').getBoundingClientRect();
             return [bar.dataset.method, Number(bar.dataset.right), right.width / track.width];
           })"""
    )


def test_the_address_of_the_server_opens_the_idea_with_the_services_figures(start, example):
    expect(start.get_by_role("heading", name="Shotlist", exact=True)).to_be_visible()
    assert start.url.endswith("/start")
    expect(start.get_by_test_id("stSidebar").get_by_text("Shotlist", exact=True)).to_be_visible()
    still(start)
    drawn = bars(start)
    assert [method for method, _, _ in drawn] == [way.method for way in example.ways]
    for (_, right, width), way in zip(drawn, example.ways, strict=True):
        assert right == pytest.approx(way.preference.right, abs=1e-5)
        assert width == pytest.approx(way.preference.right, abs=0.01)
    # Every repeated demonstration of the similar ones has its number in a marked row.
    marked = start.locator('[data-method="rel"] .again .idea-rank').all_inner_texts()
    assert marked == [str(each.rank) for each in example.similar.shown if each.again is not None]
    assert start.locator('[data-method="rel+div+bias"] .again').count() == example.mix.repeated


def test_nothing_of_it_scrolls_at_any_width(start):
    for width in (800, 1280, 1600):
        start.set_viewport_size({"width": width, "height": 800})
        still(start)
        cut = start.evaluate(
            """() => [...document.querySelectorAll('.idea, .idea *, .st-key-start_doors *')]
                 .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
                 .map(part => part.outerHTML.slice(0, 80))"""
        )
        assert cut == [], width
        picture, main = (
            start.locator(name).bounding_box() for name in (".idea", "[data-testid=stMain]")
        )
        assert picture["x"] >= main["x"] - 1, width
        assert picture["x"] + picture["width"] <= main["x"] + main["width"] + 1, width


def test_the_first_door_opens_the_example_in_explore(start, example):
    start.get_by_role("button", name="Try the example").click()
    expect(start.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    finish(start)
    rows = start.locator(".chosen .row").all_inner_texts()
    assert all(one.query in row for one, row in zip(example.mix.shown, rows, strict=True)), (
        "the mix of the start page is the context that Explore opens with"
    )
    expect(start.get_by_text("An example chosen to show the effect")).to_be_visible()
    with a_run(start):
        start.get_by_role("button", name="Show a typical query").click()
    expect(start.get_by_text("A typical query:")).to_be_visible()
    assert "query=" in start.url


def test_the_second_door_opens_the_import(start):
    start.get_by_role("button", name="Load your own").click()
    expect(start.get_by_role("heading", name="Demonstrations", exact=True)).to_be_visible()
    expect(start.get_by_test_id("stFileUploader")).to_be_visible()


def test_the_third_door_hands_over_a_page_that_stands_alone(start, example, tmp_path):
    with start.expect_download() as waiting:
        start.get_by_role("button", name="Show it to someone").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    asked = []
    alone = start.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    expect(alone.get_by_role("heading", level=1)).to_have_text(re.compile("demonstrations"))
    assert [way for way, _, _ in bars(alone)] == [way.method for way in example.ways]
    assert asked == [file.as_uri()]
    assert EXAMPLE.pool in alone.inner_text("footer")


def test_every_first_visitor_gets_ready_while_the_server_still_imports(tmp_path, window):
    """Three by a link into the studio: they once kept one another's server from going on."""
    workspace = tmp_path / "workspace"
    with Store.open(workspace) as store:
        store.demonstrations.add(store.pools.create("first").id, FEW)
    running = start_app(workspace, forked=False)
    try:
        link = urlencode({"pool": "first"})
        pages = {
            title: window(f"{running.url}/{title.lower()}?{link}", alone=True)
            for title in ("Calibrate", "Compare", "Explore")
        }
        for title, page in pages.items():
            finish(page)
            expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
            assert [label for label, _ in menu(page)] == MENU
        for title in ("Calibrate", "Compare"):
            button = pages[title].get_by_role("button", name=title, exact=True)
            expect(button).to_be_enabled()
        expect(pages["Explore"].locator(".chosen .row").first).to_be_visible()
        deep = menu(pages["Explore"])
        turn_to(pages["Explore"], "Compare")
        assert menu(pages["Explore"]) == deep == menu(window(running.url, alone=True))
    finally:
        stop_app(running)
