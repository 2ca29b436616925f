"""The task of a pool: its labels, the task set for its texts, and choosing another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ...demonstration.demonstration import Status
from ...errors import InvalidInput
from ...language_model.task import ENDING, PLAIN, TASKS, TEXT, LabelWord, Task, plain_task
from ...recorded import Recorded, same
from ...retrieval.near_queries import AnswerIndex, label_counts, labels_of
from ...retrieval.pool_view import PoolView
from ...retrieval.task_prompt import choose_task, chosen_task, suggested_task, why_no_task
from ...text import counted, cut
from ..session.studio import Studio

OWN = "own"
"""The name of a task of one's own if nobody gave it one."""
RESERVED = (*TASKS, PLAIN, "pool")
"""Names that no task of one's own may have; `pool` is the pool's own task."""
NAMED = 3
"""So many labels or answers are named in a sentence."""
LONGEST = 40
"""Letters of a label in a sentence, at most."""


@dataclass(frozen=True)
class PoolTexts:
    """A pool's included demonstrations as texts, without embeddings."""

    name: str
    version: int
    queries: tuple[str, ...]
    answers: tuple[str, ...]
    chosen_task: Task | None

    @cached_property
    def answer_index(self) -> AnswerIndex:
        """Of the answers."""
        return AnswerIndex.of_texts(self.answers, self.queries)


Texts: TypeAlias = PoolView | PoolTexts
"""The included demonstrations of a pool, as far as texts go."""


@dataclass(frozen=True)
class LabelCount:
    """A label, how many demonstrations have it, their share in [0, 1], and its word in the task.

    `word` is None where the task does not name the label.
    """

    label: str
    count: int
    share: float
    word: str | None


@dataclass(frozen=True, kw_only=True)
class PoolTask(Recorded):
    """What is known about a pool as one of classification, and the task set for its texts.

    Attributes:
        pool: The pool's name.
        pool_version: Its version.
        demonstrations: How many are included.
        task: The chosen one, else the one that the labels suggest; None where there is neither.
        chosen: Whether somebody chose it.
        labels: Those of a classification pool with their numbers; () for another pool.
        named: How many demonstrations have an answer that the task names.
        exemplar: What a model reads of the first of them, with its label word; None for none.
        without: Why there is no task, as the end of "the answers are ..."; "" where there is one.
            No part of the JSON.
    """

    KEYS = same(
        *("pool", "pool_version", "demonstrations", "task", "chosen", "labels", "named"),
        "exemplar",
    )
    pool: str
    pool_version: int
    demonstrations: int
    task: Task | None
    chosen: bool
    labels: tuple[LabelCount, ...]
    named: int
    exemplar: str | None
    without: str = ""

    @property
    def sentence(self) -> str:
        """The same in a line: labels, task, and how many demonstrations the task does not name."""
        parts = []
        if self.labels:
            first = sorted(self.labels, key=lambda each: -each.count)[:NAMED]
            shares = [f"{_named(each.label)} {_percent(each.share)}" for each in first]
            if more := len(self.labels) - len(first):
                shares.append(f"{more:,} more")
            shown = ", ".join(shares)
            parts.append(f"A classification pool: {counted(len(self.labels), 'label')} ({shown}).")
        if self.task is None:
            return f"The answers are {self.without}, so the pool has no task."
        how = "chosen" if self.chosen else "suggested by the labels"
        parts.append(f"Task: {self.task.name} ({how}).")
        if unnamed := self.demonstrations - self.named:
            verb = "has an answer" if unnamed == 1 else "have answers"
            parts.append(
                f"{unnamed:,} of {counted(self.demonstrations, 'demonstration')} {verb} that the "
                "task does "
                "not name."
            )
        return " ".join(parts)


def read(studio: Studio, pool: str) -> PoolTexts:
    """The pool's texts as they are in the store; nothing is embedded.

    Raises:
        InvalidInput: No pool has that name.
    """
    found, rows = studio.store.demonstrations.snapshot(
        studio.store.pools.get(pool).id, status=Status.INCLUDED
    )
    return PoolTexts(
        found.name,
        found.version,
        tuple(row.query for row in rows),
        tuple(row.answer for row in rows),
        chosen_task(studio.store, found.id),
    )


def pool_task(texts: Texts) -> PoolTask:
    """What is known about the pool as one of classification, with its task."""
    answers, chosen = texts.answers, texts.chosen_task
    task = chosen or suggested_task(answers, texts.answer_index)
    labels: list[LabelCount] = []
    if labels_of(answers, texts.answer_index):
        for label, count in label_counts(answers, texts.answer_index).items():
            word = None if task is None else task.word_of(label)
            labels.append(LabelCount(label, count, count / len(answers), word))
    return PoolTask(
        pool=texts.name,
        pool_version=texts.version,
        demonstrations=len(answers),
        task=task,
        chosen=chosen is not None,
        labels=tuple(labels),
        named=0 if task is None else named_by(texts, task),
        exemplar=None if task is None else exemplar(texts, task),
        without=why_no_task(answers, texts.answer_index) if task is None else "",
    )


