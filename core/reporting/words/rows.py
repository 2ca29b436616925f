"""What the rows of a comparison are, in words, and what two of them are to each other."""

import re
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.pairs import comparable
from ...evaluation.results.run_figures import RecordedRequest
from ...interval import Interval, Sign
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS
from ...retrieval.knobs import KNOBS, LAMBDAS
from ...text import lambda_text, three_decimals

WITHOUT = "none"
"""The method that shows no demonstrations."""
_FIRST = ("k", *LAMBDAS)
"""The knobs that are always named; the others only where they are not at their default."""


def shows_no_demonstrations(comparison: Comparison, row: str) -> bool:
    """Whether the row's method shows no demonstrations, whatever the row's name."""
    figures = comparison.methods.get(row)
    return figures is not None and figures.request.method == WITHOUT


def row_without_demonstrations(comparison: Comparison) -> str | None:
    """The first row that shows no demonstrations; None where none does."""
    return next(
        (row for row in comparison.methods if shows_no_demonstrations(comparison, row)), None
    )


def row_name(comparison: Comparison, row: str) -> str:
    """The row's name in a sentence."""
    return "no demonstrations" if shows_no_demonstrations(comparison, row) else row


def as_subject(comparison: Comparison, row: str, *, first: bool) -> str:
    """The row as the subject of a sentence; its name stays as it is written."""
    if not shows_no_demonstrations(comparison, row):
        return row
    return f"{'Showing' if first else 'showing'} {row_name(comparison, row)}"


class RowWord(StrEnum):
    """What the rows of a comparison are, and the word for one of them."""

    METHOD = "method"
    """All are methods that share their knobs."""
    SETTING = "setting"
    """Some are one method with several values of a knob, or have names of their own."""


def row_word(comparison: Comparison) -> RowWord:
    """What the rows are: methods where all are methods that share their knobs, else settings.

    That is so where each has its method's name, and no knob has two values.
    """
    named = all(row == each.request.method for row, each in comparison.methods.items())
    return RowWord.METHOD if named and not _differ(comparison) else RowWord.SETTING


def shared_knobs(comparison: Comparison) -> dict[str, object]:
    """The knobs that have one value in most rows whose choice depends on them, by name.

    k first, then the lambdas, then the others where they are not at their default.
    """
    usual = _usual_values(comparison)
    first = {name: usual[name] for name in _FIRST if name in usual}
    return first | {name: value for name, value in usual.items() if not _is_default(name, value)}


def knobs_of_row(comparison: Comparison, row: str) -> dict[str, object]:
    """The row's values of the knobs in which it differs from most rows, by name.

    Of a knob without one value in most rows, any value; a rare knob's default is left out.
    """
    request, usual = comparison.methods[row].request, _usual_values(comparison)
    depends = _depends(request)
    values = {name: given_value(request, name) for name in (*_FIRST, *depends) if name in depends}

    def is_named(name: str, value: Any) -> bool:
        if name in usual:
            return bool(value != usual[name])
        return name in _FIRST or not _is_default(name, value)

    return {name: value for name, value in values.items() if is_named(name, value)}


def knobs_in_words(knobs: Mapping[str, object]) -> str:
    """Knobs for a sentence: "k 6, lambda_d 0.75"."""
    return ", ".join(_in_words(name, value) for name, value in knobs.items())


def row_note(comparison: Comparison, row: str) -> str:
    """The note under a row's name: its method, its knobs where it differs, and the reference.

    For a row with a name of its own, with the method's name too.
    """
    method = comparison.methods[row].request.method
    parts = [METHODS[method].label if method in METHODS else ""]
    if row != method and method in METHODS:
        parts = [f"{method}: {parts[0]}"]
    if knobs := knobs_of_row(comparison, row):
        parts.append(knobs_in_words(knobs))
    if row == comparison.reference:
        parts.append("reference")
    return "; ".join(filter(None, parts))


def breakable(row: str) -> str:
    """The row's name with unseen places where a line may break: after "@", "," and "="."""
    return re.sub(r"(?<=[@,=])(?=\S)", "\N{ZERO WIDTH SPACE}", row)


def row_in_words(comparison: Comparison, row: str) -> str:
    """The row with its method and the knobs in which it differs; empty where its name has all."""
    method, knobs = comparison.methods[row].request.method, knobs_of_row(comparison, row)
    named = set(row.removeprefix(f"{method}@").split(","))
    if row == method and not knobs:
        return ""
    if row.startswith(f"{method}@") and {f"{name}={knobs[name]}" for name in knobs} <= named:
        return ""
    parts = [] if row == method else [method]
    return f"{row}: {', '.join([*parts, *([knobs_in_words(knobs)] if knobs else [])])}"


def _depends(request: RecordedRequest) -> tuple[str, ...]:
    """The knobs that the row's choice depends on; of a removed method only k is known."""
    if request.method == WITHOUT:
        return ()
    return METHODS[request.method].knobs if request.method in METHODS else ("k",)


def given_value(request: RecordedRequest, name: str) -> Any:
    """The value of a knob; candidates 0 where the method's own number was left as it is."""
    if name == "candidates":
        of_method = METHODS[request.method].candidates
        usual = max(of_method, request.k) if of_method else 0
        return 0 if request.candidates == usual else request.candidates
    return request.value_of(name)


