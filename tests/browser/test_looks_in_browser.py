"""Every page in both themes, at three widths: nothing cut, pale, moving, or from elsewhere."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect

from pages.common.frame.navigation import PAGES
from tests.browser.driver import ROOT, import_few, settle, start_app, stop_app, turn_to, windows
from tests.browser.views import Resizable, show, views

WIDTHS = (800, 1280, 1600)
SCHEMES = ("light", "dark")
LEAST_CONTRAST = 4.5
MOST_SHIFT = 0.1
HIGHEST = 48
"""Where a page's title begins at the latest, pixels from the top."""

LEGIBLE = (Path(__file__).parent / "legible.js").read_text(encoding="utf-8")
NOTE_SHIFTS = """
  window.shifts = [];
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.shifts.push({
        value: entry.value,
        what: entry.sources.map(({ node, previousRect, currentRect }) => [
          node?.dataset?.testid ?? node?.nodeName, previousRect.x, previousRect.y, currentRect.x,
          currentRect.y,
        ].join(' ')),
      });
    }
  }).observe({ type: 'layout-shift', buffered: true });
"""
RUN_IS_OVER = """() => document.querySelector('[data-testid="stApp"]')
  .getAttribute('data-test-script-state') === 'notRunning'"""
ICON = """async () => {
  const answer = await fetch(document.querySelector('link[rel~="icon"]').href);
  return [answer.headers.get('content-type').split(';')[0], await answer.text()];
}"""
"""What the browser gets for the tab: its kind and its content."""

TITLES = [title for _, title, _ in PAGES]
FIELD_SCRIPTS = re.compile(
    "/static/js/(Button|ButtonGroup|Checkbox|DataFrame|DownloadButton|Multiselect|NumberInput"
    "|PlotlyChart|Selectbox|Slider|TextInput)[.]"
)
SOURCES = """() => [...document.querySelectorAll('[src], link[href], image[href]')]
  .map(element => element.src || element.href).filter(address => typeof address === 'string')"""


def found(page):
    """What cannot be read on the page that is open, sentence by sentence."""
    return page.evaluate(
        f"least => {{ const {{ cutText, cutFields, cutCharts, pale }} = {LEGIBLE};"
        " return [...cutText(), ...cutFields(), ...cutCharts(), ...pale(least)]; }",
        LEAST_CONTRAST,
    )


def lasting(page):
    """What cannot be read now nor a second later: a chart that just came is being laid out."""
    before = found(page)
    if not before:
        return []
    page.wait_for_timeout(1_000)
    return [fault for fault in found(page) if fault in before]


def elsewhere(address):
    """Whether an address is on another machine."""
    parts = urlparse(address)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1"


@pytest.fixture(scope="module")
def slow_line(browser):
    """A window that notes what moves in it, and has every script asked for anew at every visit."""
    with windows(browser) as open_window:
        page = open_window("about:blank", wait=False, alone=True)
        page.add_init_script(NOTE_SHIFTS)
        yield page


def shifts_of_a_first_visit(page, address, width):
    """What moved on the page, from the first thing drawn until nothing is asked for.

    The scripts of fields, tables and charts come last of all, as they may over a slow line: until
    then something else stands in their place.
    """
    held = []

    def hold(route):
        if held is None:
            route.continue_()
        else:
            held.append(route)

    page.goto("about:blank")
    page.set_viewport_size({"width": width, "height": 800})
    page.route(FIELD_SCRIPTS, hold)
    page.goto(address)
    page.get_by_role("heading", level=1).wait_for(timeout=120_000)
    page.wait_for_function(RUN_IS_OVER, timeout=120_000)
    page.wait_for_timeout(500)
    late, held = held, None
    for route in late:
        route.continue_()
    settle(page)
    page.wait_for_timeout(300)
    page.unroute(FIELD_SCRIPTS, hold)
    return page.evaluate("() => window.shifts")


def run(page, name, examples):
    """Press the page's button for so many examples, look at it while it goes on, and wait."""
    ready = page.get_by_role("button", name=name, exact=True, disabled=False)
    ready.first.wait_for(timeout=120_000)
    page.get_by_role("spinbutton", name="Examples").fill(str(examples))
    page.keyboard.press("Enter")
    settle(page)
    ready.click()
    page.locator('[data-testid="stMain"] .js-plotly-plot').first.wait_for(timeout=120_000)
    live = lasting(page)
    page.get_by_text("Download report").first.wait_for(timeout=120_000)
    settle(page)
    return live


