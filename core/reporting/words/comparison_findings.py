"""The findings of a comparison: its best method, and each against the reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from ...evaluation.results.comparison import Comparison
from ...interval import UNDEFINED, Sign
from ...metrics.metric import Counted
from ...metrics.registry import METRICS, metrics_of
from ...text import listed
from .calibration_findings import MEANINGLESS, is_meaningless, no_figure
from .rows import as_subject, row_name, row_word


class Leading(Enum):
    """What is known about the methods in the lead."""

    TOO_FEW = auto()
    """There are too few examples to know which they are."""
    ALL = auto()
    """None is clearly better than any other."""
    ONE = auto()
    """One is clearly better than every other."""
    SEVERAL = auto()
    """Some are, with no clear difference among them."""


@dataclass(frozen=True)
class Lead:
    """Which methods may be the best, all differences of all methods taken together.

    `names` are those that no other is clearly better than, the best mean first; `all` is whether
    none is clearly worse than any. `needed` is how many examples that takes, 0 where there are
    enough.
    """

    names: tuple[str, ...]
    all: bool
    needed: int

    @property
    def verdict(self) -> Leading | None:
        """What is known about them; None where no method has a figure."""
        if not self.names:
            return None
        if self.needed:
            return Leading.TOO_FEW
        if self.all:
            return Leading.ALL
        return Leading.ONE if len(self.names) == 1 else Leading.SEVERAL


def lead_of(comparison: Comparison, metric: str) -> Lead | None:
    """The methods in the lead; None where the run did not measure it."""
    front = comparison.fronts.get(metric)
    if front is None:
        return None
    known = [n for n in front.best if comparison.value(n, metric).mean is not None]
    known.sort(key=lambda name: -(comparison.value(name, metric).mean or 0.0))
    return Lead(tuple(known), len(known) == _with_figure(comparison, metric), front.needed)


def offered_metrics(comparison: Comparison) -> list[str]:
    """The metrics to choose from: those of labels and of generated answers where it has them."""
    return [
        name
        for name in metrics_of(generated=comparison.settings.generate)
        if METRICS[name].counts is not Counted.LABELLED or comparison.labels is not None
    ]


def has_figure(comparison: Comparison, metric: str) -> bool:
    """Whether any method has a figure of the metric."""
    return _with_figure(comparison, metric) > 0


def _with_figure(comparison: Comparison, metric: str) -> int:
    return sum(comparison.value(name, metric).mean is not None for name in comparison.methods)


def best_method(comparison: Comparison, metric: str) -> str | None:
    """The method with the best mean, the first among equals.

    None where no end is better, and where the figures mean nothing.
    """
    facts = METRICS[metric]
    if facts.higher_is_better is None or is_meaningless(comparison, metric):
        return None
    sign = 1.0 if facts.higher_is_better else -1.0
    means = {
        name: sign * mean
        for name in comparison.methods
        if (mean := comparison.value(name, metric).mean) is not None
    }
    return max(means, key=lambda name: means[name]) if means else None


def leaders(comparison: Comparison, metric: str) -> set[str]:
    """Every method that shares the best mean; none where all are equal or examples are too few."""
    best, lead = best_method(comparison, metric), lead_of(comparison, metric)
    if best is None or (lead is not None and lead.needed):
        return set()
    means = {name: comparison.value(name, metric).mean for name in comparison.methods}
    return _equal_to(means, means[best])


def leaders_of_kind(comparison: Comparison, kind: str) -> set[str]:
    """Every method that shares the best mean over one kind; none in the cases of `leaders`."""
    lead = lead_of(comparison, "dpo_per_triple")
    if (lead is not None and lead.needed) or is_meaningless(comparison, "dpo_per_triple"):
        return set()
    means = {name: each.by_kind[kind].mean for name, each in comparison.methods.items()}
    known = [mean for mean in means.values() if mean is not None]
    return _equal_to(means, max(known)) if known else set()


def kinds_finding(comparison: Comparison, method: str) -> str:
    """Against which kind of incorrect answer the method does best and worst, as a sentence.

    Empty with fewer than two kinds.
    """
    values = comparison.methods[method].by_kind
    known = {kind: value.mean for kind, value in values.items() if value.mean is not None}
    if len(known) < 2:
        return ""
    best, worst = max(known, key=lambda k: known[k]), min(known, key=lambda k: known[k])
    return (
        f"By kind of incorrect answer, {row_name(comparison, method)} does best against {best!r}, "
        f"{values[best]}, and worst against {worst!r}, {values[worst]}."
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

    @property
    def counted(self) -> int:
        """How many methods were compared."""
        return len(self.better) + len(self.worse) + len(self.unclear)


def verdicts(comparison: Comparison, metric: str) -> Verdicts:
    """Which methods are better or worse than the reference beyond chance."""
    better, worse = Sign.POSITIVE, Sign.NEGATIVE
    if METRICS[metric].higher_is_better is False:
        better, worse = worse, better
    differences = {name: comparison.difference(name, metric) for name in comparison.methods}
    signs = {name: UNDEFINED.sign if d is None else d.sign for name, d in differences.items()}
    unclear = set(Sign) - {better, worse, Sign.UNDEFINED}
    return Verdicts(
        better=tuple(name for name, sign in signs.items() if sign is better),
        worse=tuple(name for name, sign in signs.items() if sign is worse),
        unclear=tuple(name for name, sign in signs.items() if sign in unclear),
    )


def method_finding(comparison: Comparison, metric: str) -> str:
    """Which methods lead on a metric beyond chance, by name; a tie is named as one."""
    facts = METRICS[metric]
    if not has_figure(comparison, metric):
        return no_figure(comparison, metric)
    if is_meaningless(comparison, metric):
        return MEANINGLESS
    best, lead = best_method(comparison, metric), lead_of(comparison, metric)
    if best is None:
        return facts.explanation.partition(":")[0]
    if lead is None or lead.verdict is None:
        return f"{as_subject(comparison, best, first=True)} has the best mean {facts.label}"
    if lead.verdict is Leading.TOO_FEW:
        return (
            f"Too few examples to say which {row_word(comparison)} leads in {facts.label}: "
            f"it takes about {lead.needed:,}"
        )
    if lead.verdict is Leading.ALL:
        return f"No clear difference between the {row_word(comparison)}s in {facts.label}"
    subjects = [as_subject(comparison, n, first=n == lead.names[0]) for n in lead.names]
    if lead.verdict is Leading.ONE:
        ahead = f"clearly ahead of every other {row_word(comparison)}"
        return f"{subjects[0]} leads in {facts.label}, {ahead}"
    return f"{listed(subjects)} lead in {facts.label}, with no clear difference among them"


def same_mean(comparison: Comparison, metric: str) -> tuple[str, ...]:
    """The methods that share the best mean exactly; empty where one has it alone."""
    found = leaders(comparison, metric)
    return tuple(name for name in comparison.methods if name in found) if len(found) > 1 else ()


def difference_finding(comparison: Comparison, metric: str) -> str:
    """How many methods are clearly better and worse than the reference."""
    if not has_figure(comparison, metric):
        return no_figure(comparison, metric)
    if is_meaningless(comparison, metric):
        return MEANINGLESS
    found, reference = verdicts(comparison, metric), row_name(comparison, comparison.reference)
    without = comparison.reference in comparison.methods and not found.counted
    if without and comparison.value(comparison.reference, metric).mean is None:
        return f"{METRICS[metric].label} is undefined for {reference}: choose another reference"
    count = found.counted
    if not count:
        return f"Nothing else was compared with {reference}"
    ends = METRICS[metric].ends
    front = comparison.fronts.get(metric)
    if front is not None and front.needed:
        return f"Too few examples to compare with {reference}: it takes about {front.needed:,}"
    words = ("better", "worse") if ends is None else (ends[1], ends[0])
    parts = [
        f"{len(names)} of {count} clearly {word}"
        for names, word in zip((found.better, found.worse), words, strict=True)
        if names
    ]
    if not parts:
        return f"No {row_word(comparison)} differs clearly from {reference}"
    return f"Against {reference}: {', '.join(parts)}"
