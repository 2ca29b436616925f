"""Reading one demonstration after the other by the keyboard alone, also in two windows at once."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, reload, settle


@pytest.fixture
def open_reading(app, window, untouched):
    """Opens Review on a pool and begins to read what nobody has reviewed."""

    def opened(name):
        page = window(f"{app.url}/review?{urlencode({'pool': untouched(name)})}")
        begin = page.get_by_role("button", name="Read what nobody has reviewed")
        expect(begin).to_be_visible()
        finish(page)
        begin.click()
        at(page, 1, 0)
        return page

    return opened


def at(page, place, decided):
    """Wait until the place is shown and so many are decided."""
    expect(page.get_by_test_id("stMain").get_by_test_id("stProgress")).to_contain_text(
        f"not reviewed yet: {place} of 12; {decided} decided"
    )
    settle(page)


def press(page, key, place, decided):
    """Press a key, and wait for what it does."""
    page.keyboard.press(key)
    at(page, place, decided)


def test_ten_are_reviewed_by_the_keyboard_alone(open_reading):
    page = open_reading("read")
    place = 1
    for key in "kkxkkkxkkk":
        press(page, key, place + 1, place)
        place += 1
    expect(page.get_by_role("heading", name="Is it k?")).to_be_visible()
    with a_run(page):
        page.keyboard.press("1")
    expect(page.get_by_text("included · not reviewed yet · tags: letters")).to_be_visible()
    press(page, "u", 10, 9)
    press(page, "n", 11, 9)
    press(page, "b", 10, 9)
    with a_run(page):
        page.keyboard.press("e")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    settle(page)
    page.keyboard.press("k")  # no decision while it is edited
    dialog.get_by_label("Answer", exact=True).fill("It is jj.")
    page.keyboard.press("x")  # typed, not a decision
    page.keyboard.press("Control+Enter")
    expect(dialog).not_to_be_visible()
    expect(page.get_by_role("heading", name="It is jj.x")).to_be_visible()
    press(page, "k", 11, 10)
    reload(page)
    finish(page)
    at(page, 11, 10)


def test_a_key_that_is_held_down_decides_once(open_reading):
    page = open_reading("held down")
    for _ in range(5):  # down without up: the browser repeats the key
        page.keyboard.down("x")
        at(page, 2, 1)
    page.keyboard.up("x")
    press(page, "x", 3, 2)
    keep = page.get_by_role("button", name="Keep")
    keep.focus()
    for _ in range(5):
        page.keyboard.down("Enter")
        at(page, 4, 3)
    page.keyboard.up("Enter")
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog")
    answer = dialog.get_by_label("Answer", exact=True)
    answer.fill("No")
    for composing in ({"isComposing": True}, {"keyCode": 229}):
        enter = {"key": "Enter", "code": "Enter", "ctrlKey": True, "bubbles": True}
        answer.dispatch_event("keydown", {**enter, **composing})
        expect(answer).to_have_value("No")
    answer.press("End")
    for _ in range(5):
        page.keyboard.down("o")
    page.keyboard.up("o")
    expect(answer).to_have_value("No" + "o" * 5)


def test_a_question_mark_opens_and_closes_the_list_of_keys(open_reading):
    page = open_reading("read")
    keys = page.get_by_text("saves what is edited")
    expect(keys).not_to_be_visible()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("?")
    expect(keys).not_to_be_visible()


def test_what_is_found_in_the_table_is_read_one_by_one(open_pool):
    page, _ = open_pool("read found", search="Is it c?")
    with a_run(page):
        page.get_by_text("All that match the filters", exact=True).click()
    page.get_by_role("button", name="Read one by one").click()
    expect(page.get_by_test_id("stMain").get_by_test_id("stProgress")).to_contain_text(
        "found by Is it c?: 1 of 1; 0 decided"
    )
    settle(page)
    page.keyboard.press("x")
    expect(page.get_by_text("All of these are decided.")).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("button", name="Read what nobody has reviewed")).to_be_visible()


def test_two_windows_on_one_demonstration(open_reading, window):
    page = open_reading("read twice")
    other = window(page.url)
    finish(other)
    at(other, 1, 0)
    press(page, "x", 2, 1)
    other.keyboard.press("k")
    expect(other.get_by_test_id("stAlert").first).to_contain_text("changed")
    expect(other.get_by_text("excluded · reviewed 2", exact=False)).to_be_visible()
    press(other, "k", 2, 1)
    press(page, "k", 3, 2)
