"""The results of one query: the context and its effect, the steps of a path, a prompt."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace

from ...evaluation.results.verdict import Verdict, verdict_of_one_query
from ...interval import TIE, Stretch
from ...types import LogProb


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One demonstration of the context and why it was chosen; None where a part is undefined.

    `rank` counts from 1 in the order chosen, also those that the window had no room for. Of a
    method with a first stage, `stage_1` is the rank there, and `label` the label word of the
    answer, empty where it is no label of the task; else both are None. `written_by` is the program
    that wrote the demonstration, with its model and run; empty where a person did. A `pinned` one
    begins every context.
    """

    rank: int
    id: int
    query: str
    answer: str
    relevance: float
    quality_bias: float | None
    redundancy: float | None
    value: float | None
    stage_1: int | None = None
    label: str | None = None
    written_by: str = ""
    pinned: bool = False


@dataclass(frozen=True, kw_only=True)
class TaskOrder:
    """How a task ordered, for one query, the candidates that a first stage fetched.

    `text` is exactly what the model reads for the query: the last `shown` of the `exemplars`, which
    are ids, then the query in the task's question. `own` is whether the query is one of those.

    `words` are the label words of the query's correct answers, none where they are unknown or not
    labels. `consistent` of the `kept` demonstrations have one of them, and `consistent_first` of as
    many that the first stage alone would have kept; `chance` is their share of the pool's
    demonstrations of all other queries, in [0, 1].

    `shortened` counts the pool's texts with room for fewer exemplars than the others; `skipped` are
    the ids, `skipped_texts` the texts, of those that do not fit the model's window even alone.
    """

    task: str
    text: str
    candidates: int
    exemplars: tuple[int, ...]
    shown: int
    own: bool
    words: tuple[str, ...]
    kept: int
    consistent: int
    consistent_first: int
    chance: float
    shortened: int
    skipped: tuple[int, ...]
    skipped_texts: tuple[str, ...]


@dataclass(frozen=True)
class AnswerRow:
    """One answer: its log-probability alone and with the context, in nats, token by token.

    `kind` is that of an incorrect answer, empty where it has none.
    """

    text: str
    correct: bool
    alone: LogProb
    with_context: LogProb
    kind: str = ""

    @property
    def change(self) -> float:
        """How many nats the answer gains from the context."""
        return self.with_context.total - self.alone.total


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a context does to each answer, and the metrics that follow for this one query.

    `dpo`, `dpo_per_triple` and `delta` are None without incorrect answers, `dpo_correct_only`
    with them; the gains are those of the correct answers in either case. `by_kind` is DPO per
    triple against the incorrect answers of one kind at a time.
    """

    rows: tuple[AnswerRow, ...]
    triples: int
    delta: float | None
    dpo: float | None
    dpo_per_triple: float | None
    dpo_correct_only: float | None
    gain_per_token: float
    gain_per_answer: float
    by_kind: Mapping[str, float]

    @property
    def verdict(self) -> Verdict | None:
        """Whether the context helps or harms this query; None without incorrect answers."""
        return verdict_of_one_query(self.dpo_per_triple, self.delta)


@dataclass(frozen=True)
class CurvePiece(Stretch):
    """A stretch of lambda_d, the context used on it and its effect on the model.

    All but `ids` and `diversity` are None until it is scored. Then `dpo`, `dpo_per_triple` and
    `delta` are None without incorrect answers, `dpo_correct_only` with them. `diversity` is None
    below two demonstrations.
    """

    ids: tuple[int, ...]
    diversity: float | None
    _: KW_ONLY
    dpo: float | None = None
    dpo_per_triple: float | None = None
    dpo_correct_only: float | None = None
    delta: float | None = None
    left_out: int = 0


@dataclass(frozen=True)
class PathStep(Stretch):
    """One piece of a path: these demonstrations are chosen on it, in this order.

    `enters` and `leaves` are the demonstrations, (query, answer) each, by which its set differs
    from that of the piece below; both are empty where only the order of the choice changes.
    """

    enters: tuple[tuple[str, str], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    ids: tuple[int, ...] = ()


def sets_of(steps: Sequence[PathStep]) -> tuple[PathStep, ...]:
    """The steps with neighbours joined that choose the same set in another order."""
    joined: list[PathStep] = []
    for step in steps:
        if joined and not step.enters and not step.leaves:
            joined[-1] = replace(joined[-1], high=step.high)
        else:
            joined.append(step)
    return tuple(joined)


def step_at(steps: Sequence[PathStep], at: float) -> PathStep | None:
    """The step at a lambda; None without steps."""
    return next((step for step in reversed(steps) if step.low <= at), None)


@dataclass(frozen=True)
class StepsAround:
    """The step that applies at a lambda, and the different ones below and above it.

    `here` is None where several contexts tie and the one chosen applies at this value alone.
    """

    here: PathStep | None
    below: PathStep | None
    above: PathStep | None


def steps_around(steps: Sequence[PathStep], at: float, chosen: Collection[int]) -> StepsAround:
    """The steps at and around a lambda; at a breakpoint, `chosen` decides which side applies.

    Args:
        steps: All steps of a path; those of `sets_of` where the order of choice does not count.
        at: The lambda.
        chosen: Ids of the demonstrations chosen there, fewer where the window had no room.
    """
    near = [step for step in steps if step.may_contain(at)]
    here = next((step for step in near if set(chosen) <= set(step.ids)), None)
    low, high = (at, at) if here is None else (here.low, here.high)
    below = [step for step in steps if step is not here and step.high <= low + TIE]
    above = [step for step in steps if step is not here and step.low >= high - TIE]
    return StepsAround(here, below[-1] if below else None, above[0] if above else None)


def inside(step: PathStep) -> float:
    """A lambda in the middle of a step, with two decimals where the step is wide enough."""
    for decimals in range(2, 15):
        rounded = round(step.middle, decimals)
        if step.low + step.width / 8 < rounded < step.high - step.width / 8:
            return rounded
    return step.middle


PASSAGE = "passage"
"""The kind of a part that is evidence."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt.

    Attributes:
        kind: `instruction`, `raw` or `augmented` for a demonstration, `format`, `query`, `passage`;
            "" between the parts.
        text: Exactly as in the prompt.
        number: Of a demonstration or a passage among those of its kind, from 1; 0 for others.
    """

    kind: str
    text: str
    number: int = 0