def _values(comparison: Comparison) -> dict[str, Counter[Any]]:
    """How many of the rows that depend on a knob have each of its values, by the knob's name."""
    found: dict[str, Counter[Any]] = {}
    for each in comparison.methods.values():
        for name in _depends(each.request):
            found.setdefault(name, Counter())[given_value(each.request, name)] += 1
    return found


def _usual_values(comparison: Comparison) -> dict[str, object]:
    """The value of more than half of the rows that depend on a knob, where there is one."""
    most = {name: counts.most_common(1)[0] for name, counts in _values(comparison).items()}
    totals = {name: counts.total() for name, counts in _values(comparison).items()}
    return {name: value for name, (value, count) in most.items() if 2 * count > totals[name]}


def _differ(comparison: Comparison) -> bool:
    return any(len(counts) > 1 for counts in _values(comparison).values())


def _is_default(name: str, value: Any) -> bool:
    if name in KNOBS:
        return bool(value == KNOBS[name].default)
    own = (knob for method in METHODS.values() for knob in method.own if knob.name == name)
    return any(value == knob.default for knob in own)


def _in_words(name: str, value: object) -> str:
    if value is True:
        return name
    if isinstance(value, StrEnum):
        return f"{name} {value.value}"
    return f"{name} {lambda_text(value) if isinstance(value, float) else value}"


WIN_INTERVALS = (
    "A win is the larger value; nearer than 1e-6 is a tie. The 95 % interval of each share of wins "
    "is exact (Clopper-Pearson); each is valid for its own pair, not for all pairs at once"
)
RHO = (
    "Spearman's rank correlation over the queries, ties by mid-ranks, with its 95 % interval by "
    "the jackknife on Fisher's scale; it is valid for this pair, not for all pairs at once"
)

_SUMS = {
    Sign.POSITIVE: "A better sum goes with better answers",
    Sign.NEGATIVE: "A better sum goes with worse answers",
    Sign.UNCLEAR: "A better sum says nothing about the answers",
}


def win_sentence(comparison: Comparison, row: str, metric: str) -> str:
    """How often the row has the larger and the smaller number, and by how much at most.

    Where there is nothing to count, the reason.
    """
    name, reference = _lowered(METRICS[metric].label), row_name(comparison, comparison.reference)
    found, share = comparison.wins(row, metric), comparison.win_share(row, metric)
    if found is None:
        return f"{_why_none(comparison, row, metric)}."
    subject = as_subject(comparison, row, first=False)
    if found.ties == found.n:
        return f"Against {reference}, {subject} has the same {name} on every query."
    if found.wins:
        larger = f"has the larger {name} on {found.wins:,} of {found.n:,} queries"
        if share.low is not None and share.high is not None:
            larger += f" (95 % interval {percent(share.low)} to {percent(share.high)})"
        larger += _by_at_most(found.max_diff)
    else:
        larger = f"never has the larger {name}"
    if found.losses:
        of = "" if found.wins else f" of {found.n:,} queries"
        smaller = f"on {found.losses:,}{of} the smaller"
        smaller += _by_at_most(found.max_diff_reverse)
    else:
        smaller = "never the smaller"
    equal = f"; on {found.ties:,} neither" if found.ties else ""
    return f"Against {reference}, {subject} {larger}; {smaller}{equal}."


def sums_finding(found: Interval) -> str:
    """Whether a better sum means better answers, with the rank correlation, as a title."""
    if found.sign is Sign.UNDEFINED:
        return "No rank correlation: the sums or the answers do not differ"
    if found.sign is Sign.TOO_FEW:
        return (
            "Too few examples to say whether a better sum goes with better answers: "
            f"it takes about {found.needed:,}"
        )
    if found.sign is Sign.UNBOUNDED:
        return f"Rank correlation of the sum with the answers: {found}"
    return f"{_SUMS[found.sign]}: rank correlation {found}"


def percent(share: float, sign: str = " %") -> str:
    """A share in percent, whole unless that would hide that it is neither 0 nor 1."""
    shown = f"{100 * share:.0f}"
    for decimals in (1, 2, 3):
        if share in (0.0, 1.0) or float(shown) not in (0.0, 100.0):
            break
        shown = f"{100 * share:.{decimals}f}"
    return f"{shown}{sign}"


def _by_at_most(difference: float | None) -> str:
    return "" if difference is None else f", by at most {_amount(difference)}"


def _amount(difference: float) -> str:
    return three_decimals(difference) if difference >= 0.001 else f"{difference:.0e}"


def _why_none(comparison: Comparison, row: str, metric: str) -> str:
    label, reference = METRICS[metric].label, comparison.reference
    named, against = row_name(comparison, row), row_name(comparison, reference)
    ours, theirs = (comparison.methods[each].request for each in (row, reference))
    if not comparable(ours, theirs, metric):
        return f"{label} cannot be compared: {row} and {reference} choose by different embeddings"
    if comparison.value(reference, metric).mean is None:
        return f"{label} is undefined for the reference, {against}; choose another one"
    if comparison.value(row, metric).mean is None:
        return f"{label} is undefined for {named}"
    return f"{label} is defined for both {named} and {against} on no query"


def _lowered(label: str) -> str:
    """A metric's label inside a sentence; an abbreviation stays as it is."""
    return label if label[1:2].isupper() else label[0].lower() + label[1:]
