"""The findings of a calibration; the basis of the figures of any run, in sentences."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from enum import Enum, StrEnum, auto

from ...evaluation.results.calibration import Calibration
from ...evaluation.results.cells import CalibrationCell, ExactCurve
from ...evaluation.results.run_figures import RunFigures
from ...evaluation.results.verdict import CORRECT_ONLY, ENOUGH, PER_TRIPLE, Basis, HaveIncorrect
from ...metrics.metric import Counted
from ...metrics.registry import METRICS
from ...metrics.scores import OfContext
from ...text import listed

ADDED = "whether a context raises the right answers above wrong ones"
"""What incorrect answers would show."""
MEANINGLESS = "These figures mean nothing: the practice model does not know these texts"
"""The title of a chart by it."""
ANOTHER_MODEL = f"{MEANINGLESS}. Choose a real model and run it again."
"""The headline of a run by it."""


def is_meaningless(figures: RunFigures, metric: str) -> bool:
    """Whether the practice model made the metric's figures, on texts that it does not know.

    Labels and contexts are compared without it.
    """
    without_model = METRICS[metric].counts is Counted.LABELLED or metric in (
        OfContext.__annotations__
    )
    return figures.settings.by_a_toy and not without_model


def no_figure(figures: RunFigures, metric: str) -> str:
    """Why a metric has no figure, as a title; while the run goes on, that there is none yet."""
    facts, basis = METRICS[metric], figures.basis
    if figures.partial:
        return f"{facts.label}: no figures yet"
    if not figures.examples:
        return f"No example could be used, so {facts.label} has no figure"
    if facts.counts is Counted.WITH_INCORRECT and not basis.with_incorrect:
        other = METRICS[CORRECT_ONLY].label
        return f"No example has incorrect answers, which {facts.label} needs: read {other}"
    if facts.counts is Counted.WITHOUT_INCORRECT and not basis.without_incorrect:
        other = METRICS[PER_TRIPLE].label
        return (
            f"Every example has incorrect answers, and {facts.label} counts those that have none: "
            f"read {other}"
        )
    if facts.counts is Counted.GENERATED:
        return f"{facts.label} needs answers that the model generates: run it with them to have it"
    if facts.counts is Counted.LABELLED and not basis.labelled:
        return f"{facts.label} needs a pool with a task, and examples that have its labels"
    if facts.counts is Counted.LABELLED or metric in OfContext.__annotations__:
        return f"No context has as many demonstrations as {facts.label} needs"
    return f"This run did not record what {facts.label} needs: run it again to have it"


def basis_sentences(basis: Basis) -> tuple[str, ...]:
    """What incorrect answers would add, or which figures rest on which examples; often nothing."""
    have, n = basis.have_incorrect, basis.examples
    if have is HaveIncorrect.ALL:
        return ()
    if have is HaveIncorrect.NONE:
        return (
            "No example has an incorrect answer, so the figures show how far a context raises the "
            f"right answers; incorrect answers would add {ADDED} "
            f"({_labels(Counted.WITH_INCORRECT)}).",
        )
    rests = (
        f"{basis.with_incorrect:,} of {n:,} examples have incorrect answers; on these "
        f"{_rest(Counted.WITH_INCORRECT)}. On the other {basis.without_incorrect:,} "
        f"{_rest(Counted.WITHOUT_INCORRECT)}, on all {n:,} {_rest(Counted.ALL)}."
    )
    if have is HaveIncorrect.SOME:
        return (rests,)
    return (
        f"{METRICS[PER_TRIPLE].label} needs about {ENOUGH} examples with incorrect answers, so "
        f"{METRICS[CORRECT_ONLY].label} leads here; more incorrect answers would add {ADDED}.",
        rests,
    )


def of_one_query(triples: int) -> str:
    """The same for one query with answers; empty where it has incorrect ones."""
    if triples:
        return ""
    return (
        "No incorrect answer is given, so the figures show how far the context raises the right "
        "answers; incorrect answers would add whether it raises them above wrong ones."
    )


def counted_of(basis: Basis, metric: str) -> str:
    """How many of the examples the metric counts, where that is neither all nor none."""
    number = basis.counted(metric)
    return f"{number:,} of {basis.examples:,}" if 0 < number < basis.examples else ""


def counted_in(basis: Basis, metric: str) -> str:
    """The same with the metric's name."""
    number = counted_of(basis, metric)
    return f"{number} count in {METRICS[metric].label}" if number else ""


