"""What a large pool costs from its file to a context: import, embedding, map, Explore, memory.

    python benchmarks/large_pool.py [--file POOL] [--workspace FOLDER] [--queries 20]

Imports the file (by default the bundled pool of misconceptions) and embeds it, makes its map, then
opens the workspace anew, as after a restart, and chooses contexts for evaluation examples of the
pool: from all demonstrations, and from candidates of a flat and of an IVF index. It also counts how
often each demonstration is retrieved. With `--workspace` a folder is kept: what lies there from an
earlier run is neither imported nor embedded again, and its map is read. Prints seconds,
milliseconds as quartiles, and the most memory the process held.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.figures import quartiles
from core.curation.importing import import_file
from core.retrieval.candidates import prepare_index
from core.retrieval.choosing import settled
from core.retrieval.knobs import Knobs
from core.settings import data_folder
from core.studio import Setup, Studio
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.path import path_of
from core.studio.map.pool_map import pool_map
from core.studio.pools.retrieved import count_in_background

POOL = "large-pool"
SETUP = Setup(POOL)


def main() -> None:
    asked = _options()
    with tempfile.TemporaryDirectory(prefix="shotlist-large-") as folder:
        workspace = asked.workspace or Path(folder)
        with Studio.open(workspace) as studio:
            _fill(studio, asked.file)
            _map(studio)
        with Studio.open(workspace) as studio:
            _choose(studio, asked.queries)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory    {most // 1024:,} MB at most")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=data_folder() / "misconceptions.jsonl")
    parser.add_argument("--workspace", type=Path, help="a folder to keep; default: none")
    parser.add_argument("--queries", type=int, default=20, help="contexts to choose each way")
    return parser.parse_args()


@contextmanager
def _timed(what: str) -> Iterator[list[str]]:
    """Print the seconds of a step, and behind them what the step appends."""
    said: list[str] = []
    started, cpu = time.perf_counter(), time.process_time()
    yield said
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"{what:9} {seconds:.1f} s ({cpu:.1f} s CPU) {' '.join(said)}".rstrip(), flush=True)


def _fill(studio: Studio, file: Path) -> None:
    if POOL not in (summary.name for summary in studio.store.pools.all()):
        with _timed("import"):
            import_file(studio.store, file, POOL)
    encoder = studio.encoder()
    before = studio.store.embeddings.count(encoder.fingerprint)
    with _timed("embed") as said:
        started = time.perf_counter()
        view = studio.view(SETUP)
        new = studio.store.embeddings.count(encoder.fingerprint) - before
        said.append(f"{new:,} of {len(view.embeddings):,} distinct queries;")
        if new:
            said.append(f"{new / (time.perf_counter() - started):.0f} a second;")
        said.append(f"{len(view):,} demonstrations")


def _map(studio: Studio) -> None:
    with _timed("map"):
        found, job = pool_map(studio, SETUP, studio.view(SETUP))
        if job is not None:
            job.wait()
            found = job.result
    if found is None:
        raise RuntimeError("the map was not made")


def _choose(studio: Studio, count: int) -> None:
    """The first context and its path after a restart, then many of each kind of search."""
    with _timed("reread"):
        view = studio.view(SETUP)
        found, job = pool_map(studio, SETUP, view)
        if job is not None:
            job.wait()
    del found, job
    drawn = np.random.default_rng(0).permutation(len(view.distinct_queries))[: count + 1]
    first, *others = [
        ExploreRequest(SETUP, view.distinct_queries[place], Knobs("rel+div"), leave_out=True)
        for place in drawn.tolist()
    ]
    with _timed("first"):
        explore(resolve(studio, first))
    _report(studio, "whole", others)
    with _timed("path"):
        path_of(resolve(studio, first))
    with _timed("retrieved") as said:
        job = count_in_background(studio, SETUP, Knobs("rel+div"))
        job.wait()
        said.append(f"over {job.result.asked:,} queries")
    for kind in ("flat", "ivf"):
        with _timed(f"{kind} built"):
            prepare_index(view, settled(first.with_knobs(index=kind).knobs), studio.index_folder)
        _report(studio, kind, [request.with_knobs(index=kind) for request in others])


def _report(studio: Studio, name: str, requests: list[ExploreRequest]) -> None:
    milliseconds, kinds, recall = [], Counter[str](), None
    for request in requests:
        started = time.perf_counter()
        certainty = explore(resolve(studio, request)).certainty
        milliseconds.append(1_000 * (time.perf_counter() - started))
        kinds[certainty.kind] += 1
        recall = certainty.recall
    low, median, high = quartiles(milliseconds)
    said = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    said += "" if recall is None else f", recall {recall:.3f}"
    print(f"{name:9} {median:.0f} ms ({low:.0f} to {high:.0f}), {said}", flush=True)


if __name__ == "__main__":
    main()
