"""Which setting to use, as a value; a calibration's decision in sentences, all from one rule."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ...evaluation.plan.comparison_rows import ComparisonRow
from ...evaluation.results.calibration import Advice, Calibration
from ...evaluation.results.cells import CalibrationCell, CellKnobs
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.run_figures import End, PoolEdits, RecordedRequest, RunSettings
from ...metrics.metric import MetricInfo
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS, settled
from ...retrieval.knobs import LAMBDAS, Knobs
from ...text import counted, three_decimals
from .calibration_findings import (
    NO_LAMBDA_D_DIFFERENCE,
    LambdaDEffect,
    clearly_behind,
    effect_of_lambda_d,
    equally_good_range,
    line_of,
)
from .comparison_findings import best_method, lead_of
from .rows import given_value, knobs_in_words, percent

WINS = "mc1"
"""What a setting in the lead must lead in too, where some do: the answers that are right."""
_PLAIN = ("fix", "bm25", "rel")
"""The methods outside the family of RAGSys, and of it `rel`, that weigh one term alone."""


class Grounds(StrEnum):
    """Why a setting is recommended, as what it is."""

    LEADS = "clearly better in {label} than every other setting compared"
    SIMPLEST = "the simplest of the {tied} settings that lead in {label}"
    WINS = "the simplest of those that lead in {label} and in {wins} too"
    NONE_BETTER = "the simplest of {tied} settings, none clearly better in {label}"
    ALONE = "the only setting compared, so nothing says whether another is better"
    DEFAULTS = "the paper's setting, which is not clearly worse than the best"
    IN_USE = "the setting in use, which is not clearly worse than the best"
    BEST = "the best mean, and the paper's setting is clearly worse"
    TOO_FEW = "the paper's setting, until there are enough examples to choose another"


@dataclass(frozen=True)
class SettingToUse:
    """The setting that a result recommends; `tied` counts those as good as the best."""

    knobs: Knobs
    why: Grounds
    tied: int


def simplicity(knobs: Knobs) -> tuple[float, ...]:
    """Smaller for a simpler setting: without context, by one term, by more; then the fewer shown.

    Then the nearer to relevance alone. A random choice is there to compare with: it comes last.
    """
    method, used = METHODS[knobs.method], settled(knobs)
    terms = (used.lambda_d < 1) + (used.lambda_b < 1) + method.needs_model
    terms = max(terms, not (method.chooses_by_mmr or method.name in _PLAIN))
    rank = 0 if not method.chooses else 9 if method.name == "random" else 1 + terms
    return rank, knobs.k if rank else 0, -used.lambda_d, -used.lambda_b, len(method.parameters)


def setting_of_comparison(comparison: Comparison, metric: str) -> SettingToUse | None:
    """The simplest of the settings in the lead; None where nothing is known about them."""
    lead, wins, rows = lead_of(comparison, metric), lead_of(comparison, WINS), comparison.methods
    known = [row for row in (lead.names if lead else ()) if rows[row].request.method in METHODS]
    if lead is None or lead.needed or not known or best_method(comparison, metric) is None:
        return None
    why, tied = Grounds.SIMPLEST, len(lead.names)
    also = [] if wins is None or wins.needed else [row for row in known if row in wins.names]
    if 0 < len(also) < len(known):
        known, why, tied = also, Grounds.WINS, len(also)
    elif tied == 1:
        why = Grounds.ALONE if lead.all else Grounds.LEADS
    elif lead.all:
        why = Grounds.NONE_BETTER
    settings = [_to_use(comparison.settings, rows[row].request) for row in known]
    return SettingToUse(min(settings, key=simplicity), why, tied)


def setting_of_calibration(calibration: Calibration, in_use: Knobs) -> SettingToUse | None:
    """The paper's lambdas where they are not clearly worse, else those in use, else the best."""
    advice, best = calibration.advice, calibration.best
    if advice is None or best is None or calibration.settings.by_a_toy:
        return None
    first = _to_use(calibration.settings, calibration.settings.cells[0])
    tied = [each.knobs._asdict() for each in calibration.cells if not clearly_behind(each, best)]
    near = [each for each in tied if same_setting(replace(first, **each), in_use)]
    chosen, why = advice.knobs._asdict(), Grounds.BEST if advice.clear else Grounds.DEFAULTS
    if advice.needed:
        why = Grounds.TOO_FEW
    elif advice.clear and near:
        chosen, why = near[0], Grounds.IN_USE
    return SettingToUse(replace(first, **chosen), why, len(tied))


def same_setting(one: Knobs, other: Knobs) -> bool:
    """Whether both choose the same contexts whatever the query."""
    return ComparisonRow("", one).setting == ComparisonRow("", other).setting


def _to_use(settings: RunSettings, request: RecordedRequest) -> Knobs:
    """What was asked for; the request has what became of it."""
    return replace(settings.knobs_of(request), candidates=given_value(request, "candidates"))


def setting_in_words(knobs: Knobs) -> str:
    """The method with the knobs that its choice depends on; of the rare ones those changed."""
    method, first = METHODS[knobs.method], ("k", *LAMBDAS)
    names = dict.fromkeys((*(name for name in first if name in method.knobs), *method.knobs))
    values = {name: method.value_of(knobs, name) for name in names}
    named = {n: v for n, v in values.items() if n in first or v != method.knob(n).default}
    return f"{knobs.method} with {knobs_in_words(named)}" if named else "no demonstrations"


def setting_sentence(found: SettingToUse, metric: str, edits: PoolEdits | None = None) -> str:
    """Which setting to use and why, in a sentence; `edits` of the pool since may change that."""
    verb = "use" if METHODS[found.knobs.method].chooses else "show"
    if edits is not None and edits.outdated is not False:
        verb = f"For the pool as it was before {counted(edits.count, 'edit')}: {verb}"
    why = found.why.format(tied=found.tied, label=METRICS[metric].label, wins=METRICS[WINS].label)
    return f"{verb[0].upper()}{verb[1:]} {setting_in_words(found.knobs)}: {why}."


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
