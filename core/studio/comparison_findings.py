"""What the figures of a comparison say: its best method, and each against the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..evaluation.evaluate import BY_KIND
from .estimates import DIVERSITY, NO_FIGURE, Estimate, metric_facts

NO_METHOD_DIFFERENCE = "No clear difference between the methods"


def value_of(summary: Mapping[str, Any], method: str, metric: str) -> Estimate:
    """A method's metric in a comparison's summary."""
    row = summary["methods"][method]
    return Estimate(row[metric], *row["intervals"][metric])


def difference_of(summary: Mapping[str, Any], method: str, metric: str) -> Estimate | None:
    """The method's metric minus the reference's, paired; None for the reference itself."""
    row = summary["methods"][method].get("difference")
    return None if row is None else Estimate.of(row[metric])


def best_method(summary: Mapping[str, Any], metric: str) -> str | None:
    """The method with the best mean, the first among equals; None where no end is better."""
    facts = metric_facts(metric)
    if facts.higher_is_better is None:
        return None
    sign = 1.0 if facts.higher_is_better else -1.0
    means = {
        name: sign * mean
        for name in summary["methods"]
        if (mean := value_of(summary, name, metric).mean) is not None
    }
    return max(means, key=lambda name: means[name]) if means else None


def leaders(summary: Mapping[str, Any], metric: str) -> set[str]:
    """Every method that shares the best mean; none where all methods are equal."""
    best = best_method(summary, metric)
    if best is None:
        return set()
    means = {name: value_of(summary, name, metric).mean for name in summary["methods"]}
    return _equal_to(means, means[best])


def kinds_of(summary: Mapping[str, Any]) -> list[str]:
    """The kinds of incorrect answers that the comparison has DPO of; runs of old have none."""
    first: Mapping[str, Any] = next(iter(summary["methods"].values()), {})
    return list(first.get(BY_KIND, {}))


def value_of_kind(summary: Mapping[str, Any], method: str, kind: str) -> Estimate:
    """A method's DPO per triple over the incorrect answers of one kind."""
    return Estimate.of(summary["methods"][method][BY_KIND][kind])


def leaders_of_kind(summary: Mapping[str, Any], kind: str) -> set[str]:
    """Every method that shares the best mean over one kind; none where all methods are equal."""
    means = {name: value_of_kind(summary, name, kind).mean for name in summary["methods"]}
    known = [mean for mean in means.values() if mean is not None]
    return _equal_to(means, max(known)) if known else set()


def kinds_finding(summary: Mapping[str, Any], method: str) -> str:
    """Against which kind of incorrect answer the method does best and worst, as a sentence.

    Empty with fewer than two kinds.
    """
    values = {kind: value_of_kind(summary, method, kind) for kind in kinds_of(summary)}
    known = {kind: value.mean for kind, value in values.items() if value.mean is not None}
    if len(known) < 2:
        return ""
    best, worst = max(known, key=lambda k: known[k]), min(known, key=lambda k: known[k])
    return (
        f"By kind of incorrect answer, {method} does best against {best!r}, {values[best]}, and "
        f"worst against {worst!r}, {values[worst]}."
    )


def _equal_to(means: Mapping[str, float | None], best: float | None) -> set[str]:
    equal = {name for name, mean in means.items() if mean == best}
    return equal if len(equal) < len(means) else set()


@dataclass(frozen=True)
class Verdicts:
    """The methods other than the reference by how their metric compares with its."""

    better: tuple[str, ...]
    worse: tuple[str, ...]
    unclear: tuple[str, ...]


def verdicts(summary: Mapping[str, Any], metric: str) -> Verdicts:
    """Which methods are beyond chance better or worse than the reference."""
    sign = -1.0 if metric_facts(metric).higher_is_better is False else 1.0
    found: dict[str, list[str]] = {"better": [], "worse": [], "unclear": []}
    for name in summary["methods"]:
        difference = difference_of(summary, name, metric)
        if difference is None:
            continue
        up = difference.above_zero if sign > 0 else difference.below_zero
        down = difference.below_zero if sign > 0 else difference.above_zero
        found["better" if up else "worse" if down else "unclear"].append(name)
    return Verdicts(*(tuple(found[key]) for key in ("better", "worse", "unclear")))


def method_finding(summary: Mapping[str, Any], metric: str) -> str:
    """Which method leads on a metric, and whether it leads the reference beyond chance."""
    facts, reference = metric_facts(metric), summary["reference"]
    if metric == DIVERSITY.name:
        return "How alike the demonstrations of a context are"
    best, found = best_method(summary, metric), verdicts(summary, metric)
    if best is None:
        return f"{facts.label}: {NO_FIGURE.lower()}"
    if not found.better and not found.worse:
        return f"{NO_METHOD_DIFFERENCE} in {facts.label}"
    if best == reference:
        behind = _and(found.worse) if found.unclear else "all others"
        return f"{best} leads in {facts.label}, clearly ahead of {behind}"
    if best in found.better:
        return f"{best} leads in {facts.label}, clearly ahead of {reference}"
    return f"{best} leads in {facts.label}, but not clearly ahead of {reference}"


def difference_finding(summary: Mapping[str, Any], metric: str) -> str:
    """How many methods are clearly better and worse than the reference."""
    found, reference = verdicts(summary, metric), summary["reference"]
    count = sum(map(len, (found.better, found.worse, found.unclear)))
    if not count:
        return f"Nothing to compare with {reference} yet"
    alike = metric == DIVERSITY.name
    words = ("less diverse", "more diverse") if alike else ("better", "worse")
    parts = [
        f"{len(names)} of {count} clearly {word}"
        for names, word in zip((found.better, found.worse), words, strict=True)
        if names
    ]
    if not parts:
        return f"No method differs clearly from {reference}"
    return f"Against {reference}: {', '.join(parts)}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
