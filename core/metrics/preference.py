"""What a context does to the preference for correct answers: DPO, as RAGSys measures it.

Log sigmoid is concave: a mean of it above -0.693 implies a mean delta above 0, a mean below it
implies nothing, since losses weigh more than gains. So no figure below -0.693 is harm by itself.

The gain of an answer is log p(answer | q, C) - log p(answer | q), in nats. A triple is a query
with one correct and one incorrect answer; its delta is the gain of the correct answer less that of
the incorrect one.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .metric import RAGSYS, Counted, MetricInfo
from .scores import AnswerScores, comparable, per_example, ratio, triples


def deltas(example: AnswerScores) -> NDArray[np.float64]:
    """The delta of each triple, shape (a, b), nats: positive when the context helps."""
    gain = example.correct - example.correct_alone  # (a,)
    incorrect_gain = example.incorrect - example.incorrect_alone  # (b,)
    return gain[:, None] - incorrect_gain[None, :]


def log_sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 / (1 + exp(-x))) without overflow: close to x far below 0, to 0 far above."""
    return -np.logaddexp(0.0, -x)


def _correct_only(example: AnswerScores) -> float:
    if comparable(example):
        return 0.0
    return float(log_sigmoid(example.correct - example.correct_alone).sum())


NO_EFFECT = -math.log(2)
"""DPO per triple where the context changes nothing: log sigmoid(0), nats."""

dpo_numerators = per_example(lambda example: float(log_sigmoid(deltas(example)).sum()))
dpo_denominators = per_example(comparable)
delta_numerators = per_example(lambda example: float(deltas(example).sum()))
triple_denominators = per_example(triples)
triple_accuracy_numerators = per_example(
    lambda example: float((example.correct[:, None] > example.incorrect[None, :]).sum())
)
correct_only_numerators = per_example(_correct_only)
dpo_without_effect = per_example(lambda example: NO_EFFECT * triples(example))
delta_without_effect = per_example(lambda example: 0.0)
correct_only_without_effect = per_example(
    lambda example: 0.0 if comparable(example) else NO_EFFECT * len(example.correct)
)
correct_only_denominators = per_example(lambda example: 1 - comparable(example))


def dpo(examples: Sequence[AnswerScores]) -> float:
    """The mean over examples of the sum over triples of log sigmoid(delta), nats, <= 0.

    Higher is better; a context without effect gives -0.693 per triple. NaN when no example has an
    incorrect answer; examples without one are left out.

    Source: RAGSys, section 4 (the scale that its tables show).
    """
    return ratio(dpo_numerators(examples), dpo_denominators(examples))


def dpo_per_triple(examples: Sequence[AnswerScores]) -> float:
    """The mean over all triples of log sigmoid(delta), nats, <= 0; -0.693 is "no effect".

    Higher is better. Above -0.693 delta is above 0 too; below it delta may have either sign. NaN
    when there is no triple.

    Source: RAGSys, section 4, divided by the number of triples.
    """
    return ratio(dpo_numerators(examples), triple_denominators(examples))


def delta(examples: Sequence[AnswerScores]) -> float:
    """The mean over all triples of delta, nats: positive when the context helps on average.

    0 = no effect; NaN when there is no triple.

    Source: RAGSys, section 4, before the log sigmoid.
    """
    return ratio(delta_numerators(examples), triple_denominators(examples))


def triple_accuracy(examples: Sequence[AnswerScores]) -> float:
    """The share of all triples whose correct answer is the more probable one, strictly, in [0, 1].

    1 where every correct answer beats every incorrect one of its query, 0 where none beats any; a
    tie is no win. NaN when there is no triple.

    Source: RAGSys, section 3.2.1, its first formula.
    """
    return ratio(triple_accuracy_numerators(examples), triple_denominators(examples))


def dpo_correct_only(examples: Sequence[AnswerScores]) -> float:
    """The mean, over examples without incorrect answers, of the sum of log sigmoid(gain), nats.

    The counterpart of `dpo` without incorrect answers to compare with; the two are never averaged.
    NaN when every example has an incorrect answer.
    """
    return ratio(correct_only_numerators(examples), correct_only_denominators(examples))


_compared = partial(MetricInfo, higher_is_better=True, counts=Counted.WITH_INCORRECT)
METRICS = (
    _compared(
        name="dpo_per_triple",
        label="DPO per triple",
        explanation=(
            "How far the context moves the model towards a correct answer and away from an "
            "incorrect one: a context that changes nothing has -0.69, and above that it helps, "
            "up to 0. Losses weigh more than gains, so below that read delta beside it."
        ),
        unit="nats per triple",
        source=f"{RAGSYS}, divided by the number of triples",
        numerators=dpo_numerators,
        highest=0.0,
        denominators=triple_denominators,
        without_effect=dpo_without_effect,
    ),
    _compared(
        name="dpo",
        label="DPO",
        explanation=(
            "The same as DPO per triple, but summed over each query's pairs of a correct and "
            "an incorrect answer, then averaged over queries: the scale of the paper's tables."
        ),
        unit="nats per query",
        source=RAGSYS,
        numerators=dpo_numerators,
        highest=0.0,
        denominators=dpo_denominators,
        without_effect=dpo_without_effect,
    ),
    _compared(
        name="delta",
        label="Delta",
        explanation=(
            "By how many nats the context raises the log-probability of a correct answer more "
            "than that of an incorrect one: above 0 it helps on average, below 0 it harms, 0 "
            "is that of a context that changes nothing."
        ),
        unit="nats per triple",
        source=f"{RAGSYS}, before the log sigmoid",
        numerators=delta_numerators,
        denominators=triple_denominators,
        without_effect=delta_without_effect,
    ),
    _compared(
        name="triple_accuracy",
        label="Triple accuracy",
        explanation=(
            "The share of all pairs of a correct and an incorrect answer in which the model "
            "finds the correct one more probable."
        ),
        unit="share",
        source="RAGSys, section 3.2.1, its first formula",
        numerators=triple_accuracy_numerators,
        denominators=triple_denominators,
        spread="share",
        highest=1.0,
    ),
)
CORRECT_ONLY = MetricInfo(
    name="dpo_correct_only",
    label="DPO without incorrect answers",
    explanation=(
        "How far the context raises the correct answers of those queries that have no "
        "incorrect answer: log sigmoid of each answer's gain, summed over a query's "
        "answers. A context that changes nothing has -0.69 an answer, and above that it "
        "helps; below that read the gain per answer beside it."
    ),
    unit="nats per query",
    higher_is_better=True,
    source=f"{RAGSYS}, without the term of the incorrect answer",
    numerators=correct_only_numerators,
    denominators=correct_only_denominators,
    without_effect=correct_only_without_effect,
    counts=Counted.WITHOUT_INCORRECT,
)
