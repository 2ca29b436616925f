"""The points of the map's chart, and how one draws around some of them."""

import re
from typing import TypeAlias

from playwright.sync_api import Page, expect

from tests.browser.driver import still

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom on the screen."""

PLOT = ".st-key-map_plot .js-plotly-plot"
PLOT_BY_TASK = ".st-key-map_plot_task .js-plotly-plot"
POINTS = """selector => {
  const plot = document.querySelector(selector);
  const { left, top } = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return plot._fullData.flatMap(trace => Array.from(trace.customdata).map((id, i) => ({
    id, trace: trace.name,
    x: left + xaxis._offset + xaxis.l2p(trace.x[i]), y: top + yaxis._offset + yaxis.l2p(trace.y[i]),
  })));
}"""


def points(page: Page, plot: str = PLOT) -> list[dict]:
    """Id, trace and place on the screen of every point, once the chart has come to rest."""
    page.locator(plot).scroll_into_view_if_needed()
    still(page)
    return page.evaluate(POINTS, plot)


def quiet_box(spots: list[dict]) -> Box:
    """A box around three to eight points, with none near its edge."""
    for centre in spots:
        for half in range(16, 60, 4):
            reach = [max(abs(p["x"] - centre["x"]), abs(p["y"] - centre["y"])) for p in spots]
            inside = sum(r < half for r in reach)
            if 3 <= inside <= 8 and not any(abs(r - half) < 4 for r in reach):
                x, y = centre["x"], centre["y"]
                return x - half, y - half, x + half, y + half
    raise AssertionError("no group of points stands by itself")


def inside(spots: list[dict], box: Box) -> list[int]:
    """The ids of the points in the box, smallest first."""
    left, top, right, bottom = box
    return sorted(p["id"] for p in spots if left < p["x"] < right and top < p["y"] < bottom)


def lasso(page: Page, box: Box) -> None:
    """Draw a line around the box."""
    left, top, right, bottom = box
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=8)
    page.mouse.up()


def box_select(page: Page, box: Box) -> None:
    """Turn to the chart's box and draw it."""
    page.locator(PLOT).hover()
    button = page.locator(f"{PLOT} .modebar-btn[data-title='Box Select']")
    button.click()
    expect(button).to_have_class(re.compile(r"\bactive\b"))
    left, top, right, bottom = box
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=8)
    page.mouse.up()
