import re
import signal

from playwright.sync_api import expect

from tests.browser.driver import (
    a_run,
    edit_cell,
    finish,
    grid,
    reload,
    select_cell,
    settle,
    tables,
    tick,
    turn_to,
    type_into_cell,
    until,
)
from tests.browser.pools import FEW
from tests.browser.table_page import (
    ANSWER,
    NOTE,
    QUERY,
    column,
    expect_after_reload,
    expect_column,
    expect_saved,
    search_for,
    sort_by,
    tick_rows,
    to_pool,
    to_section,
    turn_leaf,
)


def state_row(page):
    """The row above the table that says what was saved and what was not."""
    return page.locator(".st-key-demonstrations_state")


def answers(page):
    """The answers on the screen, by id."""
    rows = grid(tables(page).first) if tables(page).count() else []
    return {row["id"]: row["answer"] for row in rows}


def by_menu(title):
    return lambda page: turn_to(page, title), lambda page: turn_to(page, "Demonstrations")


def by_section(name):
    def leave(page):
        to_section(page, name)
        expect(tables(page)).to_have_count(0)

    return leave, lambda page: to_section(page, "Table")


def by_choice(choose, there, back, shown):
    """By a choice of other rows; `shown` are the words above the table then."""

    def leave(page):
        choose(page, there)
        expect(page.get_by_text(shown)).to_be_visible()

    def come_back(page):
        choose(page, back)
        expect(page.get_by_text(ALL)).to_be_visible()

    return leave, come_back


def by_sorting():
    def sort(page, name):
        sort_by(page, name)
        until(page, lambda: "sort=query" in page.url, name == "query")

    return lambda page: sort(page, "query"), lambda page: sort(page, "id")


ALL = "1 to 200 of 230"
LEAVE = {
    **{title: by_menu(title) for title in ("Map", "Explore", "Calibrate", "Compare")},
    **{name: by_section(name) for name in ("Import", "History", "Fixed", "Manage pool")},
    "search": by_choice(search_for, '"Is 2"', "", "1 to 30 of 30"),
    "sort": by_sorting(),
    "pager": by_choice(turn_leaf, 2, 1, "201 to 230 of 230"),
}


def test_an_edit_is_kept_whichever_way_one_leaves_with_its_cell_still_open(open_pool, untouched):
    page, ids = open_pool("many")
    to_other = by_choice(to_pool, "other", untouched("many"), "1 to 4 of 4")
    kept = {}
    for row, (way, (leave, come_back)) in enumerate({**LEAVE, "pool": to_other}.items()):
        typed = f"Left by {way}"
        type_into_cell(page, row, ANSWER, typed)
        leave(page)
        come_back(page)
        kept[ids[row]] = typed
        until(page, lambda kept=kept: {id: answers(page).get(id) for id in kept}, kept)
    reload(page)
    until(page, lambda: {id: answers(page).get(id) for id in kept}, kept)


def test_an_edit_is_kept_by_reload_back_and_another_address(open_pool):
    page, ids = open_pool("paged", search='"Is 22"')
    shown = [f"Answer {n}" for n in range(220, 230)]
    expect_column(page, "answer", shown)
    edit_cell(page, 0, ANSWER, "Reloaded")
    expect_saved(page, f"answer of demonstration {ids[220]}")
    expect_after_reload(page, "answer", ["Reloaded", *shown[1:]])
    turn_to(page, "Explore")
    turn_to(page, "Demonstrations")
    edit_cell(page, 1, ANSWER, "Went back")
    expect_saved(page, f"answer of demonstration {ids[221]}")
    for go, title in ((page.go_back, "Explore"), (page.go_forward, "Demonstrations")):
        go()
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        finish(page)
    expect_column(page, "answer", ["Reloaded", "Went back", *shown[2:]])
    edit_cell(page, 2, ANSWER, "Closed")
    expect_saved(page, f"answer of demonstration {ids[222]}")
    page.close()
    again, _ = open_pool("paged", search='"Is 22"')
    expect_column(again, "answer", ["Reloaded", "Went back", "Closed", *shown[3:]])


def test_back_and_forward_wait_for_an_open_cell(open_pool):
    page, _ = open_pool("open")
    for row, (way, title) in enumerate({"back": "Explore", "forward": "Map"}.items()):
        for name in ("Explore", "Demonstrations", "Map"):
            turn_to(page, name)
        finish(page)  # a page that still gets its map puts itself once more into the history
        page.go_back()
        expect(tables(page).first).to_be_visible()
        finish(page)
        type_into_cell(page, row, ANSWER, f"Left by {way}")
        page.evaluate(f"() => window.history.{way}()")
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        finish(page)
        turn_to(page, "Demonstrations")
        until(page, lambda row=row: column(page, "answer")[row : row + 1], [f"Left by {way}"])
    expect_column(page, "answer", ["Left by back", "Left by forward", "It is b.", "It is d."])


