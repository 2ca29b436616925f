"""Two rows of a comparison in words: who wins, and whether a better sum means better answers."""

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.pairs import comparable
from ...interval import Interval, Sign
from ...metrics.registry import METRICS
from ...text import three_decimals
from .rows import as_subject, row_name

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
        larger = f"has the larger {name} on {percent(found.win_rate)} of the queries"
        if share.low is not None and share.high is not None:
            larger += f" ({percent(share.low, '')} to {percent(share.high)})"
        larger += _by_at_most(found.max_diff)
    else:
        larger = f"never has the larger {name}"
    if found.losses:
        smaller = f"on {percent(found.losses / found.n)} the smaller"
        smaller += _by_at_most(found.max_diff_reverse)
    else:
        smaller = "never the smaller"
    equal = f"; on {percent(found.ties / found.n)} neither" if found.ties else ""
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