def named_by(texts: Texts, task: Task) -> int:
    """How many of the pool's demonstrations have an answer that the task names."""
    return int(texts.answer_index.having(task.names).sum())


def exemplar(texts: Texts, task: Task) -> str | None:
    """What a model reads of the first demonstration that can be an exemplar of the task.

    None where the task names no answer of the pool.
    """
    places = np.flatnonzero(texts.answer_index.having(task.names))
    if not len(places):
        return None
    word = task.word_of(texts.answers[places[0]])
    assert word is not None  # it is among the task's names
    return task.exemplar(texts.queries[places[0]], word)


def offered(texts: Texts) -> tuple[Task, ...]:
    """The tasks that can be chosen for the pool as they are, each with some answers that it names.

    A chosen one of somebody's own comes first, then the built-in ones that name every label, the
    best fitting before the others, `plain_task` of a classification pool's labels, and at last the
    built-in ones that name some of its answers.
    """
    labels = labels_of(texts.answers, texts.answer_index)
    chosen = texts.chosen_task
    own = [chosen] if chosen is not None and not is_built_in(chosen) else []
    usable = [task for task in TASKS.values() if named_by(texts, task)]
    whole = [task for task in usable if labels and all(map(task.word_of, labels))]
    whole.sort(key=lambda task: len(task.words) - len(set(map(task.word_of, labels))))
    plain = [task for task in ([plain_task(labels)] if labels else []) if task != chosen]
    return (*own, *whole, *plain, *(task for task in usable if task not in whole))


def is_built_in(task: Task) -> bool:
    """Whether it is one of `TASKS`, name and content."""
    return TASKS.get(task.name) == task


def named_task(texts: Texts, name: str) -> Task:
    """The built-in task of that name, or the plain one of the pool's labels.

    Raises:
        InvalidInput: There is no such task, or the pool has no labels for the plain one.
    """
    if name in TASKS:
        return TASKS[name]
    if name != PLAIN:
        raise InvalidInput(f"There is no task {name!r}; choose one of {', '.join(TASKS)}, {PLAIN}.")
    labels = labels_of(texts.answers, texts.answer_index)
    if not labels:
        raise InvalidInput(
            f"The task {PLAIN!r} takes its label words from the pool's labels, and the answers of "
            f"pool {texts.name!r} are {why_no_task(texts.answers, texts.answer_index)}; give a "
            "task of your own with its question and label words."
        )
    return plain_task(labels)


def own_task(
    name: str,
    question: str,
    label_words: Sequence[LabelWord],
    *,
    ending: str = ENDING,
    full_stop: bool = False,
) -> Task:
    """A task of one's own; outer white space is not taken over.

    Raises:
        InvalidInput: A part would lose the text, the ending or a label, or the name is taken.
    """
    task = Task(name.strip(), question.strip(), tuple(label_words), ending.strip(), full_stop)
    if task.name in RESERVED and not is_built_in(task):
        raise InvalidInput(
            f"The name {task.name!r} is reserved for a built-in task; give yours another name."
        )
    return task


def first_own_task(texts: Texts) -> tuple[str, tuple[LabelWord, ...]]:
    """A question and label words to begin a task of one's own with.

    They are those of the pool's task; each label of the pool that is not among these represents
    itself.
    """
    task = pool_task(texts).task
    words = () if task is None or task.name == PLAIN else task.label_words
    rest = [
        label
        for label in label_counts(texts.answers, texts.answer_index)
        if not words or task is None or task.word_of(label) is None
    ]
    question = TEXT if task is None else task.question
    return question, (*words, *(LabelWord(label, (label,)) for label in rest))


def choose(studio: Studio, texts: Texts, task: Task) -> None:
    """Make the task the pool's: a new version of the pool, unless it is its chosen one already.

    Raises:
        InvalidInput: It names none of the pool's answers, so that nothing could be an exemplar.
    """
    if not named_by(texts, task):
        words = ", ".join(map(repr, task.words[:NAMED]))
        some = ", ".join(map(repr, dict.fromkeys(texts.answers[:NAMED]))) or "none at all"
        raise InvalidInput(
            f"The label words of task {task.name!r} ({words}) name no answer of pool "
            f"{texts.name!r}, whose answers are such as {some}; choose another task, or give one "
            "of your own whose label words name the answers that they represent."
        )
    pool = studio.store.pools.get(texts.name)
    if chosen_task(studio.store, pool.id) != task:
        choose_task(studio.store, pool, task)


def take_back(studio: Studio, pool: str) -> None:
    """Go back to the task that the pool's labels suggest: a new version, if one was chosen.

    Raises:
        InvalidInput: No pool has that name.
    """
    found = studio.store.pools.get(pool)
    if chosen_task(studio.store, found.id) is not None:
        choose_task(studio.store, found, None)


def _named(label: str) -> str:
    """The label in a sentence: in quotes where it ends in a digit, cut short where it is long."""
    shown = cut(label, LONGEST)
    return repr(shown) if shown[-1].isdigit() else shown


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "under 1 %"