def _named(counts: Counted) -> list[str]:
    return [each.label for each in METRICS.values() if each.counts is counts]


def _labels(counts: Counted) -> str:
    return listed(_named(counts))


def _rest(counts: Counted) -> str:
    return f"{'rests' if len(_named(counts)) == 1 else 'rest'} {_labels(counts)}"


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


def finding_of(calibration: Calibration, found: Callable[[CalibrationCell], str]) -> str:
    """The finding on the best cell, or why there is none: a chart's title."""
    best, advice = calibration.best, calibration.advice
    if is_meaningless(calibration, calibration.metric):
        return MEANINGLESS
    if advice is not None and advice.needed:
        return f"{TOO_FEW}: it takes about {advice.needed:,}"
    return no_figure(calibration, calibration.metric) if best is None else found(best)


def marked_best(calibration: Calibration) -> CalibrationCell | None:
    """The best cell; None where nothing is known: too few examples, figures that mean nothing."""
    unknown = has_too_few_examples(calibration) or calibration.settings.by_a_toy
    return None if unknown else calibration.best


def line_of(
    calibration: Calibration, k: int | None = None, lambda_b: float | None = None
) -> list[CalibrationCell]:
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


def clearly_behind(cell: CalibrationCell, best: CalibrationCell) -> bool:
    """Whether the cell is behind the best one by the calibration's one rule."""
    return cell.knobs != best.knobs and bool(cell.is_behind)


def verdict_of_cell(cell: CalibrationCell, best: CalibrationCell) -> CellVerdict:
    """How the cell compares with the best one."""
    if cell.knobs == best.knobs:
        return CellVerdict.BEST
    return CellVerdict.BEHIND if clearly_behind(cell, best) else CellVerdict.NOT_BEHIND


def effect_of_lambda_d(line: Sequence[CalibrationCell], best: CalibrationCell) -> LambdaDEffect:
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


def equally_good_range(
    line: Sequence[CalibrationCell], best: CalibrationCell
) -> tuple[float, float]:
    """The stretch of lambda_d around the best on which no cell is clearly behind."""
    at = [cell.knobs for cell in line].index(best.knobs)
    low = high = at
    while low > 0 and not clearly_behind(line[low - 1], best):
        low -= 1
    while high < len(line) - 1 and not clearly_behind(line[high + 1], best):
        high += 1
    return line[low].lambda_d, line[high].lambda_d


def lambda_d_finding(line: Sequence[CalibrationCell], best: CalibrationCell) -> str:
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


def _better_than_relevance(line: Sequence[CalibrationCell], best: CalibrationCell) -> str:
    at, (low, _) = best.lambda_d, equally_good_range(line, best)
    if at == line[0].lambda_d:
        return "The more diversity, the better"
    if low > line[0].lambda_d:
        return f"Best at lambda_d {at:.2f}; diversity only is not clearly worse"
    return f"More diversity is better until lambda_d {at:.2f}; beyond it, no clear difference"


def _better_than_diversity(line: Sequence[CalibrationCell], best: CalibrationCell) -> str:
    at, (low, high) = best.lambda_d, equally_good_range(line, best)
    if low == at == line[-1].lambda_d:
        return "More diversity is worse: relevance only is best"
    if high < line[-1].lambda_d:
        return f"Best at lambda_d {at:.2f}; relevance only is not clearly worse"
    return f"DPO is clearly worse only below lambda_d {low:.2f}"
