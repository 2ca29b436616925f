"""Maximal marginal relevance on large pools: lazy and plain passes, and pyversity, side by side.

    python benchmarks/mmr_large.py [--n 100000 1000000 --k 6 --queries 8]

The rows are made, not collected: each is a seeded mixture of three embedded queries of the bundled
pool, so bounds prune a little better than on a collection of as many real texts. Queries are held
out of the mixing. Every query goes to all in turn. Prints medians with quartiles, each median's
ratio to plain (one pass over the pool a pick), the share of the read bandwidth that plain reaches,
and how often the picks are the same rows as plain's. Plain reads with one thread, so its share is
of what one thread can read; what all cores can is printed beside it. The relevance is computed
before the clock starts, for all alike. A million rows take 3 GB of memory.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from sys import path as import_path

import numpy as np

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.figures import record, record_time
from core.embedding import load_encoder
from core.selection.greedy import Greedy, Values
from core.selection.mmr import mmr

ROOT = Path(__file__).resolve().parents[1]
HELD_OUT = 64
BLOCK = 20_000  # rows mixed at a time

Pick = Callable[[np.ndarray, np.ndarray, np.ndarray], list[int]]


def bundled_rows() -> np.ndarray:
    """The bundled pool's distinct queries, embedded."""
    lines = (ROOT / "data" / "misconceptions.jsonl").read_text("utf-8").splitlines()
    return load_encoder(None).encode(list(dict.fromkeys(json.loads(row)["query"] for row in lines)))


def mixed_pool(real: np.ndarray, n: int) -> np.ndarray:
    generator = np.random.default_rng(0)
    pool = np.empty((n, real.shape[1]), dtype=np.float32)
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        parts = real[generator.integers(len(real), size=(3, size))]
        shares = np.stack([np.ones(size), *generator.uniform(0, 0.8, (2, size))])
        rows = (parts * shares[:, :, None]).sum(axis=0)
        pool[start : start + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return pool


def plain(rows: np.ndarray, relevance: np.ndarray, k: int, lambda_d: float) -> list[int]:
    values = Values.of(relevance.astype(np.float64), None, 1.0)
    nothing_closed = np.zeros(len(rows), dtype=bool)
    race = Greedy(rows, values, nothing_closed, [int(np.argmax(relevance))], lambda_d)
    return race.finish(k).indices.tolist()


def contenders(k: int, lambda_d: float) -> dict[str, Pick]:
    found: dict[str, Pick] = {
        "plain": lambda query, rows, relevance: plain(rows, relevance, k, lambda_d),
        "without query": lambda query, rows, relevance: mmr(
            relevance, rows, k, lambda_d=lambda_d
        ).indices.tolist(),
        "lazy": lambda query, rows, relevance: mmr(
            relevance, rows, k, lambda_d=lambda_d, query=query
        ).indices.tolist(),
    }
    try:
        from pyversity.strategies.mmr import mmr as pyversity_mmr
    except ImportError:
        return found
    found["pyversity"] = lambda query, rows, relevance: pyversity_mmr(
        rows, relevance, k, diversity=1 - lambda_d
    ).indices.tolist()
    return found


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def one_read(rows: np.ndarray, threads: int) -> float:
    """Seconds that reading the rows once takes, the best of five: their largest value."""
    from concurrent.futures import ThreadPoolExecutor

    parts = np.array_split(rows.reshape(-1), threads)
    with ThreadPoolExecutor(threads) as pool:
        return min(seconds(lambda: list(pool.map(np.max, parts)))[0] for _ in range(5))


def compare(rows: np.ndarray, queries: np.ndarray, k: int, lambda_d: float) -> None:
    picking = contenders(k, lambda_d)
    times: dict[str, list[float]] = {name: [] for name in picking}
    same = dict.fromkeys(picking, 0)
    for query in queries:
        relevance = rows @ query
        picks = {}
        for name, pick in picking.items():
            taken, picks[name] = seconds(partial(pick, query, rows, relevance))
            times[name].append(1e3 * taken)
        for name in picking:
            same[name] += picks[name] == picks["plain"]
    of_plain = np.array(times["plain"])
    print(f"\nn = {len(rows):,}, k = {k}, lambda_d = {lambda_d:.2f}")
    for name in picking:
        low, median, high = np.quantile(times[name], [0.25, 0.5, 0.75])
        ratios = np.quantile(np.array(times[name]) / of_plain, [0.25, 0.5, 0.75])
        print(
            f"  {name:14} {median:9.1f} ms ({low:.1f} to {high:.1f})"
            f"  {ratios[1]:6.3f} of plain ({ratios[0]:.3f} to {ratios[2]:.3f})"
            f"  same picks {same[name]}/{len(queries)}"
        )
        work = f"mmr, n = {len(rows):,}, k = {k}, lambda_d {lambda_d:.2f}, vs lazy"
        who = name if name == "pyversity" else f"shotlist, {name}"
        times_lazy = float(np.median(np.array(times[name]) / np.array(times["lazy"])))
        record_time(work, who, times[name], times_lazy, f"same picks {same[name]}/{len(queries)}")
    if "pyversity" in times:
        ratios = np.array(times["pyversity"]) / np.array(times["lazy"])
        low, median, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        print(f"  pyversity takes {median:.1f}x lazy ({low:.1f} to {high:.1f})")
    for threads in dict.fromkeys((1, os.cpu_count() or 1)):
        reads = (k - 1) * one_read(rows, threads) * 1e3
        share = reads / float(np.median(of_plain))
        record("reads", n=len(rows), lambda_d=lambda_d, threads=threads, ms=reads, of_plain=share)
        by = "one thread, as in plain" if threads == 1 else f"{threads} threads"
        print(f"  {k - 1} reads of the pool by {by}: {reads:.1f} ms, {share:.0%} of plain's time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--k", type=int, default=6, help="how many are chosen")
    parser.add_argument("--queries", type=int, default=8, help=f"at most {HELD_OUT}")
    parser.add_argument("--lambda-d", type=float, nargs="+", default=[0.5, 0.75, 0.9])
    asked = parser.parse_args()
    real = np.random.default_rng(1).permutation(bundled_rows())
    queries = real[: min(asked.queries, HELD_OUT)]
    for n in asked.n:
        rows = mixed_pool(real[HELD_OUT:], n)
        for lambda_d in asked.lambda_d:
            compare(rows, queries, asked.k, lambda_d)


if __name__ == "__main__":
    main()
