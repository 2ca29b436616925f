"""Suggested incorrect answers decided by the keyboard alone, then offered no more."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.driver import finish, settle, until
from tests.browser.table_page import column


def at(page, place, accepted, refused):
    """Wait until the place is shown and so many are accepted and refused."""
    expect(page.get_by_test_id("stMain").get_by_test_id("stProgress")).to_contain_text(
        f"answers of near queries: {place} of 12; {accepted} accepted, {refused} refused"
    )
    settle(page)


def test_they_are_accepted_and_refused_by_the_keyboard_alone(app, window, untouched):
    link = urlencode({"pool": untouched("hours"), "section": "suggest"})
    page = window(f"{app.url}/demonstrations?{link}", width=1400, height=1200)
    finish(page)
    expect(page.get_by_text("Queries without incorrect answers: 4 of 4.")).to_be_visible()
    until(page, lambda: bool(column(page, "incorrect answer")), True)
    texts = column(page, "incorrect answer")
    page.get_by_role("button", name="Decide one by one").click()
    at(page, 1, 0, 0)
    place, counts = 1, {"a": 0, "x": 0}
    for key in "xaaxaa":
        expect(page.get_by_role("heading", name=texts[place - 1])).to_be_visible()
        page.keyboard.press(key)
        place, counts[key] = place + 1, counts[key] + 1
        at(page, place, counts["a"], counts["x"])
    page.keyboard.press("u")
    at(page, 6, 3, 2)
    page.keyboard.press("x")
    at(page, 7, 3, 3)
    page.keyboard.press("b")
    at(page, 6, 3, 3)
    expect(page.get_by_text("Refused.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Leave").click()
    left = page.get_by_text(
        "Queries without incorrect answers: 2 of 4. Suggested: 6 for 2 of them."
    )
    expect(left).to_be_visible()
