"""Evaluation examples of a pool: in a seeded random order, held out for testing, their labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...demonstration.demonstration import Demonstration, EvaluationExample, distinct
from ...errors import InvalidInput
from ...metrics.labels import label_consistency
from ...metrics.scores import WITHOUT_LABELS, OfLabels
from ...retrieval.context import Context
from ...retrieval.pool_view import PoolView
from ...settings import SEED
from ...text import content_hash, normalised, same_text


def examples_of(demonstrations: Sequence[Demonstration]) -> list[EvaluationExample]:
    """One evaluation example per query, in the order in which the queries first appear.

    Answers are joined only where their queries are the same text (`text.same_text`); the first
    text represents all, as it was written. An incorrect answer that is a correct one for the same
    query, in whatever spelling (`text.normalised`), is left out: it would be compared with itself.
    The best answer is the one marked as best, else the first. Of an incorrect answer that several
    demonstrations have, the first kind counts.
    """
    groups: dict[str, list[Demonstration]] = {}
    for demonstration in demonstrations:
        groups.setdefault(same_text(demonstration.query), []).append(demonstration)
    return [_example(group) for group in groups.values()]


def sample(
    examples: Sequence[EvaluationExample], limit: int | None = None, seed: int = SEED
) -> list[EvaluationExample]:
    """The first `limit` examples of the seed's random order; None or a large limit gives all.

    An example's place comes from a hash of the seed and its normalised query, so it does not
    depend on what else is in the pool: adding, removing or moving queries leaves the others in
    their order, and an edited answer changes nothing. A larger limit keeps the smaller one's
    examples in front and adds to them. Examples that stay in the sample are not scored again.

    Raises:
        InvalidInput: limit is below 1.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(
            f"The limit of evaluation examples is {limit}; give 1 or more, or none for all of them."
        )

    def place(example: EvaluationExample) -> tuple[str, str, str]:
        return (
            random_place(example.query, seed),
            normalised(example.query),
            same_text(example.query),
        )

    return sorted(examples, key=place)[:limit]


def random_place(query: str, seed: int) -> str:
    """The query's place in the seed's random order: 32 hex digits, the same in every pool."""
    return content_hash(str(seed), normalised(query))


def _example(group: Sequence[Demonstration]) -> EvaluationExample:
    answers: dict[str, str] = {}
    for each in group:
        answers.setdefault(same_text(each.answer), each.answer)
    correct = {normalised(answer) for answer in answers}
    incorrect = distinct(
        wrong for each in group for wrong in each.incorrect if normalised(wrong.text) not in correct
    )
    best = next((same_text(each.answer) for each in group if each.best), None)
    return EvaluationExample(
        query=group[0].query,
        answers=tuple(answers.values()),
        incorrect=incorrect,
        best=0 if best is None else list(answers).index(best),
    )


_PLACES = 16**32


def is_held_out(query: str, share: float, seed: int = SEED) -> bool:
    """Whether the query is among the first `share` of all places in the seed's random order.

    It depends on the query and the seed alone, so adding or removing other queries changes no
    query's part. The part held out is as large as the share on average only, and a larger share
    holds out the same queries and more.

    Args:
        query: The text; spellings that are the same after normalisation share a part.
        share: In [0, 1]: 0 holds nothing out, 1 everything.
        seed: Which of the random splits.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4.1: 20 % at random).
    """
    return int(random_place(query, seed), 16) < share * _PLACES


@dataclass(frozen=True)
class PoolLabels:
    """The label of each demonstration of a pool that has a task.

    `words` has one label word a demonstration, in the view's order; "" where its answer is no
    label.
    """

    view: PoolView
    words: tuple[str, ...]

    @classmethod
    def of(cls, view: PoolView) -> "PoolLabels | None":
        """The labels by the pool's task; None for a pool without one."""
        task = view.task
        if task is None:
            return None
        return cls(view, task.words_of(view.answers))

    @property
    def task(self) -> str:
        """The name of the pool's task."""
        return self.view.task.name if self.view.task is not None else ""

    def label_of(self, example: EvaluationExample) -> str:
        """The label word of its best answer, else of the first that is a label; "" for none."""
        task = self.view.task
        if task is None:
            return ""
        words = task.words_of((example.answers[example.best], *example.answers))
        return next(filter(None, words), "")

    def measured(self, example: EvaluationExample, context: Context) -> OfLabels:
        """The measures of the context's labels for this example; NaN without a label.

        `label_chance` is the label's share of the demonstrations of all other queries.
        """
        label = self.label_of(example)
        if not label:
            return WITHOUT_LABELS
        kept = [self.words[index] for index in context.indices.tolist()]
        own = [self.words[at] for at in self.view.same_query(example.query).nonzero()[0].tolist()]
        others = len(self.words) - len(own)
        having = self._counts[label] - own.count(label)
        return {
            "label_consistency": label_consistency(kept, label),
            "label_chance": having / others if others else WITHOUT_LABELS["label_chance"],
        }

    def all_offered(self, examples: Sequence[EvaluationExample]) -> bool:
        """Whether every example has all other labels of the pool as its incorrect answers.

        Then MC1 is the accuracy of choosing the label. False without examples.
        """
        task, labels = self.view.task, set(self._counts) - {""}

        def offered(example: EvaluationExample) -> bool:
            words = set(task.words_of([each.text for each in example.incorrect]) if task else ())
            return labels - {self.label_of(example)} <= words and bool(self.label_of(example))

        return bool(examples) and all(map(offered, examples))

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(self.words)
