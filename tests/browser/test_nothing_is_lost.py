"""Edits in a real browser: saved as they are made, whichever way one leaves; seen by others."""

import signal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.incorrect import incorrect_answers
from core.store import Store
from core.types import Draft
from tests.browser.driver import (
    TICK_PLACE,
    click_row,
    edit_cell,
    grid,
    settle,
    start_app,
    steady_box,
    stop_app,
    tables,
    turn_to,
    type_into_cell,
    until,
)

ANSWER, NOTE = 4, 9
"""Their columns in the table."""

MANY = tuple(
    Draft(f"Is {n:03} even?", f"Answer {n:03}", incorrect_answers(("No.",))) for n in range(230)
)
FEW = tuple(
    Draft(f"Is it {word}?", f"It is {word}.", incorrect_answers(("No.",)))
    for word in ("c", "a", "b", "d")
)
FEW_POOLS = ("other", "open", "late", "rapid", "together", "wrong", "sorted")


@pytest.fixture(scope="module")
def ids(tmp_path_factory):
    """The workspace, and the ids of each pool in it."""
    workspace = tmp_path_factory.mktemp("lost") / "workspace"
    with Store.open(workspace) as store:
        found = {"many": store.demonstrations.add(store.pools.create("many").id, MANY).ids}
        for name in FEW_POOLS:
            found[name] = store.demonstrations.add(store.pools.create(name).id, FEW).ids
    return workspace, found


@pytest.fixture(scope="module")
def app(ids):
    running = start_app(ids[0])
    yield running
    stop_app(running)


@pytest.fixture
def open_pool(app, ids, window):
    """Opens the table on a pool; gives its window and the pool's ids as the table shows them."""

    def opened(name, **options):
        link = {"pool": name, **options.pop("link", {})}
        page = window(f"{app.url}/demonstrations?{urlencode(link)}", **options)
        expect(tables(page).first).to_be_visible(timeout=60_000)
        settle(page)
        return page, [str(id) for id in ids[1][name]]

    return opened


def column(page, name):
    return [row[name] for row in grid(tables(page).first)] if tables(page).count() else []


def answers(page):
    """The answers on the screen, by id."""
    rows = grid(tables(page).first) if tables(page).count() else []
    return {row["id"]: row["answer"] for row in rows}


def expect_saved(page, what):
    state = page.locator(".st-key-demonstrations_state")
    expect(state).to_contain_text(f"Saved: edited the {what}.", timeout=60_000)
    settle(page)


def to_section(page, name):
    page.get_by_test_id("stMain").get_by_role("radio", name=name).click()
    settle(page)


def to_pool(page, name):
    box = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Pool")
    box.click()
    page.get_by_role("option", name=name).click()
    settle(page)


def search_for(page, text):
    box = page.get_by_role("textbox", name="Search")
    box.click()
    box.fill(text)
    box.press("Enter")
    settle(page)


def sort_by(page, name):
    page.get_by_role("combobox", name="Sort by").click()
    page.get_by_role("option", name=name, exact=True).click()
    settle(page)


def pager(page, number):
    page.get_by_test_id("stPagination").get_by_role("button", name=str(number)).click()
    settle(page)


def by_menu(title):
    return lambda page: turn_to(page, title), lambda page: turn_to(page, "Demonstrations")


def by_section(name):
    return lambda page: to_section(page, name), lambda page: to_section(page, "Table")


LEAVE = {
    **{title: by_menu(title) for title in ("Map", "Explore", "Calibrate", "Compare")},
    **{name: by_section(name) for name in ("Import", "History", "Fixed", "Export, rename, delete")},
    "pool": (lambda page: to_pool(page, "other"), lambda page: to_pool(page, "many")),
    "search": (lambda page: search_for(page, "Is 2"), lambda page: search_for(page, "")),
    "sort": (lambda page: sort_by(page, "query"), lambda page: sort_by(page, "id")),
    "pager": (lambda page: pager(page, 2), lambda page: pager(page, 1)),
}


