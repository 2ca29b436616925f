"""What Streamlit does without us. Where one of these fails, the workaround that it names can go."""

import re
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.driver import PATIENCE, start_app, stop_app, type_into_cell
from tests.browser.legible import unreadable

PLAIN = "tests/browser/plain_app.py"
AT_REST = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.getAttribute('data-test-script-state') === 'notRunning'
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]');
}"""
RUN = re.compile(r"^Run \d+$")
SENT = """() => new Promise(done => {
  let looks = 0;
  const looking = setInterval(() => {
    looks += 1;
    if (looks === 40) { clearInterval(looking); done(); }
  }, 25);
})"""
"""By then the browser has sent what was typed and where it goes."""
SCHEMES, PALE = ("light", "dark"), ("A caption", "Primary")
SELECTBOX_SCRIPT = re.compile("/static/js/Selectbox[.]")
STAND_IN = '.st-key-choice [data-testid="stSkeleton"]'
"""What stands in the place of the choice until its script has come."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    running = start_app(tmp_path_factory.mktemp("plain") / "workspace", script=PLAIN)
    yield running
    stop_app(running)


@pytest.fixture
def visit(plain, window):
    """Opens a page of the plain app."""

    def opened(path, **look):
        page = window("about:blank", wait=False, alone=True, **look)
        page.goto(f"{plain.url}/{path}")
        settle(page)
        return page

    return opened


def settle(page):
    expect(page.get_by_text(RUN)).to_be_visible()
    page.wait_for_function(AT_REST, polling=50, timeout=PATIENCE * 1_000)


def run_again(page):
    """Ask for another run and wait for its end; what was asked for before is then answered."""
    before = page.get_by_text(RUN).inner_text()
    page.get_by_role("button", name="Again").click()
    expect(page.get_by_text(RUN)).not_to_have_text(before)
    settle(page)


def is_on(page, title):
    return page.get_by_role("heading", name=title, exact=True).is_visible()


def keeps_an_open_cell(page, plain):
    """Whether the page is left with its open cell saved, the server being late."""
    type_into_cell(page, 0, 0, "typed")
    plain.process.send_signal(signal.SIGSTOP)
    try:
        page.get_by_role("link", name="Address").click()
        page.evaluate(SENT)
    finally:
        plain.process.send_signal(signal.SIGCONT)
    saved, left = page.get_by_text("Saved: typed"), page.get_by_role("heading", name="Address")
    expect(saved.or_(left)).to_be_visible()
    run_again(page)
    if not is_on(page, "Address"):
        return False
    page.get_by_role("link", name="Table").click()
    expect(page.get_by_role("heading", name="Table")).to_be_visible()
    run_again(page)
    return saved.is_visible()


def test_an_open_cell_is_lost_when_its_page_is_left(visit, plain):
    """Or the page is not left. Which message is sent first is a race, which may end well once."""
    assert not all(keeps_an_open_cell(visit(""), plain) for _ in range(5)), "leaving.py can go"


def test_a_page_that_writes_its_address_is_a_step_of_the_history(visit):
    page = visit("")
    before = page.evaluate("() => history.length")
    page.get_by_role("link", name="Address").click()
    page.wait_for_url("**/address?view=1")
    settle(page)
    assert page.evaluate("() => history.length") == before + 2, "history.py can go"


def test_a_key_that_is_held_down_presses_its_button_again(visit):
    page = visit("looks")
    for presses in (1, 2):  # down without up: the browser repeats the key
        page.keyboard.down("x")
        pressed = page.get_by_text(f"Pressed: {presses}", exact=True)
        expect(pressed, "held_keys.py can go").to_be_visible()
        settle(page)
    page.keyboard.up("x")


def test_a_dialog_has_no_field_in_focus_and_loses_what_is_typed(visit):
    page = visit("dialog")
    page.get_by_role("button", name="Edit", exact=True).click()
    field = page.get_by_role("dialog").get_by_role("textbox", name="Note")
    expect(field).to_be_visible()
    page.evaluate(SENT)
    expect(field, "dialogs.py can go").not_to_be_focused()
    field.fill("half")
    field.press("Escape")
    expect(field).to_have_count(0)
    run_again(page)
    expect(page.get_by_text("Typed: .", exact=True), "dialogs.py can go").to_be_visible()


def test_captions_and_primary_buttons_are_pale(visit):
    found = {scheme: " ".join(unreadable(visit("looks", scheme=scheme))) for scheme in SCHEMES}
    pale = {scheme: [name for name in PALE if name in text] for scheme, text in found.items()}
    assert pale == {"light": ["A caption"], "dark": ["Primary"]}, "readable_text.css can go"


def test_columns_stay_side_by_side_however_narrow_they_are(visit):
    page = visit("looks", width=800)
    boxes = [column.bounding_box() for column in page.get_by_test_id("stColumn").all()]
    assert len(boxes) == 4
    assert {box["y"] for box in boxes} == {boxes[0]["y"]}, "narrow_columns.css can go"


def test_the_side_bar_has_one_width_in_all_windows(visit):
    bar = visit("looks", width=800).get_by_test_id("stSidebar")
    assert bar.bounding_box()["width"] == 300, "page_frame.css can go"


def test_an_element_with_nothing_to_see_takes_room(visit):
    page = visit("looks")
    tops = [
        page.get_by_test_id("stElementContainer")
        .filter(has=page.locator(f'[data-mark="{mark}"]'))
        .bounding_box()["y"]
        for mark in ("first", "unseen", "last")
    ]
    assert tops[2] > tops[1] > tops[0], "unseen_marks.css can go"


def test_a_container_is_not_drawn_while_it_is_empty(visit):
    page = visit("looks")
    expect(page.locator(".st-key-choice")).to_have_count(1)
    assert page.locator(".st-key-empty").count() == 0, "kept_places.py can go"


def test_a_page_keeps_its_place_when_something_is_drawn_at_its_top(visit):
    page = visit("tall")
    page.get_by_role("button", name="Make").click()
    made = page.get_by_text("Made at the top")
    expect(made).to_be_attached()
    settle(page)
    expect(made, "scrolling.py can go").not_to_be_in_viewport()


def test_what_stands_in_for_a_field_is_not_as_high_as_it(plain, window):
    waiting, page = [], window("about:blank", wait=False, alone=True)
    page.route(SELECTBOX_SCRIPT, lambda route: waiting.append(route))
    page.goto(f"{plain.url}/looks")
    place = page.locator(".st-key-choice")
    expect(page.locator(STAND_IN)).to_be_visible()
    before = place.bounding_box()["height"]
    for route in waiting:
        route.continue_()
    expect(page.locator(STAND_IN)).to_have_count(0)
    settle(page)
    assert place.bounding_box()["height"] > before + 8, "awaited_scripts.css can go"
