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
MARGIN = 10
"""Pixels around the outermost points that are still in the chart's frame: plotly leaves more."""


def points(page: Page, plot: str = PLOT) -> list[dict]:
    """Id, trace and place on the screen of every point, once the chart has come to rest."""
    page.locator(plot).scroll_into_view_if_needed()
    still(page)
    return page.evaluate(POINTS, plot)


def quiet_box(spots: list[dict]) -> Box:
    """A box in the chart's frame around three to eight points, with none near its edge.

    Args:
        spots: Every point of the chart, in the order in which groups are tried.
    """
    left, right = (edge(p["x"] for p in spots) for edge in (min, max))
    top, bottom = (edge(p["y"] for p in spots) for edge in (min, max))
    for centre in spots:
        for half in range(16, 60, 4):
            reach = [max(abs(p["x"] - centre["x"]), abs(p["y"] - centre["y"])) for p in spots]
            inside = sum(r < half for r in reach)
            if 3 <= inside <= 8 and not any(abs(r - half) < 4 for r in reach):
                x, y = centre["x"], centre["y"]
                return (
                    max(x - half, left - MARGIN),
                    max(y - half, top - MARGIN),
                    min(x + half, right + MARGIN),
                    min(y + half, bottom + MARGIN),
                )
    raise AssertionError("no group of points stands by itself")


def inside(spots: list[dict], box: Box) -> list[int]:
    """The ids of the points in the box, smallest first."""
    left, top, right, bottom = box
    return sorted(p["id"] for p in spots if left < p["x"] < right and top < p["y"] < bottom)


def lasso(page: Page, box: Box) -> None:
    """Draw a line around the box, from below: the chart's buttons lie over the top of its frame."""
    left, top, right, bottom = box
    page.mouse.move(left, bottom)
    page.mouse.down()
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=8)
    page.mouse.up()


def box_select(page: Page, box: Box) -> None:
    """Turn to the chart's box and draw it, from below as the lasso."""
    page.locator(PLOT).hover()
    button = page.locator(f"{PLOT} .modebar-btn[data-title='Box Select']")
    button.click()
    expect(button).to_have_class(re.compile(r"\bactive\b"))
    left, top, right, bottom = box
    page.mouse.move(left, bottom)
    page.mouse.down()
    page.mouse.move(right, top, steps=8)
    page.mouse.up()
