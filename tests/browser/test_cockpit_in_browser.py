"""The cockpit of Explore in a real browser: one handle in the triangle moves everything."""

import re
from contextlib import ExitStack
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from playwright.sync_api import expect

from benchmarks.cockpit import FIND
from tests.browser.driver import (
    a_run,
    finish,
    free_port,
    grid,
    lambda_field,
    start_app,
    stop_app,
    tables,
    type_lambda,
    until,
    visit,
)
from tests.support.openai_server import Hang, Offer, Words, serving

COUNT_WHAT_IS_SENT = """() => {
  window.sentToServer = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...message) {
    window.sentToServer += 1;
    return send.apply(this, message);
  };
}"""


def link(page):
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def lambdas(page):
    return float(link(page)["lambda_d"]), float(link(page)["lambda_b"])


def shown(page):
    """The context in the cockpit: query and answer of each demonstration, in their order."""
    rows = page.locator(".chosen .row")
    return [tuple(row.locator(".query, .answer").all_inner_texts()) for row in rows.all()]


def in_the_table(page):
    """The same of the context that the server drew below."""
    cells = page.locator("table.context tbody tr .pair").all_inner_texts()
    return [tuple(line.strip() for line in text.split("\n") if line.strip())[:2] for text in cells]


def entered(page):
    rows = page.locator(".chosen .row.entered")
    return [tuple(row.locator(".query, .answer").all_inner_texts()) for row in rows.all()]


def figure(page, name):
    return page.locator(f".figure.{name} b").inner_text()


def middle(place):
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def corner(page, name):
    """About where a corner of the triangle is on the screen: 24 pixels inside it."""
    box = page.locator(".stage").bounding_box()
    side = min(box["width"] - 32, (box["height"] - 44) * 2 / 3**0.5)
    across, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"] - 22
    return {
        "diverse": (across, box["y"] + 22 + 24),
        "similar": (across - side / 2 + 24, bottom - 12),
        "likely": (across + side / 2 - 24, bottom - 12),
    }[name]


@pytest.fixture
def cockpit(app, window):
    page = window(f"{app.url}/explore?view=context", width=1280, height=800)
    finish(page)
    expect(page.locator(".verdict")).not_to_be_empty()
    return page


def test_all_of_it_is_on_one_screen(cockpit):
    for place in (".stage", ".strip >> nth=1", ".row >> nth=5", ".judged .answers", ".figures"):
        box = cockpit.locator(place).bounding_box()
        assert box["y"] >= 0, place
        assert box["y"] + box["height"] <= 800, place
    assert len(shown(cockpit)) == 6
    assert cockpit.evaluate("document.scrollingElement.scrollTop") == 0


def test_it_shows_the_context_and_the_effect_that_the_server_draws_below(cockpit):
    assert shown(cockpit) == in_the_table(cockpit)
    below = cockpit.locator(".explore-figures").inner_text()
    for name in ("dpo", "delta", "sameness", "tokens"):
        assert figure(cockpit, name) in below


def test_another_k_is_followed(cockpit):
    """The handle stays where it was, over new cells."""
    at = lambdas(cockpit)
    with a_run(cockpit):
        cockpit.get_by_role("spinbutton", name="k").fill("3")
        cockpit.keyboard.press("Enter")
    finish(cockpit)
    until(cockpit, lambda: len(shown(cockpit)), 3)
    until(cockpit, lambda: shown(cockpit) == in_the_table(cockpit), True)
    assert lambdas(cockpit) == at
    expect(cockpit.locator(".figure.dpo b")).not_to_have_text("–")


