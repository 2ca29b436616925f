"""The findings of a calibration: its cells, its best, and the effect of lambda_d."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from enum import Enum, StrEnum, auto

from ....evaluation.results.calibration import Calibration
from ....evaluation.results.cells import Cell, ExactCurve
from ..basis import MEANINGLESS, is_meaningless, no_figure


class CellVerdict(StrEnum):
    """How a cell compares with the best one."""

    BEST = "best"
    BEHIND = "clearly behind"
    NOT_BEHIND = "not clearly behind"


class LambdaDEffect(Enum):
    """The effect of lambda_d on a line of cells."""

    BEST_IS_ELSEWHERE = auto()
    """The best cell has another k or lambda_b."""
    NO_DIFFERENCE = auto()
    """No value is clearly behind the best."""
    BEST_BETWEEN = auto()
    """Both ends are clearly behind the best."""
    RELEVANCE_ONLY_BEHIND = auto()
    """Of the ends, relevance only (1) alone is clearly behind."""
    DIVERSITY_ONLY_BEHIND = auto()
    """Of the ends, diversity only (0) alone is clearly behind."""
    SOME_BEHIND = auto()
    """Neither end is clearly behind, some values between them are."""


NO_LAMBDA_D_DIFFERENCE = "No clear difference between the values of lambda_d"
TOO_FEW = "Too few examples to say what differs"


def has_too_few_examples(calibration: Calibration) -> bool:
    """Whether there are too few examples for any difference to be clear."""
    return calibration.advice is not None and calibration.advice.needed > 0


def finding_of(calibration: Calibration, found: Callable[[Cell], str]) -> str:
    """The finding on the best cell, or why there is none: a chart's title."""
    best, advice = calibration.best, calibration.advice
    if is_meaningless(calibration, calibration.metric):
        return MEANINGLESS
    if advice is not None and advice.needed:
        return f"{TOO_FEW}: it takes about {advice.needed:,}"
    return no_figure(calibration, calibration.metric) if best is None else found(best)


def marked_best(calibration: Calibration) -> Cell | None:
    """The best cell; None where nothing is known: too few examples, figures that mean nothing."""
    unknown = has_too_few_examples(calibration) or calibration.settings.by_a_toy
    return None if unknown else calibration.best


def line_of(
    calibration: Calibration, k: int | None = None, lambda_b: float | None = None
) -> list[Cell]:
    """The cells of one k and one lambda_b over lambda_d; those of the best cell unless given."""
    cells, best = calibration.cells, calibration.best
    if not cells:
        return []
    at = best or cells[0]
    k, lambda_b = at.k if k is None else k, at.lambda_b if lambda_b is None else lambda_b
    found = [cell for cell in cells if (cell.k, cell.lambda_b) == (k, lambda_b)]
    return sorted(found, key=lambda cell: cell.lambda_d)


def exact_curve(
    calibration: Calibration, k: int | None = None, lambda_b: float | None = None
) -> ExactCurve | None:
    """The exact curve of that line, the best cell's unless given; None if there are only cells."""
    line, curve = line_of(calibration, k, lambda_b), calibration.curve
    if not line or curve is None or (line[0].k, line[0].lambda_b) != curve.line:
        return None
    return curve


def for_drawing(curve: ExactCurve, most: int = 1000) -> ExactCurve:
    """The curve with at most `most` steps; a longer one is sampled at equal distances."""
    if len(curve.lows) <= most:
        return curve
    lows = tuple(at / most for at in range(most))
    places = [bisect_right(curve.lows, low) - 1 for low in lows]
    dpo, values, diversity = (
        tuple(each[at] for at in places) for each in (curve.dpo, curve.values, curve.diversity)
    )
    return ExactCurve(curve.line, lows, dpo, values, diversity)


def clearly_behind(cell: Cell, best: Cell) -> bool:
    """Whether the cell is behind the best one by the calibration's one rule."""
    return cell.knobs != best.knobs and bool(cell.is_behind)


