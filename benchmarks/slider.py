"""How long the curve of Explore takes to follow its lambda_d, in headless Chromium.

    python benchmarks/slider.py [--file TruthfulQA.csv] [--model FOLDER] [--moves 20]
                                [--demonstrations 50000] [--calibrating]

Starts the studio on a free port with a workspace of its own, imports a pool (by default a
generated one of 2,837 demonstrations on 817 queries), presses an arrow key in the field of lambda_d
and waits until the curve is marked at the new value. Prints median, least and most, the time until
the page that was opened first had its whole curve, and the memory of the server. As long as the
model goes on after that, scoring the contexts of the triangle, half as many moves are measured on
their own, before those of the idle page. With `--calibrating` the same is measured again while a
calibration, started in a second window, runs.
Needs playwright and a Chromium.
"""

import argparse
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
POOL = "slider"
DEMONSTRATIONS, QUERIES_PER_DEMONSTRATION = 2_837, 817 / 2_837
EXAMPLES = 2_000
"""Enough to keep a calibration busy for as long as lambda_d is moved."""

PATIENCE = 300.0
SETTLED = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.dataset.testScriptState === 'notRunning'
        && !document.querySelector('[data-stale="true"], [data-testid="stProgress"]')
        && !!document.querySelector('.js-plotly-plot .scatterlayer')
        && !!document.querySelector('.explore-mark');
}"""
WATCH = """(target) => {
    window.pressed = null;
    const press = () => { window.pressed ??= performance.now(); };
    addEventListener('keydown', press, {once: true, capture: true});
    window.followed = new Promise((resolve) => {
        const look = () => {
            const mark = document.querySelector('.explore-mark')?.textContent;
            if (mark === `now ${target}`) {
                requestAnimationFrame(() => resolve(performance.now() - window.pressed));
            } else {
                requestAnimationFrame(look);
            }
        };
        look();
    });
}"""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="shotlist-slider-") as folder:
        environment = environment_of(Path(folder), options.model)
        prepare(Path(folder), options, environment)
        with studio(environment) as (address, pid):
            found = _measure(address, options)
            memory = _memory(pid)
    print(f"pool      {options.file or f'{options.demonstrations:,} generated'}")
    print(f"model     {options.model}")
    print(f"opened    {found.opened:.1f} s from the address to the page with its whole curve")
    print(f"moves     {options.moves}, one step of 0.01 each, from key press to table and figure")
    if found.scoring:
        _report("scoring", found.scoring)
    _report("idle", found.idle)
    if found.calibrating:
        _report("calibrating", found.calibrating)
        times = statistics.median(found.calibrating) / statistics.median(found.idle)
        print(f"ratio     {times:.2f} of the medians")
    print(f"memory    {memory['VmRSS']:,} MB of the server now, {memory['VmHWM']:,} MB at most")


@dataclass(frozen=True)
class Found:
    """Seconds until the opened page had its curve, milliseconds of each move in three states."""

    opened: float
    scoring: list[float]
    idle: list[float]
    calibrating: list[float]


def _report(when: str, waits: list[float]) -> None:
    slowest = ", ".join(f"{wait:.0f}" for wait in sorted(waits)[-3:])
    print(
        f"{when:12} median {statistics.median(waits):.0f} ms, least {min(waits):.0f}, "
        f"most {max(waits):.0f} (the three slowest: {slowest})"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, help="a pool file; default: a generated pool")
    parser.add_argument("--model", default=os.environ.get("SHOTLIST_MODEL") or "practice")
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--demonstrations", type=int, default=DEMONSTRATIONS, help="to generate")
    parser.add_argument("--calibrating", action="store_true", help="measure beside a run as well")
    parser.add_argument("--method", default="rel+div+bias")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    return parser.parse_args()


def environment_of(folder: Path, model: str) -> dict[str, str]:
    """Of a studio with a workspace in the folder, and with the model, a folder or a name."""
    is_folder = (Path(model) / "config.json").exists()  # `practice` is a folder of code as well
    return {
        **os.environ,
        "SHOTLIST_WORKSPACE": str(folder / "workspace"),
        "SHOTLIST_MODEL": str(Path(model).resolve()) if is_folder else model,
    }


def prepare(folder: Path, options: argparse.Namespace, environment: dict[str, str]) -> None:
    """Import, embed and score the pool, so that the studio is idle when asked."""
    file = options.file or _generated(folder / "pool.jsonl", options.demonstrations)
    for command in (
        ["import", str(file.resolve()), "--pool", POOL],
        ["embed", "--pool", POOL],
        ["quality", "--pool", POOL],
    ):
        subprocess.run(
            [sys.executable, "-m", "core", *command],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def _generated(path: Path, demonstrations: int) -> Path:
    """A pool with as many answers a query as TruthfulQA, made of words drawn with a seed."""
    draw = random.Random(0)
    words = ["".join(draw.choices("aeioulnrst", k=draw.randint(3, 8))) for _ in range(900)]

    def sentence(n: int) -> str:
        return " ".join(draw.choices(words, k=n)).capitalize()

    n_queries = max(1, round(demonstrations * QUERIES_PER_DEMONSTRATION))
    queries = [f"{sentence(draw.randint(6, 12))}?" for _ in range(n_queries)]
    wrong = [[sentence(7) for _ in range(4)] for _ in queries]
    rows = [
        {
            "query": queries[place % n_queries],
            "answer": f"{sentence(draw.randint(4, 12))}.",
            "incorrect": wrong[place % n_queries],
        }
        for place in range(demonstrations)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@contextmanager
def studio(environment: dict[str, str], root: Path = ROOT) -> Iterator[tuple[str, int]]:
    """Address and process id of a studio of the checkout, as long as the context is open."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/_stcore/health")
        yield address, server.pid
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(url: str) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def _measure(address: str, options: argparse.Namespace) -> Found:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        method = options.method.replace("+", "%2B")
        started = time.perf_counter()
        page.goto(f"{address}/explore?pool={POOL}&lambda_d=0.90&method={method}")
        lambda_d = page.get_by_role("spinbutton", name="lambda_d", exact=True)
        lambda_d.wait_for(state="attached", timeout=PATIENCE * 1000)
        opened = settle(page) - started
        waiting = page.locator("[data-waiting]")
        scoring = _moves(page, options.moves // 2) if waiting.count() else []
        waiting.first.wait_for(state="detached", timeout=PATIENCE * 1000)
        idle = _moves(page, options.moves)
        calibrating = []
        if options.calibrating:
            other = browser.new_page()
            other.goto(f"{address}/calibrate?pool={POOL}&limit={EXAMPLES}")
            other.get_by_role("button", name="Calibrate", exact=True).click(timeout=PATIENCE * 1000)
            stop = other.get_by_role("button", name="Stop")
            stop.wait_for(timeout=PATIENCE * 1000)
            calibrating = _moves(page, options.moves)
            if not stop.is_visible():
                raise RuntimeError("the calibration ended before the slider was measured")
        browser.close()
    return Found(opened, scoring, idle, calibrating)


def _moves(page: Any, count: int) -> list[float]:
    """Milliseconds from each key press to the picture, every one from a settled page."""
    lambda_d = page.get_by_role("spinbutton", name="lambda_d", exact=True)
    lambda_d.focus()
    waits = []
    for _ in range(count):
        target = float(lambda_d.input_value()) - 0.01
        page.evaluate(WATCH, f"{target:.2f}")
        page.keyboard.press("ArrowDown")
        waits.append(float(page.evaluate("() => window.followed")))
        settle(page)
    return waits


def settle(page: Any) -> float:
    """Wait until the page rests; the moment from which it did."""
    calm: list[float] = []
    until = time.monotonic() + PATIENCE
    while len(calm) < 5:
        calm = [*calm, time.perf_counter()] if page.evaluate(SETTLED) else []
        if time.monotonic() > until:
            raise TimeoutError("the page did not come to rest")
        time.sleep(0.1)
    return calm[0]


def _memory(pid: int) -> dict[str, int]:
    """VmRSS and VmHWM of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    found = dict(line.split(":", 1) for line in lines)
    return {name: int(found[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM")}


if __name__ == "__main__":
    main()