def test_everything_follows_while_dragging_and_the_server_hears_of_the_end(cockpit):
    before, at = shown(cockpit), lambdas(cockpit)
    cockpit.evaluate(COUNT_WHAT_IS_SENT)
    cockpit.mouse.move(*middle(cockpit.locator(".handle")))
    cockpit.mouse.down()
    cockpit.mouse.move(*corner(cockpit, "likely"), steps=12)
    until(cockpit, lambda: shown(cockpit) != before, True)
    cockpit.wait_for_function("new Promise(done => requestAnimationFrame(() => done(true)))")
    there = shown(cockpit)
    assert entered(cockpit) == [row for row in there if row not in before]
    gone = [row[0] for row in before if row not in there]
    assert cockpit.locator(".left").inner_text() == f"Left: {' · '.join(gone)}"
    assert figure(cockpit, "dpo") not in ("–", "")
    assert cockpit.evaluate("window.sentToServer") == 0
    assert lambdas(cockpit) == at
    with a_run(cockpit):
        cockpit.mouse.up()
    finish(cockpit)
    assert cockpit.evaluate("window.sentToServer") > 0
    assert lambdas(cockpit) != at
    assert shown(cockpit) == there == in_the_table(cockpit)
    for name in ("lambda_d", "lambda_b"):
        value = cockpit.locator(f".section.{name} .value").inner_text()
        assert float(link(cockpit)[name]) == pytest.approx(float(value), abs=0.0051)
        expect(lambda_field(cockpit, name)).to_have_value(link(cockpit)[name])


@pytest.mark.parametrize(("name", "end"), [("lambda_d", "0.00"), ("lambda_b", "1.00")])
def test_a_strip_changes_its_lambda_and_no_other(cockpit, name, end):
    others = {key: value for key, value in link(cockpit).items() if key != name}
    box = cockpit.locator(f'.strip[data-knob="{name}"]').bounding_box()
    x = box["x"] + (1 if end == "0.00" else box["width"] - 1)
    cockpit.mouse.move(x, box["y"] + box["height"] / 2)
    cockpit.mouse.down()
    cockpit.mouse.move(x - 40 if end == "0.00" else x + 40, box["y"])
    with a_run(cockpit):
        cockpit.mouse.up()
    finish(cockpit)
    assert float(link(cockpit)[name]) == pytest.approx(float(end), abs=1e-5)
    assert {key: value for key, value in link(cockpit).items() if key != name} == others
    assert shown(cockpit) == in_the_table(cockpit)


def test_arrow_keys_go_from_cell_to_cell_and_say_what_is_there(cockpit):
    handle = cockpit.get_by_role("slider", name="Similar, likely and diverse")
    handle.focus()
    seen = [shown(cockpit)]
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        with a_run(cockpit):
            cockpit.keyboard.press(key)
        finish(cockpit)
        words = cockpit.locator(".spoken").inner_text()
        expect(handle).to_have_attribute("aria-valuetext", words)
        assert words.startswith("lambda_d 0.")
        assert f"DPO {figure(cockpit, 'dpo')}" in words
        assert cockpit.locator(".verdict").inner_text() in words
        new = [row for row in shown(cockpit) if row not in seen[-1]]
        assert f"{len(new)} demonstration" in words
        seen.append(shown(cockpit))
        assert seen[-1] == in_the_table(cockpit)
    assert len({tuple(each) for each in seen}) == 4, "each cell has a list of its own"
    assert lambdas(cockpit)[0] < 0.75, "up is towards diversity"


def test_a_number_moves_the_handle(cockpit):
    type_lambda(cockpit, "lambda_d", "0")
    until(cockpit, lambda: cockpit.locator(".section.lambda_d .value").inner_text(), "0.00")
    until(cockpit, lambda: shown(cockpit) == in_the_table(cockpit), True)
    x, y = middle(cockpit.locator(".handle"))
    top = corner(cockpit, "diverse")
    assert (x, y) == (pytest.approx(top[0], abs=3), pytest.approx(top[1] - 24, abs=3))


