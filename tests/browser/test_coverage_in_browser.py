"""Coverage in a real browser: holes drawn on the Map, and a demonstration written where one is."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, settle, until
from tests.browser.plots import PLOT
from tests.browser.pools import MAPPED
from tests.browser.table_page import column

SQUARES = "plot => document.querySelectorAll(`${plot} svg[role=img] rect[fill=none]`).length"


def first_hole(page):
    until(page, lambda: bool(column(page, "query")), True)
    return column(page, "query")[0]


def open_coverage(app, window, pool, **link):
    page = window(
        f"{app.url}/review?{urlencode({'pool': pool, 'part': 'coverage', **link})}",
        width=1400,
        height=1300,
    )
    finish(page)
    expect(page.get_by_role("button", name="Write one here")).to_be_visible()
    return page


def test_holes_are_squares_on_the_map_until_they_are_cleared(app, window):
    page = open_coverage(app, window, MAPPED, below="0.3")
    title = page.locator(".figure-title")
    expect(title).to_contain_text("queries have no demonstration as near as 0.30")
    many = int(title.inner_text().split(" ")[0])
    assert 0 < many < 60
    page.get_by_role("button", name="Show on the Map").click()
    expect(page.get_by_role("heading", name="Map", exact=True)).to_be_visible()
    finish(page)
    until(page, lambda: page.evaluate(SQUARES, PLOT), many)
    expect(page.get_by_text(f"Squares: {many} queries of {MAPPED}")).to_be_visible()
    with a_run(page):
        page.get_by_role("button", name="Clear the squares").click()
    until(page, lambda: page.evaluate(SQUARES, PLOT), 0)
    settle(page)


def test_a_demonstration_is_written_where_a_hole_is(app, window, untouched):
    pool = untouched("uncovered")
    page = open_coverage(app, window, pool, examples="searched", below="0.99")
    query = first_hole(page)
    page.get_by_role("button", name="Write one here").click()
    expect(page.get_by_role("heading", name="Demonstrations", exact=True)).to_be_visible()
    finish(page)
    expect(page.get_by_label("Query", exact=True)).to_have_value(query)
    page.get_by_label("Answer", exact=True).fill("It is, I think.")
    added = ([query], ["It is, I think."])
    with a_run(page):
        page.get_by_role("button", name="Add to the pool").click()
    until(page, lambda: (column(page, "query")[-1:], column(page, "answer")[-1:]), added)