@pytest.fixture(scope="module")
def looked(tmp_path_factory, browser):
    """The studio with a finished calibration and comparison, and what was seen on the way."""
    folder = tmp_path_factory.mktemp("looks")
    import_few(folder / "workspace", "service-desk", 60, "service-desk")
    app = start_app(folder / "workspace")
    try:
        with windows(browser) as open_window:
            page = open_window(f"{app.url}/calibrate", width=1280, height=800)
            live = run(page, "Calibrate", 6)
            turn_to(page, "Compare")
            live += run(page, "Compare", 6)
            with page.expect_download() as download:
                page.get_by_role("button", name="Download report").click()
            report = folder / "report.html"
            download.value.save_as(report)
        yield SimpleNamespace(app=app, live=live, report=report)
    finally:
        stop_app(app)


@pytest.fixture(scope="module")
def visited(looked, browser):
    """All views, at all widths in both themes: faults, addresses, heights of titles."""
    faults, addresses, icons, tops = {}, set(), set(), {}
    with windows(browser) as open_window:
        page = open_window("about:blank", width=1280, height=800, wait=False, alone=True)
        page.on("request", lambda asked: addresses.add(asked.url))
        for view in views():
            show(page, looked.app.url, view)
            if not view.pressed:
                tops[view.name] = page.get_by_role("heading", level=1).bounding_box()["y"]
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)
                for width in WIDTHS:
                    Resizable(page).to(width)
                    if faulty := lasting(page):
                        faults[f"{view.name}, {scheme}, at {width}"] = faulty
            addresses |= set(page.evaluate(SOURCES))
            icons.add(tuple(page.evaluate(ICON)))
            page.set_viewport_size({"width": 1280, "height": 800})
    return SimpleNamespace(faults=faults, addresses=addresses, icons=icons, tops=tops)


def test_nothing_is_cut_or_pale_on_any_page(visited):
    assert visited.faults == {}, json.dumps(visited.faults, indent=1)


def test_nothing_is_cut_or_pale_while_a_run_goes_on(looked):
    assert looked.live == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("title", TITLES)
def test_no_page_moves_while_it_comes(looked, slow_line, title, width):
    """From the first thing drawn, on a first visit, when the browser has no script yet.

    Of three visits one may be still: a page that moves by itself moves each time, one that only a
    busy machine draws in pieces does not.
    """
    visits = []
    for _ in range(3):
        address = f"{looked.app.url}/{title.lower()}"
        visits.append(shifts_of_a_first_visit(slow_line, address, width))
        if sum(shift["value"] for shift in visits[-1]) <= MOST_SHIFT:
            return
    pytest.fail(json.dumps(visits, indent=1))


def test_every_page_begins_high(visited):
    assert {name: top for name, top in visited.tops.items() if top > HIGHEST} == {}


def test_no_page_asks_another_machine(visited):
    assert visited.addresses
    assert [address for address in sorted(visited.addresses) if elsewhere(address)] == []


def test_every_tab_has_our_own_icon(visited):
    """Streamlit puts its own beside the page's name, or asks a font host for one by name."""
    drawing = (ROOT / "pages/common/frame/shotlist.svg").read_text(encoding="utf-8")
    assert visited.icons == {("image/svg+xml", drawing)}


def test_a_report_asks_nobody_and_is_legible(looked, browser):
    asked = []
    with windows(browser) as open_window:
        page = open_window("about:blank", wait=False, alone=True)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(looked.report.as_uri())
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(500)
            assert found(page) == [], width
        titles = page.locator("figure h3").all_inner_texts()
    assert asked == [looked.report.as_uri()]
    assert len(titles) == page_figures(looked.report)
    assert all(titles)


def page_figures(report):
    return report.read_text(encoding="utf-8").count('class="drawn"')


def test_the_side_bar_can_be_folded_away_and_brought_back(looked, browser):
    with windows(browser) as open_window:
        page = open_window(f"{looked.app.url}/compare", width=1280, height=800)
        title = page.get_by_role("heading", level=1)
        beside = title.bounding_box()
        page.get_by_test_id("stSidebar").hover()
        page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
        opener = page.get_by_test_id("stExpandSidebarButton")
        expect(opener).to_be_visible()
        page.wait_for_timeout(500)
        alone, button = title.bounding_box(), opener.bounding_box()
        assert alone["x"] < beside["x"] - 200
        assert button["y"] + button["height"] <= alone["y"], "the button lies on the title"
        opener.click()
        page.wait_for_timeout(500)
        assert title.bounding_box() == beside