def test_an_edit_is_kept_whichever_way_one_leaves_with_its_cell_still_open(open_pool):
    page, ids = open_pool("many")
    kept = {}
    for row, (way, (leave, come_back)) in enumerate(LEAVE.items()):
        typed = f"Left by {way}"
        type_into_cell(page, row, ANSWER, typed)
        leave(page)
        come_back(page)
        kept[ids[row]] = typed
        until(page, lambda kept=kept: {id: answers(page).get(id) for id in kept}, kept)
    page.reload()
    settle(page)
    until(page, lambda: {id: answers(page).get(id) for id in kept}, kept)


def test_an_edit_is_kept_by_reload_back_and_another_address(open_pool, app):
    page, ids = open_pool("many", link={"search": "Is 22"})
    shown = [f"Answer {n}" for n in range(220, 230)]
    until(page, lambda: column(page, "answer"), shown)
    edit_cell(page, 0, ANSWER, "Reloaded")
    expect_saved(page, f"answer of demonstration {ids[220]}")
    page.reload()
    settle(page)
    until(page, lambda: column(page, "answer"), ["Reloaded", *shown[1:]])
    turn_to(page, "Explore")
    turn_to(page, "Demonstrations")
    edit_cell(page, 1, ANSWER, "Went back")
    expect_saved(page, f"answer of demonstration {ids[221]}")
    page.go_back()
    page.wait_for_timeout(1000)
    settle(page)
    page.go_forward()
    page.wait_for_timeout(1000)
    settle(page)
    until(page, lambda: column(page, "answer"), ["Reloaded", "Went back", *shown[2:]])
    edit_cell(page, 2, ANSWER, "Closed")
    expect_saved(page, f"answer of demonstration {ids[222]}")
    page.close()
    again, _ = open_pool("many", link={"search": "Is 22"})
    until(again, lambda: column(again, "answer"), ["Reloaded", "Went back", "Closed", *shown[3:]])


def test_back_and_forward_wait_for_an_open_cell_and_a_reload_asks_first(open_pool):
    page, ids = open_pool("open", alone=True)
    for row, (way, title) in enumerate({"back": "Explore", "forward": "Map"}.items()):
        for name in ("Explore", "Demonstrations", "Map"):
            turn_to(page, name)
        # A page that still gets its map puts itself once more into the history.
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
        settle(page)
        page.go_back()
        expect(tables(page).first).to_be_visible(timeout=60_000)
        settle(page)
        type_into_cell(page, row, ANSWER, f"Left by {way}")
        page.evaluate(f"() => window.history.{way}()")
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=60_000)
        settle(page)
        turn_to(page, "Demonstrations")
        until(page, lambda row=row: column(page, "answer")[row : row + 1], [f"Left by {way}"])
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    type_into_cell(page, 2, ANSWER, "Not reloaded")
    page.evaluate("() => window.location.reload()")
    until(page, lambda: asked, ["beforeunload"])
    expect(page.locator("#portal textarea")).to_have_value("Not reloaded")
    page.keyboard.press("Enter")
    expect_saved(page, f"answer of demonstration {ids[2]}")
    page.evaluate("() => window.location.reload()")
    page.wait_for_selector('[data-testid="stApp"]', timeout=60_000)
    settle(page)
    assert asked == ["beforeunload"], "nothing is asked where nothing is open"
    type_into_cell(page, 3, ANSWER, "Given up")
    page.keyboard.press("Escape")
    expect(page.locator("#portal textarea")).to_have_count(0)
    page.evaluate("() => window.location.reload()")
    page.wait_for_selector('[data-testid="stApp"]', timeout=60_000)
    settle(page)
    assert asked == ["beforeunload"], "nor where what was typed was given up"
    edited = ["Left by back", "Left by forward", "Not reloaded", "It is d."]
    until(page, lambda: column(page, "answer"), edited)


PRESS_AS_WELL = """text => document.addEventListener('pointerdown', () => setTimeout(() => {
  [...document.querySelectorAll('[role=radiogroup] label')]
    .find(label => label.innerText === text).click();
}, 10), { capture: true, once: true })"""


