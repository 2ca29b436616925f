"""Each example's own story in a recorded comparison: contexts, answers, log-probabilities."""

import math
from collections.abc import Mapping
from dataclasses import replace

from ...demonstration.demonstration import EvaluationExample
from ...evaluation.results.comparison import Comparison
from ...evaluation.results.outcomes import Outcome, RequestResult
from ...evaluation.results.pairs import SumDifferences, same_embeddings, sums_and_answers
from ...evaluation.runs.evaluate import MethodFamily, differences
from ...evaluation.runs.tally import recorded_contexts
from ...interval import defined
from ...metrics.gain import gain_per_answer
from ...metrics.preference import delta, dpo_correct_only, dpo_per_triple
from ...metrics.registry import metrics_of
from ...metrics.scores import triples
from ...reporting.results.story import AnswerLine, MethodLine, Story, SumPoint, SumsOfRow
from ...reporting.words.rows import row_word
from ...retrieval.knobs import Knobs
from ..session.studio import Studio


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

    @property
    def examples(self) -> frozenset[EvaluationExample]:
        """The examples as they were."""
        return frozenset(self._examples.values())

    def queries(self) -> list[str]:
        """The queries, those first on whose delta the rows differ most.

        Those without incorrect answers follow, by what the correct ones gain.
        """
        return sorted(self._outcomes, key=self._spread, reverse=True)

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
            row_word(self._comparison),
        )

    def against(self, reference: str) -> Comparison:
        """The comparison with that row as the reference."""
        comparison, results = self._comparison, self._results()
        requests = {name: each.request for name, each in comparison.methods.items()}
        sums = sums_and_answers(
            results,
            requests,
            [reference],
            comparison.metric,
            every_look=not comparison.look.fixed,
        )
        compared = {
            metric: MethodFamily.of(results, requests, metric, comparison.look)
            for metric in metrics_of(generated=comparison.settings.generate)
        }
        methods = {
            name: replace(
                each,
                differences={**each.differences, reference: differences(compared, name, reference)}
                if name != reference
                else each.differences,
                sums={**each.sums, **sums[name]},
            )
            for name, each in comparison.methods.items()
        }
        fronts = {metric: each.front() for metric, each in compared.items()}
        return replace(
            comparison,
            methods=methods,
            reference=reference,
            fronts=fronts,
        )

    def sums(self, row: str, reference: str) -> SumsOfRow | None:
        """Whether a better sum means better answers, query by query, for a row and a reference.

        None where the two compare different embeddings.
        """
        methods, results = self._comparison.methods, self._results()
        if not same_embeddings(methods[row].request, methods[reference].request):
            return None
        metric = self._comparison.metric
        found = SumDifferences.of(results[row], results[reference], metric)
        each = zip(self._outcomes, found.sums.tolist(), found.answers.tolist(), strict=True)
        return SumsOfRow(
            row,
            reference,
            tuple(
                SumPoint(query, sums, answers)
                for query, sums, answers in each
                if not math.isnan(sums) and not math.isnan(answers)
            ),
            found.correlation(every_look=not self._comparison.look.fixed),
        )

    def _results(self) -> dict[str, RequestResult]:
        """Every row's outcomes, in the order of the examples.

        A row's own request is only read from the comparison: its method may be gone, and `Knobs`
        must name an existing one.
        """
        return {
            name: RequestResult(
                Knobs(k=each.request.k),
                tuple(by_method[name] for by_method in self._outcomes.values()),
            )
            for name, each in self._comparison.methods.items()
        }

    def _spread(self, query: str) -> tuple[bool, float]:
        scores = [[outcome.scores] for outcome in self._outcomes[query].values()]
        has_triples = any(triples(each) for (each,) in scores)
        values = [(delta if has_triples else gain_per_answer)(each) for each in scores]
        return has_triples, max(values) - min(values)

    def _method_line(self, name: str, outcome: Outcome) -> MethodLine:
        scores = [outcome.scores]
        return MethodLine(
            method=name,
            ids=outcome.ids,
            demonstrations=tuple(
                self._studio.store.demonstrations.by_ids(outcome.ids, deleted=True)
            ),
            diversity=defined(outcome.scores.diversity),
            left_out=outcome.left_out,
            dpo_per_triple=defined(dpo_per_triple(scores)),
            dpo_correct_only=defined(dpo_correct_only(scores)),
            delta=defined(delta(scores)),
            gain_per_answer=defined(gain_per_answer(scores)),
            answer=outcome.answer,
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
