"""Frame times of Explore while the handle of the triangle is dragged, in headless Chromium.

    python benchmarks/cockpit.py [--file TruthfulQA.csv] [--model FOLDER] [--demonstrations 50000]
                                 [--drags 5] [--calibrating]

Starts the studio as `slider.py` does, with the same pools, and waits until every context of the
first query is scored. Then the handle is dragged by the mouse, round the triangle and through its
middle, 240 moves of 8 ms a drag. Prints the times between two frames as median, 95th percentile and
most, for every drag and for a page at rest, how many contexts were passed, how many messages went
to the server meanwhile, from the release to the server's own picture, and what the browser got:
cells, contexts, demonstrations, bytes. With `--calibrating` the same again beside a calibration.
Needs playwright and a Chromium.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.slider import (
    DEMONSTRATIONS,
    EXAMPLES,
    PATIENCE,
    POOL,
    environment_of,
    prepare,
    studio,
)

MOVES, EVERY = 240, 8
COUNT = """() => {
  window.sentToServer = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...message) {
    window.sentToServer += 1;
    return send.apply(this, message);
  };
  window.frameTimes = [];
  let last = performance.now();
  const frame = (now) => {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
SCORED = """() => {
  const { scores, live } = globalThis.shotlistCockpit ?? {};
  return !!scores && !!live && !live.progress.text;
}"""
CONTEXT = "(t => t && t.dataset.lambdaD + t.innerText)(document.querySelector('table.context'))"


@dataclass(frozen=True)
class Drag:
    """What one drag showed: milliseconds between frames, contexts passed, messages sent."""

    frames: list[float]
    contexts: int
    sent: int
    release: float


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="shotlist-cockpit-") as folder:
        environment = environment_of(Path(folder), options.model)
        prepare(Path(folder), options, environment)
        with studio(environment) as (address, _):
            _measure(address, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, help="a pool file; default: a generated pool")
    parser.add_argument("--model", default=os.environ.get("SHOTLIST_MODEL") or "practice")
    parser.add_argument("--demonstrations", type=int, default=DEMONSTRATIONS, help="to generate")
    parser.add_argument("--drags", type=int, default=5)
    parser.add_argument("--calibrating", action="store_true", help="measure beside a run as well")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    return parser.parse_args()


def _measure(address: str, options: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE * 1000)
        got = _Got()
        page.on("websocket", lambda socket: socket.on("framereceived", got.note))
        page.goto(f"{address}/explore?pool={POOL}&view=context")
        page.wait_for_function(SCORED)
        got.report(page)
        page.evaluate(COUNT)
        page.wait_for_timeout(MOVES * EVERY)
        _report("at rest", page.evaluate("window.frameTimes.splice(0)"))
        _drags("idle", page, options.drags)
        if options.calibrating:
            other = browser.new_page()
            other.goto(f"{address}/calibrate?pool={POOL}&limit={EXAMPLES}")
            other.get_by_role("button", name="Calibrate", exact=True).click()
            stop = other.get_by_role("button", name="Stop")
            stop.wait_for()
            _drags("calibrating", page, options.drags)
            if not stop.is_visible():
                raise RuntimeError("the calibration ended before the drags were measured")
        browser.close()


class _Got:
    """What the server sent to a page."""

    def __init__(self) -> None:
        self.bytes = 0

    def note(self, message: str | bytes) -> None:
        self.bytes += len(message)

    def report(self, page: Any) -> None:
        """Print the size of the triangle, of it all and of the page's other parts."""
        cockpit = json.loads(page.evaluate(f"JSON.stringify(({FIND})().data)"))
        cells, contexts = page.evaluate(f"(c => [c.cells.count, c.cells.cellsOf.size])(({FIND})())")
        scores = page.evaluate("JSON.stringify(globalThis.shotlistCockpit.scores).length")
        print(
            f"browser      {cells} cells, {contexts} contexts, "
            f"{len(cockpit['demonstrations'])} demonstrations: "
            f"{len(json.dumps(cockpit)) / 1e3:,.0f} kB once, "
            f"{scores / 1e3:,.0f} kB whenever scores come; "
            f"{self.bytes / 1e6:.1f} MB in all until every one was scored"
        )


FIND = """() => {
  const look = (node) => {
    if (node.cockpit?.follow) return node.cockpit;
    for (const child of [node.shadowRoot, ...node.children]) {
      const found = child && look(child);
      if (found) return found;
    }
    return null;
  };
  return look(document.body);
}"""


def _drags(when: str, page: Any, count: int) -> None:
    drags = [_drag(page, turn) for turn in range(count)]
    for drag in drags:
        _report(when, drag.frames, f"{drag.contexts} contexts, {drag.sent} messages sent")
    worst = max(_percentile(drag.frames, 0.95) for drag in drags)
    middle = statistics.median(_percentile(drag.frames, 0.95) for drag in drags)
    releases = [drag.release for drag in drags]
    print(
        f"{when:12} 95th percentile: median of the drags {middle:.1f} ms, largest {worst:.1f}; "
        f"release to the server's picture {statistics.median(releases):.0f} ms "
        f"({min(releases):.0f} to {max(releases):.0f})"
    )


def _drag(page: Any, turn: int) -> Drag:
    """Drag the handle from where it is round the triangle, each time a little differently."""
    box = page.locator(".stage").bounding_box()
    handle = page.locator(".handle").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    across, down = box["x"] + box["width"] / 2, box["y"] + 0.6 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => { window.sentToServer = 0; window.frameTimes.length = 0; }")
    seen = set()
    for move in range(MOVES):
        angle = 2 * math.pi * (move / MOVES + turn / 7)
        wide = (0.15 + 0.3 * math.sin(3 * angle) ** 2) * box["height"]
        page.mouse.move(across + wide * math.cos(angle), down + 0.8 * wide * math.sin(angle))
        page.wait_for_timeout(EVERY)
        if move % 6 == 0:
            seen.add(page.evaluate(f"({FIND})().context"))
    frames = page.evaluate("window.frameTimes.splice(0)")
    sent = page.evaluate("window.sentToServer")
    before = page.evaluate(CONTEXT)
    page.evaluate("() => { window.letGo = performance.now(); }")
    page.mouse.up()
    page.wait_for_function(f"before => {CONTEXT} !== before", arg=before)
    release = page.evaluate("performance.now() - window.letGo")
    page.wait_for_timeout(1_500)
    return Drag(frames, len(seen), sent, release)


def _report(when: str, frames: list[float], more: str = "") -> None:
    print(
        f"{when:12} {len(frames)} frames, median {statistics.median(frames):.1f} ms, "
        f"95 % within {_percentile(frames, 0.95):.1f}, most {max(frames):.1f}  {more}".rstrip()
    )


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


if __name__ == "__main__":
    main()
