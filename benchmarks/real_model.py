"""A real model on a person's own pool: how long each page waits for its first picture, and its end.

    python benchmarks/real_model.py --file TruthfulQA.csv [--model smollm2] [--times 3] [--whole]

Every job runs in a process of its own, as the studio does it, with the threads that the studio
gives a model, on a workspace in which the pool is imported and embedded and nothing is scored.
Printed are the medians, least and most, of the seconds until

- Explore has the first effect of a context on the answers, the triangle its first cell and its
  first 48, counted from asking, with the model to be loaded;
- Compare (`rel`, `rel+div`, `rel+div+bias`, 60 examples) and Calibrate (100) have their first
  picture, one of ten examples and their end, with the model loaded; beside that the time that the
  page said before, and how long the matrix products of everything that was asked take at the rate
  of one large product on as many threads. Calibrate, whose first 30 examples show a few values of
  lambda_d, is stopped when it shows every one, unless `--whole`.

Then queries with six demonstrations and all their answers are scored by us and by lm-eval's HFLM,
where it is installed, in turns and on one thread.
"""

import argparse
import json
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.studio.session.studio import Setup, Studio, let_threads_sleep

let_threads_sleep()

ROOT = Path(__file__).resolve().parents[1]
POOL = "own"
METHODS = ("rel", "rel+div", "rel+div+bias")
EXAMPLES = {"compare": 60, "calibrate": 100}
CELLS = 48
EVERY = "first with everything"
SAMPLED = 8
"""Requests of which the operations are counted."""


@dataclass
class Waits:
    """Seconds from the beginning of a job, by what they led to; and what it said and asked."""

    seconds: dict[str, float] = field(default_factory=dict)
    said: str = ""
    contexts: int = 0
    products: float = 0.0


