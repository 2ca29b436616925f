"""The results of one query: the demonstrations chosen, and their effect on the language model."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...evaluation.results.verdict import Verdict, verdict_of_one_query
from ...stretches import Stretch
from ...types import LogProb


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    dpo: float | None = None
    dpo_per_triple: float | None = None
    dpo_correct_only: float | None = None
    delta: float | None = None
    left_out: int = 0
