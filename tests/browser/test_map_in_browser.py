"""Map in a real browser: its points, what a lasso or a box selects, a query's context drawn in."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import a_run, finish, grid, still, tables, until
from tests.browser.plots import (
    PLOT,
    PLOT_BY_TASK,
    box_select,
    inside,
    lasso,
    points,
    quiet_box,
)
from tests.browser.pools import FIRST, MAPPED

PINS = """selector => {
  const plot = document.querySelector(selector);
  const { left, top } = plot.getBoundingClientRect();
  return [...plot.querySelectorAll('.svg-container > svg[role=img] circle[r="4"]')]
    .map(pin => [left + Number(pin.getAttribute('cx')), top + Number(pin.getAttribute('cy'))]);
}"""
OUTLINES = (
    """selector => document.querySelector(selector)?._fullLayout?.selections.length ?? null"""
)


@pytest.fixture
def rows(demonstrations):
    return {each.id: each for each in demonstrations[MAPPED]}


@pytest.fixture
def open_map(app, window):
    def opened(*, width=1400, **link):
        address = f"{app.url}/map?{urlencode({'pool': MAPPED, **link})}"
        page = window(address, width=width, height=1300)
        finish(page)
        return page

    return opened


def test_the_map_appears_by_itself_with_a_point_for_each_demonstration(open_map, rows):
    page = open_map()
    found = points(page)
    assert sorted(point["id"] for point in found) == sorted(rows)
    for trace in {point["trace"] for point in found}:
        tag, _, count = trace.rpartition(" (")
        shown = {point["id"] for point in found if point["trace"] == trace}
        assert count == f"{len(shown)})"
        if tag != "other tags":
            assert shown == {id for id, row in rows.items() if tag in row.tags}
    words = f"{len(rows)} demonstrations on {FIRST[MAPPED][1]} distinct"
    expect(page.get_by_text(words)).to_be_visible()


def expect_listed(page, rows, draw, order):
    """Draw around some points, the first group in this order that stands by itself; then clear."""
    spots = points(page)
    box = quiet_box(spots[::order])
    wanted = inside(spots, box)
    with a_run(page):
        draw(page, box)
    expect(page.get_by_text(f"{len(wanted)} selected", exact=True)).to_be_visible()
    until(page, lambda: [int(row["id"]) for row in grid(tables(page).last)], wanted)
    listed = grid(tables(page).last)
    assert [row["query"] for row in listed] == [rows[id].query for id in wanted]
    assert [row["answer"] for row in listed] == [rows[id].answer for id in wanted]
    assert page.evaluate(OUTLINES, PLOT) == 1
    with a_run(page):
        page.get_by_role("button", name="Clear the selection").click()
    expect(page.get_by_text("Nothing is selected.")).to_be_visible()
    until(page, lambda: page.evaluate(OUTLINES, PLOT), 0)


def test_a_selection_lists_exactly_the_points_inside(open_map, rows):
    page = open_map()
    expect_listed(page, rows, lasso, 1)
    expect_listed(page, rows, box_select, -1)


def test_what_a_lasso_selects_is_excluded_taken_back_and_read_one_by_one(open_map, untouched):
    page = open_map(pool=untouched("read selected"))
    spots = points(page)
    box = quiet_box(spots)
    wanted = inside(spots, box)
    with a_run(page):
        lasso(page, box)
    statuses = ["included"] * len(wanted), ["excluded"] * len(wanted)
    for press, expected in (("Exclude", statuses[1]), ("Undo", statuses[0])):
        with a_run(page):
            page.get_by_role("button", name=press, exact=True).click()
        until(page, lambda: [row["status"] for row in grid(tables(page).last)], expected)
        assert [int(row["id"]) for row in grid(tables(page).last)] == wanted
    page.get_by_role("button", name="Read one by one").click()
    expect(page.get_by_test_id("stMain").get_by_test_id("stProgress")).to_contain_text(
        f"selected on the Map: 1 of {len(wanted)}; 0 decided"
    )
    expect(page.get_by_text(f"{wanted[0]} · included · not reviewed yet")).to_be_visible()


def test_what_is_selected_is_acted_on_in_sight_and_no_tool_covers_a_point(app, window):
    page = window(f"{app.url}/map?{urlencode({'pool': MAPPED})}", width=1280, height=720)
    finish(page)
    spots = points(page)
    page.locator(PLOT).hover()
    tools = page.locator(f"{PLOT} .modebar").bounding_box()
    assert min(spot["y"] for spot in spots) > tools["y"] + tools["height"]
    box = quiet_box(spots)
    with a_run(page):
        lasso(page, box)
    for each in (
        page.get_by_text(f"{len(inside(spots, box))} selected", exact=True),
        *(page.get_by_role("button", name=name, exact=True) for name in ("Exclude", "Delete")),
    ):
        expect(each).to_be_in_viewport()


def context_of(page, rows):
    """The ids in the context's table, in the order chosen."""
    ids = {(row.query, row.answer): id for id, row in rows.items()}
    return [ids[row["query"], row["answer"]] for row in grid(tables(page).first)]


