"""VRSD side by side with what it cannot do without: reading the rows once for every pick.

    python benchmarks/vrsd.py [--n 2846 1000000 --k 6 --queries 20]

The small pool is that of mmr.py, the large ones are those of mmr_large.py. Every query goes in turn
to ours, to k passes that do nothing but multiply the rows with a vector (as one matrix-vector
product, and as one dot product a row: from memory the second is quicker, from a cache the first),
to `mmr` with lambda_d 0.75 for scale, and to VRSD as the paper writes it, which adds the sum to
every row anew in float64 (in a large pool for two queries only). Below 100,000 rows each goes
twice, of which the second time counts. Prints medians with quartiles in milliseconds of CPU time
(set OMP_NUM_THREADS=1), the median of the ratios to ours, query by query, and how often the picks
are the same rows. A million rows take 3 GB of memory.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from sys import path as import_path

import numpy as np

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.figures import quartiles, record_time
from benchmarks.mmr import made_up_pool
from benchmarks.mmr_large import HELD_OUT, bundled_rows, mixed_pool
from core.selection.mmr import mmr
from core.selection.vrsd import vrsd

LARGE = 100_000
BLOCK = 2_000  # rows in float64 at a time
OURS, SLOWEST = "shotlist", "as written"
READS = ("reads, E @ v", "reads, row by row")

Contender = Callable[[np.ndarray, np.ndarray], list[int] | None]


def as_written(query: np.ndarray, rows: np.ndarray, k: int) -> list[int]:
    """Every step adds the sum to every row and takes the cosine of each with the query."""
    total, picked = np.zeros(rows.shape[1]), []
    towards = query / np.linalg.norm(query.astype(np.float64))
    for _ in range(k):
        cosines = np.empty(len(rows))
        for start in range(0, len(rows), BLOCK):
            sums = rows[start : start + BLOCK] + total
            cosines[start : start + BLOCK] = sums @ towards / np.linalg.norm(sums, axis=1)
        cosines[picked] = -np.inf
        picked.append(int(cosines.argmax()))
        total += rows[picked[-1]]
    return picked


def product_reads(query: np.ndarray, rows: np.ndarray, k: int) -> None:
    for _ in range(k):
        rows @ query


def dot_reads(query: np.ndarray, rows: np.ndarray, k: int) -> None:
    for _ in range(k):
        np.vecdot(rows, query)


def by_mmr(query: np.ndarray, rows: np.ndarray, k: int) -> None:
    mmr(np.vecdot(rows, query), rows, k, lambda_d=0.75, query=query)


def contenders(k: int) -> dict[str, Contender]:
    return {
        OURS: lambda query, rows: vrsd(query, rows, k).indices.tolist(),
        READS[0]: partial(product_reads, k=k),
        READS[1]: partial(dot_reads, k=k),
        "mmr": partial(by_mmr, k=k),
        SLOWEST: partial(as_written, k=k),
    }


def compare(rows: np.ndarray, queries: np.ndarray, k: int) -> None:
    racing = contenders(k)
    times: dict[str, list[float]] = {name: [] for name in racing}
    large, same = len(rows) >= LARGE, 0
    for place, query in enumerate(queries):
        picks = {}
        for name, race in racing.items():
            if name == SLOWEST and large and place >= 2:
                continue
            if not large:
                race(query, rows)  # else it meets a cache that is full of others' arrays
            started = time.process_time()
            picks[name] = race(query, rows)
            times[name].append(1e3 * (time.process_time() - started))
        same += SLOWEST in picks and np.array_equal(rows[picks[SLOWEST]], rows[picks[OURS]])
    print(f"\nn = {len(rows):,}, k = {k}")
    for name, taken in times.items():
        low, median, high = quartiles(taken)
        of_ours = quartiles([one / ours for one, ours in zip(taken, times[OURS], strict=False)])
        equal = f"same picks {same}/{len(taken)}" if name == SLOWEST else ""
        print(
            f"  {name:18} {median:9.3f} ms ({low:.3f} to {high:.3f})"
            f"  {of_ours.median:6.2f}x ({of_ours.low:.2f} to {of_ours.high:.2f})  {equal}"
        )
        work = f"vrsd, CPU time, n = {len(rows):,}, k = {k}"
        record_time(work, name, taken, of_ours.median, equal)
    for name in READS:
        low, median, high = quartiles(np.array(times[OURS]) / np.array(times[name]))
        print(f"  ours takes {median:.2f} times {name} ({low:.2f} to {high:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[2846, 1_000_000])
    parser.add_argument("--k", type=int, default=6, help="how many are chosen")
    parser.add_argument("--queries", type=int, default=20, help=f"at most {HELD_OUT}")
    asked = parser.parse_args()
    for n in asked.n:
        if n < LARGE:
            rows, queries = made_up_pool(n, 384, min(asked.queries, HELD_OUT))
        else:
            real = np.random.default_rng(1).permutation(bundled_rows())
            queries = real[: min(asked.queries, HELD_OUT)]
            rows = mixed_pool(real[HELD_OUT:], n)
        compare(rows, queries, asked.k)


if __name__ == "__main__":
    main()