def test_a_finger_drags_it_and_the_page_stays(cockpit):
    touch = cockpit.context.new_cdp_session(cockpit)

    def fingers(kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    at, before = lambdas(cockpit), cockpit.locator(".stage").bounding_box()
    (x, y), (to_x, to_y) = middle(cockpit.locator(".handle")), corner(cockpit, "diverse")
    fingers("touchStart", (x, y))
    for step in range(1, 9):
        fingers("touchMove", (x + (to_x - x) * step / 8, y + (to_y - y) * step / 8))
    with a_run(cockpit):
        fingers("touchEnd")
    finish(cockpit)
    assert lambdas(cockpit)[0] < 0.3 < at[0]
    assert cockpit.locator(".stage").bounding_box() == before
    assert shown(cockpit) == in_the_table(cockpit)


def test_the_colours_show_what_is_chosen_also_from_a_link(cockpit):
    least = cockpit.locator(".least")
    dpo = least.inner_text()
    with a_run(cockpit):
        cockpit.get_by_label("Colour").select_option("sameness")
    assert link(cockpit)["cell_colour"] == "sameness"
    low, high = (
        float(cockpit.locator(end).inner_text().replace("\u2212", "-"))
        for end in (".least", ".most")
    )
    assert -1 <= low < high <= 1
    visit(cockpit, cockpit.url)
    finish(cockpit)
    expect(cockpit.get_by_label("Colour")).to_have_value("sameness")
    with a_run(cockpit):
        cockpit.get_by_label("Colour").select_option("dpo")
    expect(least).to_have_text(dpo)


def test_a_row_opens_to_all_of_its_text_by_mouse_and_by_key(cockpit):
    button = cockpit.locator(".row .open").first
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "false")


def test_in_a_narrow_window_one_part_is_below_the_other(cockpit):
    cockpit.set_viewport_size({"width": 600, "height": 1400})
    finish(cockpit)
    stage, context = (
        cockpit.locator(place).bounding_box() for place in (".stage", "section.context")
    )
    assert context["y"] > stage["y"] + stage["height"]
    width = cockpit.locator(".cockpit").bounding_box()["width"]
    assert context["width"] == pytest.approx(width, abs=1)
    assert stage["x"] + stage["width"] <= 600
    assert context["x"] + context["width"] <= 600


def test_without_a_scored_quality_it_is_an_edge_and_one_strip(app, window, untouched):
    link_to = "explore?method=rel%2Bdiv&k=3&view=context"
    page = window(f"{app.url}/{link_to}", width=1280, height=800)
    finish(page)
    expect(page.locator(".section.lambda_d")).to_be_visible()
    expect(page.locator(".section.lambda_b")).to_be_hidden()
    expect(page.locator(".corner.likely")).to_have_text("")
    with a_run(page):
        page.mouse.click(*corner(page, "diverse"))
    finish(page)
    assert lambdas(page)[0] < 0.2
    assert shown(page) == in_the_table(page)


def test_a_method_without_the_weights_has_no_cockpit(app, window):
    page = window(f"{app.url}/explore?method=vrsd", width=1280, height=800)
    finish(page)
    expect(page.locator("table.context")).to_be_visible()
    assert page.locator(".cockpit").count() == 0
    table = page.locator("table.context").bounding_box()
    assert table["y"] < 800, "nothing is left free for it"


PLACES = 4000
NEAREST_BY_SAMPLING = f"""() => {{
  const {{ cells, lists, k, at, cell, picture }} = ({FIND})();
  const listOf = (number) => [...lists.subarray(number * k, (number + 1) * k)];
  const here = picture.pixel(at);
  const far = new Map();
  for (let i = 0; i < {PLACES}; i += 1) {{
    const [a, b] = [Math.random(), Math.random()];
    const place = a + b < 1 ? [a, b] : [1 - a, 1 - b];
    const [x, y] = picture.pixel(place);
    const away = Math.hypot(x - here[0], y - here[1]) / picture.side;
    for (const number of listOf(cells.at(...place))) {{
      if (!listOf(cell).includes(number)) {{
        far.set(number, Math.min(away, far.get(number) ?? Infinity));
      }}
    }}
  }}
  return [...far];
}}"""
FOUND = f"""() => {{
  const cockpit = ({FIND})();
  return cockpit.misses.find(cockpit, cockpit.at, cockpit.chosen(cockpit.cell))
    .map(({{ number, far }}) => [number, Math.sqrt(far)]);
}}"""


