"""Compare on a pool of labels in a real browser: from its cost to its pictures."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import a_run, figures, finish, until

ROWS = "rel;pgra exemplars=2;few: pgra exemplars=2 candidates=5"
TITLE = "Do demonstrations with the query's own label bring right answers?"


def drawn(page, words):
    """The traces of the figure whose title has these words."""
    found = [figure["traces"] for figure in figures(page) if words in figure["title"]]
    return found[0] if found else []


def test_labels_are_compared_and_drawn(app, window, untouched):
    link = {"pool": untouched("reviews"), "rows": ROWS, "k": 2, "limit": 8}
    page = window(f"{app.url}/compare?{urlencode(link)}", width=800, scheme="dark")
    finish(page)
    expect(page.get_by_text("24 texts read once")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("button", name="Download report")).to_be_visible()
    finish(page)
    with a_run(page):
        page.get_by_text("Labels", exact=True).click()
    expect(page.get_by_text(TITLE)).to_be_visible()
    until(page, lambda: len(drawn(page, "more right answers")), 4)
    bars, right, *_ = drawn(page, "more right answers")
    assert (bars["name"], right["name"]) == ("queries", "accuracy among them")
    assert bars["x"] == [0, 1, 2]
    assert sum(bars["y"]) <= 8
    with a_run(page):
        page.locator('[class*="st-key-compare_labels"] input').press("Backspace")
    until(page, lambda: len(drawn(page, "more right answers")), 2)
    for view in ("Effect of a knob", "Grounds"):
        with a_run(page):
            page.get_by_text(view, exact=True).click()
        if view == "Grounds":
            expect(page.get_by_text("accuracy of choosing the label").first).to_be_visible()
        else:
            until(page, lambda: [each["x"] for each in drawn(page, "candidates")][:1], [[5, 150]])
