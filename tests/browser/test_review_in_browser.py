"""Review in a real browser: findings are ticked, merged and dismissed, each with its undo."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, grid, reload, tables, until
from tests.browser.table_page import press, tick_in_list

PARIS, BATS = "What is the capital of France?", "Do bats sleep at night?"


@pytest.fixture
def open_review(app, window, untouched):
    """Opens Review on the duplicates of a pool; its findings are there by then."""

    def opened(name):
        link = {"pool": untouched(name), "finding": "duplicate"}
        page = window(f"{app.url}/review?{urlencode(link)}")
        expect(tables(page).first).to_be_visible()
        finish(page)
        return page

    return opened


def listed(page):
    """The queries of the findings in the list."""
    return [row["query"] for row in grid(tables(page).first)] if tables(page).count() else []


def duplicates(page):
    """The kind's button with its count."""
    return page.get_by_role("radio", name="Duplicates", exact=False)


def test_a_dismissed_finding_stays_so_until_it_is_taken_back(open_review):
    page = open_review("dismissed")
    until(page, lambda: sorted(listed(page)), sorted([PARIS, BATS]))
    second = listed(page)[1]
    tick_in_list(page, 1)
    press(page, "Dismiss", "Dismissed 1 finding")
    until(page, lambda: second in listed(page), False)
    expect(duplicates(page)).to_contain_text("1")
    reload(page)
    finish(page)
    until(page, lambda: len(listed(page)), 1)
    assert second not in listed(page)
    with a_run(page):
        page.get_by_role("radio", name="Dismissed 1").click()
    until(page, lambda: listed(page), [second])
    press(page, "Restore", "Restored 1 finding")
    until(page, lambda: sorted(listed(page)), sorted([PARIS, BATS]))


def test_two_findings_are_merged_at_once_and_come_back_with_undo(open_review):
    page = open_review("faulty")
    until(page, lambda: sorted(listed(page)), sorted([PARIS, BATS]))
    tick_in_list(page, 0)
    tick_in_list(page, 1)
    press(page, "Merge 2", "Merged")
    finish(page)
    expect(page.get_by_text("There are no findings of this kind.")).to_be_visible()
    with a_run(page):
        page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undo: merged")).to_be_visible()
    finish(page)
    until(page, lambda: sorted(listed(page)), sorted([PARIS, BATS]))