def pins_off(page, rows, plot=PLOT):
    """Whether some pin of the context is not on its demonstration's point."""
    spots = {point["id"]: (point["x"], point["y"]) for point in points(page, plot)}
    pins, context = page.evaluate(PINS, plot), context_of(page, rows)
    return len(pins) != len(context) or any(
        abs(a - b) > 1
        for pin, id in zip(pins, context, strict=True)
        for a, b in zip(pin, spots[id], strict=True)
    )


def sorted_by_relevance(page, rows):
    """The ids in the context's table, the most relevant first."""
    relevances = [float(row["relevance"]) for row in grid(tables(page).first)]
    ranked = sorted(zip(relevances, context_of(page, rows), strict=True), key=lambda pair: -pair[0])
    return [id for _, id in ranked]


def move_lambda_d(page, key, value):
    """Move the slider to an end of its range."""
    with a_run(page):
        page.get_by_role("slider", name="lambda_d").press(key)
    assert f"lambda_d={value}" in page.url


def test_the_context_on_the_map_follows_lambda_d(open_map, rows):
    page = open_map(method="rel+div")
    until(page, lambda: len(context_of(page, rows)), 6)
    until(page, lambda: pins_off(page, rows), False)
    before, picture = context_of(page, rows), page.evaluate(PINS, PLOT)
    own = {id for id, row in rows.items() if row.query == rows[min(rows)].query}
    assert not own & set(before)

    move_lambda_d(page, "Home", "0.00")
    until(page, lambda: context_of(page, rows) != before, True)
    until(page, lambda: pins_off(page, rows), False)
    assert context_of(page, rows)[0] == before[0]
    assert page.evaluate(PINS, PLOT) != picture

    move_lambda_d(page, "End", "1.00")
    until(page, lambda: context_of(page, rows) == sorted_by_relevance(page, rows), True)
    until(page, lambda: pins_off(page, rows), False)
    assert len(set(context_of(page, rows))) == 6


def expect_selected(page, plot):
    """Draw around some points of a chart; exactly they are selected, and only it has an outline."""
    spots = points(page, plot)
    box = quiet_box(spots)
    wanted = inside(spots, box)
    with a_run(page):
        lasso(page, box)
    until(page, lambda: [int(row["id"]) for row in grid(tables(page).last)], wanted)
    plots = (PLOT, PLOT_BY_TASK)
    only_here = [int(each == plot) for each in plots]
    until(page, lambda: [page.evaluate(OUTLINES, each) for each in plots], only_here)


def test_both_maps_have_the_same_points_and_a_lasso_on_either_selects(open_map, demonstrations):
    page = open_map(pool="felt", points="both")
    ids = sorted(each.id for each in demonstrations["felt"])
    shown = [points(page, plot) for plot in (PLOT, PLOT_BY_TASK)]
    assert [sorted(point["id"] for point in each) for each in shown] == [ids, ids]
    traces = [{(point["id"], point["trace"]) for point in each} for each in shown]
    assert traces[0] == traces[1]
    assert {trace for _, trace in traces[0]} == {"glad (12)", "sad (12)"}
    expect(
        page.get_by_text(re.compile(r"^Neighbours with the same label: by text \d+"))
    ).to_be_visible()
    left, right = (page.locator(plot).bounding_box() for plot in (PLOT, PLOT_BY_TASK))
    assert right["x"] > left["x"] + left["width"] - 1
    expect_selected(page, PLOT_BY_TASK)
    expect_selected(page, PLOT)


def test_in_a_narrow_window_the_map_by_task_stands_below_the_one_by_text(open_map):
    page = open_map(pool="felt", points="both", width=800)
    still(page)
    upper, lower = (page.locator(plot).bounding_box() for plot in (PLOT, PLOT_BY_TASK))
    assert lower["y"] > upper["y"] + upper["height"] - 1
    knob = page.get_by_role("combobox", name="Method").bounding_box()
    context = tables(page).first.bounding_box()
    assert context["y"] > knob["y"] + knob["height"], "no room beside what is filled in"


def test_the_query_and_its_context_are_drawn_where_the_task_puts_them(open_map, demonstrations):
    page = open_map(pool="felt", points="task", method="pgra", k="4")
    rows = {each.id: each for each in demonstrations["felt"]}
    until(page, lambda: len(context_of(page, rows)), 4)
    until(page, lambda: pins_off(page, rows, PLOT_BY_TASK), False)
    star = page.locator(f"{PLOT_BY_TASK} .svg-container > svg[role=img] polygon")
    expect(star).to_have_count(1)
