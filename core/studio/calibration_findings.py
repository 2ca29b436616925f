"""What the figures of a calibration say: its cells, its best, and what lambda_d does."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .estimates import NO_FIGURE, Estimate

NO_LAMBDA_D_DIFFERENCE = "No clear difference between the values of lambda_d"
TOO_FEW = "Too few examples to say what differs"


Knobs: TypeAlias = tuple[int, float, float]
"""(k, lambda_b, lambda_d)."""


@dataclass(frozen=True)
class Cell:
    """One combination of the knobs: its metric, its diversity, and how far behind the best it is.

    `behind` is the best cell's metric minus this one's, bounded together with all differences, None
    in old summaries; `is_behind` whether that counts, None where the summary does not say so.
    """

    k: int
    lambda_b: float
    lambda_d: float
    value: Estimate
    diversity: Estimate
    behind: Estimate | None
    shortened: int
    is_behind: bool | None = None

    @property
    def knobs(self) -> Knobs:
        """(k, lambda_b, lambda_d)."""
        return self.k, self.lambda_b, self.lambda_d


def cells_of(summary: Mapping[str, Any]) -> list[Cell]:
    """Every cell of a calibration's summary, in its order."""
    return [_cell(row, summary["metric"]) for row in summary["curve"]]


def best_cell(summary: Mapping[str, Any]) -> Cell | None:
    """The calibration's best cell; None while no cell has a figure."""
    return None if summary["best"] is None else _cell(summary["best"], summary["metric"])


def too_few_to_say(summary: Mapping[str, Any]) -> bool:
    """Whether there are too few examples for any difference to be told."""
    return bool((summary.get("recommendation") or {}).get("needed"))


def marked_best(summary: Mapping[str, Any]) -> Cell | None:
    """The best cell where it may be called so: not while there are too few examples."""
    return None if too_few_to_say(summary) else best_cell(summary)


def line_of(
    summary: Mapping[str, Any], k: int | None = None, lambda_b: float | None = None
) -> list[Cell]:
    """The cells of one k and one lambda_b over lambda_d; those of the best cell unless given."""
    cells, best = cells_of(summary), best_cell(summary)
    if not cells:
        return []
    at = best or cells[0]
    k, lambda_b = at.k if k is None else k, at.lambda_b if lambda_b is None else lambda_b
    found = [cell for cell in cells if (cell.k, cell.lambda_b) == (k, lambda_b)]
    return sorted(found, key=lambda cell: cell.lambda_d)


@dataclass(frozen=True)
class ExactCurve:
    """DPO and diversity at every lambda_d: each value from its `low` up to the next one's, or 1."""

    lows: Sequence[float]
    values: Sequence[float | None]
    diversity: Sequence[float | None]

    def for_drawing(self, most: int = 1000) -> "ExactCurve":
        """The curve with at most so many steps: beyond them, read off at even distances."""
        if len(self.lows) <= most:
            return self
        lows = [at / most for at in range(most)]
        places = [bisect_right(self.lows, low) - 1 for low in lows]
        return ExactCurve(
            lows, [self.values[at] for at in places], [self.diversity[at] for at in places]
        )


def exact_curve(
    summary: Mapping[str, Any], k: int | None = None, lambda_b: float | None = None
) -> ExactCurve | None:
    """The exact curve of that line, of the best cell's unless given; None where only cells are."""
    line, steps = line_of(summary, k, lambda_b), summary.get("steps")
    if not line or not steps or (line[0].k, line[0].lambda_b) != (steps["k"], steps["lambda_b"]):
        return None
    return ExactCurve(steps["lambda_low"], steps[summary["metric"]], steps["diversity"])


def clearly_behind(cell: Cell, best: Cell) -> bool:
    """Whether the cell is behind by the calibration's one rule.

    In summaries of old by the paired interval; without it, by intervals that do not overlap.
    """
    if cell.knobs == best.knobs:
        return False
    if cell.is_behind is not None:
        return cell.is_behind
    if cell.behind is not None:
        return cell.behind.above_zero
    if cell.value.high is None or best.value.low is None:
        return False
    return cell.value.high < best.value.low


def as_good(line: Sequence[Cell], best: Cell) -> tuple[float, float]:
    """The stretch of lambda_d around the best on which no cell is clearly behind."""
    at = [cell.knobs for cell in line].index(best.knobs)
    low = high = at
    while low > 0 and not clearly_behind(line[low - 1], best):
        low -= 1
    while high < len(line) - 1 and not clearly_behind(line[high + 1], best):
        high += 1
    return line[low].lambda_d, line[high].lambda_d


def lambda_d_finding(line: Sequence[Cell], best: Cell | None) -> str:
    """What lambda_d does, in a few words; from 1 (relevance only) down is towards more diversity.

    A line that does not hold the best cell is read against that cell all the same.
    """
    if best is None or not any(cell.value.mean is not None for cell in line):
        return NO_FIGURE
    behind = sum(clearly_behind(cell, best) for cell in line)
    if best.knobs not in [cell.knobs for cell in line]:
        whose = f"the best (k {best.k}, lambda_b {best.lambda_b:.2f})"
        return f"{behind or 'None'} of {len(line)} values of lambda_d clearly behind {whose}"
    if not behind:
        return NO_LAMBDA_D_DIFFERENCE
    ends = (clearly_behind(line[0], best), clearly_behind(line[-1], best))
    if ends == (True, True):
        low, high = as_good(line, best)
        if low == high:
            return f"More diversity helps until lambda_d {low:.2f}, then hurts"
        return f"More diversity helps until lambda_d {high:.2f} and hurts below {low:.2f}"
    if ends == (False, True):
        return _better_than_relevance(line, best)
    if ends == (True, False):
        return _better_than_diversity(line, best)
    if best.lambda_d in (line[0].lambda_d, line[-1].lambda_d):
        return "Both ends of lambda_d serve alike; some values between them are clearly worse"
    return f"Best at lambda_d {best.lambda_d:.2f}, but not clearly better than either end"


def _better_than_relevance(line: Sequence[Cell], best: Cell) -> str:
    at, (low, _) = best.lambda_d, as_good(line, best)
    if at == line[0].lambda_d:
        return "The more diversity, the better"
    if low > line[0].lambda_d:
        return f"Best at lambda_d {at:.2f}; diversity only is not clearly worse"
    return f"More diversity helps until lambda_d {at:.2f}; beyond it, no clear difference"


def _better_than_diversity(line: Sequence[Cell], best: Cell) -> str:
    at, (low, high) = best.lambda_d, as_good(line, best)
    if low == at == line[-1].lambda_d:
        return "More diversity hurts: relevance only is best"
    if high < line[-1].lambda_d:
        return f"Best at lambda_d {at:.2f}; relevance only is not clearly worse"
    return f"DPO is clearly worse only below lambda_d {low:.2f}"


def _cell(row: Mapping[str, Any], metric: str) -> Cell:
    ends = ("dpo_low", "dpo_high")
    if metric != "dpo_per_triple":
        ends = (f"{metric}_low", f"{metric}_high")
    behind = row.get("behind_best")
    return Cell(
        k=row["k"],
        lambda_b=row["lambda_b"],
        lambda_d=row["lambda_d"],
        value=Estimate(row[metric], row.get(ends[0]), row.get(ends[1])),
        diversity=Estimate(row["diversity"], row.get("diversity_low"), row.get("diversity_high")),
        behind=None if behind is None else Estimate.of(behind),
        shortened=row["shortened"],
        is_behind=row.get("behind"),
    )
