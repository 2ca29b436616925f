"""Map in a real browser: its points, what a lasso or a box selects, a query's context drawn in."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import grid, import_few, settle, start_app, stop_app, tables, until

QUERIES = 60
PLOT = ".st-key-map_plot .js-plotly-plot"
POINTS = """([selector]) => {
  const plot = document.querySelector(selector);
  const { left, top } = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return plot._fullData.flatMap(trace => Array.from(trace.customdata).map((id, i) => ({
    id, trace: trace.name,
    x: left + xaxis._offset + xaxis.l2p(trace.x[i]), y: top + yaxis._offset + yaxis.l2p(trace.y[i]),
  })));
}"""
PINS = """([selector]) => {
  const plot = document.querySelector(selector);
  const { left, top } = plot.getBoundingClientRect();
  return [...plot.querySelectorAll('.svg-container > svg[role=img] circle[r="4"]')]
    .map(pin => [left + Number(pin.getAttribute('cx')), top + Number(pin.getAttribute('cy'))]);
}"""

OUTLINES = """([selector]) => {
  const plot = document.querySelector(selector);
  return plot?._fullLayout ? plot._fullLayout.selections.length : null;
}"""


@pytest.fixture(scope="module")
def demonstrations(tmp_path_factory):
    """The workspace with the first queries of the bundled pool, and their demonstrations by id."""
    folder = tmp_path_factory.mktemp("map")
    found = import_few(folder / "workspace", "misconceptions", QUERIES, "few")
    return folder / "workspace", {each.id: each for each in found}


@pytest.fixture(scope="module")
def app(demonstrations):
    """With the practice model, which is soon done with so few."""
    running = start_app(demonstrations[0])
    yield running
    stop_app(running)


@pytest.fixture
def rows(demonstrations):
    return demonstrations[1]


@pytest.fixture
def open_map(app, window):
    def opened(scheme="light", **link):
        link = urlencode({"pool": "few", **link})
        page = window(f"{app.url}/map?{link}", scheme=scheme, height=1300)
        page.wait_for_function(
            "selector => document.querySelector(selector)?._fullData?.length > 0",
            arg=PLOT,
            timeout=300_000,
        )
        settle(page)
        return page

    return opened


def points(page):
    """Id, trace and place on the screen of every point."""
    return page.evaluate(POINTS, [PLOT])


def quiet_box(spots):
    """(left, top, right, bottom) around three to eight points, with none near its edge."""
    for centre in spots:
        for half in range(16, 60, 4):
            reach = [max(abs(p["x"] - centre["x"]), abs(p["y"] - centre["y"])) for p in spots]
            inside = sum(r < half for r in reach)
            if 3 <= inside <= 8 and not any(abs(r - half) < 4 for r in reach):
                x, y = centre["x"], centre["y"]
                return x - half, y - half, x + half, y + half
    raise AssertionError("no group of points stands by itself")


def draw_lasso(page, left, top, right, bottom):
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=8)
    page.mouse.up()


def draw_box(page, left, top, right, bottom):
    page.locator(PLOT).hover(position={"x": 100, "y": 100})
    page.locator(f"{PLOT} .modebar-btn[data-title='Box Select']").click()
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=8)
    page.mouse.up()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_appears_by_itself_with_a_point_for_each_demonstration(open_map, rows, scheme):
    page = open_map(scheme)
    found = points(page)
    assert sorted(point["id"] for point in found) == sorted(rows)
    for trace in {point["trace"] for point in found}:
        tag, _, count = trace.rpartition(" (")
        shown = {point["id"] for point in found if point["trace"] == trace}
        assert count == f"{len(shown)})"
        if tag != "other tags":
            assert shown == {id for id, row in rows.items() if tag in row.tags}
    expect(page.get_by_text(f"{len(rows)} demonstrations on {QUERIES} distinct")).to_be_visible()
    ground = page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    lightness = sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(", "))) / 765
    assert (lightness > 0.8) == (scheme == "light")


def expect_listed(page, rows, draw, box):
    left, top, right, bottom = box
    inside = sorted(
        point["id"]
        for point in points(page)
        if left < point["x"] < right and top < point["y"] < bottom
    )
    draw(page, *box)
    expect(page.get_by_text(f"{len(inside)} selected", exact=True)).to_be_visible(timeout=60_000)
    settle(page)
    until(page, lambda: [int(row["id"]) for row in grid(tables(page).last)], inside)
    listed = grid(tables(page).last)
    assert [row["query"] for row in listed] == [rows[id].query for id in inside]
    assert [row["answer"] for row in listed] == [rows[id].answer for id in inside]
    assert page.evaluate(OUTLINES, [PLOT]) == 1
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.get_by_text("Nothing is selected.")).to_be_visible(timeout=30_000)
    until(page, lambda: page.evaluate(OUTLINES, [PLOT]), 0)
    settle(page)


def test_a_selection_lists_exactly_the_points_inside(open_map, rows):
    page = open_map()
    expect_listed(page, rows, draw_lasso, quiet_box(points(page)))
    expect_listed(page, rows, draw_box, quiet_box(points(page)[::-1]))


def context_of(page, rows):
    """The ids in the context's table, in the order chosen."""
    ids = {(row.query, row.answer): id for id, row in rows.items()}
    return [ids[row["query"], row["answer"]] for row in grid(tables(page).first)]


def pins_off(page, rows):
    """Whether some pin of the context is not on its demonstration's point."""
    spots = {point["id"]: (point["x"], point["y"]) for point in points(page)}
    pins, context = page.evaluate(PINS, [PLOT]), context_of(page, rows)
    return len(pins) != len(context) or any(
        abs(a - b) > 1
        for pin, id in zip(pins, context, strict=True)
        for a, b in zip(pin, spots[id], strict=True)
    )


def test_the_context_on_the_map_follows_lambda_d(open_map, rows):
    page = open_map(method="rel+div")
    until(page, lambda: len(context_of(page, rows)), 6)
    until(page, lambda: pins_off(page, rows), False)
    before, picture = context_of(page, rows), page.evaluate(PINS, [PLOT])
    own = {id for id, row in rows.items() if row.query == rows[min(rows)].query}
    assert not own & set(before)

    slider = page.get_by_role("slider", name="lambda_d")
    slider.press("Home")
    page.wait_for_url("**lambda_d=0.00**", timeout=30_000)
    settle(page)
    until(page, lambda: context_of(page, rows) != before, True)
    until(page, lambda: pins_off(page, rows), False)
    assert context_of(page, rows)[0] == before[0]
    assert page.evaluate(PINS, [PLOT]) != picture

    slider.press("End")
    page.wait_for_url("**lambda_d=1.00**", timeout=30_000)
    settle(page)
    until(page, lambda: pins_off(page, rows), False)
    relevance = [float(row["relevance"]) for row in grid(tables(page).first)]
    assert relevance == sorted(relevance, reverse=True)
    assert len(set(context_of(page, rows))) == 6
