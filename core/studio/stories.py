"""Each example's own story in a recorded comparison: contexts, answers, log-probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..evaluation.comparison import Comparison
from ..evaluation.evaluate import MethodFamily, differences
from ..evaluation.outcomes import DIVERSITY, Outcome, RequestResult
from ..evaluation.run_rows import recorded_contexts
from ..metrics.preference import delta, dpo_correct_only, dpo_per_triple
from ..metrics.registry import METRICS
from ..retrieval.knobs import Knobs
from ..types import Demonstration, EvaluationExample
from .explore import defined
from .studio import Studio
from .table import Column, Table


@dataclass(frozen=True)
class AnswerLine:
    """One answer: its log-probability alone and under each method's context, in nats.

    `kind` is that of an incorrect answer, empty where it has none.
    """

    text: str
    correct: bool
    kind: str
    alone: float
    by_method: dict[str, float]


@dataclass(frozen=True)
class MethodLine:
    """What one method chose for the example and what that did to the model.

    `demonstrations` are in the order chosen, with their texts as they are now.
    """

    method: str
    ids: tuple[int, ...]
    demonstrations: tuple[Demonstration, ...]
    diversity: float | None
    left_out: int
    dpo_per_triple: float | None
    dpo_correct_only: float | None
    delta: float | None


@dataclass(frozen=True)
class Story:
    """One evaluation example under every method of a comparison."""

    query: str
    methods: tuple[MethodLine, ...]
    answers: tuple[AnswerLine, ...]


class Stories:
    """The examples of a finished comparison, read once; the run's rows never change again."""

    def __init__(self, studio: Studio, comparison: Comparison) -> None:
        self._studio = studio
        self._comparison = comparison
        self._outcomes: dict[str, dict[str, Outcome]] = {}
        self._examples: dict[str, EvaluationExample] = {}
        for row in recorded_contexts(studio.store, comparison.run):
            by_method = self._outcomes.setdefault(row.query, {})
            by_method.update(dict.fromkeys(map(str, row.requests), row.outcome))
            if row.example is not None:
                self._examples[row.query] = row.example

    def queries(self) -> list[str]:
        """The queries, those first on whose delta the methods differ most."""
        return sorted(self._outcomes, key=lambda query: -self._spread(query))

    def story(self, query: str) -> Story:
        """The example's story.

        Raises:
            KeyError: The comparison has no such query.
        """
        outcomes = self._outcomes[query]
        return Story(
            query,
            tuple(self._method_line(name, outcomes[name]) for name in self._comparison.methods),
            self._answer_lines(query, outcomes),
        )

    def against(self, reference: str) -> Comparison:
        """The comparison with that method as the reference."""
        comparison = self._comparison
        results = {
            name: RequestResult(
                Knobs(each.request.method, each.request.k),
                tuple(by_method[name] for by_method in self._outcomes.values()),
            )
            for name, each in comparison.methods.items()
        }
        compared = {
            metric: MethodFamily.of(results, metric, comparison.look)
            for metric in (*METRICS, DIVERSITY)
        }
        methods = {
            name: replace(
                each,
                differences={**each.differences, reference: differences(compared, name, reference)}
                if name != reference
                else each.differences,
            )
            for name, each in comparison.methods.items()
        }
        fronts = {metric: each.front() for metric, each in compared.items()}
        return replace(comparison, methods=methods, reference=reference, fronts=fronts)

    def _spread(self, query: str) -> float:
        values = [
            value
            for outcome in self._outcomes[query].values()
            if (value := defined(delta([outcome.scores]))) is not None
        ]
        return max(values) - min(values) if values else 0.0

    def _method_line(self, name: str, outcome: Outcome) -> MethodLine:
        scores = [outcome.scores]
        return MethodLine(
            method=name,
            ids=outcome.ids,
            demonstrations=tuple(
                self._studio.store.demonstrations.by_ids(outcome.ids, deleted=True)
            ),
            diversity=defined(outcome.diversity),
            left_out=outcome.left_out,
            dpo_per_triple=defined(dpo_per_triple(scores)),
            dpo_correct_only=defined(dpo_correct_only(scores)),
            delta=defined(delta(scores)),
        )

    def _answer_lines(self, query: str, outcomes: Mapping[str, Outcome]) -> tuple[AnswerLine, ...]:
        example = self._examples[query]
        any_scores = next(iter(outcomes.values())).scores
        lines = []
        for answers, part in (
            ([(text, "") for text in example.answers], "correct"),
            ([(wrong.text, wrong.kind) for wrong in example.incorrect], "incorrect"),
        ):
            alone = getattr(any_scores, f"{part}_alone")
            lines += [
                AnswerLine(
                    text,
                    part == "correct",
                    kind,
                    float(alone[place]),
                    {
                        name: float(getattr(outcome.scores, part)[place])
                        for name, outcome in outcomes.items()
                    },
                )
                for place, (text, kind) in enumerate(answers)
            ]
        return tuple(lines)


def methods_in(story: Story) -> Table:
    """One row a method: its metrics for this example and the ids it chose."""
    numbers = (Column(name, 3) for name in ("delta", "DPO per triple", "sameness"))
    return Table(
        (Column("method"), *numbers, Column("left out"), Column("demonstrations")),
        tuple(
            (
                *(line.method, line.delta, line.dpo_per_triple, line.diversity, line.left_out),
                ", ".join(map(str, line.ids)) or "none",
            )
            for line in story.methods
        ),
    )


def answers_in(story: Story) -> Table:
    """One row an answer: its log-probability alone and under each method's context."""
    methods = [line.method for line in story.methods]
    numbers = (Column(name, 2) for name in ("alone", *methods))
    return Table(
        (Column("answer"), Column("kind"), *numbers),
        tuple(
            (line.text, _kind(line), line.alone, *(line.by_method[name] for name in methods))
            for line in story.answers
        ),
    )


def _kind(line: AnswerLine) -> str:
    if line.correct:
        return "correct"
    return f"incorrect: {line.kind}" if line.kind else "incorrect"


def context_in(line: MethodLine) -> Table:
    """One row a demonstration of the method's context, in the order chosen."""
    return Table(
        tuple(Column(name) for name in ("rank", "id", "query", "answer")),
        tuple(
            (rank, each.id, each.query, each.answer)
            for rank, each in enumerate(line.demonstrations, start=1)
        ),
    )
