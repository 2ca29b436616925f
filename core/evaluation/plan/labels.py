"""The labels of a pool's demonstrations and of evaluation examples, by the pool's task."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...demonstration.demonstration import EvaluationExample
from ...metrics.labels import label_consistency
from ...metrics.scores import WITHOUT_LABELS, OfLabels
from ...retrieval.context import Context
from ...retrieval.pool_view import PoolView


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
