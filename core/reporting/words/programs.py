"""What a trial found, in sentences."""

from ...interval import Interval, Sign
from ...programs.steps import Step
from ...programs.trial import Difference, RowResult, Trial
from ...text import counted, listed, three_decimals

MEANINGS = {
    "em": "the share of answers that are an accepted one after normalising",
    "f1": "the mean F1 over the tokens of answer and accepted answer",
    "nf1": "the same over what is neither a stop word nor in the question",
}
"""What each measure is."""
NAMED = 3
"""Rows that are named one by one, at most."""


def headline(trial: Trial) -> str:
    """Which rows get clearly more or fewer questions right than the first one."""
    first, *others = trial.rows
    reached = f"{first.name} gets {_reached(first)}"
    if not others:
        return f"{reached}."
    better = [each for each in trial.differences if each.em.sign is Sign.POSITIVE]
    worse = [each for each in trial.differences if each.em.sign is Sign.NEGATIVE]
    rest = [each for each in trial.differences if each not in better and each not in worse]
    clear = [
        f"{_named(found, len(others))} {'gets' if len(found) == 1 else 'get'} clearly {word}"
        for found, word in ((better, "more"), (worse, "fewer"))
        if found
    ]
    needed = max(each.em.needed for each in trial.differences)
    if needed:
        return (
            f"{reached}. Which programs differ beyond chance takes about {needed:,} questions to "
            "tell."
        )
    if not clear:
        return f"{reached}; no other program is clearly better or worse."
    names = [each.row for each in rest] if len(rest) <= NAMED else [f"{len(rest):,} others"]
    unclear = f" No clear difference: {listed(names)}." if rest else ""
    return f"{reached}; {'; '.join(clear)}.{unclear}"


def figure_title(trial: Trial, measure: str) -> str:
    """The same for one measure, as short as a title is."""
    found: list[Interval] = [getattr(each, measure) for each in trial.differences]
    first = trial.rows[0].name
    label = measure.upper() if measure == "em" else measure
    if not found:
        return f"{label} of {first}"
    if any(each.needed for each in found):
        return f"{label} of each program"
    clear = sum(each.sign in (Sign.POSITIVE, Sign.NEGATIVE) for each in found)
    return f"{label}: {clear:,} of {len(found):,} clearly different from {first}"


def step_line(step: Step) -> str:
    """What a step did and took: "1,204 tokens, 20 texts, 0.4 s"."""
    tokens = sum(call.tokens for call in step.calls)
    texts = max((len(call.generations) for call in step.calls), default=0)
    parts = [counted(tokens, "token"), counted(texts, "text")] if step.calls else []
    if step.search is not None:
        queries = len(step.search.queries)
        parts += [counted(queries, "query"), counted(len(step.search.found), "passage")]
    return ", ".join([*parts, f"{step.seconds:.1f} s"])


def _reached(row: RowResult) -> str:
    if row.em.mean is None:
        return "no figure"
    right = round(row.em.mean * row.em.n)
    return f"{right:,} of {row.em.n:,} questions right"


def _named(found: list[Difference], others: int) -> str:
    """The rows with their differences; of more than a few their number and the ends."""
    if len(found) <= NAMED:
        return listed([f"{each.row} ({_points(each.em)})" for each in found])
    ends = sorted((each.em for each in found), key=lambda each: abs(each.mean or 0.0))
    count = f"all {others:,} others" if len(found) == others else f"{len(found):,} others"
    return f"{count} ({_points(ends[0])} to {_points(ends[-1])})"


def _points(value: Interval) -> str:
    sign = "+" if (value.mean or 0.0) > 0 else ""
    return f"{sign}{three_decimals(value.mean or 0.0)}"
