"""The words beside the two maps: titles, shares of neighbours with the same label, a verdict."""

from ...evaluation.results.verdict import Sorting
from ...interval import Interval
from ..results.pool_map import By, SameLabel, TaskReading
from ..words.provenance import has_intervals
from ..words.rows import percent
from ..words.verdict import DOES_NOT_KNOW, no_better, worse


def map_title(by: By, coloured: str, same: SameLabel | None = None) -> str:
    """The title of a map: how many neighbours have the same label, where that is known.

    Args:
        by: What makes its points near.
        coloured: What they are coloured by, for people.
        same: The shares over the pool's texts; None where they are unknown.
    """
    ending = f"coloured by {coloured.lower()}"
    here = None if same is None else _of(same, by)
    if same is None or here is None or here.mean is None:
        return f"Near points {_NEAR[by]}; {ending}"
    other = _of(same, By.TEXT if by is By.TASK else By.TASK).mean
    against = "" if other is None else f" ({percent(other)} by {_other(by)})"
    return (
        f"By {by} {percent(here.mean)} of a text's nearest neighbours have its label{against}; "
        f"{ending}"
    )


def neighbours_line(same: SameLabel) -> str:
    """The shares by text, by task and by chance, with their intervals."""
    if same.chance is None:
        return "No two texts with a label and a task state can be compared as neighbours."
    return (
        f"Neighbours with the same label: by text {_share(same.by_text)}, by task "
        f"{_share(same.by_task)}; by chance {percent(same.chance)}."
    )


def neighbours_help(same: SameLabel) -> str:
    """How the shares were counted."""
    whose = (
        f"a seeded sample of {same.texts:,} texts, among all texts"
        if same.sampled
        else f"{same.texts:,} texts"
    )
    counted = (
        f"The {same.nearest} nearest by cosine in the full space, not on the map, for {whose}. "
        "Answers to one query are no neighbours of each other, and exemplars are left out."
    )
    if has_intervals((same.by_text, same.by_task)):
        return f"{counted} 95 % intervals over queries."
    return counted


def verdict(same: SameLabel) -> str:
    """Whether the model sorts by the task, and what to use if not; "" if nothing is known."""
    return "" if same.verdict is None else _VERDICTS[same.verdict]


_VERDICTS = {
    Sorting.BETTER: (
        "By task more neighbours have the same label than by text: this model sorts these texts by "
        "what the task asks."
    ),
    Sorting.WORSE: f"{worse()}: {DOES_NOT_KNOW} a method by embedding (rel).",
    Sorting.NO_BETTER: f"{no_better()}; a method by embedding (rel) costs no pass of the model.",
    Sorting.NOT_CLEARLY_BETTER: (
        "By task not clearly more neighbours have the same label than by text: it takes more texts "
        "to decide."
    ),
}


def reading_line(reading: TaskReading, excluded: int) -> str:
    """What was read for the map by task, and what is not on it."""
    sentences = [f"Task {reading.task}, {_exemplars(reading)}."]
    if reading.shortened:
        sentences.append(f"{reading.shortened:,} longer texts had room for fewer.")
    if excluded:
        which = "demonstration is" if excluded == 1 else "demonstrations are"
        sentences.append(f"{excluded:,} excluded {which} not read and not on this map.")
    if reading.skipped:
        which = "does" if reading.skipped == 1 else "do"
        sentences.append(
            f"{reading.skipped:,} {which} not fit the model's window and "
            f"{'is' if reading.skipped == 1 else 'are'} left out."
        )
    return " ".join(sentences)


_NEAR = {By.TEXT: "have similar queries", By.TASK: "are similar for the task, as the model sees it"}


def _of(same: SameLabel, by: By) -> Interval:
    return same.by_task if by is By.TASK else same.by_text


def _other(by: By) -> By:
    return By.TEXT if by is By.TASK else By.TASK


def _share(found: Interval) -> str:
    if found.mean is None:
        return "-"
    if found.low is None or found.high is None:
        return percent(found.mean)
    return f"{percent(found.mean)} [{percent(found.low, '')}, {percent(found.high, '')}]"


def _exemplars(reading: TaskReading) -> str:
    if not reading.asked:
        return "no exemplars"
    if reading.exemplars == reading.asked:
        return f"{reading.asked} exemplars"
    return f"{reading.exemplars} of {reading.asked} exemplars, as many as fit the window"
