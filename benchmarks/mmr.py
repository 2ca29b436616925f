"""Maximal marginal relevance side by side: ours, pyversity, langchain-core where installed.

    python benchmarks/mmr.py [--n 2846 --d 384 --k 6 --queries 40 --rounds 5]

The pool is made up: unit rows in clusters, each standing about 3.5 times as the answers of one
query do, and all leaning one way, so that no cosine is negative: pyversity counts negative ones
as 0, which is another objective. Every query goes to all in turn, so that a busy machine slows all
alike, and to each twice, of which the second time counts. Prints medians with quartiles in
milliseconds, each median's ratio to ours, and how often the picks are the same rows. Then, in CPU
time, the exact paths over the whole of lambda_d and of lambda_b, and grids of 101 values: two that
share the rows they compute, of which one settles ties as `mmr` does and one leaves them to
rounding, and one of separate calls.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from sys import path as import_path

import numpy as np

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.figures import record_time
from core.selection.cosines import NEAR, exact_redundancy
from core.selection.greedy import weighed
from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path
from core.selection.path_tree import mmr_lambda_b_path

Pick = Callable[[np.ndarray, np.ndarray, np.ndarray], list[int]]


def made_up_pool(n: int, d: int, queries: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    distinct = max(1, round(n / 3.5))
    centres = generator.standard_normal((max(1, distinct // 14), d)) * 1.2
    about = centres[generator.integers(len(centres), size=distinct + queries)]
    rows = about + generator.standard_normal(about.shape) + 1.2  # 1.2: all lean one way
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    pool = rows[np.sort(generator.integers(distinct, size=n))]
    return pool, rows[distinct:]


def contenders(k: int, lambda_d: float) -> dict[str, Pick]:
    found: dict[str, Pick] = {
        "shotlist": lambda query, rows, relevance: mmr(
            relevance, rows, k, lambda_d=lambda_d
        ).indices.tolist()
    }
    try:
        from pyversity.strategies.mmr import mmr as pyversity_mmr
    except ImportError:
        pass
    else:
        found["pyversity"] = lambda query, rows, relevance: pyversity_mmr(
            rows, relevance, k, diversity=1 - lambda_d
        ).indices.tolist()
    try:
        from langchain_core.vectorstores.utils import maximal_marginal_relevance
    except ImportError:
        pass
    else:
        found["langchain-core"] = lambda query, rows, relevance: list(
            maximal_marginal_relevance(query, rows, lambda_mult=lambda_d, k=k)
        )
    return found


def milliseconds(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = work()
    return (time.perf_counter() - started) * 1e3, result


def spread(times: list[float]) -> str:
    low, median, high = np.quantile(times, [0.25, 0.5, 0.75])
    return f"{median:9.3f} ms  ({low:.3f} to {high:.3f})"


def relevance_of(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.vecdot(rows, query)  # equal rows get equal bits


def compare(rows: np.ndarray, queries: np.ndarray, k: int, lambda_d: float) -> None:
    print(f"\nlambda_d = {lambda_d:.2f}")
    picking = contenders(k, lambda_d)
    times: dict[str, list[float]] = {name: [] for name in picking}
    same = dict.fromkeys(picking, 0)
    for query in queries:
        relevance = relevance_of(query, rows)
        picks = {}
        for name, pick in picking.items():
            work = partial(pick, query, rows, relevance)
            work()  # else whoever comes after the slowest meets caches that are full of its rows
            taken, picks[name] = milliseconds(work)
            times[name].append(taken)
        for name in picking:
            same[name] += np.array_equal(rows[picks[name]], rows[picks["shotlist"]])
    ours = float(np.median(times["shotlist"]))
    for name in picking:
        ratio = float(np.median(times[name])) / ours
        print(
            f"  {name:15} {spread(times[name]):38} {ratio:7.2f}x"
            f"   same picks {same[name]}/{len(queries)}"
        )
        task = f"mmr, n = {len(rows):,}, k = {k}, lambda_d {lambda_d:.2f}"
        record_time(task, name, times[name], ratio, f"same picks {same[name]}/{len(queries)}")


def grid_of_calls(relevance: np.ndarray, rows: np.ndarray, k: int) -> list[list[int]]:
    return [
        mmr(relevance, rows, k, lambda_d=lambda_d).indices.tolist()
        for lambda_d in np.linspace(0, 1, 101)
    ]


def grid_with_shared_rows(
    relevance: np.ndarray, rows: np.ndarray, k: int, *, settled: bool
) -> list[list[int]]:
    """101 greedy selections that weigh as `mmr` does and compute each picked row's cosines once.

    When `settled`, what nearly ties is compared in float64, as `mmr` and the path do; else
    rounding decides it.
    """
    values = relevance.astype(np.float64)
    cosines: dict[int, np.ndarray] = {}
    first = int(relevance.argmax())
    lists = []
    for lambda_d in np.linspace(0, 1, 101):
        picked, redundancy = [first], np.full(len(rows), -1.0, dtype=rows.dtype)
        for _ in range(k - 1):
            newest = picked[-1]
            if newest not in cosines:
                cosines[newest] = rows @ rows[newest]
            redundancy = np.maximum(redundancy, cosines[newest])
            heights = weighed(values, redundancy, lambda_d)
            heights[picked] = -np.inf
            best = int(heights.argmax())
            if settled:
                near = np.flatnonzero(heights >= heights[best] - NEAR)
                exact = exact_redundancy(rows, near, np.array(picked))
                best = int(near[weighed(values[near], exact, lambda_d).argmax()])
            picked.append(best)
        lists.append(picked)
    return lists


def cpu_milliseconds(work: Callable[[], object]) -> tuple[float, object]:
    started = time.process_time()
    result = work()
    return (time.process_time() - started) * 1e3, result


def compare_path(rows: np.ndarray, queries: np.ndarray, k: int, rounds: int) -> None:
    """CPU time of the paths and grids, every query to all of them in turn, in several rounds."""
    print(f"\nevery lambda, {rounds} rounds: CPU time (set OMP_NUM_THREADS=1)")
    gram = rows @ rows.T
    bias = -np.random.default_rng(1).gamma(4.0, 0.6, len(rows))
    ways: dict[str, Callable[[np.ndarray], object]] = {
        "exact path": lambda relevance: mmr_path(relevance, rows, k),
        "with Gram": lambda relevance: mmr_path(relevance, rows, k, gram=gram),
        "101, rows shared": lambda relevance: grid_with_shared_rows(
            relevance, rows, k, settled=True
        ),
        "101, shared, raw": lambda relevance: grid_with_shared_rows(
            relevance, rows, k, settled=False
        ),
        "101 calls": lambda relevance: grid_of_calls(relevance, rows, k),
        "over lambda_b": lambda relevance: mmr_lambda_b_path(
            relevance, rows, k, lambda_d=0.75, quality_bias=bias
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    same = dict.fromkeys(("101, rows shared", "101, shared, raw"), 0)
    counts: dict[str, list[int]] = {"pieces": [], "distinct sets": [], "over lambda_b": []}
    for turn in range(rounds):
        for query in queries:
            relevance = relevance_of(query, rows)
            found = {}
            for name, way in ways.items():
                taken, found[name] = cpu_milliseconds(partial(way, relevance))
                times[name].append(taken)
            if not turn:
                for name in same:
                    pairs = zip(found[name], found["101 calls"], strict=True)
                    same[name] += sum(one == other for one, other in pairs)
                path = found["exact path"]
                counts["pieces"].append(len(path))
                counts["distinct sets"].append(len({frozenset(p.indices.tolist()) for p in path}))
                counts["over lambda_b"].append(len(found["over lambda_b"]))
    ours = float(np.median(times["exact path"]))
    work = f"every lambda_d, CPU time, n = {len(rows):,}, k = {k}"
    sets_found = f"{np.median(counts['distinct sets']):.0f} distinct sets"
    for name in ways:
        ratio = float(np.median(times[name])) / ours
        note = sets_found if name == "exact path" else ""
        if name in same:
            note = f"picks of mmr at {same[name]:,} of {101 * len(queries):,} values"
        record_time(work, f"shotlist, {name}", times[name], ratio, note)
        print(f"  {name:17} {spread(times[name]):38} {ratio:7.2f}x of the exact path  {note}")
    medians = ", ".join(f"{name} {np.median(seen):.0f}" for name, seen in counts.items())
    print(f"  {medians} (medians over queries)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2846, help="demonstrations in the pool")
    parser.add_argument("--d", type=int, default=384, help="dimensions")
    parser.add_argument("--k", type=int, default=6, help="how many are chosen")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5, help="of the paths, all interleaved")
    parser.add_argument("--lambda-d", type=float, nargs="+", default=[0.25, 0.5, 0.75, 0.9])
    asked = parser.parse_args()
    rows, queries = made_up_pool(asked.n, asked.d, asked.queries)
    print(f"n = {asked.n:,}, d = {asked.d}, k = {asked.k}, {asked.queries} queries")
    for lambda_d in asked.lambda_d:
        compare(rows, queries, asked.k, lambda_d)
    compare_path(rows, queries[:10], asked.k, asked.rounds)


if __name__ == "__main__":
    main()
