"""What the benchmarks share: quartiles, and figures handed to whoever runs several of them."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

FILE = "SHOTLIST_BENCHMARK_FIGURES"
"""The environment's name of the file that takes one JSON document a line; without it, none does."""


class Quartiles(NamedTuple):
    """The middle of repeated measurements, and how far half of them lie from it."""

    low: float
    median: float
    high: float


def quartiles(values: Sequence[float]) -> Quartiles:
    """The first quartile, the median and the third, interpolated."""
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    return Quartiles(at(0.25), at(0.5), at(0.75))


def record(kind: str, **figures: object) -> None:
    """Hand figures on to `python -m benchmarks`; alone, a benchmark only prints."""
    file = os.environ.get(FILE)
    if file:
        with Path(file).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"kind": kind, **figures}) + "\n")


def record_time(work: str, who: str, ms: Sequence[float], times_ours: float, equal: str) -> None:
    """Hand on how long one contender takes for a piece of work.

    Args:
        work: What is done; the same words for all contenders.
        who: The contender.
        ms: Every measurement, in milliseconds.
        times_ours: How many times as long as ours it takes.
        equal: How far its results are ours, in a few words.
    """
    record("time", work=work, who=who, ms=quartiles(ms), times_ours=times_ours, equal=equal)


def recorded(file: Path) -> list[dict[str, Any]]:
    """Everything that was handed on, in its order."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def table(records: list[dict[str, Any]]) -> str:
    """The times as a table in Markdown: medians with quartiles, ratios, equality."""
    lines = ["| work | by | ms (quartiles) | times ours | results |", "|---|---|---|---|---|"]
    for row in records:
        if row["kind"] == "time":
            low, median, high = (f"{value:,.{_decimals(value)}f}" for value in row["ms"])
            times = f"{row['times_ours']:.2f}"
            cells = (row["work"], row["who"], f"{median} ({low} to {high})", times, row["equal"])
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _decimals(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 10 else 2