def test_the_nearest_misses_are_the_nearest(cockpit):
    """No place anywhere in the triangle chooses another one, or one of these, at less distance."""
    found = cockpit.evaluate(FOUND)
    assert [far for _, far in found] == sorted(far for _, far in found)
    assert cockpit.locator(".miss").count() == len(found) == 5
    nearest, last = dict(found), found[-1][1]
    for number, far in cockpit.evaluate(NEAREST_BY_SAMPLING):
        assert far >= nearest.get(number, last) - 1e-6


def test_a_miss_is_chosen_after_a_click_on_it(cockpit):
    before = shown(cockpit)
    miss = cockpit.locator(".miss").first
    query = miss.locator(".query").inner_text()
    assert query not in [row[0] for row in before]
    with a_run(cockpit):
        miss.click()
    finish(cockpit)
    assert query in [row[0] for row in entered(cockpit)]
    assert shown(cockpit) == in_the_table(cockpit)


# Cells whose middle is so far inside that its colour is that of this cell alone.
LARGE = f"""() => {{
  const {{ cells, picture }} = ({FIND})();
  return [...Array(cells.count).keys()].filter((cell) => {{
    const [x, y] = picture.pixel(cells.middle(cell));
    return [[3, 0], [-3, 0], [0, 3], [0, -3]].every(
      ([dx, dy]) => cells.depth(cell, ...picture.place(x + dx, y + dy)) > 0,
    );
  }});
}}"""
SHOWN_STRONGLY = f"""() => {{
  const {{ canvas, cells }} = ({FIND})().picture;
  const marked = ({FIND})().marked();
  const pen = canvas.getContext('2d');
  const ratio = window.devicePixelRatio || 1;
  const colour = (cell) => {{
    const [x, y] = ({FIND})().picture.pixel(cells.middle(cell));
    return [...pen.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].join();
  }};
  return [marked, [...Array(cells.count).keys()].map(colour)];
}}"""


def test_the_cells_that_choose_one_keep_their_colours_while_the_mouse_is_on_it(cockpit):
    _, colours = cockpit.evaluate(SHOWN_STRONGLY)
    cockpit.locator(".row").nth(1).hover()
    marked, now = cockpit.evaluate(SHOWN_STRONGLY)
    number = cockpit.evaluate(f"() => {{ const c = ({FIND})(); return c.chosen(c.cell)[1]; }}")
    choosing = cockpit.evaluate(
        f"number => {{ const c = ({FIND})();"
        " return [...Array(c.cells.count).keys()].filter(i => c.chosen(i).includes(number)); }",
        number,
    )
    assert marked == choosing
    large = cockpit.evaluate(LARGE)
    assert len(large) > 3
    for cell in large:
        assert (colours[cell] == now[cell]) is (cell in choosing)
    cockpit.mouse.move(5, 5)
    until(cockpit, lambda: cockpit.evaluate(SHOWN_STRONGLY), [None, colours])


def test_why_not_this_one_marks_its_cells(cockpit):
    cockpit.get_by_role("radio", name="Why not?").click()
    finish(cockpit)
    id = cockpit.evaluate(
        f"() => {{ const c = ({FIND})(); const [miss] = c.misses.find(c, c.at, c.chosen(c.cell));"
        " return c.data.demonstrations[miss.number].id; }"
    )
    with a_run(cockpit):
        cockpit.get_by_role("textbox", name="Which demonstration?").fill(str(id))
        cockpit.keyboard.press("Enter")
    finish(cockpit)
    expect(cockpit.locator("table.why .rank")).to_have_count(6)
    expect(cockpit.get_by_text("of the triangle, on")).to_be_visible()
    until(cockpit, lambda: cockpit.evaluate("globalThis.shotlistMarked"), id)
    assert cockpit.evaluate(SHOWN_STRONGLY)[0]
    cockpit.get_by_role("radio", name="Prompt").click()
    finish(cockpit)
    until(cockpit, lambda: cockpit.evaluate(SHOWN_STRONGLY)[0], None)
    cockpit.get_by_role("radio", name="Why not?").click()
    expect(cockpit.get_by_role("textbox", name="Which demonstration?")).to_have_value(str(id))


