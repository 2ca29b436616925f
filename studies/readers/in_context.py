"""The label word that a language model finds most probable after the kept texts with theirs."""

from bisect import bisect_left
from collections.abc import Sequence

from core.evaluation.plan.engine import Engine
from core.language_model.task import Task
from core.types import AnswerRequest
from core.watcher import Watcher

from .reader import Case, Reader, Reading


def read(task: Task, cases: Sequence[Case], engine: Engine, watcher: Watcher) -> list[Reading]:
    """The label word of the highest log-probability; at a tie the one offered first.

    The kept texts are demonstrations with their label words, the most similar last. Where not all
    of them fit the window, the first, least similar ones are left out; where not even the query
    fits, there is no label word.
    """
    answers = tuple(f" {word}" for word in task.words)
    planned = []
    for case in cases:
        watcher.checkpoint()
        planned.append(_prompt(task, case, answers, engine))
    asked = [AnswerRequest(each[1], answers) for each in planned if each is not None]
    scored = iter(engine.log_probs(asked, watcher=watcher.quietly().breathing()))
    readings = []
    for plan, case in zip(planned, cases, strict=True):
        if plan is None:
            readings.append(Reading(None, len(case.kept)))
            continue
        totals = [each.total for each in next(scored)]
        readings.append(Reading(task.words[totals.index(max(totals))], plan[0]))
    return readings


def _prompt(
    task: Task, case: Case, answers: tuple[str, ...], engine: Engine
) -> tuple[int, str] | None:
    """How many texts are left out, and the prompt; None where the query alone is too long."""
    pairs, text = case.kept[::-1], task.text(case.query)

    def prompt(left_out: int) -> str:
        return task.prefix(pairs[left_out:]) + text

    least = bisect_left(
        range(len(pairs) + 1), True, key=lambda left_out: engine.fits(prompt(left_out), answers)
    )
    return None if least > len(pairs) else (least, prompt(least))


READER = Reader(
    "in-context",
    "the label word that the language model finds most probable after the kept texts with theirs",
    read,
    asks=True,
)
