"""Every view: nothing cut at any width, nothing pale in either theme, nothing that jumps.

A layout is the same in both themes and a colour at every width, so each theme is looked at only
where the other is not.
"""

import re
from urllib.parse import urlencode, urlparse

import pytest
from playwright.sync_api import expect

from pages.common.frame.navigation import PAGES
from tests.browser.driver import (
    PATIENCE,
    ROOT,
    UNMOVED,
    finish,
    still,
    turn_to,
    until,
    windows,
)
from tests.browser.legible import unreadable
from tests.browser.views import show, views

WIDTHS = (800, 1280, 1600)
HEIGHT = 800
LOOKS = ((800, "light"), (1600, "light"), (1280, "dark"))
HIGHEST = 48
"""Where a page's title begins at the latest, pixels from the top."""
TITLES = [title for _, title, _ in PAGES]

FIELD_SCRIPTS = re.compile(
    "/static/js/(Button|ButtonGroup|Checkbox|DataFrame|DownloadButton|Multiselect|NumberInput"
    "|PlotlyChart|Selectbox|Slider|TextInput)[.]"
)
WITHOUT_FIELDS = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.getAttribute('data-test-script-state') === 'notRunning'
    && document.querySelector('[data-runs]') && document.querySelector('[data-testid="stSkeleton"]')
    && !document.querySelector('[data-stale="true"], [data-waiting]');
}"""
"""The run is over and drawn, but for what needs a script that has not come."""
KEEP_PARTS = """() => {
  window.parts = [...document.querySelectorAll('[data-testid="stElementContainer"]')];
}"""
PLACES = """() => window.parts.map(part => {
  if (!part.isConnected || !part.checkVisibility()) return null;
  const { left, top } = part.getBoundingClientRect();
  const key = [...part.classList].find(name => name.startsWith('st-key-'));
  return { left, top, what: key ?? part.innerText.slice(0, 60) };
})"""
GROUND_FITS = """scheme => {
  const app = document.querySelector('[data-testid="stApp"]');
  const [red, green, blue] = getComputedStyle(app).backgroundColor.match(/[0-9.]+/g).map(Number);
  return ((red + green + blue) / 765 > 0.8) === (scheme === 'light');
}"""
"""The ground is light in the light theme and dark in the dark one."""
MOST_MOVED = {"left": 32, "top": 8}
"""Pixels that what is in sight may move: a button becomes as wide as what it says."""

ICON = """async () => {
  const answer = await fetch(document.querySelector('link[rel~="icon"]').href);
  return [answer.headers.get('content-type').split(';')[0], await answer.text()];
}"""
"""What the browser gets for the tab: its kind and its content."""
SOURCES = """() => [...document.querySelectorAll('[src], link[href], image[href]')]
  .map(element => element.src || element.href).filter(address => typeof address === 'string')"""


def elsewhere(addresses):
    """Those that are on another machine."""
    parts = {address: urlparse(address) for address in addresses}
    return [
        address
        for address in sorted(addresses)
        if parts[address].scheme in ("http", "https", "ws", "wss")
        and parts[address].hostname != "127.0.0.1"
    ]


def press(page, name):
    """Press the page's primary button; wait until the first picture of the run is there."""
    finish(page)
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator('[data-testid="stMain"] .js-plotly-plot').first).to_be_visible()


@pytest.mark.parametrize("title", ["Calibrate", "Compare"])
def test_nothing_is_cut_or_pale_while_a_run_goes_on(app, window, title):
    page = window(f"{app.url}/{title.lower()}?limit=10000&settle=False", width=1280, height=HEIGHT)
    press(page, title)
    assert unreadable(page) == []
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name=title, exact=True)).to_be_enabled()
    finish(page)


@pytest.fixture(scope="module")
def report(app, browser, tmp_path_factory):
    """The report of a comparison; a calibration is finished as well."""
    with windows(browser) as open_window:
        page = open_window(f"{app.url}/calibrate?limit=6")
        press(page, "Calibrate")
        expect(page.get_by_role("heading", name="Exact figures")).to_be_visible()
        page = open_window(f"{app.url}/compare?limit=6")
        press(page, "Compare")
        expect(page.get_by_role("button", name="Download report")).to_be_visible()
        finish(page)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download report").click()
        file = tmp_path_factory.mktemp("report") / "report.html"
        download.value.save_as(file)
    return file


@pytest.fixture(scope="module")
def looker(app, report, browser):
    """A window for all views, and the addresses that it has asked for."""
    asked = set()
    with windows(browser) as open_window:
        page = open_window("about:blank", wait=False, alone=True)
        page.on("request", lambda request: asked.add(request.url))
        yield page, asked


@pytest.mark.parametrize("view", views(), ids=lambda view: view.name)
def test_nothing_of_a_view_is_cut_or_pale_or_from_another_machine(app, looker, view):
    page, asked = looker
    faults = {}
    for place, (width, scheme) in enumerate(LOOKS):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=scheme)
        if place == 0:
            show(page, app.url, view)
        expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)
        page.wait_for_function(GROUND_FITS, arg=scheme)
        finish(page)
        if faulty := unreadable(page):
            faults[f"{scheme}, at {width}"] = faulty
    assert faults == {}
    assert asked
    assert elsewhere(asked | set(page.evaluate(SOURCES))) == []