def test_an_edit_is_kept_where_the_server_is_late_and_has_other_work(open_pool, app):
    """A server that has not begun with a request puts the next in its place: the page left for."""
    page, _ = open_pool("late")
    type_into_cell(page, 0, ANSWER, "Left open")
    page.evaluate(PRESS_AS_WELL, "All that match the filters")
    app.process.send_signal(signal.SIGSTOP)
    try:
        page.get_by_test_id("stSidebar").get_by_role("link", name="Map").click()
        page.wait_for_timeout(4000)
    finally:
        app.process.send_signal(signal.SIGCONT)
    expect(page.get_by_role("heading", name="Map", exact=True)).to_be_visible(timeout=60_000)
    settle(page)
    turn_to(page, "Demonstrations")
    until(page, lambda: column(page, "answer")[:1], ["Left open"], seconds=10)


def test_two_cells_within_a_second_are_both_saved(open_pool):
    page, ids = open_pool("rapid")
    type_into_cell(page, 0, ANSWER, "First")
    for text in ("Second", "Third"):
        page.keyboard.press("Enter")  # saves, and the selection goes one row down
        expect(page.locator("#portal textarea")).to_have_count(0)
        page.keyboard.press("Enter")
        page.locator("#portal textarea").fill(text)
    page.wait_for_timeout(1500)  # runs go by while the third cell is open
    page.keyboard.press("Enter")
    expect_saved(page, f"answer of demonstration {ids[2]}")
    edited = ["First", "Second", "Third", "It is d."]
    until(page, lambda: column(page, "answer"), edited)
    other, _ = open_pool("rapid")
    until(other, lambda: column(other, "answer"), edited)
    to_section(other, "History")
    undo = other.get_by_test_id("stMain").get_by_role("button", name="Undo")
    undo.nth(undo.count() - 2).click()  # the oldest edit; below it stands the import
    expect(other.get_by_test_id("stAlert")).to_contain_text("Undo: edited")
    to_section(page, "Fixed")
    to_section(page, "Table")
    until(page, lambda: column(page, "answer")[:1], ["It is c."])
    assert column(page, "answer")[2:] == ["Third", "It is d."], "what was edited later stays"


def test_who_writes_late_is_told_and_keeps_what_was_typed(open_pool):
    mine, ids = open_pool("together")
    theirs, _ = open_pool("together")
    edit_cell(theirs, 0, NOTE, "theirs")
    edit_cell(mine, 0, ANSWER, "Mine")
    state = mine.locator(".st-key-demonstrations_state")
    expect(state).to_contain_text(
        f"Saved: edited the answer of demonstration {ids[0]}. Somebody else changed demonstration "
        f"{ids[0]} meanwhile (note); that is kept beside your edit."
    )
    settle(mine)
    edit_cell(theirs, 1, ANSWER, "Theirs")
    edit_cell(mine, 1, ANSWER, "Mine too")
    expect(state).to_contain_text(
        f"Not saved. Somebody else changed the answer of demonstration {ids[1]} meanwhile, to "
        "'Theirs': yours stands in the table and is not saved."
    )
    settle(mine)
    assert column(mine, "answer") == ["Mine", "Mine too", "It is b.", "It is d."]
    mine.get_by_role("button", name="Save mine").click()
    expect_saved(mine, f"answer of demonstration {ids[1]}")
    theirs.reload()
    settle(theirs)
    until(theirs, lambda: column(theirs, "answer"), ["Mine", "Mine too", "It is b.", "It is d."])
    assert mine.get_by_role("button", name="Save mine").count() == 0


def test_a_wrong_edit_is_refused_in_a_sentence_and_stays_in_its_cell(open_pool):
    page, ids = open_pool("wrong")
    before = [draft.answer for draft in FEW]
    edit_cell(page, 0, ANSWER, " ")
    state = page.locator(".st-key-demonstrations_state")
    sentence = (
        f"Not saved. The answer of Demonstration {ids[0]} ('Is it c?') is empty: write one, or "
        "leave it out."
    )
    expect(state).to_contain_text(sentence)
    turn_to(page, "Explore")
    turn_to(page, "Demonstrations")
    expect(state).to_contain_text(sentence)
    until(page, lambda: [text.strip() for text in column(page, "answer")], ["", *before[1:]])
    edit_cell(page, 0, ANSWER, "Mended")
    expect_saved(page, f"answer of demonstration {ids[0]}")
    until(page, lambda: column(page, "answer"), ["Mended", *before[1:]])
    edit_cell(page, 1, 3, "Is it b?")
    edit_cell(page, 1, ANSWER, "It is b.")
    expect(state).to_contain_text("would have the query and the answer of demonstration")
    page.get_by_role("button", name="Discard").click()
    until(page, lambda: column(page, "answer"), ["Mended", *before[1:]])
    until(page, lambda: column(page, "query")[1:2], ["Is it b?"])


