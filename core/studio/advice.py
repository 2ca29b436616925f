"""What a calibration recommends, in sentences, and whether more examples could change it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..metrics.sequential import FIRST_LOOK
from .calibration_findings import Knobs
from .estimates import Estimate, MetricFacts, examples_done, metric_facts, three_decimals


@dataclass(frozen=True)
class Advice:
    """What a calibration recommends, as its summary holds it.

    `clear` says whether (k, lambda_b, lambda_d) in `knobs` are better than the paper's `defaults`;
    where they are not, `knobs` are those defaults. `gap` is None before the first look.
    """

    knobs: Knobs
    defaults: Knobs
    clear: bool
    gain: Estimate
    gap: float | None
    margin: float
    settled: bool


def advice_of(summary: Mapping[str, Any]) -> Advice | None:
    """The recommendation of a calibration's summary; None while there is none."""
    row = summary.get("recommendation")
    if row is None:
        return None
    return Advice(
        knobs=_knobs_of(row),
        defaults=_knobs_of(row["defaults"]),
        clear=row["clear"],
        gain=Estimate.of(row["gain"]),
        gap=row["gap"],
        margin=row["margin"],
        settled=row["settled"],
    )


def _knobs_of(row: Mapping[str, Any]) -> Knobs:
    return row["k"], row["lambda_b"], row["lambda_d"]


def how_it_ended(summary: Mapping[str, Any]) -> str:
    """Why a calibration ended before its last example, in a sentence; empty where it did not."""
    advice, done, total = advice_of(summary), examples_done(summary), summary["total"]
    if summary.get("end") == "stopped":
        return f"Stopped after {done:,} of {total:,} examples; what was scored is kept."
    if summary.get("end") == "settled" and advice is not None:
        return (
            f"Settled after {done:,} of {total:,} examples: nothing that was tried is better than "
            f"the best by more than {advice.margin:g} {metric_facts(summary['metric']).unit}."
        )
    return ""


def advised(advice: Advice) -> str:
    """What to do, in a sentence."""
    if advice.clear:
        return f"Recommended: {in_words(advice.knobs)}."
    if advice.gain.low is None:
        defaults = in_words(advice.defaults)
        return f"Too few examples to advise more than the paper's defaults: {defaults}."
    return f"No clear difference from the paper's defaults: keep {in_words(advice.defaults)}."


def gain_sentence(advice: Advice, facts: MetricFacts) -> str:
    """What the choice gains over the paper's defaults."""
    than = f"the paper's defaults ({in_words(advice.defaults)})"
    if advice.gain.mean is None or advice.gain.low is None:
        return f"There are too few examples to measure a gain over {than}."
    verdict = "a clear gain" if advice.clear else "no clear difference"
    small = advice.gain.above_zero and not advice.clear
    return (
        f"Over {than}, choosing the best gains {advice.gain} ({facts.unit}), measured on examples "
        f"that did not choose it: {verdict}"
        + (f", as it is within the margin of {advice.margin:g}." if small else ".")
    )


def gap_sentence(advice: Advice, facts: MetricFacts) -> str:
    """By how much something else that was tried may still be better."""
    if advice.gap is None:
        return f"Whether the choice is settled shows from {FIRST_LOOK} examples on."
    settled = "so the choice is settled" if advice.settled else "so the choice is not settled"
    return (
        f"Of what was tried, nothing is better than the best by more than "
        f"{three_decimals(advice.gap)} {facts.unit} (95 %, wherever one stops); the margin of "
        f"indifference is {advice.margin:g}, {settled}."
    )


def in_words(knobs: Knobs) -> str:
    """The knobs as they stand in a sentence."""
    k, lambda_b, lambda_d = knobs
    return f"lambda_d {lambda_d:.2f} with lambda_b {lambda_b:.2f} and k {k}"