def test_every_page_begins_high_and_its_tab_has_our_own_icon(app, window):
    """Streamlit puts its own icon beside the page's name, or asks a font host for one by name."""
    drawing = (ROOT / "pages/common/frame/shotlist.svg").read_text(encoding="utf-8")
    page = window(app.url, width=1280, height=HEIGHT)
    for title in TITLES:
        if title != TITLES[0]:
            turn_to(page, title)
        still(page)
        assert page.get_by_role("heading", level=1).bounding_box()["y"] <= HIGHEST, title
        assert page.evaluate(ICON) == ["image/svg+xml", drawing], title


def places_at_every_width(page):
    """Where each part of the page stands, by the width of the window."""
    places = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.wait_for_function(UNMOVED, polling=50)
        places[width] = page.evaluate(PLACES)
    return places


@pytest.mark.parametrize("title", TITLES)
def test_what_stands_in_for_a_field_keeps_its_place(app, report, window, title):
    """On a first visit over a slow line, the scripts of fields, tables and charts come last."""
    waiting, free = [], []

    def delay(route):
        route.continue_() if free else waiting.append(route)

    page = window("about:blank", width=1280, height=HEIGHT, wait=False, alone=True)
    page.route(FIELD_SCRIPTS, delay)
    page.goto(f"{app.url}/{title.lower()}")
    page.wait_for_function(WITHOUT_FIELDS, polling=50, timeout=PATIENCE * 1_000)
    page.evaluate(KEEP_PARTS)
    before = places_at_every_width(page)
    assert waiting, "the page needs none of these scripts"
    free.append(True)
    for route in waiting:
        route.continue_()
    finish(page)
    after = places_at_every_width(page)
    moved = [
        f"{one['what']} at {width}: {side} {one[side]:.0f} to {other[side]:.0f}"
        for width in WIDTHS
        for one, other in zip(before[width], after[width], strict=True)
        for side, most in MOST_MOVED.items()
        if one and other and one["top"] < HEIGHT and abs(one[side] - other[side]) > most
    ]
    assert moved == [], "\n".join(moved)


COVERED = """() => [...document.querySelectorAll('.scroll')].flatMap(scroll => {
  scroll.scrollLeft = scroll.scrollWidth;
  if (!scroll.scrollLeft) return [];
  scroll.scrollIntoView();
  return [...scroll.querySelectorAll('tbody th:first-child')].flatMap(cell => {
    const { left, right, top, bottom } = cell.getBoundingClientRect(), seen = [];
    for (let x = left + 2; x < right - 2; x += 4)
      for (let y = top + 2; y < bottom - 2; y += 4)
        seen.push(document.elementFromPoint(x, y)?.closest('th:first-child') === cell);
    return seen;
  });
})"""
"""At points of the first cells of each row, beside scrolled ones: whether they are on top there."""


def test_what_a_row_is_about_is_above_the_cells_that_are_scrolled(report, window):
    page = window("about:blank", width=700, height=HEIGHT, wait=False, alone=True)
    page.goto(report.as_uri())
    on_top = page.evaluate(COVERED)
    assert on_top, "no table of the report is wider than the window"
    assert all(on_top)


def test_a_report_asks_nobody_and_is_legible(report, window):
    asked = []
    page = window("about:blank", wait=False, alone=True)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert unreadable(page) == [], width
    titles = page.locator("figure h3").all_inner_texts()
    assert asked == [report.as_uri()]
    assert len(titles) == report.read_text(encoding="utf-8").count('class="drawn"')
    assert all(titles)


@pytest.mark.parametrize("width", [800, 1010, 1280])
def test_a_row_with_many_turned_knobs_keeps_its_columns(app, window, width):
    changed = "candidates=20 embed=query+answer one_per_query=true"
    link = {"rows": f"rel;rel+div lambda_d=0.3 {changed};none"}
    page = window(f"{app.url}/compare?{urlencode(link)}", width=width, height=HEIGHT)
    still(page)
    boxes = [
        page.get_by_role("button", name=f"Remove row {place}").bounding_box() for place in (1, 2, 3)
    ]
    assert len({round(box["x"]) for box in boxes}) == 1
    assert boxes[0]["x"] + boxes[0]["width"] <= width


def test_the_side_bar_can_be_folded_away_and_brought_back(app, window):
    page = window(f"{app.url}/compare", width=1280, height=HEIGHT)
    finish(page)
    title, opener = (
        page.get_by_role("heading", level=1),
        page.get_by_test_id("stExpandSidebarButton"),
    )
    still(page)
    beside = title.bounding_box()["x"]
    page.get_by_test_id("stSidebar").hover()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(opener).to_be_visible()
    until(page, lambda: title.bounding_box()["x"] < beside - 200, True)
    still(page)
    button = opener.bounding_box()
    assert button["y"] + button["height"] <= title.bounding_box()["y"] + 1, "it lies on the title"
    opener.click()
    until(page, lambda: title.bounding_box()["x"] == pytest.approx(beside, abs=2), True)
