"""Every context of the triangle of weights, beside grids of single choices.

    python benchmarks/triangle.py [--file TruthfulQA.csv --model FOLDER] [--k 6 --queries 10]

Imports a pool (the bundled misconceptions without `--file`), embeds it and scores its quality with
the model. Some of its own queries, none of which may see its own demonstrations, go in turn to
`mmr_triangle` and to `mmr` at every place of a grid of weights (steps of 1/50, and of 1/100). With
`--n` the pool is a made-up one of so many rows instead, as in mmr.py. Prints CPU time a query as
median with quartiles (set OMP_NUM_THREADS=1), the ratio to ours, the cells and distinct sets, and
how many of the sets each grid finds.
"""

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from sys import path as import_path
from typing import NamedTuple

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.figures import quartiles, record_time
from benchmarks.mmr import made_up_pool, relevance_of
from core import Store, import_file, load_encoder, load_pool_view
from core.selection.mmr import mmr
from core.selection.mmr_triangle import by_context, mmr_triangle
from core.settings import data_folder

OURS = "shotlist, all cells"


class Query(NamedTuple):
    """What one query brings to the selection."""

    relevance: np.ndarray  # (n,)
    excluded: np.ndarray  # (n,)


class Pool(NamedTuple):
    """The rows that all queries share."""

    name: str
    rows: np.ndarray  # (n, d)
    bias: np.ndarray  # (n,)
    queries: list[Query]


def made_up(n: int, count: int) -> Pool:
    rows, queries = made_up_pool(n, 384, count)
    bias = -np.random.default_rng(1).gamma(4.0, 0.6, n)
    nothing = np.zeros(n, dtype=bool)
    asked = [Query(relevance_of(query, rows), nothing) for query in queries]
    return Pool("a made-up pool", rows, bias, asked)


def real(file: Path, model: str, count: int) -> Pool:
    with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
        import_file(store, file, "pool")
        view = load_pool_view(store, "pool", load_encoder(), model=model)
    shown = np.isfinite(view.quality_bias)
    rows = view.embeddings[view.rows]
    queries = []
    for place in np.random.default_rng(0).choice(len(view), count, replace=False):
        relevance = relevance_of(view.embeddings[view.rows[place]], view.embeddings)[view.rows]
        queries.append(Query(relevance, (view.groups == view.groups[place]) | ~shown))
    return Pool(file.name, rows, np.where(shown, view.quality_bias, 0.0), queries)


def on_a_grid(pool: Pool, query: Query, k: int, steps: int) -> set[frozenset[int]]:
    found = set()
    for z in range(steps + 1):
        for x in range(steps + 1 - z):
            lambda_d = 1 - z / steps
            lambda_b = x / (steps - z) if z < steps else 1.0
            chosen = mmr(
                query.relevance,
                pool.rows,
                k,
                lambda_d=lambda_d,
                lambda_b=lambda_b,
                quality_bias=pool.bias,
                excluded=query.excluded,
            )
            found.add(frozenset(chosen.indices.tolist()))
    return found


def all_cells(pool: Pool, query: Query, k: int, counts: list[int]) -> set[frozenset[int]]:
    cells = mmr_triangle(
        query.relevance, pool.rows, k, quality_bias=pool.bias, excluded=query.excluded
    )
    counts.append(len(cells))
    return {context.chosen for context in by_context(cells)}


def compare(pool: Pool, k: int) -> None:
    counts: list[int] = []
    ways: dict[str, Callable[[Query], set[frozenset[int]]]] = {
        OURS: partial(all_cells, pool, k=k, counts=counts),
        "mmr on a grid of 1,326": partial(on_a_grid, pool, k=k, steps=50),
        "mmr on a grid of 5,151": partial(on_a_grid, pool, k=k, steps=100),
    }
    ways[OURS](pool.queries[0])  # so that nobody comes first to rows that no cache has
    counts.clear()
    times: dict[str, list[float]] = {name: [] for name in ways}
    shares: dict[str, list[float]] = {name: [] for name in ways}
    sets = []
    for query in pool.queries:
        found = {}
        for name, way in ways.items():
            started = time.process_time()
            found[name] = way(query)
            times[name].append(1e3 * (time.process_time() - started))
        sets.append(len(found[OURS]))
        for name in ways:
            shares[name].append(len(found[name] & found[OURS]) / len(found[OURS]))
    print(f"{len(pool.rows):,} demonstrations of {pool.name}, k = {k}, {len(sets)} queries")
    print(f"  {min(counts)} to {max(counts)} cells, {min(sets)} to {max(sets)} distinct sets")
    spreads = quartiles([float(pool.bias.std() / q.relevance.std()) for q in pool.queries])
    print(f"  the standard deviation of quality is {spreads.median:.1f} times that of relevance")
    for name, taken in times.items():
        low, median, high = quartiles(taken)
        ratio = float(np.median(np.array(taken) / np.array(times[OURS])))
        share = f"{np.median(shares[name]):.0%} of the sets"
        print(f"  {name:24} {median:8.0f} ms ({low:.0f} to {high:.0f}) {ratio:6.1f}x  {share}")
        work = f"every lambda_d and lambda_b, CPU time, n = {len(pool.rows):,}, k = {k}"
        record_time(work, name, taken, ratio, share)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=data_folder() / "misconceptions.jsonl")
    parser.add_argument("--model", default="practice", help="what scores the quality of the pool")
    parser.add_argument("--n", type=int, help="demonstrations of a made-up pool")
    parser.add_argument("--k", type=int, default=6, help="how many are chosen")
    parser.add_argument("--queries", type=int, default=10)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    if asked.n:
        pool = made_up(asked.n, asked.queries)
    else:
        pool = real(asked.file, asked.model, asked.queries)
    compare(pool, asked.k)


if __name__ == "__main__":
    main()
