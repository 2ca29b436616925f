"""What a calibration or comparison says, in sentences for one who decides, from its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .advice import advice_of, advised, gain_sentence, gap_sentence, in_words
from .calibration_findings import (
    Cell,
    as_good,
    best_cell,
    cells_of,
    lambda_d_finding,
    line_of,
)
from .cautions import leak_sentence, skipped_sentences
from .comparison_findings import (
    NO_METHOD_DIFFERENCE,
    best_method,
    difference_of,
    kinds_finding,
    method_finding,
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

FEW = 30
"""Below so many evaluation examples an interval says little."""

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
    best = best_cell(summary)
    sentences = [_calibration_compared(summary)]
    if best is None:
        return Reading(_opened(summary, f"{NO_FIGURE}."), tuple(sentences), _warnings(summary, 0))
    line, facts = line_of(summary), metric_facts(summary["metric"])
    sentences.append(
        f"The best mean {facts.label} is {best.value} ({facts.unit}), at {_knobs(best)}."
    )
    sentences += [
        sentence
        for cell, words in ((line[-1], "relevance only"), (line[0], "diversity only"))
        if (sentence := _lead(best, cell, f"{words} (lambda_d {cell.lambda_d:.2f})"))
    ]
    sentences += _stretch(line, best)
    if facts.name == "dpo_per_triple":
        sentences += [_MEANING, _against_no_context(best)]
    headline, advice = f"{lambda_d_finding(line, best)}.", advice_of(summary)
    if advice is not None:
        sentences += [gain_sentence(advice, facts), gap_sentence(advice, facts)]
        if not is_partial(summary):
            headline += f" {advised(advice)}"
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
    if best is None:
        headline = _opened(summary, f"{method_finding(summary, metric)}.")
        return Reading(headline, (compared,), _warnings(summary, shortened))
    found = verdicts(summary, metric)
    sentences = [
        compared,
        f"The best mean {facts.label} is that of {best}: {value_of(summary, best, metric)} "
        f"({facts.unit}).",
    ]
    for names, words in (
        (found.better, "Clearly better than"),
        (found.worse, "Clearly worse than"),
        (found.unclear, "No clear difference from"),
    ):
        if names:
            sentences.append(f"{words} {reference}: {_listed(summary, names, metric)}.")
    meaning = f"{facts.label}: {facts.explanation}"
    sentences.append(_MEANING if metric == "dpo_per_triple" else meaning)
    if metric == "dpo_per_triple" and (by_kind := kinds_finding(summary, best)):
        sentences.append(by_kind)
    count = sum(map(len, (found.better, found.worse, found.unclear)))
    if count > 2:
        sentences.append(
            f"With {count} comparisons at 95 % each, one in twenty would look clear by chance."
        )
    finding = method_finding(summary, metric)
    tail = ": any of them will do." if finding.startswith(NO_METHOD_DIFFERENCE) else "."
    return Reading(
        _opened(summary, finding + tail), tuple(sentences), _warnings(summary, shortened)
    )


def _opened(summary: Mapping[str, Any], headline: str) -> str:
    after = f"after {examples_done(summary):,} of {summary['total']:,} examples"
    if is_partial(summary):
        return f"So far, {after}: {headline}"
    opened = {"stopped": "Stopped", "settled": "Settled"}.get(summary.get("end") or "")
    return headline if opened is None else f"{opened} {after}: {headline}"


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


def _lead(best: Cell, cell: Cell, words: str) -> str:
    if cell.knobs == best.knobs:
        return f"It is {words} itself."
    if cell.behind is None or cell.behind.mean is None:
        return ""
    if (cell.behind.low, cell.behind.high) == (0.0, 0.0):
        return f"It is the same as {words} in every draw."
    verdict = (
        "the interval leaves zero out, so the lead is clear"
        if cell.behind.above_zero
        else "no clear difference, since the interval holds zero"
        if cell.behind.low is not None
        else "one example gives no interval"
    )
    return f"It is ahead of {words} by {cell.behind}: {verdict}."


def _stretch(line: Sequence[Cell], best: Cell) -> list[str]:
    low, high = as_good(line, best)
    if (low, high) == (line[0].lambda_d, line[-1].lambda_d) or low == high:
        return []
    return [f"From lambda_d {low:.2f} to {high:.2f} nothing is clearly worse than the best."]


def _against_no_context(best: Cell) -> str:
    low, high = best.value.low, best.value.high
    if low is None or high is None:
        return "There are too few examples to say whether any context helps."
    if low > NO_EFFECT:
        return "The best context clearly beats no context."
    if high < NO_EFFECT:
        return "Even the best context is clearly below -0.69: by DPO, this model does better alone."
    return "The best context is not clearly different from no context."


def _knobs(cell: Cell) -> str:
    return in_words(cell.knobs)


def _ks(summary: Mapping[str, Any]) -> str:
    ks = {row["request"]["k"] for row in summary["methods"].values()}
    return ", ".join(str(k) for k in sorted(ks))


def _listed(summary: Mapping[str, Any], names: Sequence[str], metric: str) -> str:
    """The methods, largest difference first, with their differences."""
    pairs = [(name, difference_of(summary, name, metric)) for name in names]
    pairs.sort(key=lambda pair: -abs(pair[1].mean or 0.0) if pair[1] else 0.0)
    return ", ".join(f"{name} by {difference}" for name, difference in pairs)


def _warnings(summary: Mapping[str, Any], shortened: int) -> tuple[str, ...]:
    found = []
    examples = summary["examples"]
    if examples < FEW and not is_partial(summary):
        found.append(
            f"Only {counted(examples, 'evaluation example')}: below about {FEW}, intervals are "
            "rough; take more examples before deciding."
        )
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
