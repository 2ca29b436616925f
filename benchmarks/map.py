"""How long the map of a pool takes to be laid out, warm, beside UMAP left to itself.

    python benchmarks/map.py [--file TruthfulQA.csv] [--times 5]

Embeds the pool's distinct queries (the bundled pool of misconceptions without `--file`), lays them
out once each so that everything is compiled, then lets the two take turns: ours, and UMAP with its
own search for neighbours and its own defaults, both seeded. Prints quartiles in seconds, the ratio
and how faithful both maps are (scikit-learn's trustworthiness, 15 neighbours).
"""

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.figures import quartiles
from core.curation.importing import import_file
from core.embedding import load_encoder
from core.projection import project
from core.settings import data_folder
from core.store import Store


def distinct_queries(file: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
        import_file(store, file, "map")
        _, rows = store.demonstrations.snapshot(store.pools.get("map").id)
        return list(dict.fromkeys(row.query for row in rows))


def ours(rows: np.ndarray) -> np.ndarray:
    return project(rows, seed=0)


def umap_alone(rows: np.ndarray) -> np.ndarray:
    import umap

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_jobs value")
        return umap.UMAP(metric="cosine", random_state=0).fit_transform(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=data_folder() / "misconceptions.jsonl")
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    rows = np.asarray(load_encoder().encode(distinct_queries(asked.file)))
    makers = {"ours": ours, "UMAP alone": umap_alone}
    maps = {name: make(rows) for name, make in makers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(asked.times):
        for name, make in makers.items():
            started = time.perf_counter()
            make(rows)
            seconds[name].append(time.perf_counter() - started)

    from sklearn.manifold import trustworthiness

    print(f"{len(rows):,} distinct queries of {asked.file.name}")
    for name, times in seconds.items():
        low, median, high = quartiles(times)
        faithful = trustworthiness(rows, maps[name], n_neighbors=15, metric="cosine")
        print(
            f"{name:12} {median:6.2f} s ({low:.2f} to {high:.2f}), trustworthiness {faithful:.3f}"
        )
    ratio = np.median(np.array(seconds["UMAP alone"]) / np.array(seconds["ours"]))
    print(f"ratio        {ratio:.1f}")


if __name__ == "__main__":
    main()
