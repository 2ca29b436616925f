"""Calibrate and Compare in a real browser: progress, exact figures, what is kept, reports."""

import math
import re
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    a_run,
    figures,
    finish,
    grid,
    lambda_field,
    reload,
    tables,
    turn_to,
    until,
    windows,
)
from tests.browser.pools import WEIGHED

GRID = [round(step / 20, 2) for step in range(21)]
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


def link(app, path, **values):
    return f"{app.url}/{path}?{urlencode({'pool': WEIGHED, **values})}"


def exact_figures(page):
    """All rows of the calibration's table, which shows some of them at a time."""
    table = tables(page).last
    table.hover()
    page.get_by_role("button", name="Fullscreen").last.click()
    until(page, lambda: len(grid(table)), len(GRID))
    rows = grid(table)
    page.get_by_role("button", name="Close fullscreen").click()
    until(page, lambda: len(grid(table)) < len(GRID), True)
    return rows


def run(page, name, heading):
    """Press the page's button when its work in the background is done; wait for the result."""
    finish(page)
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    finish(page)


@pytest.fixture(scope="module")
def calibrated(app, browser):
    """What a window showed in which four examples were calibrated at lambda_b 0.60."""
    with windows(browser) as open_window:
        page = open_window(link(app, "calibrate", limit=4, lambda_b="0.60"))
        page.evaluate(NOTE_PROGRESS)
        run(page, "Calibrate", "Exact figures")
        yield SimpleNamespace(
            progress=page.evaluate("window.progress"),
            figures=figures(page),
            rows=exact_figures(page),
            setting=page.locator(".st-key-setting").inner_text(),
        )


def test_what_calibrating_tells_of_its_progress_is_in_words(calibrated):
    """Which of them are seen, and how many, depends on the machine."""
    assert [text for text in calibrated.progress if not PROGRESS.fullmatch(text)] == []


def test_the_curve_is_the_table_of_exact_figures(calibrated):
    assert [float(row["lambda_d"]) for row in calibrated.rows] == GRID
    assert {(row["k"], row["lambda_b"]) for row in calibrated.rows} == {("6", "0.6")}
    curve, plane = calibrated.figures
    traces = {trace["name"]: trace for trace in curve["traces"]}
    for trace, name in (("DPO per triple", "DPO per triple"), ("Sameness", "sameness")):
        assert traces[trace]["x"] == GRID
        assert traces[trace]["y"] == [float(row[name]) for row in calibrated.rows]
    assert plane["traces"][0]["x"] == traces["Sameness"]["y"]
    assert plane["traces"][0]["y"] == traces["DPO per triple"]["y"]
    best = max(calibrated.rows, key=lambda row: float(row["DPO per triple"]))
    assert float(best["DPO per triple"]) == max(traces["DPO per triple"]["y"]) < 0
    assert float(best["behind best"]) == 0
    assert not any("best" in row["verdict"] for row in calibrated.rows), "four examples tell none"


def test_four_examples_show_no_clear_difference_from_the_paper_s_defaults(calibrated):
    assert calibrated.setting.startswith(
        "Use rel+div+bias with k 6, lambda_d 0.75, lambda_b 0.95: the paper's setting"
    )


def test_the_result_is_still_there_after_a_reload(app, window, calibrated):
    page = window(link(app, "calibrate"))
    for _ in range(2):
        finish(page)
        assert figures(page)[0]["traces"][1] == calibrated.figures[0]["traces"][1]
        assert exact_figures(page) == calibrated.rows
        reload(page)


def test_use_carries_the_lambdas_into_explore(app, window, calibrated):
    page = window(link(app, "calibrate", lambda_b="0.60", lambda_d="0.30"))
    finish(page)
    here = page.get_by_role("slider", name="lambda_b")
    assert here.get_attribute("aria-valuetext") == "0.60"
    with a_run(page):
        page.get_by_role("button", name="Use this setting").click()
    expect(here).to_have_attribute("aria-valuetext", "0.95")
    turn_to(page, "Explore")
    wanted = re.findall(r"\d\.\d\d", calibrated.setting)
    for name, value in zip(("lambda_d", "lambda_b"), wanted, strict=True):
        expect(lambda_field(page, name)).to_have_value(value)
        until(page, lambda part=f"{name}={value}": part in page.url, True)


def test_comparing_with_no_context_and_the_report(app, window):
    page = window(link(app, "compare", limit=4, rows="none;rel"))
    finish(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible()
    finish(page)
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

    with page.expect_download() as download:
        page.get_by_role("button", name="Download report").click()
    assert download.value.suggested_filename.startswith("comparison-")
    assert download.value.suggested_filename.endswith(".html")
    report = download.value.path().read_text(encoding="utf-8")
    assert "<title>Comparison of methods on pool wear &amp; tear</title>" in report
    assert "-0.693" in report
