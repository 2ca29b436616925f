"""Programs in a browser: demonstrations written and kept, an answer traced step by step."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, start_app, stop_app
from tests.browser.pools import TAUGHT

RIGHT = "input[type=checkbox]:not([disabled])"


def test_ten_are_tried_four_kept_and_one_of_them_retrieved(app, window, untouched):
    pool = untouched(TAUGHT)
    link = {"pool": pool, "examples": "service-desk", "limit": "10"}
    page = window(f"{app.url}/programs?{urlencode(link)}", width=1280, height=1000)
    finish(page)
    page.get_by_role("button", name="Try them").click()
    # A select box has a button of that name, too.
    opens = page.get_by_test_id("stButton").get_by_role("button", name="Open")
    expect(opens).to_have_count(10)
    finish(page)
    prompt = page.locator(".prompt-parts")
    expect(prompt.locator("span.raw")).to_have_count(6)
    expect(prompt.locator("span.query")).to_contain_text("A:")
    for number in range(10):
        with a_run(page):
            opens.nth(number).click()
        row = page.get_by_test_id("stMarkdownContainer").filter(has_text="Predicted:")
        expect(row).to_have_count(1)
    ticks = page.locator(RIGHT)
    right = ticks.count()
    assert right >= 4
    boxes = page.get_by_role("checkbox")
    ticked = [place for place in range(boxes.count()) if boxes.nth(place).is_enabled()][:4]
    for place in ticked:
        with a_run(page):
            page.get_by_test_id("stCheckbox").nth(place).locator("label").click()
    with a_run(page):
        opens.nth(ticked[0]).click()
    query = prompt.locator("span.query").inner_text().partition("Q:")[2].partition("\nA:")[0]
    with a_run(page):
        page.get_by_role("button", name="Keep 4 as demonstrations").click()
    expect(page.get_by_text(f"4 added to pool {pool}")).to_be_visible()
    asked = {"pool": pool, "from": "typed", "typed": query.strip(), "method": "rel", "k": "3"}
    page.goto(f"{app.url}/explore?{urlencode(asked)}")
    finish(page)
    context = page.locator("table.explore.context")
    expect(context.locator("tbody tr")).to_have_count(3)
    expect(context.locator("tbody tr").first).to_contain_text(query.strip())
    expect(context.locator("tbody tr").first).to_contain_text("written by nearest with practice")


@pytest.fixture
def app_of_its_own(tmp_path):
    """Another studio: the example that is loaded here is in no other test's way."""
    running = start_app(tmp_path / "workspace")
    yield running
    stop_app(running)


def test_a_trace_of_two_hops_is_opened_step_by_step(app_of_its_own, window):
    link = {"do": "answer", "programs": "multi-hop,vanilla", "limit": "10", "shots": "12"}
    page = window(f"{app_of_its_own.url}/programs?{urlencode(link)}", width=1280, height=1000)
    finish(page)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    with a_run(page):
        page.get_by_role("button", name="Load the two-hop example").click()
    finish(page)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name="multi-hop gets")).to_be_visible()
    finish(page)
    prompt, steps = (
        page.locator(".prompt-parts").first,
        page.get_by_role("radiogroup", name="Steps").first,
    )
    expect(prompt.locator("span.passage").first).to_be_visible()
    names = steps.locator("label").all_inner_texts()
    stages = [name.split("\n")[0].strip().partition(". ")[2] for name in names]
    assert [stage for stage in stages if stage != "retrieve"] == [
        "hop 1", "fuse", "hop 2", "fuse", "qa_cot",
    ]  # fmt: skip
    for place, stage in enumerate(stages):
        with a_run(page):
            steps.locator("label").nth(place).click()
        if stage in ("fuse", "retrieve"):
            found = page.get_by_role("table").filter(has_text="passage").first
            expect(found.locator("tbody tr").first).to_contain_text("|")
            expect(page.get_by_text("Query:").first).to_be_visible()
        else:
            expect(prompt.locator("span.query")).not_to_have_count(0)
            expect(prompt.locator("span.augmented").first).to_be_visible()
            if stage == "hop 2":
                expect(prompt).to_contain_text("novel by")
