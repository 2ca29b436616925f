"""Methods x examples x metrics: which way of choosing the context serves the model best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..embedding import Encoder
from ..errors import InvalidInput
from ..metrics.registry import METRICS
from ..retrieval.context import ContextRequest
from ..retrieval.pool_view import PoolView
from ..store import Store
from ..types import EvaluationExample, Interval
from .example_scores import Setting
from .outcomes import DIVERSITY, Figures, RequestResult, interval_row, metric_rows, request_row
from .running import RunOptions, Scored, Task
from .scoring import CachedScorer
from .watcher import Watcher


@dataclass(frozen=True)
class EvaluationOptions(RunOptions):
    """As `RunOptions`; `reference` names the method that others are compared with.

    None takes the first.
    """

    reference: str | None = None


@dataclass(frozen=True, kw_only=True)
class Evaluation(Figures):
    """The methods' outcomes over the same evaluation examples."""

    methods: dict[str, RequestResult]
    reference: str

    def difference(self, method: str, metric: str, reference: str | None = None) -> Interval:
        """The method's metric minus the reference's, paired over the same examples."""
        other = self.methods[reference or self.reference]
        return self.methods[method].difference(other, metric)

    def summary(self) -> dict[str, Any]:
        """The figures for JSON; what is undefined is None."""
        methods = {name: self._method_row(name) for name in self.methods}
        return {"methods": methods, "reference": self.reference, **super().summary()}

    def _method_row(self, name: str) -> dict[str, Any]:
        result = self.methods[name]
        row = metric_rows(result.metrics) | {
            "shortened": result.shortened,
            "left_out": result.left_out,
            "request": request_row(result.request),
        }
        if name != self.reference:
            row["difference"] = {
                metric: interval_row(self.difference(name, metric))
                for metric in (*METRICS, DIVERSITY)
            }
        return row


def evaluate(
    store: Store,
    view: PoolView,
    scorer: CachedScorer,
    examples: Sequence[EvaluationExample],
    encoder: Encoder,
    requests: Mapping[str, ContextRequest],
    *,
    options: EvaluationOptions | None = None,
    watcher: Watcher | None = None,
) -> Evaluation:
    """Score every example under every request's context and under none.

    Resumable: every pair of prompt and answer that was scored before, by this run or any other,
    is taken from the store. The watcher gets an `Evaluation` over the examples so far after each.

    Args:
        store: Where the run is recorded.
        view: The pool that contexts are chosen from.
        scorer: The language model with its cache and template.
        examples: The pool's own queries, each of which leaves its own demonstrations out, or
            another pool's.
        encoder: The one that `view` was embedded with.
        requests: A name, usually the method's, for each way of choosing the context.
        options: Limit, seed, order of the prompt, reference method.
        watcher: Progress, partial results, cancelling.

    Raises:
        InvalidInput: No examples or methods, an unknown reference, a limit below 1, or a method
            needs quality bias that is not scored.
        Cancelled: The watcher asked to stop; what was scored is kept.

    Source: RAGSys, section 4.
    """
    options, watcher = options or EvaluationOptions(), watcher or Watcher()
    reference = _reference(requests, options)
    task = Task.prepare(Setting(view, scorer, options.order), encoder, examples, requests, options)
    task.settings["methods"] = {name: request_row(each) for name, each in requests.items()}

    def build(scored: Scored[str]) -> Evaluation:
        return Evaluation(**vars(scored.figures), methods=scored.results, reference=reference)

    return task.run(store, "evaluate", build, watcher)


def _reference(requests: Mapping[str, ContextRequest], options: EvaluationOptions) -> str:
    if not requests:
        raise InvalidInput("No method to evaluate was given; name at least one.")
    reference = options.reference or next(iter(requests))
    if reference not in requests:
        raise InvalidInput(
            f"The reference {reference!r} is not among the methods evaluated "
            f"({', '.join(requests)}); choose one of them."
        )
    return reference