@pytest.fixture
def opened(app, window, untouched):
    """A page whose pool may be changed, with the first row of its context opened."""

    def open_one(name):
        wanted = {"pool": untouched(name), "k": 3, "lambda_d": 0.9, "view": "context"}
        link = urlencode(wanted)
        page = window(f"{app.url}/explore?{link}", width=1280, height=800)
        finish(page)
        row = page.locator(".row").first
        row.locator(".open").click()
        return page, row

    return open_one


def test_a_demonstration_is_excluded_where_it_was_retrieved_and_comes_back(opened):
    page, row = opened("acted")
    before = shown(page)
    with a_run(page):
        row.get_by_role("button", name="Exclude").click()
    until(page, lambda: before[0] in shown(page), False)
    finish(page)
    assert len(shown(page)) == 3
    assert shown(page) == in_the_table(page)
    assert {*before[1:]} < {*shown(page)}, "the next one moved up"
    expect(page.locator(".note")).to_have_text("Excluded 1 demonstration.")
    with a_run(page):
        page.get_by_role("button", name="Undo").click()
    until(page, lambda: shown(page), before)
    finish(page)
    assert in_the_table(page) == before
    expect(page.locator(".undo")).to_have_text("Redo")


def test_a_pinned_demonstration_begins_the_context_wherever_the_handle_is(opened):
    page, _ = opened("with pins")
    before = shown(page)
    row = page.locator(".row").nth(2)
    row.locator(".open").click()
    with a_run(page):
        row.get_by_role("button", name="Pin").click()
    until(page, lambda: shown(page)[0], before[2])
    finish(page)
    expect(page.locator(".note")).to_have_text("Pinned 1 demonstration.")
    assert shown(page) == in_the_table(page)
    first = page.locator(".row").first
    expect(first).to_have_class(re.compile(r"\bpinned\b"))
    expect(page.locator("table.context").get_by_text("pinned")).to_have_count(1)
    for way in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.get_by_role("slider", name="Similar, likely and diverse").focus()
        with a_run(page):
            page.keyboard.press(way)
        finish(page)
        assert shown(page)[0] == before[2]
        assert shown(page) == in_the_table(page)
    with a_run(page):
        first.get_by_role("button", name="Unpin").click()
    expect(page.locator(".note")).to_have_text("Included 1 demonstration.")
    finish(page)
    expect(page.locator(".row.pinned")).to_have_count(0)


def test_a_demonstration_is_pinned_where_it_is_explained(opened):
    page, _ = opened("with pins")
    page.get_by_role("radio", name="Why not?").click()
    finish(page)
    query = page.locator(".miss .query").first.inner_text()
    with a_run(page):
        page.get_by_role("textbox", name="Which demonstration?").fill(query)
        page.keyboard.press("Enter")
    finish(page)
    why = page.locator(".st-key-explore_why_pin")
    with a_run(page):
        why.get_by_role("button", name="Pin").click()
    until(page, lambda: shown(page)[0][0], query)
    finish(page)
    expect(page.get_by_text("It is pinned: every context of this pool")).to_be_visible()
    with a_run(page):
        why.get_by_role("button", name="Unpin").click()
    expect(page.locator(".row.pinned")).to_have_count(0)
    finish(page)


def test_a_tag_that_is_being_typed_moves_up_with_its_demonstration(opened):
    page, first = opened("typed at")
    row = page.locator(".row").nth(2)
    row.locator(".open").click()
    row.get_by_role("textbox", name="Tag").fill("half a t")
    before = shown(page)
    with a_run(page):
        first.get_by_role("button", name="Exclude").click()
    until(page, lambda: shown(page)[:2], before[1:])
    finish(page)
    tags = [each.input_value() for each in page.locator(".row .tag").all()]
    assert tags == ["", "half a t", ""]
    with a_run(page):
        page.get_by_role("button", name="Undo").click()
    until(page, lambda: shown(page), before)
    assert row.locator(".tag").input_value() == "half a t"


