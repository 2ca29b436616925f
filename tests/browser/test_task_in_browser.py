"""The task of a pool in a real browser: one line, which opens, and stays open when it changes."""

from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, reload, settle, turn_to

SHARES = "A classification pool: 2 labels ('1' 67 %, '0' 33 %)."


def line(page, task):
    return page.get_by_test_id("stExpander").get_by_text(f"{SHARES} Task: {task}.", exact=True)


def write(page, name, text):
    """Fill a place and leave it, so that the page knows."""
    field = page.get_by_role("textbox", name=name)
    with a_run(page):
        field.fill(text)
        field.press("Tab")


def test_a_task_of_ones_own_is_written_chosen_and_taken_back(open_pool):
    page, _ = open_pool("moods")
    suggested = line(page, "plain (suggested by the labels)")
    expect(suggested).to_be_visible()
    expect(page.get_by_test_id("stCode")).to_have_count(0)
    with a_run(page):
        suggested.click()
    code = page.get_by_test_id("stCode")
    expect(code).to_have_text("A bore of a film, number 0\nThe answer is 0")
    choice = page.get_by_role("combobox", name="Task", exact=True)
    choice.click()
    with a_run(page):
        page.get_by_role("option", name="a task of your own").click()
    words = page.get_by_role("textbox", name="Label words")
    expect(words).to_have_value("0 = 0\n1 = 1")
    write(page, "Name", "moods")
    write(page, "Question", "Bore or delight? **{x}**")
    write(page, "Label words", "bore = 0")
    expect(page.get_by_text("Not complete yet. The label words of task 'moods'")).to_be_visible()
    with a_run(page):
        page.get_by_role("button", name="Use this task").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("are 'bore'; give two or more")
    # What was typed is kept while the visitor is elsewhere.
    turn_to(page, "Map")
    turn_to(page, "Demonstrations")
    finish(page)
    with a_run(page):
        suggested.click()
    expect(words).to_have_value("bore = 0")
    words.fill("bore = 0\ndelight = 1")  # and pressed without leaving it
    page.get_by_role("button", name="Use this task").click()
    expect(page.get_by_text("The task of this pool is 'moods'.")).to_be_visible()
    finish(page)
    expect(line(page, "moods (chosen)")).to_be_visible()
    expected = "Bore or delight? **A bore of a film, number 0**\nThe answer is bore"
    expect(code).to_have_text(expected)  # still open
    expect(page.get_by_role("button", name="Use this task")).to_be_disabled()
    reload(page)
    finish(page)
    with a_run(page):
        line(page, "moods (chosen)").click()
    expect(code).to_have_text(expected)
    with a_run(page):
        page.get_by_role("button", name="Take the choice back").click()
    finish(page)
    expect(suggested).to_be_visible()
    expect(page.get_by_role("button", name="Take the choice back")).to_have_count(0)
    settle(page)