def main() -> None:
    options = _options()
    if options.job:
        logging.disable(logging.WARNING)
        with Studio.open(options.workspace) as studio:
            print(json.dumps(asdict(JOBS[options.job](studio, options))))
        return
    with tempfile.TemporaryDirectory(prefix="shotlist-real-model-") as name:
        prepared = Path(name) / "prepared"
        for command in (("import", str(options.file)), ("embed",)):
            _command(*command, "--pool", POOL, "--workspace", str(prepared))
        for job in options.jobs:
            runs = [_run(job, prepared, Path(name), options) for _ in range(options.times)]
            _report(job, runs)
    if not options.no_peer:
        _beside_peer(options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=ROOT / "data" / "misconceptions.jsonl")
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--whole", action="store_true", help="calibrate to the end")
    parser.add_argument("--no-peer", action="store_true", help="leave lm-eval out")
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    parser.add_argument("--workspace", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _command(*arguments: str) -> None:
    command = [sys.executable, "-m", "core", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def _run(job: str, prepared: Path, folder: Path, options: argparse.Namespace) -> Waits:
    workspace = folder / job
    shutil.copytree(prepared, workspace)
    command = [sys.executable, __file__, "--job", job, "--workspace", str(workspace)]
    command += ["--model", options.model, *(["--whole"] if options.whole else [])]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    shutil.rmtree(workspace)
    return Waits(**json.loads(done.stdout.splitlines()[-1]))


def _report(job: str, runs: list[Waits]) -> None:
    print(f"\n{job}", flush=True)
    for what in runs[0].seconds:
        seconds = [run.seconds[what] for run in runs]
        print(
            f"  {what:24} {statistics.median(seconds):6.1f} s"
            f" ({min(seconds):.1f} to {max(seconds):.1f})"
        )
    for run in runs:
        if run.said:
            print(f"  said: {run.said}")
    if runs[0].products:
        products = statistics.median(run.products for run in runs)
        print(f"  {runs[0].contexts:,} prompts; their matrix products alone {products:.0f} s")


def explore(studio: Studio, options: argparse.Namespace) -> Waits:
    """The first effect and the triangle of the pool's first query, the model not loaded."""
    from core.evaluation.plan.examples import examples_of
    from core.studio.explore.effect import effect_of
    from core.studio.explore.exploration import ExploreRequest, resolve
    from core.studio.explore.exploration import explore as choose
    from core.studio.explore.triangle import triangle_of, triangle_scores

    setup, waits = Setup(POOL, model=options.model), Waits()
    pool = studio.store.pools.get(POOL).id
    example = examples_of(studio.store.demonstrations.all(pool))[0]
    request = ExploreRequest(
        setup,
        example.query,
        leave_out=True,
        answers=example.answers,
        incorrect=example.incorrect,
    )
    studio.view(setup)
    studio.query_vector(None, example.query)
    began = time.perf_counter()

    def reached(what: str) -> None:
        waits.seconds.setdefault(what, time.perf_counter() - began)

    engine = studio.engine(setup)
    reached("model loaded")
    resolved = resolve(studio, request)
    effect_of(request, engine, choose(resolved).prompt)
    reached("first effect")
    triangle = triangle_of(resolved)
    if triangle is None:
        raise RuntimeError("the pool is too large for a triangle")
    count = _Counter(lambda scores: scores.scored, {1: "first cell"}, reached)
    triangle_scores(resolved, triangle, engine, lambda: (0.75, 0.95), _watching(count), most=CELLS)
    reached(f"first {CELLS} cells")
    return waits


def compare(studio: Studio, options: argparse.Namespace) -> Waits:
    """Three methods, nothing scored before."""
    from core.evaluation.plan.comparison_rows import ComparisonRow
    from core.retrieval.knobs import Knobs
    from core.studio.runs import compare as service

    rows = tuple(ComparisonRow(name, Knobs(method=name)) for name in METHODS)
    request = service.CompareRequest(
        setup=Setup(POOL, model=options.model), rows=rows, limit=EXAMPLES["compare"]
    )
    return _timed(studio, service, request)


def calibrate(studio: Studio, options: argparse.Namespace) -> Waits:
    """The line over lambda_d at the paper's lambda_b, nothing scored before."""
    from core.evaluation.runs.calibrate import CalibrationOptions
    from core.studio.runs import calibrate as service

    setup = Setup(POOL, model=options.model)
    cells = CalibrationOptions(limit=EXAMPLES["calibrate"])
    return _timed(
        studio, service, service.CalibrateRequest(setup=setup, options=cells), whole=options.whole
    )


JOBS: dict[str, Callable[[Studio, argparse.Namespace], Waits]] = {
    "explore": explore,
    "compare": compare,
    "calibrate": calibrate,
}


def _timed(studio: Studio, service: Any, request: Any, *, whole: bool = True) -> Waits:
    """A run from pressing its button, the model loaded and timed as the page does it."""
    from core.studio.runs.duration import timing

    studio.view(request.setup)
    model = studio.language_model(request.setup.model)
    asked = _watched(model)
    job = timing(studio, request)
    if job is not None:
        job.wait()
    waits = Waits(said=service.cost(studio, request))
    asked.clear()
    began = time.perf_counter()
    job = service.start(studio, request)
    while not job.wait(0.05):
        partial = job.snapshot().partial
        for what in [] if partial is None else _stages(partial):
            waits.seconds.setdefault(what, time.perf_counter() - began)
        if not whole and EVERY in waits.seconds:
            job.cancel()
    if job.snapshot().error is not None:
        raise RuntimeError(job.snapshot().error)
    if whole:
        waits.seconds["the end"] = time.perf_counter() - began
        waits.contexts, waits.products = _products(model, asked)
    return waits


def _stages(partial: Any) -> list[str]:
    """What the picture of a run has reached."""
    reached = ["first picture", "ten examples"][: partial.figures.done // 10 + 1]
    return reached if partial.first_look else [*reached, EVERY]


class _Counter:
    """Notes when a partial result has come so far."""

    def __init__(
        self, count: Callable[[Any], int], names: dict[int, str], reached: Callable[[str], None]
    ) -> None:
        self._count, self._names, self._reached = count, names, reached

    def __call__(self, partial: Any) -> None:
        for number, what in self._names.items():
            if self._count(partial) >= number:
                self._reached(what)


def _watching(on_partial: Callable[[Any], None]) -> Any:
    from core.watcher import Watcher

    return Watcher(on_partial=on_partial)


def _watched(model: Any) -> list[Any]:
    """The list to which the model adds every request from now on."""
    asked: list[Any] = []
    score = model.log_probs

    def log_probs(requests: Any, **given: Any) -> Any:
        asked.extend(requests)
        return score(requests, **given)

    model.log_probs = log_probs
    return asked


def _products(model: Any, asked: list[Any]) -> tuple[int, float]:
    """How many distinct prompts were asked about, and seconds of their products with weights.

    At the rate of one large product on the threads in use, every prompt read once.
    """
    import random

    from benchmarks.machine import Product
    from benchmarks.scoring import operations
    from core.language_model import AnswerRequest

    together: dict[str, dict[str, None]] = {}
    for request in asked:
        together.setdefault(request.prompt, {}).update(dict.fromkeys(request.answers))
    requests = [AnswerRequest(prompt, tuple(answers)) for prompt, answers in together.items()]
    drawn = random.Random(0).sample(requests, min(SAMPLED * SAMPLED, len(requests)))
    alone = [operations(model, [each]) for each in drawn[:SAMPLED]]
    sizes = [_tokens(model, each) for each in drawn[:SAMPLED]]
    tokens = sum(_tokens(model, each) for each in requests)
    product = Product()
    rate = statistics.median(product.rate(time.perf_counter) for _ in range(9))
    return len(requests), 1e-9 * sum(alone) / sum(sizes) * tokens / rate


def _tokens(model: Any, request: Any) -> int:
    alone = model.count_tokens(request.prompt)
    return alone + sum(
        model.count_tokens(request.prompt, answer) - alone for answer in request.answers
    )


def _beside_peer(options: argparse.Namespace) -> None:
    import torch
    import transformers

    from benchmarks.scoring import Case, compare_scoring, drafts_of
    from core.language_model.hub import find_folder

    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    name, folder = find_folder(options.model)
    drafts = drafts_of(options.file)
    compare_scoring(Case(name, folder, drafts, queries=8, rounds=max(3, options.times)))


if __name__ == "__main__":
    main()
