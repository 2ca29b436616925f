"""Worth in a real browser: demonstrations are judged, the least is excluded, another is read."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from core.reporting.words.calibration_findings import ANOTHER_MODEL
from tests.browser.driver import a_run, finish, settle, until
from tests.browser.table_page import column, tick_in_list


def test_demonstrations_are_judged_and_the_least_is_excluded(app, window, untouched):
    pool = untouched("judged")
    link = urlencode({"pool": pool, "part": "worth", "method": "rel", "k": 2})
    page = window(f"{app.url}/review?{link}", width=1400, height=1300)
    finish(page)
    expect(page.get_by_text("Nothing is judged in this pool yet.")).to_be_visible()
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.get_by_text(ANOTHER_MODEL)).to_be_visible()
    expect(page.get_by_text("DPO per triple (nats per triple); rel, k 2;")).to_be_visible()
    finish(page)
    until(page, lambda: bool(column(page, "worth")), True)
    worths = [float(each) for each in column(page, "worth")]
    assert worths == sorted(worths)
    assert set(column(page, "status")) == {"included"}
    with a_run(page):
        page.get_by_role("button", name="Exclude", exact=True).click()
    until(page, lambda: column(page, "status")[:1], ["excluded"])
    expect(page.get_by_text("Judged before 1 edit of the pool")).to_be_visible()
    tick_in_list(page, 1)
    settle(page)
    second = column(page, "query")[1]
    with a_run(page):
        page.get_by_role("button", name="Read one by one").click()
    expect(page.get_by_text("Worth the least: 1 of 1; 0 decided")).to_be_visible()
    expect(page.get_by_role("heading", name=second)).to_be_visible()
    expect(page.get_by_text("worth ", exact=False).first).to_be_visible()