def test_a_reload_asks_first_where_a_cell_is_open_and_nowhere_else(open_pool):
    page, ids = open_pool("reloaded", alone=True)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))

    def reload_by_script():
        with page.expect_navigation():
            page.evaluate("() => window.location.reload()")
        settle(page)

    type_into_cell(page, 2, ANSWER, "Not reloaded")
    page.evaluate("() => window.location.reload()")
    until(page, lambda: asked, ["beforeunload"])
    expect(page.locator("#portal textarea")).to_have_value("Not reloaded")
    with a_run(page):
        page.keyboard.press("Enter")
    expect_saved(page, f"answer of demonstration {ids[2]}")
    reload_by_script()
    assert asked == ["beforeunload"], "nothing is asked where nothing is open"
    type_into_cell(page, 3, ANSWER, "Given up")
    page.keyboard.press("Escape")
    expect(page.locator("#portal textarea")).to_have_count(0)
    reload_by_script()
    assert asked == ["beforeunload"], "nor where what was typed was given up"
    expect_column(page, "answer", ["It is c.", "It is a.", "Not reloaded", "It is d."])


PRESS_AS_WELL = """text => document.addEventListener('pointerdown', () => setTimeout(() => {
  [...document.querySelectorAll('[role=radiogroup] label')]
    .find(label => label.innerText === text).click();
}, 10), { capture: true, once: true })"""
LOOKS = """() => new Promise(done => {
  let looks = 0;
  const looking = setInterval(() => {
    looks += 1;
    if (looks === 100) { clearInterval(looking); done(); }
  }, 25);
})"""
"""As often as this the page looks whether it may follow a link, and more often than it would look
if it did not wait for the server."""


def test_an_edit_is_kept_where_the_server_is_late_and_has_other_work(open_pool, app):
    """A server that has not begun with a request puts the next in its place: the page left for."""
    page, _ = open_pool("late")
    type_into_cell(page, 0, ANSWER, "Left open")
    page.evaluate(PRESS_AS_WELL, "All that match the filters")
    app.process.send_signal(signal.SIGSTOP)
    try:
        page.get_by_test_id("stSidebar").get_by_role("link", name="Map").click()
        page.evaluate(LOOKS)
    finally:
        app.process.send_signal(signal.SIGCONT)
    expect(page.get_by_role("heading", name="Map", exact=True)).to_be_visible()
    settle(page)
    turn_to(page, "Demonstrations")
    until(page, lambda: column(page, "answer")[:1], ["Left open"])


def test_two_cells_within_a_second_are_both_saved(open_pool):
    page, ids = open_pool("rapid")
    type_into_cell(page, 0, ANSWER, "First")
    for text in ("Second", "Third"):
        page.keyboard.press("Enter")  # saves, and the selection goes one row down
        expect(page.locator("#portal textarea")).to_have_count(0)
        page.keyboard.press("Enter")
        page.locator("#portal textarea").fill(text)
    # Saved and drawn while the third cell is open, whether the two came in one request or in two.
    saved = re.compile(f"{ids[1]}|edited 2 demonstrations")
    expect(state_row(page)).to_contain_text(saved)
    finish(page)
    expect(page.locator("#portal textarea")).to_have_value("Third")
    page.keyboard.press("Enter")
    expect_saved(page, f"answer of demonstration {ids[2]}")
    edited = ["First", "Second", "Third", "It is d."]
    expect_column(page, "answer", edited)
    other, _ = open_pool("rapid")
    expect_column(other, "answer", edited)
    to_section(other, "History")
    back = other.get_by_test_id("stMain").get_by_role("button", name="Undo")
    back.nth(back.count() - 2).click()  # the oldest edit; below it stands the import
    expect(other.get_by_test_id("stAlert")).to_contain_text("Undo: edited")
    to_section(page, "Fixed")
    to_section(page, "Table")
    until(page, lambda: column(page, "answer")[:1], ["It is c."])
    until(page, lambda: column(page, "answer")[2:], ["Third", "It is d."])


def test_who_writes_late_is_told_and_keeps_what_was_typed(open_pool):
    mine, ids = open_pool("together")
    theirs, _ = open_pool("together")
    edit_cell(theirs, 0, NOTE, "theirs")
    expect_saved(theirs, f"note of demonstration {ids[0]}")
    edit_cell(mine, 0, ANSWER, "Mine")
    expect(state_row(mine)).to_contain_text(
        f"Saved: edited the answer of demonstration {ids[0]}. Somebody else changed demonstration "
        f"{ids[0]} meanwhile (note); that is kept beside your edit."
    )
    finish(mine)
    edit_cell(theirs, 1, ANSWER, "Theirs")
    expect_saved(theirs, f"answer of demonstration {ids[1]}")
    edit_cell(mine, 1, ANSWER, "Mine too")
    expect(state_row(mine)).to_contain_text(
        f"Not saved. Somebody else changed the answer of demonstration {ids[1]} meanwhile, to "
        "'Theirs': yours is still here, not saved."
    )
    both = ["Mine", "Mine too", "It is b.", "It is d."]
    finish(mine)
    expect_column(mine, "answer", both)
    mine.get_by_role("button", name="Save mine").click()
    expect_saved(mine, f"answer of demonstration {ids[1]}")
    expect_after_reload(theirs, "answer", both)
    expect(mine.get_by_role("button", name="Save mine")).to_have_count(0)


