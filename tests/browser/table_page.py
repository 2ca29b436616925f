"""The Demonstrations page as tests read and use it."""

import re
from collections.abc import Sequence

from playwright.sync_api import Page, expect

from tests.browser import driver
from tests.browser.driver import a_run, grid, settle, tables, until

QUERY, ANSWER, NOTE = 3, 4, 8
"""Their columns in the table."""


def column(page: Page, name: str) -> list[str]:
    """The texts of a column of the first table on the screen."""
    return [row[name] for row in grid(tables(page).first)] if tables(page).count() else []


def expect_column(page: Page, name: str, wanted: Sequence[str]) -> None:
    """Wait until the table has these texts in a column."""
    until(page, lambda: column(page, name), list(wanted))


def expect_after_reload(page: Page, name: str, wanted: Sequence[str]) -> None:
    """See the same texts as a visitor who comes back."""
    driver.reload(page)
    expect_column(page, name, wanted)


def expect_saved(page: Page, what: str) -> None:
    """Wait for the words that say what was saved."""
    state = page.locator(".st-key-demonstrations_state")
    expect(state).to_contain_text(f"Saved: edited the {what}.")
    settle(page)


def press(page: Page, button: str, done: str) -> None:
    """Press a button and wait for the words that say what it did."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(done)
    settle(page)


def undo(page: Page, done: str) -> None:
    """Take back what was done last."""
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text(f"Undo: {done}")
    settle(page)


def tick_rows(page: Page, *rows: int) -> None:
    """Tick rows of a table without ticks."""
    for row in rows:
        driver.tick(page, row)
    expect(page.get_by_text(f"The buttons act on {len(rows)} ticked here.")).to_be_visible()


def tick_in_list(page: Page, row: int) -> None:
    """Tick a row of a list that cannot be edited, at its left end; all of it is in sight."""
    table = tables(page).first
    box, rows = table.bounding_box(), len(grid(table))
    assert box is not None
    with a_run(page):
        table.click(position={"x": 17, "y": box["height"] / (rows + 1) * (row + 1.5)})


def to_section(page: Page, name: str) -> None:
    """Turn to a part of the page; a cell that is still open is saved first."""
    section = page.get_by_test_id("stMain").get_by_role("radio", name=name)
    with a_run(page):
        section.click()
        expect(section).to_be_checked()
    if name == "Table":
        expect(tables(page).first).to_be_visible()
    settle(page)


def expect_on_offer(page: Page, part: str, wanted: Sequence[str]) -> None:
    """See which pools the side bar's list has when one types a part of a name."""
    box = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Pool")
    box.fill(part)
    expect(page.get_by_role("option")).to_have_text(list(wanted) or ["No results"])
    page.keyboard.press("Escape")


def to_pool(page: Page, name: str) -> None:
    """Turn to another pool."""
    box = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Pool")
    box.click()
    box.fill(f"{name} (")
    with a_run(page):
        page.get_by_role("option", name=re.compile(rf"^{re.escape(name)} \(")).click()


def search_for(page: Page, text: str) -> None:
    """Narrow the table to what has the text."""
    box = page.get_by_role("textbox", name="Find")
    box.click()  # which ends what is being typed elsewhere
    with a_run(page):
        box.fill(text)
        box.press("Enter")


def sort_by(page: Page, name: str) -> None:
    """Sort the pool."""
    page.get_by_role("combobox", name="Sort by").click()
    with a_run(page):
        page.get_by_role("option", name=name, exact=True).click()


def turn_leaf(page: Page, number: int) -> None:
    """Show another page of the table."""
    with a_run(page):
        page.get_by_test_id("stPagination").get_by_role("button", name=str(number)).click()


def upload(page: Page, name: str, content: bytes) -> None:
    """Choose a file to import."""
    page.set_input_files(
        "input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": content}
    )