def verdict_of_cell(cell: Cell, best: Cell) -> CellVerdict:
    """How the cell compares with the best one."""
    if cell.knobs == best.knobs:
        return CellVerdict.BEST
    return CellVerdict.BEHIND if clearly_behind(cell, best) else CellVerdict.NOT_BEHIND


def effect_of_lambda_d(line: Sequence[Cell], best: Cell) -> LambdaDEffect:
    """The effect of lambda_d on the line, by which of its cells are clearly behind the best one."""
    if best.knobs not in [cell.knobs for cell in line]:
        return LambdaDEffect.BEST_IS_ELSEWHERE
    behind = [clearly_behind(cell, best) for cell in line]
    if not any(behind):
        return LambdaDEffect.NO_DIFFERENCE
    return {
        (True, True): LambdaDEffect.BEST_BETWEEN,
        (False, True): LambdaDEffect.RELEVANCE_ONLY_BEHIND,
        (True, False): LambdaDEffect.DIVERSITY_ONLY_BEHIND,
        (False, False): LambdaDEffect.SOME_BEHIND,
    }[behind[0], behind[-1]]


def equally_good_range(line: Sequence[Cell], best: Cell) -> tuple[float, float]:
    """The stretch of lambda_d around the best on which no cell is clearly behind."""
    at = [cell.knobs for cell in line].index(best.knobs)
    low = high = at
    while low > 0 and not clearly_behind(line[low - 1], best):
        low -= 1
    while high < len(line) - 1 and not clearly_behind(line[high + 1], best):
        high += 1
    return line[low].lambda_d, line[high].lambda_d


def lambda_d_finding(line: Sequence[Cell], best: Cell) -> str:
    """The effect of lambda_d in a few words; from 1 (relevance only) down, diversity increases.

    A line that does not contain the best cell is compared with that cell all the same.
    """
    effect = effect_of_lambda_d(line, best)
    if effect is LambdaDEffect.BEST_IS_ELSEWHERE:
        behind = sum(clearly_behind(cell, best) for cell in line)
        whose = f"the best (k {best.k}, lambda_b {best.lambda_b:.2f})"
        return f"{behind or 'None'} of {len(line)} values of lambda_d clearly behind {whose}"
    if effect is LambdaDEffect.NO_DIFFERENCE:
        return NO_LAMBDA_D_DIFFERENCE
    if effect is LambdaDEffect.BEST_BETWEEN:
        low, high = equally_good_range(line, best)
        if low == high:
            return f"More diversity is better until lambda_d {low:.2f}, then worse"
        return f"More diversity is better until lambda_d {high:.2f} and worse below {low:.2f}"
    if effect is LambdaDEffect.RELEVANCE_ONLY_BEHIND:
        return _better_than_relevance(line, best)
    if effect is LambdaDEffect.DIVERSITY_ONLY_BEHIND:
        return _better_than_diversity(line, best)
    if best.lambda_d in (line[0].lambda_d, line[-1].lambda_d):
        return "Both ends of lambda_d do equally well; some values between them are clearly worse"
    return f"Best at lambda_d {best.lambda_d:.2f}, but not clearly better than either end"


def _better_than_relevance(line: Sequence[Cell], best: Cell) -> str:
    at, (low, _) = best.lambda_d, equally_good_range(line, best)
    if at == line[0].lambda_d:
        return "The more diversity, the better"
    if low > line[0].lambda_d:
        return f"Best at lambda_d {at:.2f}; diversity only is not clearly worse"
    return f"More diversity is better until lambda_d {at:.2f}; beyond it, no clear difference"


def _better_than_diversity(line: Sequence[Cell], best: Cell) -> str:
    at, (low, high) = best.lambda_d, equally_good_range(line, best)
    if low == at == line[-1].lambda_d:
        return "More diversity is worse: relevance only is best"
    if high < line[-1].lambda_d:
        return f"Best at lambda_d {at:.2f}; relevance only is not clearly worse"
    return f"DPO is clearly worse only below lambda_d {low:.2f}"
