"""Programs in a real browser: ten queries tried, attempts looked at, four kept, one retrieved."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import a_run, finish
from tests.browser.pools import TAUGHT

RIGHT = "input[type=checkbox]:not([disabled])"


def test_ten_are_tried_four_kept_and_one_of_them_retrieved(app, window, untouched):
    pool = untouched(TAUGHT)
    link = {"pool": pool, "examples": "service-desk", "limit": "10"}
    page = window(f"{app.url}/programs?{urlencode(link)}", width=1280, height=1000)
    finish(page)
    page.get_by_role("button", name="Try them").click()
    expect(page.get_by_role("button", name="Look")).to_have_count(10)
    finish(page)
    prompt = page.locator(".prompt-parts")
    expect(prompt.locator("span.raw")).to_have_count(6)
    expect(prompt.locator("span.query")).to_contain_text("A:")
    for number in range(10):
        with a_run(page):
            page.get_by_role("button", name="Look").nth(number).click()
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
        page.get_by_role("button", name="Look").nth(ticked[0]).click()
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