def test_a_demonstration_is_tagged_and_its_row_opened_in_the_table(opened):
    page, row = opened("labelled")
    query = shown(page)[0][0]
    tag = row.get_by_role("textbox", name="Tag")
    tag.fill("seen in Explore")
    for composing in ({"isComposing": True}, {"keyCode": 229}, {"repeat": True}):
        tag.dispatch_event("keydown", {"key": "Enter", "bubbles": True, **composing})
        expect(tag).to_have_value("seen in Explore")
    with a_run(page):
        page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_text("Tagged 1 demonstration 'seen in Explore'.")
    finish(page)
    page.locator(".row").first.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog").get_by_role("button", name="Open in the table").click()
    expect(page.get_by_text("Only this one demonstration")).to_be_visible()
    finish(page)
    until(page, lambda: [row["query"] for row in grid(tables(page).last)], [query])
    (found,) = grid(tables(page).last)
    assert "seen in Explore" in found["tags"]


def test_a_demonstration_is_edited_where_it_was_retrieved(opened):
    page, row = opened("retyped")
    (query, answer), *others = shown(page)
    row.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog")
    place = dialog.get_by_role("textbox", name="Answer", exact=True)
    expect(place).to_have_value(answer)
    place.fill("half an answ")
    page.keyboard.press("Escape")
    page.mouse.click(5, 5)
    expect(place).to_have_value("half an answ")
    place.fill("grand indeed")
    with a_run(page):
        dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    until(page, lambda: (query, "grand indeed") in shown(page), True)
    finish(page)
    expect(page.locator(".note")).to_contain_text("Saved: edited the answer of demonstration")
    with a_run(page):
        page.get_by_role("button", name="Undo").click()
    until(page, lambda: shown(page), [(query, answer), *others])


def test_where_there_is_no_cockpit_the_context_is_acted_on_below_its_table(app, window, untouched):
    link = urlencode({"pool": untouched("below"), "k": 3, "method": "bm25"})
    page = window(f"{app.url}/explore?{link}", width=1280, height=800)
    finish(page)
    before = in_the_table(page)
    with a_run(page):
        page.get_by_role("button", name="Exclude").click()
    until(page, lambda: in_the_table(page)[:2], before[1:])
    finish(page)
    expect(page.get_by_text("Excluded 1 demonstration.")).to_be_visible()
    with a_run(page):
        page.get_by_role("button", name="Undo").click()
    until(page, lambda: in_the_table(page), before)
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("dialog")).to_contain_text("Demonstration")


@pytest.fixture
def served_elsewhere(tmp_path, monkeypatch):
    """A studio whose model a server runs, and what that server offers."""
    port, offer = free_port(), Offer()
    with ExitStack() as running:
        running.enter_context(serving(Words(), offer, port))
        monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        app = start_app(tmp_path / "workspace", model="openai:tiny")
        running.callback(stop_app, app)
        yield app, offer


def test_a_server_is_asked_only_on_a_click_and_can_be_left_and_asked_on(served_elsewhere, window):
    app, offer = served_elsewhere
    page = window(f"{app.url}/explore?k=2", alone=True)
    words, act = page.locator(".progress .words"), page.locator(".progress .act")
    expect(page.locator(".section.lambda_b")).to_be_visible()  # the quality is scored
    expect(words).to_contain_text("1 of ")
    finish(page)
    total = int(words.inner_text().split()[2])
    slow = Hang()
    offer.faults.append(slow)
    act.filter(has_text="Score all").click()
    assert slow.began.wait(60)
    act.filter(has_text="Cancel").click()
    expect(words).to_contain_text("Stopped after 1 of")
    slow.end.set()
    act.filter(has_text="Go on").click()
    finish(page)
    until(page, words.inner_text, "")
    assert total > 3
    expect(act).to_be_hidden()
