"""What a calibration or comparison says, in sentences for one who decides, from its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .advice import (
    advice_of,
    decided,
    gain_sentence,
    gap_sentence,
    sharpen_sentence,
)
from .calibration_findings import Cell, best_cell, cells_of, lambda_d_finding, line_of
from .cautions import leak_sentence, skipped_sentences
from .comparison_findings import (
    NO_METHOD_DIFFERENCE,
    WITHOUT,
    best_method,
    called,
    difference_of,
    kinds_finding,
    lead_of,
    leaders,
    listed,
    method_finding,
    same_mean,
    value_of,
    verdicts,
)
from .estimates import (
    NO_EFFECT,
    NO_FIGURE,
    examples_done,
    is_partial,
    metric_facts,
)
from .provenance import counted, examples_used, spread_of

_WINS = "mc1"
_MEANING = (
    "DPO per triple: 0 would mean that the context makes the model always sure of the correct "
    "answer against the incorrect one; -0.69 means that the context changes nothing."
)


@dataclass(frozen=True)
class Reading:
    """The finding in a sentence, what stands behind it, and what to mind. Plain text."""

    headline: str
    sentences: tuple[str, ...]
    warnings: tuple[str, ...]


def read_calibration(summary: Mapping[str, Any]) -> Reading:
    """The reading of a calibration's summary, whole or so far."""
    best, advice = best_cell(summary), advice_of(summary)
    sentences = [_calibration_compared(summary)]
    if best is None:
        return Reading(_opened(summary, f"{NO_FIGURE}."), tuple(sentences), _warnings(summary, 0))
    facts = metric_facts(summary["metric"])
    if advice is not None and advice.needed:
        headline = _too_few(summary, advice.needed, "what lambda_d does")
        return Reading(headline, tuple(sentences), _warnings(summary, best.shortened))
    headline = f"{lambda_d_finding(line_of(summary), best)}."
    if advice is not None:
        headline = decided(summary, advice)
        more = (
            gain_sentence(advice, facts),
            gap_sentence(advice, facts),
            sharpen_sentence(advice, summary["examples"]),
        )
        sentences += [sentence for sentence in more if sentence]
    if facts.name == "dpo_per_triple":
        sentences += [_MEANING, _against_no_context(best)]
    return Reading(_opened(summary, headline), tuple(sentences), _warnings(summary, best.shortened))


def read_comparison(summary: Mapping[str, Any], metric: str = "dpo_per_triple") -> Reading:
    """The reading of an evaluation's summary, whole or so far, by one metric."""
    facts, best, reference = (
        metric_facts(metric),
        best_method(summary, metric),
        summary["reference"],
    )
    shortened = max((row["shortened"] for row in summary["methods"].values()), default=0)
    compared = (
        f"Compared: {counted(len(summary['methods']), 'method')} on {examples_used(summary)}, each "
        f"choosing {_ks(summary)} demonstrations."
    )
    warnings, finding = _warnings(summary, shortened), method_finding(summary, metric)
    if best is None:
        return Reading(_opened(summary, f"{finding}."), (compared,), warnings)
    lead = lead_of(summary, metric)
    if lead is not None and lead.needed:
        headline = _too_few(summary, lead.needed, "which method serves best")
        return Reading(headline, (compared,), warnings)
    sentences = [
        compared,
        f"The best mean {facts.label} is that of {called(best)}: {value_of(summary, best, metric)} "
        f"({facts.unit}).",
    ]
    if same := same_mean(summary, metric):
        sentences.append(f"{listed([called(name) for name in same])} have the same mean.")
    sentences += _compared_with(summary, reference, metric)
    if other := _by_right_answers(summary, best, metric):
        sentences.append(other)
    sentences.append(
        _MEANING if metric == "dpo_per_triple" else f"{facts.label}: {facts.explanation}"
    )
    if metric == "dpo_per_triple" and (by_kind := kinds_finding(summary, best)):
        sentences.append(by_kind)
    tail = ": any of them will do." if finding.startswith(NO_METHOD_DIFFERENCE) else "."
    if not finding.startswith(tuple(summary["methods"])):
        finding = finding[0].upper() + finding[1:]
    headline = f"{plain_figure(summary, best)} {finding}{tail}".strip()
    return Reading(_opened(summary, headline), tuple(sentences), warnings)


