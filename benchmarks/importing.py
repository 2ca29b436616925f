"""Files into a workspace: ours beside another checkout of it, in turn, and beside plain readers.

    python benchmarks/importing.py [--file TruthfulQA.csv] [--rows 100000] [--times 5]
                                   [--before FOLDER]

Imports the file (default: none), and as many made-up rows in a csv and in a jsonl file, each into a
fresh workspace in a fresh process. `--before` names a checkout of an earlier version; each round
runs both, one after the other, so that the machine's pace cancels out of their ratio. The floor is
what Python's own csv and json take to read the same rows into dictionaries. Prints medians with
least and most in seconds of CPU time, and ratios round by round.
"""

import argparse
import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORDS = ("the", "of", "a", "is", "cat", "dog", "river", "stone", "who", "when", "light", "over")

OURS = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from core.curation import import_file
from core.store import Store
with Store.open(Path(sys.argv[3])) as store:
    started = time.process_time()
    report = import_file(store, sys.argv[2], "pool")
    print(time.process_time() - started, report.demonstrations)
"""
FLOOR = """
import csv, json, sys, time
started = time.process_time()
with open(sys.argv[2], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file) if sys.argv[2].endswith("csv") else map(json.loads, file))
print(time.process_time() - started, len(rows))
"""


def made_up(folder: Path, count: int) -> list[Path]:
    """The same rows as csv, lists written out, and as jsonl."""
    draw = random.Random(0)
    rows = [
        {
            "question": f"{' '.join(draw.choices(WORDS, k=12))} {number // 2}?",
            "answer": " ".join(draw.choices(WORDS, k=8)),
            "incorrect": [" ".join(draw.choices(WORDS, k=8)) for _ in range(2)],
            "tags": [f"tag {number % 9}"],
        }
        for number in range(count)
    ]
    table, lines = folder / "rows.csv", folder / "rows.jsonl"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        writer.writerows(
            [cell if isinstance(cell, str) else json.dumps(cell) for cell in row.values()]
            for row in rows
        )
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return [table, lines]


def seconds(program: str, checkout: Path, file: Path) -> tuple[float, int]:
    """What it took and how many demonstrations, or rows, there were."""
    with tempfile.TemporaryDirectory() as workspace:
        arguments = [sys.executable, "-c", program, str(checkout), str(file), workspace]
        done = subprocess.run(arguments, cwd=checkout, check=True, capture_output=True, text=True)
    took, count = done.stdout.split()
    return float(took), int(count)


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def compare(file: Path, before: Path | None, times: int) -> None:
    racing = {"shotlist": (OURS, ROOT), "csv, json": (FLOOR, ROOT)}
    if before is not None:
        racing["before"] = (OURS, before)
    took: dict[str, list[float]] = {name: [] for name in racing}
    counts = {}
    for _ in range(times):
        for name, (program, checkout) in racing.items():
            value, counts[name] = seconds(program, checkout, file)
            took[name].append(value)
    for name, values in took.items():
        ratios = [ours / other for ours, other in zip(took["shotlist"], values, strict=True)]
        beside = "" if name == "shotlist" else f"; ours takes {spread(ratios)} times as long"
        print(f"{file.name:16} {name:10} {counts[name]:8,} {spread(values)} s{beside}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file", type=Path, help="a further file to import")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shotlist-importing-") as folder:
        files = [asked.file.resolve()] if asked.file else []
        for file in files + made_up(Path(folder), asked.rows):
            compare(file, asked.before and asked.before.resolve(), asked.times)


if __name__ == "__main__":
    main()