def test_a_wrong_edit_is_refused_in_a_sentence_and_stays_in_its_cell(open_pool):
    page, ids = open_pool("wrong")
    before = [draft.answer for draft in FEW]
    edit_cell(page, 0, ANSWER, " ")
    sentence = (
        f"Not saved. The answer of Demonstration {ids[0]} ('Is it c?') is empty: write one, or "
        "leave it out."
    )
    expect(state_row(page)).to_contain_text(sentence)
    turn_to(page, "Explore")
    turn_to(page, "Demonstrations")
    expect(state_row(page)).to_contain_text(sentence)
    until(page, lambda: [text.strip() for text in column(page, "answer")], ["", *before[1:]])
    edit_cell(page, 0, ANSWER, "Mended")
    expect_saved(page, f"answer of demonstration {ids[0]}")
    expect_column(page, "answer", ["Mended", *before[1:]])
    edit_cell(page, 1, QUERY, "Is it b?")
    expect_saved(page, f"query of demonstration {ids[1]}")
    edit_cell(page, 1, ANSWER, "It is b.")
    expect(state_row(page)).to_contain_text("would have the query and the answer of demonstration")
    with a_run(page):
        page.get_by_role("button", name="Discard").click()
    expect_column(page, "answer", ["Mended", *before[1:]])
    until(page, lambda: column(page, "query")[1:2], ["Is it b?"])


def test_sorting_sorts_the_pool_stands_in_the_link_and_no_header_sorts_a_page(open_pool):
    page, ids = open_pool("upside down")
    with a_run(page):
        page.get_by_text("Descending", exact=True).click()
    until(page, lambda: column(page, "id")[:3], [ids[229], ids[228], ids[227]])
    assert "descending=True" in page.url
    turn_leaf(page, 2)
    until(page, lambda: column(page, "id")[:2], [ids[29], ids[28]])
    reload(page)
    until(page, lambda: column(page, "id")[:2], [ids[29], ids[28]])
    tables(page).first.click(position={"x": 220, "y": 18})  # the header of the queries
    select_cell(page, 1, ANSWER)  # the table says anew what it shows
    assert column(page, "id")[:2] == [ids[29], ids[28]]
    sort_by(page, "answer")
    until(page, lambda: column(page, "id")[:2], [ids[0], ids[1]])
    assert column(page, "answer")[:2] == ["Answer 230", "Answer 229"]


FITS = """row => row.getBoundingClientRect().height <=
  parseFloat(getComputedStyle(row).minHeight) + 1"""
"""Whether the row above the table is no taller than it is without words, so that what is below it
stays in its place."""


def test_after_a_bulk_action_the_table_stays_and_excluded_rows_say_so(open_pool):
    page, _ = open_pool("sorted", sort="answer")
    expect_column(page, "answer", ["It is a.", "It is b.", "It is c.", "It is d."])
    tables(page).first.evaluate("table => { table.dataset.same = 'yes'; }")
    tick_rows(page, 0, 2)
    for act, marks in (
        ("Exclude", ["excluded", "included", "excluded", "included"]),
        ("Include", ["included"] * 4),
    ):
        page.get_by_role("button", name=act, exact=True).click()
        expect(page.get_by_test_id("stAlert")).to_contain_text(f"{act}d 2 demonstrations.")
        expect_column(page, "status", marks)
        finish(page)
        expect_column(page, "answer", ["It is a.", "It is b.", "It is c.", "It is d."])
        expect_column(page, "", ["true", "false", "true", "false"])
        expect(tables(page).first).to_have_attribute("data-same", "yes")
        assert state_row(page).evaluate(FITS)


def test_the_choice_of_the_bulk_bar_is_never_empty_and_never_acts_unseen(open_pool):
    page, _ = open_pool("ticked")
    bar = page.get_by_test_id("stMain").get_by_role("radiogroup", name="With")
    chosen = bar.get_by_role("radio", checked=True)
    for row in range(3):
        tick(page, row)
        expect(page.get_by_text(f"The buttons act on {row + 1} ticked here.")).to_be_visible()
        expect(chosen).to_have_count(1)
    with a_run(page):
        page.get_by_text("All that match the filters", exact=True).click()
    expect(page.get_by_text("act on all 4 that match the filters")).to_be_visible()
    page.get_by_role("textbox", name="Find").fill("Is it a?")
    exclude = page.get_by_role("button", name="Exclude", exact=True)
    exclude.click()
    expect(page.get_by_text("this would act on all 1 that match the filters")).to_be_visible()
    settle(page)
    expect(chosen).to_have_count(1)
    expect_column(page, "status", ["included"])
    exclude.click()
    expect(state_row(page)).to_contain_text("Excluded 1 demonstration.")
    expect(page.get_by_text("this would act on")).to_have_count(0)
    settle(page)
    search_for(page, "")
    expect_column(page, "status", ["included", "excluded", "included", "included"])