def test_sorting_sorts_the_pool_stands_in_the_link_and_no_header_sorts_a_page(open_pool):
    page, ids = open_pool("many")
    page.get_by_text("Descending", exact=True).click()
    settle(page)
    until(page, lambda: column(page, "id")[:3], [ids[229], ids[228], ids[227]])
    assert "descending=True" in page.url
    pager(page, 2)
    until(page, lambda: column(page, "id")[:2], [ids[29], ids[28]])
    page.reload()
    settle(page)
    until(page, lambda: column(page, "id")[:2], [ids[29], ids[28]])
    box = steady_box(page, tables(page).first.locator("canvas").first)
    page.mouse.click(box["x"] + 220, box["y"] + 18)
    page.wait_for_timeout(500)
    settle(page)
    assert column(page, "id")[:2] == [ids[29], ids[28]]
    sort_by(page, "answer")
    until(page, lambda: column(page, "answer")[:1], ["Went back"])


def test_after_a_bulk_action_the_table_stays_and_excluded_rows_say_so(open_pool):
    page, ids = open_pool("sorted", link={"sort": "answer"})
    until(page, lambda: column(page, "answer"), ["It is a.", "It is b.", "It is c.", "It is d."])
    top = steady_box(page, tables(page).first)["y"]
    for row in (0, 2):
        click_row(page, row, TICK_PLACE)
        until(page, lambda row=row: column(page, "")[row : row + 1], ["true"])
    for label, act, marks in (
        ("odd", "Exclude", ["excluded", "", "excluded", ""]),
        ("even", "Include", ["", "", "", ""]),
    ):
        button = page.get_by_role("button", name=act, exact=True)
        expect(button, label).to_be_enabled()
        button.click()
        expect(page.get_by_test_id("stAlert")).to_contain_text(f"{act}d 2 demonstrations.")
        until(page, lambda marks=marks: column(page, "excluded"), marks)
        assert column(page, "answer") == ["It is a.", "It is b.", "It is c.", "It is d."]
        assert column(page, "") == ["true", "false", "true", "false"], "the ticks stay"
        assert steady_box(page, tables(page).first)["y"] == top


def test_the_choice_of_the_bulk_bar_is_never_empty_and_never_acts_unseen(open_pool):
    page, ids = open_pool("other")
    bar = page.get_by_test_id("stMain").get_by_role("radiogroup", name="With")
    chosen = bar.get_by_role("radio", checked=True)
    for row in range(3):
        click_row(page, row, TICK_PLACE)
        expect(page.get_by_text(f"The buttons act on {row + 1} ticked here.")).to_be_visible()
        settle(page)
        expect(chosen).to_have_count(1)
    page.get_by_text("All that match the filters", exact=True).click()
    expect(page.get_by_text("act on all 4 that match the filters")).to_be_visible()
    settle(page)
    page.get_by_role("textbox", name="Search").fill("Is it a?")
    page.get_by_role("button", name="Exclude", exact=True).click()
    expect(page.get_by_text("this would act on all 1 that match the filters")).to_be_visible()
    settle(page)
    expect(chosen).to_have_count(1)
    assert column(page, "excluded") == [""]
    page.get_by_role("button", name="Exclude", exact=True).click()
    state = page.locator(".st-key-demonstrations_state")
    expect(state).to_contain_text("Excluded 1 demonstration.")
    expect(page.get_by_text("this would act on")).to_have_count(0)
    search_for(page, "")
    until(page, lambda: column(page, "excluded"), ["", "excluded", "", ""])
