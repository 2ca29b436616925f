"""Every benchmark against its peers, one after the other, and a table of all.

    python -m benchmarks [--file POOL] [--model FOLDER] [--json FILE]

`make bench` installs the peers (requirements-bench.txt) and runs this. Without the peers, ours run
alone. All but the machine itself are measured on one thread. The browser's benchmark is not among
them: `python benchmarks/slider.py`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.figures import FILE, recorded, table

FOLDER = Path(__file__).resolve().parent
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def main() -> None:
    asked = _options()
    scoring = ["--file", asked.file] if asked.file else []
    scoring += ["--model", asked.model] if asked.model else []
    with tempfile.TemporaryDirectory(prefix="shotlist-benchmarks-") as folder:
        figures = Path(folder) / "figures.jsonl"
        figures.touch()
        _run("the machine", "machine.py", figures, environment={})
        _run("choosing a context", "mmr.py", figures)
        _run("large pools", "mmr_large.py", figures, "--lambda-d", "0.75", "--queries", "5")
        _run("every context of a query", "triangle.py", figures, *scoring)
        _run("choosing by the sum", "vrsd.py", figures, "--queries", "10")
        _run("scoring answers", "scoring.py", figures, *scoring)
        _run(
            "task states", "states.py", figures, *(["--model", asked.model] if asked.model else [])
        )
        records = recorded(figures)
    print(f"\n{table(records)}")
    if asked.json:
        asked.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--file", help="the pool to score; default: the bundled one")
    parser.add_argument("--model", help="the folder of a further model to score with")
    parser.add_argument("--json", type=Path, help="a file that takes all figures")
    return parser.parse_args()


def _run(
    title: str,
    script: str,
    figures: Path,
    *options: str,
    environment: Mapping[str, str] = ONE_THREAD,
) -> None:
    """A process of its own for each: threads and memory of one do not touch the next."""
    print(f"\n== {title}: benchmarks/{script}", flush=True)
    subprocess.run(
        [sys.executable, str(FOLDER / script), *options],
        env={**os.environ, FILE: str(figures), **environment},
        check=True,
    )


if __name__ == "__main__":
    main()
