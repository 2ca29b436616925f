"""Calibrate and Compare in a real browser: progress, exact figures, what is kept, reports."""

import math
import re
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    figures,
    grid,
    import_few,
    settle,
    start_app,
    steady_box,
    stop_app,
    tables,
    turn_to,
    until,
    windows,
)

QUERIES = 20
POOL = "trial & error"
MENU = ["Start", "Demonstrations", "Map", "Explore", "Calibrate", "Compare"]
PROGRESS = re.compile(
    r"Waiting for the language model|Loading the language model"
    r"|First, (embedding what is not embedded yet|scoring the quality bias that is missing)"
    r"(: \d+ of \d+)?(, about .+ left)?"
    r"|(First look at a few lambda_d: |Every lambda_d: )?[0-4] of 4 examples(, about .+ left)?"
)
NOTE_PROGRESS = """() => {
  window.progress = [];
  new MutationObserver(() => {
    const text = document.querySelector('[data-testid="stMain"] [data-testid="stProgress"]')
      ?.innerText.trim();
    if (text && window.progress.at(-1) !== text) window.progress.push(text);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def menu(page):
    """The menu's labels and addresses."""
    links = page.get_by_test_id("stSidebar").get_by_role("link")
    expect(links).to_have_count(len(MENU), timeout=60_000)
    return [
        (link.inner_text().split("\n")[-1], link.get_attribute("href").split("?")[0])
        for link in links.all()
    ]


@pytest.fixture(scope="module")
def first_visit(tmp_path_factory, roomy_model, browser):
    """A fresh server with a small pool, and the menu that its first visitor sees.

    Its windows stay open: with others that wait for the encoder too, it must still get loaded.
    """
    folder = tmp_path_factory.mktemp("calibrate")
    import_few(folder / "workspace", "misconceptions", QUERIES, POOL)
    running = start_app(folder / "workspace", roomy_model)
    try:
        with windows(browser) as open_window:
            page = open_window(f"{running.url}/calibrate")
            expect(page.get_by_role("heading", name="Calibrate")).to_be_visible(timeout=60_000)
            open_window(f"{running.url}/compare")
            yield SimpleNamespace(app=running, menu=menu(page))
    finally:
        stop_app(running)


def press_when_ready(page, name):
    """Press the button as soon as the pool is embedded, which the encoder's loading delays."""
    ready = page.get_by_role("button", name=name, exact=True, disabled=False)
    ready.first.wait_for(timeout=300_000)  # A busy machine takes long to import the encoder.
    settle(page)
    ready.click()


@pytest.fixture(scope="module")
def app(first_visit):
    return first_visit.app


def link(app, path, **values):
    return f"{app.url}/{path}?{urlencode({'pool': POOL, **values})}"


def exact_figures(page):
    """All rows of the calibration's table, which shows some of them at a time."""
    table = tables(page).last
    table.scroll_into_view_if_needed()
    box = steady_box(page, table)
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    found = {}
    for _ in range(20):
        found |= {row["lambda_d"]: row for row in grid(table)}
        if "1" in found:
            break
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(200)
    return [found[name] for name in sorted(found, key=float)]


def wait_for_result(page, heading="Exact figures"):
    expect(page.get_by_role("heading", name=heading)).to_be_visible(timeout=120_000)
    page.wait_for_function(
        """() => {
             const plots = [...document.querySelectorAll('.js-plotly-plot')];
             return plots.length === 2 && plots.every(plot => plot._fullData?.length);
           }""",
        timeout=60_000,
    )
    settle(page)


@pytest.fixture(scope="module")
def calibrated(app, browser):
    """What a window showed in which four examples were calibrated at lambda_b 0.60."""
    with windows(browser) as open_window:
        page = open_window(link(app, "calibrate", limit=4, lambda_b="0.60"))
        expect(page.get_by_text("No calibration of this pool yet.")).to_be_visible(timeout=60_000)
        page.evaluate(NOTE_PROGRESS)
        press_when_ready(page, "Calibrate")
        wait_for_result(page)
        yield SimpleNamespace(
            progress=page.evaluate("window.progress"),
            figures=figures(page),
            rows=exact_figures(page),
            apply=page.get_by_role("button", name="Apply lambda_d").inner_text(),
        )


def test_calibrating_tells_its_progress(calibrated):
    assert calibrated.progress
    assert [text for text in calibrated.progress if not PROGRESS.fullmatch(text)] == []


