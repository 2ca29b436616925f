"""Maximal marginal relevance side by side: ours, pyversity, langchain-core where installed.

    python benchmarks/mmr.py [--n 2846 --d 384 --k 6 --queries 40]

The pool is made up: unit rows in clusters, each standing about 3.5 times as the answers of one
query do, and all leaning one way, so that no cosine is negative: pyversity counts negative ones
as 0, which is another objective. Every query goes to all in turn, so that a busy machine slows
all alike. Prints medians with quartiles in milliseconds, each median's ratio to ours, and how often
the picks are the same rows. Then the path over the whole of lambda_d against a grid of calls.
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
from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path

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
            taken, picks[name] = milliseconds(partial(pick, query, rows, relevance))
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
        work = f"mmr, n = {len(rows):,}, k = {k}, lambda_d {lambda_d:.2f}"
        record_time(work, name, times[name], ratio, f"same picks {same[name]}/{len(queries)}")


def grid_of_calls(relevance: np.ndarray, rows: np.ndarray, k: int) -> None:
    for lambda_d in np.linspace(0, 1, 101):
        mmr(relevance, rows, k, lambda_d=lambda_d)


def compare_path(rows: np.ndarray, queries: np.ndarray, k: int) -> None:
    print("\nevery lambda_d")
    exact, grid, pieces, sets = [], [], [], []
    for query in queries:
        relevance = relevance_of(query, rows)
        taken, path = milliseconds(partial(mmr_path, relevance, rows, k))
        exact.append(taken)
        pieces.append(len(path))
        sets.append(len({frozenset(piece.indices.tolist()) for piece in path}))
        taken, _ = milliseconds(partial(grid_of_calls, relevance, rows, k))
        grid.append(taken)
    work = f"every lambda_d, n = {len(rows):,}, k = {k}"
    sets_found = f"{np.median(sets):.0f} distinct sets"
    record_time(work, "shotlist, exact path", exact, 1.0, sets_found)
    record_time(work, "shotlist, 101 calls", grid, float(np.median(grid) / np.median(exact)), "")
    print(f"  exact path      {spread(exact)}")
    print(f"  101 calls       {spread(grid)}")
    print(f"  pieces {np.median(pieces):.0f}, distinct sets {np.median(sets):.0f} (medians)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2846, help="demonstrations in the pool")
    parser.add_argument("--d", type=int, default=384, help="dimensions")
    parser.add_argument("--k", type=int, default=6, help="how many are chosen")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--lambda-d", type=float, nargs="+", default=[0.25, 0.5, 0.75, 0.9])
    asked = parser.parse_args()
    rows, queries = made_up_pool(asked.n, asked.d, asked.queries)
    print(f"n = {asked.n:,}, d = {asked.d}, k = {asked.k}, {asked.queries} queries")
    for lambda_d in asked.lambda_d:
        compare(rows, queries, asked.k, lambda_d)
    compare_path(rows, queries[:10], asked.k)


if __name__ == "__main__":
    main()