def plain_figure(summary: Mapping[str, Any], method: str) -> str:
    """In how many of 100 queries the right answer wins, beside none; empty where none can win."""
    won = value_of(summary, method, _WINS)
    if won.mean is None:
        return ""
    interval = ""
    if won.low is not None and won.high is not None:
        interval = f" ({_of_100(won.low)} to {_of_100(won.high)})"
    shown = f"With {called(method)} the right answer wins in {_of_100(won.mean)} of 100 queries"
    other = WITHOUT if WITHOUT in summary["methods"] and method != WITHOUT else None
    if other is None:
        return f"{shown}{interval}."
    without = value_of(summary, other, _WINS).mean
    return f"{shown}{interval}, in {_of_100(without or 0.0)} without demonstrations."


def _of_100(share: float) -> int:
    return round(100 * share)


def _compared_with(summary: Mapping[str, Any], reference: str, metric: str) -> list[str]:
    """Each method against the reference; every such sentence holds together with all others."""
    found = verdicts(summary, metric)
    return [
        f"{words} {called(reference)}: {_listed(summary, names, metric)}."
        for names, words in (
            (found.better, "Clearly better than"),
            (found.worse, "Clearly worse than"),
            (found.unclear, "No clear difference from"),
        )
        if names
    ]


def _by_right_answers(summary: Mapping[str, Any], best: str, metric: str) -> str:
    """Which method has the most right answers, where it is another one; a figure, no verdict."""
    most = best_method(summary, _WINS)
    if metric == _WINS or most is None or best in {most, *leaders(summary, _WINS)}:
        return ""
    mean = value_of(summary, most, _WINS).mean or 0.0
    return (
        f"By {metric_facts(_WINS).label} another has the best mean: with {called(most)} the right "
        f"answer wins in {_of_100(mean)} of 100 queries."
    )


def _opened(summary: Mapping[str, Any], headline: str) -> str:
    after = f"after {examples_done(summary):,} of {summary['total']:,} examples"
    if is_partial(summary):
        return f"So far, {after}: {headline}"
    opened = {"stopped": "Stopped", "settled": "Settled"}.get(summary.get("end") or "")
    return headline if opened is None else f"{opened} {after}: {headline}"


def _too_few(summary: Mapping[str, Any], needed: int, what: str) -> str:
    """That nothing can be said yet, and from how many examples on it may."""
    opened = _opened(summary, "") or f"{counted(summary['examples'], 'example')}: "
    return f"{opened}too few to say {what}. It takes about {needed:,}."


def _calibration_compared(summary: Mapping[str, Any]) -> str:
    cells = cells_of(summary)
    counts = []
    for name, values, style in (
        ("lambda_d", sorted({cell.lambda_d for cell in cells}), ".2f"),
        ("lambda_b", sorted({cell.lambda_b for cell in cells}), ".2f"),
        ("k", sorted({cell.k for cell in cells}), "d"),
    ):
        many = f"{len(values)} values of " if len(values) > 1 else ""
        counts.append(f"{many}{name} {spread_of(values, style)}")
    return f"Compared: {', '.join(counts)}, on {examples_used(summary)}."


def _against_no_context(best: Cell) -> str:
    low, high = best.value.low, best.value.high
    if low is None or high is None:
        return "There are too few examples to say whether any context helps."
    if low > NO_EFFECT:
        return "The best context clearly beats no context."
    if high < NO_EFFECT:
        return "Even the best context is clearly below -0.69: by DPO, this model does better alone."
    return "The best context is not clearly different from no context."


def _ks(summary: Mapping[str, Any]) -> str:
    ks = {row["request"]["k"] for row in summary["methods"].values()}
    return ", ".join(str(k) for k in sorted(ks))


def _listed(summary: Mapping[str, Any], names: Sequence[str], metric: str) -> str:
    """The methods, largest difference first, with their differences."""
    pairs = [(name, difference_of(summary, name, metric)) for name in names]
    pairs.sort(key=lambda pair: -abs(pair[1].mean or 0.0) if pair[1] else 0.0)
    return ", ".join(f"{called(name)} by {difference}" for name, difference in pairs)


def _warnings(summary: Mapping[str, Any], shortened: int) -> tuple[str, ...]:
    found = []
    examples = summary["examples"]
    if shortened:
        found.append(
            f"In {counted(shortened, 'example')} the context did not fit the model's window; the "
            "least relevant demonstrations were left out there."
        )
    found += skipped_sentences(summary)
    if leaks := leak_sentence(summary):
        found.append(leaks)
    if summary["without_incorrect"] and summary["without_incorrect"] < examples:
        found.append(
            f"{counted(summary['without_incorrect'], 'example')} without incorrect answers: "
            f"counted in {metric_facts('dpo_correct_only').label} only."
        )
    elif summary["without_incorrect"]:
        found.append(
            "No example has an incorrect answer, so DPO only says how far the context raises the "
            "correct ones."
        )
    return tuple(found)