def test_the_curve_is_the_table_of_exact_figures(calibrated):
    assert len(calibrated.rows) == 21
    assert [float(row["lambda_d"]) for row in calibrated.rows] == [
        round(step / 20, 2) for step in range(21)
    ]
    assert {(row["k"], row["lambda_b"]) for row in calibrated.rows} == {("6", "0.6")}
    curve, plane = calibrated.figures
    traces = {trace["name"]: trace for trace in curve["traces"]}
    for trace, name in (("DPO per triple", "DPO per triple"), ("Sameness", "sameness")):
        assert traces[trace]["x"] == [round(step / 20, 2) for step in range(21)]
        assert traces[trace]["y"] == [float(row[name]) for row in calibrated.rows]
    assert plane["traces"][0]["x"] == traces["Sameness"]["y"]
    assert plane["traces"][0]["y"] == traces["DPO per triple"]["y"]
    best = max(calibrated.rows, key=lambda row: float(row["DPO per triple"]))
    assert float(best["DPO per triple"]) == max(traces["DPO per triple"]["y"]) < 0
    assert float(best["behind best"]) == 0
    assert not any("best" in row["verdict"] for row in calibrated.rows), "four examples tell none"


def test_four_examples_show_no_clear_difference_from_the_paper_s_defaults(calibrated):
    assert calibrated.apply == "Apply lambda_d 0.75, lambda_b 0.95, k 6"


def test_the_result_is_still_there_after_a_reload(app, window, calibrated):
    page = window(link(app, "calibrate"))
    for _ in range(2):
        wait_for_result(page)
        assert figures(page)[0]["traces"][1] == calibrated.figures[0]["traces"][1]
        assert exact_figures(page) == calibrated.rows
        page.reload()


def test_apply_carries_the_lambdas_into_explore(app, window, calibrated):
    page = window(link(app, "calibrate", lambda_b="0.60", lambda_d="0.30"))
    wait_for_result(page)
    here = page.get_by_role("slider", name="lambda_b")
    assert here.get_attribute("aria-valuetext") == "0.60"
    page.get_by_role("button", name="Apply lambda_d").click()
    expect(here).to_have_attribute("aria-valuetext", "0.95", timeout=30_000)
    settle(page)
    turn_to(page, "Explore")
    wanted = re.findall(r"\d\.\d\d", calibrated.apply)
    for name, value in zip(("lambda_d", "lambda_b"), wanted, strict=True):
        slider = page.get_by_role("slider", name=name)
        expect(slider).to_have_attribute("aria-valuetext", value, timeout=60_000)
        until(page, lambda part=f"{name}={value}": part in page.url, True)


def test_comparing_with_no_context_and_the_report(app, window):
    page = window(link(app, "compare", limit=4, methods="none,rel"))
    press_when_ready(page, "Compare")
    wait_for_result(page, "Each example's own story")
    cells = page.locator("table.shotlist-table").first.evaluate(
        """table => [...table.rows].map(
             row => [...row.cells].map(cell => cell.innerText.split('\\n')[0]))"""
    )
    assert [row[0] for row in cells] == ["Method", "none", "rel"]
    table = {row[0]: dict(zip(cells[0][1:], row[1:], strict=True)) for row in cells[1:]}
    none, rel = table["none"], table["rel"]
    assert none["DPO per triple"].removeprefix("best ") == "-0.693"
    assert (none["Delta"].removeprefix("best "), none["Sameness"]) == ("0.000", "-")
    assert float(rel["DPO per triple"].removeprefix("best ")) < 0
    dots = [x for trace in figures(page)[0]["traces"] for x in trace["x"]]
    assert any(x is not None and abs(x - math.log(0.5)) < 1e-9 for x in dots)

    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("button", name="Download report").click()
    assert download.value.suggested_filename.startswith("comparison-")
    assert download.value.suggested_filename.endswith(".html")
    report = download.value.path().read_text(encoding="utf-8")
    assert "<title>Comparison of methods on pool trial &amp; error</title>" in report
    assert "-0.693" in report


def test_a_deep_link_on_a_fresh_server_shows_the_same_menu(first_visit, window):
    root = window(first_visit.app.url)
    assert [label for label, _ in menu(root)] == MENU
    assert first_visit.menu == menu(root)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_in_light_and_dark(app, window, calibrated, scheme):
    page = window(link(app, "demonstrations"), scheme=scheme)
    for title in ("Explore", "Compare", "Calibrate"):
        turn_to(page, title)
        expect(page.get_by_test_id("stException")).to_have_count(0)
    wait_for_result(page)
    ground = page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert (min(map(int, re.findall(r"\d+", ground)[:3])) > 200) == (scheme == "light")
