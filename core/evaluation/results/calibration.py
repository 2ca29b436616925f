"""A calibration's figures: its cells, its exact curve, what it recommends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...interval import Interval
from ...recorded import Recorded, read, same, write
from ...settings import Embed
from .cells import CalibrationCell, CellKnobs, ExactCurve, Line
from .run_figures import RecordedRequest, RunFigures, RunSettings


@dataclass(frozen=True, kw_only=True)
class Advice(Recorded):
    """What a calibration recommends.

    `clear`: the paper's `defaults` are behind the best; where they are not, `knobs` are those
    defaults. `gain` is what choosing the best gains over them and `best_value` the metric it
    reaches, both measured on examples that did not choose it. `gap` bounds by how much another cell
    may be better, None before the first look; within `margin` the choice is `settled`. `sharpen`
    is about how many examples it would take to bound the defaults' difference from the best within
    the margin, 0 where unknown; `needed` how many it takes for any conclusion, 0 where there are
    enough. `gain_without_leaks` is the gain of the same choice with leaks left out, and
    `best_without_leaks` the best cell then; None where no context leaks.
    """

    OPTIONAL = ("gain_without_leaks", "best_without_leaks")
    KEYS = {name: f"knobs.{name}" for name in CellKnobs._fields} | same(
        *("clear", "defaults", "gain", "best_value", "gap", "margin", "settled", "sharpen"),
        *("needed", *OPTIONAL),
    )
    knobs: CellKnobs
    clear: bool
    defaults: CellKnobs
    gain: Interval
    best_value: Interval
    gap: float | None
    margin: float
    settled: bool
    sharpen: int = 0
    needed: int = 0
    gain_without_leaks: Interval | None = None
    best_without_leaks: CellKnobs | None = None

    @property
    def leakage_share(self) -> float | None:
        """The share of a clear gain that is gone with leaks left out, in [0, 1]; else None."""
        gain, without = self.gain, self.gain_without_leaks
        if without is None or without.mean is None or gain.mean is None:
            return None
        if gain.low is None or gain.low <= 0.0:
            return None
        return min(1.0, max(0.0, 1.0 - without.mean / gain.mean))


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings(RunSettings):
    """As `RunSettings`, with the cells that were tried and the line whose curve is exact."""

    cells: tuple[RecordedRequest, ...]
    line: Line
    defaults: RecordedRequest
    margin: float | None
    until_settled: bool
    seen_before: bool

    @property
    def planned_end(self) -> bool:
        """Whether no look at the figures could end the run or prolong it."""
        return not (self.until_settled or self.seen_before)

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen, in every cell."""
        return any(each.one_per_query for each in self.cells)

    @property
    def candidates(self) -> int:
        """The number of most relevant demonstrations that every cell chose from; 0 is all."""
        return self.cells[0].candidates

    @property
    def embed(self) -> Embed:
        """The text of a demonstration by which every cell's contexts were chosen."""
        return self.cells[0].embed


@dataclass(frozen=True, kw_only=True)
class Calibration(RunFigures):
    """The figures of every cell over the same evaluation examples; by k, lambda_b, lambda_d.

    `metric` chose the `best` cell, None while no cell has a figure. `curve` is None in a first
    look. `leaking_examples` counts those with a leaking context at any lambda_d of the line or in
    any cell.
    """

    cells: tuple[CalibrationCell, ...]
    metric: str
    best: CalibrationCell | None
    advice: Advice | None
    curve: ExactCurve | None
    leaking_examples: int
    settings: CalibrationSettings

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The calibration that `to_json` wrote."""
        metric, settings = row["metric"], CalibrationSettings.from_json(row["settings"])
        best, steps = row["best"], row["steps"]
        return cls(
            **vars(RunFigures.from_json(row)) | {"settings": settings},
            cells=tuple(CalibrationCell.from_json(each, metric) for each in row["curve"]),
            metric=metric,
            best=None if best is None else CalibrationCell.from_json(best, metric),
            advice=read(Advice | None, row["recommendation"]),
            curve=None if steps is None else ExactCurve.from_json(steps, metric),
            leaking_examples=row["leaks"]["contexts"],
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON; what is undefined is None."""
        return {
            "curve": [cell.to_json(self.metric) for cell in self.cells],
            "metric": self.metric,
            "best": None if self.best is None else self.best.to_json(self.metric),
            "recommendation": write(self.advice),
            "steps": None if self.curve is None else self.curve.to_json(self.metric),
            "leaks": {"examples": self.examples, "contexts": self.leaking_examples},
            **super().to_json(),
        }
