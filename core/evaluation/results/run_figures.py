"""The figures common to all runs: examples, skipped ones and leaks, settings, why it ended.

Results are typed; a dictionary is only what `to_json` gives and `from_json` takes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from ...metrics.bounds.sequential import Look, last_look
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...recorded import Recorded, same
from ...retrieval.choosing import find_method, knobs_from_json
from ...retrieval.knobs import KNOBS, Knobs
from ...settings import Embed
from .verdict import Basis


class SkipReason(StrEnum):
    """Why an example could not be used."""

    TOO_LONG = "too long"
    """Query and answers do not fit the model's window even without a context.

    Or the query does not fit after the question of a task that a method asks.
    """
    WITHOUT_TOKENS = "answer without tokens"
    """The model's tokenizer gives an answer no tokens, so the answer has no probability."""
    EXEMPLAR = "exemplar"
    """Its query is an exemplar of a task, which precedes every text that a method compares."""


@dataclass(frozen=True, slots=True)
class SkippedExample(Recorded):
    """An evaluation example that was passed over; `answer` is the one that has no tokens."""

    OPTIONAL = ("answer",)
    query: str
    reason: SkipReason
    answer: str = ""


class End(StrEnum):
    """Why a run ended."""

    ALL = "all"
    """All examples were scored."""
    SETTLED = "settled"
    """More examples would have changed nothing."""
    STOPPED = "stopped"
    """Someone stopped it."""


@dataclass(frozen=True, kw_only=True)
class RecordedRequest(Recorded):
    """The knobs of a choice, with the lambdas and candidates as its method used them.

    Unlike `Knobs` it may name a method that is not registered here. The order in the prompt is the
    whole run's. `candidates` is how many were chosen from, 0 for the whole pool, and
    `unused_candidates` how many were asked for where the method takes none; `own` has the values of
    the method's own knobs.
    """

    OPTIONAL = ("one_per_query", "candidates", "unused_candidates", "embed", "own")
    method: str
    k: int
    lambda_d: float
    lambda_b: float
    seed: int
    bias_scale: str
    one_per_query: bool = False
    candidates: int = 0
    unused_candidates: int = 0
    embed: Embed = Embed.QUERY
    own: Mapping[str, int | float | str] = field(default_factory=dict)

    @classmethod
    def of(cls, knobs: Knobs) -> Self:
        """The record of the knobs."""
        method = find_method(knobs.method)
        knobs = method.settle(knobs)
        used = {
            "candidates": method.among(knobs),
            "unused_candidates": method.unused_candidates(knobs),
            "own": dict(knobs.own_values),
        }
        return cls.from_json(knobs.to_json() | used)

    def value_of(self, name: str) -> Any:
        """The value of a knob that all methods share, or of one of the method's own."""
        if name in KNOBS:
            return getattr(self, name)
        return self.own.get(name, find_method(self.method).knob(name).default)


@dataclass(frozen=True, kw_only=True)
class RunSettings(Recorded):
    """Everything that a run's figures depend on besides what was compared.

    `pool_version` changes with whatever can change them: while the pool has it, the run is of the
    pool as it is, whatever was noted or tagged since. `examples_from` names the pool that the
    examples are from, `caution` a reservation about the figures.
    """

    pool: str
    pool_version: int
    encoder: str
    encoder_name: str
    model: str
    model_fingerprint: str
    device: str
    dtype: str
    template: str
    template_fingerprint: str
    order: str
    examples_from: str
    examples: int
    limit: int | None
    seed: int
    leave_out: str
    leave_out_leaks: bool
    caution: str

    @property
    def size(self) -> int:
        """How many examples it goes through."""
        return self.examples

    @property
    def planned_end(self) -> bool:
        """Whether no look at the figures could end the run or prolong it."""
        return True

    @property
    def by_a_toy(self) -> bool:
        """Whether the practice model judged texts that it does not know."""
        return bool(self.caution)

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen."""
        return False

    @property
    def candidates(self) -> int:
        """The number of most relevant demonstrations to choose from; 0 is the whole pool."""
        return 0

    @property
    def embed(self) -> Embed:
        """The text of a demonstration by which every context was chosen."""
        return Embed.QUERY

    @property
    def other_pool(self) -> str | None:
        """The pool that the examples came from, None where it was the run's own."""
        return None if self.examples_from == self.pool else self.examples_from

    def knobs_of(self, request: RecordedRequest) -> Knobs:
        """The knobs that the request recorded, in this run's order."""
        row = request.to_json() | {"order": self.order}
        return knobs_from_json(row | dict(request.own))


