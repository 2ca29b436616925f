"""A calibration's decision in sentences, all from one rule, and what a sharper one costs."""

from collections.abc import Sequence

from ...evaluation.results.calibration import Advice, Calibration
from ...evaluation.results.cells import CalibrationCell, CellKnobs
from ...evaluation.results.run_figures import End
from ...metrics.metric import MetricInfo
from ...metrics.registry import METRICS
from ...text import three_decimals
from .calibration_findings import (
    NO_LAMBDA_D_DIFFERENCE,
    LambdaDEffect,
    clearly_behind,
    effect_of_lambda_d,
    equally_good_range,
    line_of,
)
from .rows import percent


def end_sentence(calibration: Calibration) -> str:
    """Why a calibration ended before its last example, in a sentence; empty where it did not."""
    advice, done, total = calibration.advice, calibration.done, calibration.total
    if calibration.end is End.STOPPED:
        return f"Stopped after {done:,} of {total:,} examples; what was scored is kept."
    if calibration.end is End.SETTLED and advice is not None:
        return (
            f"Settled after {done:,} of {total:,} examples: nothing that was tried is better than "
            f"the best by more than {three_decimals(advice.margin)} "
            f"{METRICS[calibration.metric].unit}."
        )
    return ""


def decision_sentence(calibration: Calibration, advice: Advice) -> str:
    """Which values are as good as the best, whether the paper's are among them, what to use."""
    line, best = line_of(calibration), calibration.best
    if advice.needed or best is None:
        return ""
    alone, defaults = stretch_in_words(line, best), in_words(advice.defaults)
    if effect_of_lambda_d(line, best) is LambdaDEffect.NO_DIFFERENCE:
        alone = NO_LAMBDA_D_DIFFERENCE
    if advice.clear:
        return (
            f"{alone}; the paper's defaults ({defaults}) are clearly behind. "
            f"Recommended: {in_words(advice.knobs)}."
        )
    return f"{alone}; the paper's defaults ({defaults}) are not clearly worse either: keep them."


def stretch_in_words(line: Sequence[CalibrationCell], best: CalibrationCell) -> str:
    """The values of lambda_d that are not behind the best, with any gaps between them."""
    good = [cell.lambda_d for cell in line if not clearly_behind(cell, best)]
    low, high = equally_good_range(line, best)
    beside = ", ".join(f"{value:.2f}" for value in good if not low <= value <= high)
    if low == high:
        words = f"lambda_d {best.lambda_d:.2f} is best"
        words += f", but {beside} is not clearly worse" if beside else ""
    else:
        also = f", and at {beside}," if beside else ""
        words = (
            f"From lambda_d {low:.2f} to {high:.2f}{also} nothing is clearly worse than the best"
        )
    if clearly_behind(line[0], best) and clearly_behind(line[-1], best):
        words += "; both ends, diversity only and relevance only, are clearly worse"
    return words


def sharpen_sentence(advice: Advice, done: int) -> str:
    """How many examples would bound the paper's defaults; empty where these are enough."""
    if advice.needed or advice.sharpen <= done:
        return ""
    return (
        "Measuring how far the paper's defaults are from the best to within "
        f"{three_decimals(advice.margin)}, the margin below which values count as equally good, "
        f"takes about {rounded(advice.sharpen - done):,} more examples."
    )


def rounded(examples: int) -> int:
    """A predicted number with two significant digits."""
    digits = max(0, len(str(examples)) - 2)
    return int(round(examples, -digits))


def gain_sentence(advice: Advice, facts: MetricInfo) -> str:
    """What the choice gains over the paper's defaults, and the figure that it reaches."""
    than = f"the paper's defaults ({in_words(advice.defaults)})"
    if advice.gain.mean is None or advice.gain.low is None:
        return f"There are too few examples to measure a gain over {than}."
    return (
        "Measured on examples that were not used to choose it, the best reaches "
        f"{advice.best_value} ({facts.unit}) and gains {advice.gain} over {than}."
    )


def leakage_sentence(advice: Advice, best: CellKnobs | None) -> str:
    """How much of the gain is left with leaks left out; empty where no context leaks.

    Args:
        advice: The calibration's advice.
        best: Its best cell.
    """
    without, share = advice.gain_without_leaks, advice.leakage_share
    if without is None or without.mean is None:
        return ""
    words = f"With leaks left out, the same choice gains {without}"
    if share is not None:
        words += f": {percent(share)} of its gain is leakage"
    if advice.best_without_leaks not in (None, best):
        words += f"; the best would then be {in_words(advice.best_without_leaks)}"
    return f"{words}."


def gap_sentence(advice: Advice, facts: MetricInfo) -> str:
    """By how much another combination that was tried may still be better."""
    if advice.gap is None or advice.needed:
        return ""
    settled = "so the choice is settled" if advice.settled else "so more examples may change it"
    return (
        f"Nothing that was tried is better than the best by more than {three_decimals(advice.gap)} "
        f"{facts.unit} (95 %, wherever one stops); the margin is "
        f"{three_decimals(advice.margin)}, {settled}."
    )


def in_words(knobs: CellKnobs) -> str:
    """The knobs for a sentence."""
    k, lambda_b, lambda_d = knobs
    return f"lambda_d {lambda_d:.2f} with lambda_b {lambda_b:.2f} and k {k}"
