"""lambda_d chosen on half of a calibration's examples and confirmed on the other half."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidInput
from core.evaluation.results.cells import DPO
from core.evaluation.results.outcomes import RequestResult, dpo_by_kind
from core.evaluation.runs.calibrate import ScoredCalibration
from core.interval import Interval
from core.metrics.bounds.intervals import estimate, paired_difference
from core.metrics.preference import dpo_per_triple
from core.metrics.registry import METRICS
from core.metrics.scores import AnswerScores
from core.recorded import write


@dataclass(frozen=True)
class Confirmation:
    """A lambda_d that the first half of the examples chose, as the second half measures it.

    Attributes:
        lambda_d: The value that was chosen.
        chosen_on: Examples of the first half.
        confirmed_on: Examples of the second half.
        curve: (lambda_d, DPO per triple) on the first half.
        dpo: DPO per triple on the second half.
        less: By metric, the chosen value less diversity only (lambda_d 0) and less relevance only
            (1) on the second half, paired.
        by_kind: By lambda_d, for 0, the chosen value and 1: DPO per triple by kind of incorrect
            answer on the second half.
    """

    lambda_d: float
    chosen_on: int
    confirmed_on: int
    curve: tuple[tuple[float, float], ...]
    dpo: Interval
    less: Mapping[str, Mapping[str, Interval]]
    by_kind: Mapping[str, Mapping[str, Interval]]

    @property
    def inside(self) -> bool:
        """Whether the chosen lambda_d is neither 0 nor 1."""
        return 0.0 < self.lambda_d < 1.0

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "lambda_d": self.lambda_d,
            "inside": self.inside,
            "chosen_on": self.chosen_on,
            "confirmed_on": self.confirmed_on,
            "curve_of_first_half": [[x, round(y, 4)] for x, y in self.curve],
            DPO: self.dpo.to_json(),
            **write(self.less),
            "by_kind": write(self.by_kind),
        }


def confirm(calibration: ScoredCalibration) -> Confirmation:
    """lambda_d chosen on the first half of the examples, measured on the others.

    The examples come in seeded random order, so the halves are a random split.

    Raises:
        InvalidInput: Fewer than 4 examples.
    """
    cells, half = calibration.cells, len(calibration.examples) // 2
    if half < 2:
        raise InvalidInput("There are too few evaluation examples to halve; give at least 4.")
    first, last = slice(half), slice(half, None)
    curve = [dpo_per_triple(_scores(cell, first)) for cell in cells]
    chosen = cells[max(range(len(cells)), key=lambda at: (curve[at], cells[at].lambda_d))]
    ends = {"minus_diversity_only": cells[0], "minus_relevance_only": cells[-1]}
    examples = calibration.examples[half:]
    return Confirmation(
        lambda_d=chosen.lambda_d,
        chosen_on=half,
        confirmed_on=len(examples),
        curve=tuple((cell.lambda_d, y) for cell, y in zip(cells, curve, strict=True)),
        dpo=estimate(METRICS[DPO], _scores(chosen, last)),
        less={
            name: {
                metric: paired_difference(
                    METRICS[metric], _scores(chosen, last), _scores(end, last)
                )
                for metric in (DPO, "mc1")
            }
            for name, end in ends.items()
        },
        by_kind={
            str(cell.lambda_d): dpo_by_kind(examples, _scores(cell, last))
            for cell in (cells[0], chosen, cells[-1])
        },
    )


def _scores(cell: RequestResult, part: slice) -> Sequence[AnswerScores]:
    return [outcome.scores for outcome in cell.outcomes[part]]