@dataclass(frozen=True, kw_only=True)
class ContextSettings(RunSettings):
    """As `RunSettings`, with the knobs that the contexts are chosen with."""

    request: RecordedRequest

    @property
    def one_per_query(self) -> bool:
        """Whether at most one answer per query was chosen."""
        return self.request.one_per_query

    @property
    def candidates(self) -> int:
        """The number of most relevant demonstrations to choose from; 0 is the whole pool."""
        return self.request.candidates

    @property
    def embed(self) -> Embed:
        """The text of a demonstration by which every context was chosen."""
        return self.request.embed


@dataclass(frozen=True)
class PoolEdits:
    """What was edited in a run's pools since it was made, `count` actions.

    `differing` of its `examples` would now get another context with the run's own settings, have
    other answers, or are gone; None while that is not counted. Where some contexts cannot be chosen
    anew before they are measured, there are `at_least` so many.
    """

    count: int
    differing: int | None = None
    examples: int = 0
    at_least: bool = False

    @property
    def outdated(self) -> bool | None:
        """Whether measuring again would give other figures; None where that is not known."""
        if self.differing:
            return True
        return None if self.differing is None or self.at_least else False


@dataclass(frozen=True, kw_only=True)
class RunFigures(Recorded):
    """What the figures of a calibration or a comparison are based on, whole or so far.

    `examples` counts those used, `total` all that were to be scored; `skipped` are those that
    cannot be scored, each with the reason. `distinct_sets` counts the contexts that had to be
    scored: over the examples, the distinct prompts among all requests; `language_model_calls` the
    pairs of prompt and answer that were not in the cache. `end` is why no more examples came, None
    while more are to come; `look` which of them claims about differences are based on; `finished`
    when a recorded run ended, and `edits` what was edited since (None: nothing), which are no part
    of the JSON.
    """

    KEYS = {
        **same("examples", "without_incorrect"),
        "skipped": "n_skipped",
        "skipped_examples": "skipped",
        **same("total", "end", "look", "distinct_sets"),
        "model": "settings.model",
        **same("language_model_calls", "run", "settings"),
    }
    examples: int
    without_incorrect: int
    skipped: tuple[SkippedExample, ...]
    total: int
    end: End | None
    look: Look
    distinct_sets: int
    language_model_calls: int
    run: int
    settings: RunSettings
    finished: datetime | None = None
    edits: PoolEdits | None = None

    @property
    def n_skipped(self) -> int:
        """How many cannot be scored."""
        return len(self.skipped)

    @property
    def done(self) -> int:
        """How many examples have been processed, including those that could not be used."""
        return self.examples + len(self.skipped)

    @property
    def basis(self) -> Basis:
        """How many of the examples have incorrect answers: what each figure is based on."""
        return Basis(self.examples - self.without_incorrect, self.without_incorrect)

    @property
    def partial(self) -> bool:
        """Whether examples are still to come: the run goes on."""
        return self.end is None and self.done < self.total

    def ended(self, end: End) -> Self:
        """The same for a run that ended so, with the look that such an end allows."""
        return replace(self, end=end, look=look_at(self.examples, self.settings, end))

    def ended_at(self, moment: datetime | None) -> Self:
        """The same with the moment at which the recorded run ended."""
        return replace(self, finished=moment)

    def edited(self, edits: "Callable[[RunFigures], PoolEdits | None]") -> Self:
        """The same with what was edited since, as the function says of a model's figures."""
        found = edits(self)
        return self if found == self.edits else replace(self, edits=found)


def look_at(examples: int, settings: RunSettings, end: End | None = None) -> Look:
    """Which of so many examples claims about differences may be based on, and at which level.

    The number of examples is planned where neither the figures nor an earlier look at some of these
    examples could end the run or prolong it.
    """
    return last_look(examples, ended=end is End.ALL, planned=settings.planned_end)


@dataclass(frozen=True)
class Leaks(Recorded):
    """How many of the `examples` have a context that leaks, and DPO per triple with and without.

    The figures are means in nats, None where there is no triple.
    """

    contexts: int
    examples: int
    dpo_per_triple: float | None
    dpo_per_triple_elsewhere: float | None


def leaks_in(outcomes: Sequence[tuple[bool, AnswerScores]]) -> Leaks:
    """The count over one context per example.

    Args:
        outcomes: Whether the context leaks, and the scores of the example under it.
    """
    there = [scores for leaks, scores in outcomes if leaks]
    elsewhere = [scores for leaks, scores in outcomes if not leaks]
    return Leaks(len(there), len(outcomes), _dpo(there), _dpo(elsewhere))


def _dpo(scores: Sequence[AnswerScores]) -> float | None:
    metric = METRICS["dpo_per_triple"]
    triples = float(metric.denominators(scores).sum()) if scores else 0.0
    return float(metric.numerators(scores).sum()) / triples if triples else None
