"""What metrics are computed from: an example's log-probabilities, and figures of its context."""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray


class OfContext(TypedDict):
    """Measurements of a context itself, whatever a model answers; NaN where it is undefined.

    A number that is added here, to `AnswerScores` and to `Context.measured` is kept with every run,
    and a metric can be made of it.

    Attributes:
        diversity: Mean cosine over the pairs of the context.
        cos_sum: Cosine of the sum of its rows with the query.
    """

    diversity: float
    cos_sum: float


NOTHING_MEASURED = OfContext(diversity=math.nan, cos_sum=math.nan)
"""For where there is no context to measure."""


class OfLabels(TypedDict):
    """Measurements of a context's labels against the example's; NaN where it is undefined.

    Attributes:
        correct_tokens: How many tokens each correct answer has when it follows the query without a
            context, shape (a,), int64, >= 1; empty in runs that did not count them. Counted once
            per example, so that every context is divided by the same number.
        label_consistency: Share of the context's demonstrations that have the example's label.
        label_chance: Share of that label among all demonstrations that might have been chosen.
    """

    label_consistency: float
    label_chance: float


class OfAnswer(TypedDict):
    """What a generated answer has in common with the correct ones, in [0, 1]; NaN without one.

    Of several correct answers the best one counts, in each measure by itself; `overlap` has the
    functions of one text.

    Attributes:
        exact_match: 1 where its normalised text is that of a correct answer, else 0.
        f1: F1 of the normalised tokens.
        precision: Share of its normalised tokens that a correct answer has too.
        rouge_l: F1 of the longest common subsequence of tokens.
        nf1: F1 of the tokens that are neither stop words nor in the query.
    """

    exact_match: float
    f1: float
    precision: float
    rouge_l: float
    nf1: float


NOTHING_GENERATED = OfAnswer(
    exact_match=math.nan, f1=math.nan, precision=math.nan, rouge_l=math.nan, nf1=math.nan
)
"""For a run in which the model only scores answers."""
WITHOUT_LABELS = OfLabels(label_consistency=math.nan, label_chance=math.nan)
"""For a pool without a task, or an example without a label."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerScores:
    """Summed log-probabilities of all answers to one query: in a context, and alone.

    It includes the measurements of that context (`OfContext`, `OfLabels`) and of what the model
    itself answered after it (`OfAnswer`). All arrays are float64, in nats, finite. Where the
    context is empty the log-probabilities of both kinds are the same. An example may have no
    incorrect answer; of the metrics that compare log-probabilities it then counts in
    `dpo_correct_only` and the gains only.

    Attributes:
        correct: log p(a | q, C) of each correct answer, shape (a,), a >= 1.
        incorrect: log p(b | q, C) of each incorrect answer, shape (b,).
        correct_alone: log p(a | q), shape (a,).
        incorrect_alone: log p(b | q), shape (b,).
        best: The position of the best answer in `correct`.
        diversity: Mean cosine over the pairs of the context; NaN below two demonstrations.
        cos_sum: Cosine of the sum of the context's rows with the query; NaN without any, and in
            runs that did not measure it.
        label_consistency: Share of the demonstrations that have the example's label, in [0, 1];
            NaN without any, for an example without a label, and in runs that did not measure it.
        label_chance: Share of that label among all demonstrations that might have been chosen,
            in [0, 1]; NaN for an example without a label.
        exact_match: Whether the generated answer is a correct one, 0 or 1; this and the next four
            are NaN where nothing was generated.
        f1: F1 of its tokens with a correct answer's, in [0, 1].
        precision: Share of its tokens that a correct answer has too, in [0, 1].
        rouge_l: F1 of the longest common subsequence, in [0, 1].
        nf1: F1 of the tokens that are neither stop words nor in the query, in [0, 1].

    Raises:
        ValueError: Shapes that disagree, a value that is not finite, an answer of no tokens, no
            correct answer, or a best answer that is not there.
    """

    correct: NDArray[np.float64]
    incorrect: NDArray[np.float64]
    correct_alone: NDArray[np.float64]
    incorrect_alone: NDArray[np.float64]
    best: int = 0
    _: KW_ONLY
    diversity: float = math.nan
    cos_sum: float = math.nan
    correct_tokens: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    label_consistency: float = math.nan
    label_chance: float = math.nan
    exact_match: float = math.nan
    f1: float = math.nan
    precision: float = math.nan
    rouge_l: float = math.nan
    nf1: float = math.nan

    def __post_init__(self) -> None:
        for name in ("correct", "incorrect", "correct_alone", "incorrect_alone"):
            vector = np.asarray(getattr(self, name), dtype=np.float64)
            if vector.ndim != 1 or not np.isfinite(vector).all():
                raise ValueError(f"{name} is not a vector of finite numbers: {vector}")
            object.__setattr__(self, name, vector)
        if self.correct.shape != self.correct_alone.shape:
            raise ValueError(
                f"{len(self.correct)} correct answers, {len(self.correct_alone)} alone"
            )
        if self.incorrect.shape != self.incorrect_alone.shape:
            raise ValueError(
                f"{len(self.incorrect)} incorrect answers, {len(self.incorrect_alone)} alone"
            )
        tokens = np.asarray(self.correct_tokens, dtype=np.int64)
        if tokens.shape not in ((0,), self.correct.shape) or (tokens < 1).any():
            raise ValueError(f"{len(self.correct)} correct answers have the tokens {tokens}")
        object.__setattr__(self, "correct_tokens", tokens)
        if not 0 <= self.best < len(self.correct):
            raise ValueError(f"best is {self.best} of {len(self.correct)} correct answers")

    @property
    def of_answer(self) -> OfAnswer:
        """The measurements of the generated answer."""
        return OfAnswer(
            exact_match=self.exact_match,
            f1=self.f1,
            precision=self.precision,
            rouge_l=self.rouge_l,
            nf1=self.nf1,
        )


PerExample: TypeAlias = Callable[[Sequence[AnswerScores]], NDArray[np.float64]]
"""One number for each example, shape (q,): half of a ratio that is a metric."""


def per_example(number: Callable[[AnswerScores], float]) -> PerExample:
    """The function of many examples that applies `number` to each."""

    def of_all(examples: Sequence[AnswerScores]) -> NDArray[np.float64]:
        return np.array([number(example) for example in examples], dtype=np.float64)

    return of_all


def ratio(numerators: NDArray[np.float64], denominators: NDArray[np.float64]) -> float:
    """The sum of the numerators over that of the denominators; NaN when nothing is defined."""
    total = denominators.sum()
    return float(numerators.sum() / total) if total > 0 else float("nan")


def triples(example: AnswerScores) -> int:
    """How many pairs of a correct and an incorrect answer the example has."""
    return len(example.correct) * len(example.incorrect)


def comparable(example: AnswerScores) -> int:
    """1 where there is an incorrect answer to compare with, 0 where there is none."""
    return int(len(example.incorrect) > 0)


def log_sum_exp(log_probs: NDArray[np.float64]) -> float:
    """The logarithm of the sum of the probabilities, -inf for no probability; never overflows."""
    return float(np.logaddexp.reduce(log_probs, initial=-np.inf))
