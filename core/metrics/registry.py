"""Every metric of an evaluation, with what a reader needs to know about it."""

import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from . import gain, multiple_choice, preference
from .cos_sum import cos_sum_denominators, cos_sum_numerators
from .diversity import diversity_denominators, diversity_numerators
from .labels import consistency_denominators, consistency_numerators
from .overlap import generated_denominators, overlap_numerators
from .scores import PerExample

_RAGSYS = "RAGSys, section 4"
_TRUTHFULQA = "Lin et al. 2022, TruthfulQA"
_SQUAD = "Rajpurkar et al. 2016, SQuAD's evaluation"
_DSP = "Khattab et al. 2022, DSP, its evaluation code"


class Counted(Enum):
    """Which examples a metric is defined for: by their answers, by their label, or by the run."""

    ALL = auto()
    WITH_INCORRECT = auto()
    WITHOUT_INCORRECT = auto()
    LABELLED = auto()
    GENERATED = auto()


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric: the sum of `numerators` over that of `denominators`, one of each per example.

    A denominator of 0 means that the metric is undefined for the example, which is left out.
    `spread` is the kind of interval it has: a `share` is in [0, 1] example by example,
    numerator over denominator, the outcomes of a `mean` may be skewed, and what is `unbounded` has
    none: one example may decide it.
    `without_effect` are the numerators where the context changes nothing, for the means. No value
    is above `highest`. `higher_is_better` is None where neither end is better: such a metric is
    shown, and nothing is chosen by it; `ends` then describe a lower and a higher value. `counts`
    is which examples it counts.
    """

    name: str
    label: str
    explanation: str
    unit: str
    higher_is_better: bool | None
    source: str
    numerators: PerExample
    denominators: PerExample
    spread: Literal["mean", "share", "unbounded"] = "mean"
    without_effect: PerExample | None = None
    highest: float = math.inf
    ends: tuple[str, str] | None = None
    counts: Counted = Counted.ALL

    @property
    def axis(self) -> str:
        """The name of an axis that shows it."""
        return f"{self.label} ({self.unit})"


METRICS: dict[str, MetricInfo] = {
    metric.name: metric
    for metric in (
        MetricInfo(
            name="dpo_per_triple",
            label="DPO per triple",
            explanation=(
                "How far the context moves the model towards a correct answer and away from an "
                "incorrect one: a context that changes nothing has -0.69, and above that it helps, "
                "up to 0. Losses weigh more than gains, so below that read delta beside it."
            ),
            unit="nats per triple",
            higher_is_better=True,
            source=f"{_RAGSYS}, divided by the number of triples",
            numerators=preference.dpo_numerators,
            highest=0.0,
            denominators=preference.triple_denominators,
            without_effect=preference.dpo_without_effect,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="dpo",
            label="DPO",
            explanation=(
                "The same as DPO per triple, but summed over each query's pairs of a correct and "
                "an incorrect answer, then averaged over queries: the scale of the paper's tables."
            ),
            unit="nats per query",
            higher_is_better=True,
            source=_RAGSYS,
            numerators=preference.dpo_numerators,
            highest=0.0,
            denominators=preference.dpo_denominators,
            without_effect=preference.dpo_without_effect,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="delta",
            label="Delta",
            explanation=(
                "By how many nats the context raises the log-probability of a correct answer more "
                "than that of an incorrect one: above 0 it helps on average, below 0 it harms, 0 "
                "is that of a context that changes nothing."
            ),
            unit="nats per triple",
            higher_is_better=True,
            source=f"{_RAGSYS}, before the log sigmoid",
            numerators=preference.delta_numerators,
            denominators=preference.triple_denominators,
            without_effect=preference.delta_without_effect,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="triple_accuracy",
            label="Triple accuracy",
            explanation=(
                "The share of all pairs of a correct and an incorrect answer in which the model "
                "finds the correct one more probable."
            ),
            unit="share",
            higher_is_better=True,
            source="RAGSys, section 3.2.1, its first formula",
            numerators=preference.triple_accuracy_numerators,
            denominators=preference.triple_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="mc1",
            label="MC1",
            explanation=(
                "The share of queries in which the right answer wins: the model finds it more "
                "probable than every incorrect one."
            ),
            unit="share",
            higher_is_better=True,
            source=f"{_TRUTHFULQA} (MC1); {_RAGSYS} (MC1)",
            numerators=multiple_choice.mc1_numerators,
            denominators=multiple_choice.mc_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="mc2",
            label="MC2",
            explanation=(
                "The share of a query's correct answers that win, each against every incorrect "
                "one, averaged over queries."
            ),
            unit="share",
            higher_is_better=True,
            source=f"{_RAGSYS} (MC2); {_TRUTHFULQA} (MC3)",
            numerators=multiple_choice.mc2_numerators,
            denominators=multiple_choice.mc_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="mc3",
            label="MC3 (ratio)",
            explanation=(
                "The probability of the correct answers divided by that of the incorrect ones, "
                "averaged over queries. It has no upper bound, so one query can outweigh all "
                "others: read MC3 instead."
            ),
            unit="ratio",
            higher_is_better=True,
            source=f"{_RAGSYS} (MC3, as its formula is written)",
            numerators=multiple_choice.mc3_numerators,
            denominators=multiple_choice.mc_denominators,
            spread="unbounded",
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
            name="mc3_normalised",
            label="MC3",
            explanation=(
                "How much of the probability of all answers falls on the correct ones, averaged "
                "over queries."
            ),
            unit="share",
            higher_is_better=True,
            source=f"{_TRUTHFULQA} (MC2); {_RAGSYS} (MC3, as in its tables)",
            numerators=multiple_choice.mc3_normalised_numerators,
            denominators=multiple_choice.mc_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.WITH_INCORRECT,
        ),
        MetricInfo(
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
            source=f"{_RAGSYS}, without the term of the incorrect answer",
            numerators=preference.correct_only_numerators,
            denominators=preference.correct_only_denominators,
            without_effect=preference.correct_only_without_effect,
            counts=Counted.WITHOUT_INCORRECT,
        ),
        MetricInfo(
            name="gain_per_token",
            label="Gain per token",
            explanation=(
                "By how many nats the context raises the log-probability of a correct answer, for "
                "each of its tokens: above 0 the answer becomes more probable, 0 means that "
                "nothing changes. Incorrect answers may gain as much."
            ),
            unit="nats per token",
            higher_is_better=True,
            source=f"{_RAGSYS}, the term of the correct answer before the log sigmoid",
            numerators=gain.token_gain_numerators,
            denominators=gain.token_denominators,
            without_effect=gain.gain_without_effect,
        ),
        MetricInfo(
            name="gain_per_answer",
            label="Gain per answer",
            explanation=(
                "The same as the gain per token, but over the whole of an answer: the longer it "
                "is, the more it can gain."
            ),
            unit="nats per answer",
            higher_is_better=True,
            source=f"{_RAGSYS}, the term of the correct answer before the log sigmoid",
            numerators=gain.gain_numerators,
            denominators=gain.answer_denominators,
            without_effect=gain.gain_without_effect,
        ),
        MetricInfo(
            name="diversity",
            label="Sameness",
            explanation=(
                "How similar the demonstrations of a context are: the mean cosine over its pairs, "
                "1 when all ask the same, near 0 when they have nothing in common."
            ),
            unit="mean cosine of pairs, lower is more diverse",
            higher_is_better=None,
            source=f"{_RAGSYS} (the horizontal axis of Figure 1)",
            numerators=diversity_numerators,
            denominators=diversity_denominators,
            ends=("more diverse", "less diverse"),
        ),
        MetricInfo(
            name="cos_sum",
            label="Cosine of the sum",
            explanation=(
                "How nearly the demonstrations of a context, added up, point at the query: the "
                "cosine of their sum with it, 1 when they make up the query's own direction. It "
                "is what VRSD maximises, so read it beside DPO and delta, which say what that does "
                "to the answers."
            ),
            unit="cosine",
            higher_is_better=None,
            source="Gao, Deng and Zhang 2024, VRSD (mean)",
            numerators=cos_sum_numerators,
            denominators=cos_sum_denominators,
            ends=("farther from the query", "nearer to the query"),
        ),
        MetricInfo(
            name="label_consistency",
            label="Label consistency (true labels)",
            explanation=(
                "The share of a context's demonstrations that have the query's own label, averaged "
                "over queries: 1 where all have it. It is shown with chance, the share in contexts "
                "drawn at random. The labels are true ones; the paper's consistency score counts "
                "pseudo-labels, another quantity."
            ),
            unit="share",
            higher_is_better=True,
            source="PGRA, Guo et al. 2023, section 4.3, with true labels",
            numerators=consistency_numerators,
            denominators=consistency_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.LABELLED,
        ),
        MetricInfo(
            name="exact_match",
            label="Exact match",
            explanation=(
                "The share of queries that the model itself answers right: its text is a correct "
                "answer, apart from capitals, punctuation, articles and spaces. A right answer in "
                "other words counts as wrong."
            ),
            unit="share",
            higher_is_better=True,
            source=_SQUAD,
            numerators=overlap_numerators("exact_match"),
            denominators=generated_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.GENERATED,
        ),
        MetricInfo(
            name="f1",
            label="Answer F1",
            explanation=(
                "How many words the model's own answer has in common with a correct one: the "
                "harmonic mean of the share of its words that the correct answer has and the share "
                "of that answer's words that it has, averaged over queries."
            ),
            unit="mean of shares",
            higher_is_better=True,
            source=_SQUAD,
            numerators=overlap_numerators("f1"),
            denominators=generated_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.GENERATED,
        ),
        MetricInfo(
            name="precision",
            label="Answer precision",
            explanation=(
                "The share of the words of the model's own answer that a correct one has too, "
                "averaged over queries: 1 where it adds nothing, however little it says."
            ),
            unit="mean of shares",
            higher_is_better=True,
            source=_DSP,
            numerators=overlap_numerators("precision"),
            denominators=generated_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.GENERATED,
        ),
        MetricInfo(
            name="rouge_l",
            label="ROUGE-L",
            explanation=(
                "How many words the model's own answer has in common with a correct one in the "
                "same order: F1 of their longest common subsequence, averaged over queries."
            ),
            unit="mean of shares",
            higher_is_better=True,
            source="Lin 2004, ROUGE-L with equal weights",
            numerators=overlap_numerators("rouge_l"),
            denominators=generated_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.GENERATED,
        ),
        MetricInfo(
            name="nf1",
            label="nF1",
            explanation=(
                "F1 of the words that carry an answer: those of the query, and little words such "
                "as 'the' and 'is', are left out, so that repeating the query earns nothing."
            ),
            unit="mean of shares",
            higher_is_better=True,
            source="nF1 of Paranjape et al. 2022, as DSP uses it",
            numerators=overlap_numerators("nf1"),
            denominators=generated_denominators,
            spread="share",
            highest=1.0,
            counts=Counted.GENERATED,
        ),
    )
}


def metrics_of(*, generated: bool) -> list[str]:
    """The names of a run's metrics: those of generated answers only where there are any."""
    return [
        name
        for name, metric in METRICS.items()
        if generated or metric.counts is not Counted.GENERATED
    ]
