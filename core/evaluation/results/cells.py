"""A calibration's cells and its exact curve: one combination of the knobs, and every lambda_d."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...interval import Interval, Piece
from ...metrics.registry import METRICS
from ...recorded import read
from .outcomes import Outcome
from .run_figures import Leaks
from .verdict import Verdict, verdict_of

DPO, DELTA, SAMENESS = "dpo_per_triple", "delta", "diversity"


class CellKnobs(NamedTuple):
    """What the cells of a calibration differ in."""

    k: int
    lambda_b: float
    lambda_d: float


class Line(NamedTuple):
    """The k and the lambda_b of a curve over lambda_d."""

    k: int
    lambda_b: float


@dataclass(frozen=True, kw_only=True)
class CalibrationCell:
    """One combination of the knobs: its metric, its diversity, and how far behind the best it is.

    `value` is by the metric that chooses the best cell, `dpo` always DPO per triple. `behind` is
    the best cell's metric minus this one's, bounded together with all differences; `is_behind`
    whether that counts. Both are None where no cell has a figure.
    """

    knobs: CellKnobs
    dpo: Interval
    value: Interval
    diversity: Interval
    shortened: int
    leaks: Leaks
    behind: Interval | None
    is_behind: bool | None
    delta: Interval

    @property
    def verdict(self) -> Verdict | None:
        """Whether its contexts help or harm; None where the figures do not show it."""
        return verdict_of(self.dpo, self.delta)

    @property
    def k(self) -> int:
        """How many demonstrations were asked for."""
        return self.knobs.k

    @property
    def lambda_b(self) -> float:
        """Relevance (1) against quality bias (0)."""
        return self.knobs.lambda_b

    @property
    def lambda_d(self) -> float:
        """Relevance (1) against diversity (0)."""
        return self.knobs.lambda_d

    @classmethod
    def from_json(cls, row: Mapping[str, Any], metric: str) -> Self:
        """The cell that `to_json` wrote."""
        dpo = Interval(row[DPO], row["dpo_low"], row["dpo_high"])
        return cls(
            knobs=read(CellKnobs, row),
            dpo=dpo,
            value=dpo if metric == DPO else _interval_from_json(row, metric),
            diversity=_interval_from_json(row, SAMENESS),
            shortened=row["shortened"],
            leaks=Leaks.from_json(row["leaks"]),
            behind=read(Interval | None, row.get("behind_best")),
            is_behind=row.get("behind"),
            delta=_interval_from_json(row, DELTA),
        )

    def to_json(self, metric: str) -> dict[str, Any]:
        """The same for JSON, the cell's value by the name of its metric."""
        row: dict[str, Any] = self.knobs._asdict()
        row |= {DPO: self.dpo.mean, "dpo_low": self.dpo.low, "dpo_high": self.dpo.high}
        row |= _interval_to_json(DELTA, self.delta) | _interval_to_json(SAMENESS, self.diversity)
        row |= {"shortened": self.shortened, "leaks": self.leaks.to_json()}
        if metric != DPO:
            row |= _interval_to_json(metric, self.value)
        if self.behind is not None:
            row |= {"behind_best": self.behind.to_json(), "behind": self.is_behind}
        return row


@dataclass(frozen=True)
class ExactCurve:
    """DPO and diversity at every lambda_d: each value from its `low` up to the next one's, or 1.

    `values` are by the metric that chooses the best cell, `dpo` always DPO per triple.
    """

    line: Line
    lows: tuple[float, ...]
    dpo: tuple[float | None, ...]
    values: tuple[float | None, ...]
    diversity: tuple[float | None, ...]

    @classmethod
    def from_json(cls, row: Mapping[str, Any], metric: str) -> Self:
        """The curve that `to_json` wrote."""
        names = ("lambda_low", DPO, metric, SAMENESS)
        return cls(Line(row["k"], row["lambda_b"]), *(tuple(row[name]) for name in names))

    def to_json(self, metric: str) -> dict[str, Any]:
        """The same for JSON, the values by the name of their metric."""
        return self.line._asdict() | {
            "lambda_low": list(self.lows),
            DPO: list(self.dpo),
            metric: list(self.values),
            SAMENESS: list(self.diversity),
        }


def _interval_from_json(row: Mapping[str, Any], name: str) -> Interval:
    return Interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _interval_to_json(name: str, value: Interval) -> dict[str, Any]:
    return {name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}


OutcomePath: TypeAlias = tuple[Piece[Outcome], ...]
"""One example's outcomes over all of lambda_d, ascending; neighbours differ."""


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A function of lambda_d: `values[i]` from `lows[i]` up to `lows[i + 1]`, the last up to 1.

    Both have shape (s,), float64; `lows` ascends from 0. NaN where the metric is undefined.
    """

    lows: NDArray[np.float64]
    values: NDArray[np.float64]


def outcome_path(pieces: Sequence[Piece[Outcome]]) -> OutcomePath:
    """The pieces with neighbours of one outcome joined: the same set makes the same prompt."""
    joined: list[Piece[Outcome]] = []
    for piece in pieces:
        if joined and joined[-1].value.same_as(piece.value):
            joined[-1] = replace(joined[-1], high=piece.high)
        else:
            joined.append(piece)
    return tuple(joined)


def mean_steps(paths: Sequence[OutcomePath], metric: str) -> StepFunction:
    """A metric of the registry over the examples at every lambda_d at once.

    A metric is a ratio of sums over examples. Each example adds its own steps to both sums, so
    the mean changes where any example's outcome does and nowhere else.
    """
    changes = [_changes(path, metric) for path in paths if path]
    if not changes:
        return StepFunction(np.zeros(1), np.full(1, np.nan))
    rows = np.concatenate(changes)
    lows, place = np.unique(rows[:, 0], return_inverse=True)
    sums = np.zeros((len(lows), 3))
    np.add.at(sums, place, rows[:, 1:])
    numerators, denominators, infinite = sums.cumsum(axis=0).T
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(denominators > 0.5, numerators / denominators, np.nan)
    return StepFunction(lows, np.where(infinite > 0.5, np.inf, values))


def _changes(path: OutcomePath, metric: str) -> NDArray[np.float64]:
    """A row a piece, shape (p, 4): where it begins, and by how much each of the sums changes."""
    scores, info = [piece.value.scores for piece in path], METRICS[metric]
    numerators, denominators = info.numerators(scores), info.denominators(scores)
    infinite = np.isinf(numerators)
    sums = np.stack([np.where(infinite, 0.0, numerators), denominators, infinite], axis=1)
    lows = np.array([[piece.low] for piece in path])
    return np.hstack([lows, np.diff(sums, axis=0, prepend=0.0)])
