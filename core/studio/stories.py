"""Each example's own story in a recorded comparison: contexts, answers, log-probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..evaluation.evaluate import Comparison, difference_rows
from ..evaluation.outcomes import DIVERSITY, Outcome, RequestResult, outcome_of
from ..metrics.preference import delta, dpo_correct_only, dpo_per_triple
from ..metrics.registry import METRICS
from ..metrics.sequential import Look, last_look
from ..retrieval.context import ContextRequest
from ..types import Demonstration
from .explore import defined
from .studio import Studio


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

    def __init__(self, studio: Studio, summary: Mapping[str, Any]) -> None:
        self._studio = studio
        self._summary = summary
        self._outcomes: dict[str, dict[str, Outcome]] = {}
        self._texts: dict[str, tuple[list[str], list[str], list[str]]] = {}
        for row in studio.store.runs.rows(summary["run"]):
            if row.get("skipped"):
                continue
            query = row["query"]
            by_method = self._outcomes.setdefault(query, {})
            by_method.update(dict.fromkeys(row["requests"], outcome_of(row)))
            if "answers" in row:
                incorrect = row["incorrect_answers"]
                kinds = row.get("incorrect_kinds") or [""] * len(incorrect)
                self._texts[query] = (row["answers"], incorrect, kinds)

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
            tuple(self._method_line(name, outcomes[name]) for name in self._summary["methods"]),
            self._answer_lines(query, outcomes),
        )

    def against(self, reference: str) -> dict[str, Any]:
        """The comparison's summary with that method as the reference."""
        summary = self._summary
        results = {
            name: RequestResult(
                ContextRequest(row["request"]["method"], row["request"]["k"]),
                tuple(by_method[name] for by_method in self._outcomes.values()),
            )
            for name, row in summary["methods"].items()
        }
        compared = {
            metric: Comparison.of(results, metric, self._look) for metric in (*METRICS, DIVERSITY)
        }
        methods = {}
        for name, row in summary["methods"].items():
            methods[name] = {key: value for key, value in row.items() if key != "difference"}
            if name != reference:
                methods[name]["difference"] = difference_rows(compared, name, reference)
        rows = {metric: each.row() for metric, each in compared.items()}
        return {**summary, "methods": methods, "reference": reference, "together": rows}

    @property
    def _look(self) -> Look:
        """The look that the summary's verdicts are from; a run of old may have been watched."""
        look = self._summary.get("look")
        if look is None:
            return last_look(self._summary["examples"], planned=False)
        return Look(look["examples"], look["alpha"], look["fixed"])

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
        correct, incorrect, kinds = self._texts[query]
        any_scores = next(iter(outcomes.values())).scores
        lines = []
        for texts, part, said in (
            (correct, "correct", [""] * len(correct)),
            (incorrect, "incorrect", kinds),
        ):
            alone = getattr(any_scores, f"{part}_alone")
            lines += [
                AnswerLine(
                    text,
                    part == "correct",
                    said[place],
                    float(alone[place]),
                    {
                        name: float(getattr(outcome.scores, part)[place])
                        for name, outcome in outcomes.items()
                    },
                )
                for place, text in enumerate(texts)
            ]
        return tuple(lines)


def method_rows(story: Story) -> list[dict[str, Any]]:
    """One row a method: its metrics for this example and the ids it chose."""
    return [
        {
            "method": line.method,
            "delta": line.delta,
            "DPO per triple": line.dpo_per_triple,
            "sameness": line.diversity,
            "left out": line.left_out,
            "demonstrations": ", ".join(map(str, line.ids)) or "none",
        }
        for line in story.methods
    ]


def answer_rows(story: Story) -> list[dict[str, Any]]:
    """One row an answer: its log-probability alone and under each method's context."""
    return [
        {
            "answer": line.text,
            "kind": _kind(line),
            "alone": line.alone,
            **line.by_method,
        }
        for line in story.answers
    ]


def _kind(line: AnswerLine) -> str:
    if line.correct:
        return "correct"
    return f"incorrect: {line.kind}" if line.kind else "incorrect"


def context_rows(line: MethodLine) -> list[dict[str, Any]]:
    """One row a demonstration of the method's context, in the order chosen."""
    return [
        {"rank": rank, "id": each.id, "query": each.query, "answer": each.answer}
        for rank, each in enumerate(line.demonstrations, start=1)
    ]
