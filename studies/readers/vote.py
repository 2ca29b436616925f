"""The label of most of the kept texts, without a model."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from core.evaluation.plan.engine import Engine
from core.language_model.task import Task
from core.watcher import Watcher

from .reader import Case, Reader, Reading


def read(task: Task, cases: Sequence[Case], engine: Engine, watcher: Watcher) -> list[Reading]:
    """The label word that most of the kept texts have; None where nothing was kept.

    At a tie the one with the larger sum of shares wins, then the one offered first.
    """
    return [Reading(_majority(task.words, case)) for case in cases]


def _majority(words: Sequence[str], case: Case) -> str | None:
    votes, shares = Counter[str](), defaultdict[str, float](float)
    for (_, word), share in zip(case.kept, case.shares, strict=True):
        votes[word] += 1
        shares[word] += share
    return max(words, key=lambda word: (votes[word], shares[word])) if votes else None


READER = Reader(
    "vote",
    "the label of most of the kept texts; of equally many, the one with the larger sum of shares",
    read,
)
