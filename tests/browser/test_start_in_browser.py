"""Start in a browser: the whole idea in sight, its figures, its doors, at every width."""

import re

import pytest
from playwright.sync_api import expect

from core.studio import Studio
from core.studio.pools.pools import load_bundled
from core.studio.start.idea import EXAMPLE, idea
from tests.browser.driver import settle, start_app, stop_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The studio as its first visitor finds it: no workspace, nothing computed."""
    running = start_app(tmp_path_factory.mktemp("fresh") / "workspace")
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the service says of the example."""
    with Studio.open(tmp_path_factory.mktemp("told") / "workspace") as studio:
        load_bundled(studio)
        return idea(studio)[0]


def bars(page):
    """Of each way: the share of the right answer, as a figure and as drawn on the screen."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.idea-bar')].map(bar => {
             const track = bar.querySelector('.idea-track').getBoundingClientRect();
             const right = bar.querySelector('.right').getBoundingClientRect();
             return [bar.dataset.method, Number(bar.dataset.right), right.width / track.width];
           })"""
    )


def test_the_address_of_the_server_opens_the_idea_with_the_services_figures(fresh, told, window):
    page = window(fresh.url, width=1280, height=800)
    expect(page.get_by_role("heading", name="Shotlist", exact=True)).to_be_visible()
    assert page.url.endswith("/start")
    expect(page.get_by_test_id("stSidebar").get_by_text("Shotlist", exact=True)).to_be_visible()
    drawn = bars(page)
    assert [method for method, _, _ in drawn] == [way.method for way in told.ways]
    for (_, right, width), way in zip(drawn, told.ways, strict=True):
        assert right == pytest.approx(way.preference.right, abs=1e-5)
        assert width == pytest.approx(way.preference.right, abs=0.01)
    # Every repeated demonstration of the similar ones has its number in a marked row.
    marked = page.locator('[data-method="rel"] .again .idea-rank').all_inner_texts()
    assert marked == [str(each.rank) for each in told.similar.shown if each.again is not None]
    assert page.locator('[data-method="rel+div+bias"] .again').count() == told.mix.repeated


@pytest.mark.parametrize(("width", "scheme"), [(800, "dark"), (1280, "light"), (1600, "dark")])
def test_nothing_of_it_is_cut_at_any_width(fresh, window, width, scheme):
    page = window(f"{fresh.url}/start", width=width, height=800, scheme=scheme)
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.idea, .idea *, .st-key-start_doors *')]
             .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
             .map(part => part.outerHTML.slice(0, 80))"""
    )
    assert cut == []
    picture, main = (
        page.locator(name).bounding_box() for name in (".idea", "[data-testid=stMain]")
    )
    assert picture["x"] >= main["x"]
    assert picture["x"] + picture["width"] <= main["x"] + main["width"]
    for name in ("Try the example", "Load your own", "Show it to someone"):
        expect(page.get_by_role("button", name=name)).to_be_enabled()


def test_the_first_door_opens_the_example_in_explore(fresh, told, window):
    page = window(fresh.url, width=1280, height=800)
    page.get_by_role("button", name="Try the example").click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    expect(page.locator("table.context tbody tr")).to_have_count(len(told.mix.shown))
    ranks = page.locator("table.context tbody tr").all_inner_texts()
    assert all(one.query in row for one, row in zip(told.mix.shown, ranks, strict=True)), (
        "the mix of the start page is the context that Explore opens with"
    )
    expect(page.get_by_text("An example chosen to show the effect")).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Show a typical query").click()
    expect(page.get_by_text("A typical query:")).to_be_visible()
    assert "query=" in page.url


def test_the_second_door_opens_the_import(fresh, window):
    page = window(fresh.url, width=1280, height=800)
    page.get_by_role("button", name="Load your own").click()
    expect(page.get_by_role("heading", name="Demonstrations", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stFileUploader")).to_be_visible()


def test_the_third_door_hands_over_a_page_that_stands_alone(fresh, told, window, tmp_path):
    page = window(fresh.url, width=1280, height=800)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Show it to someone").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    asked = []
    alone = page.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    expect(alone.get_by_role("heading", level=1)).to_have_text(re.compile("demonstrations"))
    assert [way for way, _, _ in bars(alone)] == [way.method for way in told.ways]
    assert asked == [file.as_uri()]
    assert EXAMPLE.pool in alone.inner_text("footer")
