"""Finding in a real browser: by meaning, by a kept search, and on the Map."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, grid, reload, settle, tables, until
from tests.browser.plots import PLOT, points
from tests.browser.pools import MAPPED, PAIRS
from tests.browser.table_page import column, expect_column, search_for, tick_rows

RINGS = """plot => [...document.querySelectorAll(`${plot} svg[role=img] circle[r="7"]`)]
  .map(ring => [Number(ring.getAttribute('cx')), Number(ring.getAttribute('cy'))])"""


def ringed(page):
    """The ids of the points that the rings are around, ring by ring; None for a ring elsewhere."""
    left, top = page.locator(PLOT).evaluate(
        "plot => [plot.getBoundingClientRect().left, plot.getBoundingClientRect().top]"
    )
    spots = {(point["x"] - left, point["y"] - top): point["id"] for point in points(page)}

    def at(ring):
        near = min(spots, key=lambda spot: abs(spot[0] - ring[0]) + abs(spot[1] - ring[1]))
        off = max(abs(near[0] - ring[0]), abs(near[1] - ring[1]))
        return spots[near] if off < 2 else None

    return [at(ring) for ring in page.evaluate(RINGS, PLOT)]


def test_more_like_a_ticked_row_lists_the_nearest_in_meaning(open_pool):
    page, ids = open_pool("like one")
    tick_rows(page, 2)
    with a_run(page):
        page.get_by_role("button", name="More like this").click()
    expect(page.get_by_text("The nearest in meaning come first.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Find")).to_have_value(f"like:{ids[2]}")
    until(page, lambda: f"search=like%3A{ids[2]}" in page.url, True)
    until(page, lambda: column(page, "similarity")[:1], ["1"])
    near = [float(value) for value in column(page, "similarity")]
    assert near == sorted(near, reverse=True)
    queries = column(page, "query")
    assert queries[0] == "Is ice cold?"
    assert sorted(queries) == sorted(draft.query for draft in PAIRS)


def test_a_search_is_kept_by_name_and_found_again_in_another_window(open_pool, window):
    page, _ = open_pool("found")
    search_for(page, 'answer:/^It|^Very/ -"cold"')
    expect_column(page, "answer", ["It is.", "Very."])
    page.get_by_role("button", name="Searches").click()
    page.get_by_role("textbox", name="Name").fill("short ones")
    with a_run(page):
        page.get_by_role("button", name="Keep this search").click()
    expect(page.get_by_text("Kept the search 'short ones'.")).to_be_visible()
    page.keyboard.press("Escape")
    search_for(page, "")
    expect_column(page, "answer", ["Yes.", "It is.", "Yes, ice is cold.", "Very."])
    reload(page)
    finish(page)
    page.get_by_role("button", name="Searches").click()
    with a_run(page):
        page.get_by_role("button", name="short ones", exact=True).click()
    expect_column(page, "answer", ["It is.", "Very."])
    other = window(page.url)
    finish(other)
    expect_column(other, "answer", ["It is.", "Very."])


def test_what_is_found_is_selected_and_ringed_on_the_map(app, window, demonstrations):
    rows = demonstrations[MAPPED]
    wanted = [r.id for r in rows if "water" in r.query.lower() and len(r.answer) > 40]
    assert 0 < len(wanted) < len(rows)
    link = {"pool": MAPPED, "search": "length:>40 query:water"}
    page = window(f"{app.url}/map?{urlencode(link)}", width=1400, height=1300)
    finish(page)
    expect(page.get_by_text(f"{len(wanted)} selected", exact=True)).to_be_visible()
    until(page, lambda: [int(row["id"]) for row in grid(tables(page).last)], wanted)
    until(page, lambda: len(page.evaluate(RINGS, PLOT)), len(wanted))
    until(page, lambda: ringed(page), wanted)
    with a_run(page):
        page.get_by_role("button", name="Clear the selection").click()
    until(page, lambda: len(page.evaluate(RINGS, PLOT)), 0)
    settle(page)
