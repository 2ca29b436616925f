"""The results of the study of PGRA: a row per setting and way of keeping texts, seed by seed."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.interval import Interval
from core.metrics.labels import label_consistency

from ..over_seeds import Queries, Vector
from .classification import by_consistent, matthews_correlation
from .contexts import Cost, OfSeed, Seen
from .evidence import Evidence
from .settings import STAGE_1, Arm, Variant


@dataclass(frozen=True)
class OverSeeds:
    """A mean over the queries with each seed's exemplars, and over all.

    In `over_all` each query counts once, with its mean over the seeds.
    """

    by_seed: tuple[Interval, ...]
    over_all: Interval

    @property
    def sd(self) -> float | None:
        """The standard deviation of the seeds' means; None below two."""
        return spread(each.mean for each in self.by_seed)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return {**self.over_all.to_json(), "sd_over_seeds": self.sd}


@dataclass(frozen=True)
class Answers:
    """What a reader made of a row's texts.

    `mcc` is the Matthews correlation with each seed's exemplars. `figure_2` has for each seed the
    queries and their accuracy by the number of consistent texts; empty where no text is kept.
    `left_out` is the mean number of kept texts that the model's window had no room for.
    """

    accuracy: OverSeeds
    mcc: tuple[float | None, ...]
    figure_2: tuple[tuple[tuple[int, float | None], ...], ...]
    left_out: float


@dataclass(frozen=True)
class PgraRow:
    """A way of keeping texts with one setting, over all seeds.

    `label` names the value that is varied, empty where nothing is. `consistency` counts true
    labels; None where no text is kept for a query. `gap` is that less stage 1's, None for stage 1
    itself. `best_texts` counts with each seed how many different texts come first for some query:
    few are hubs. `too_long` queries do not fit the model's window. `seconds_a_query` is the median
    of the choice itself, without reading the query.
    """

    label: str
    variant: Variant
    arm: Arm
    consistency: OverSeeds | None
    gap: Interval | None
    best_texts: tuple[int, ...]
    answers: Mapping[str, Answers]
    costs: tuple[Cost, ...]
    too_long: int
    seconds_a_query: float
    model: str

    @property
    def name(self) -> str:
        """What the row is called in tables."""
        return f"{self.label}: {self.arm}" if self.label else str(self.arm)

    def to_json(self, seeds: Sequence[int], chance: float) -> list[dict[str, Any]]:
        """A row for JSON with each seed's exemplars."""
        return [self._seed_to_json(place, seed, chance) for place, seed in enumerate(seeds)]

    def over_seeds_to_json(self) -> dict[str, Any]:
        """The row for JSON over all seeds: means with intervals, and their spread."""
        return {
            **self._setting_to_json,
            "consistency": self.consistency and self.consistency.to_json(),
            "less_stage_1": self.gap and self.gap.to_json(),
            "accuracy": {name: each.accuracy.to_json() for name, each in self.answers.items()},
            "mcc": {
                name: {"mean": mean_of(each.mcc), "sd_over_seeds": spread(each.mcc)}
                for name, each in self.answers.items()
            },
        }

    def _seed_to_json(self, place: int, seed: int, chance: float) -> dict[str, Any]:
        cost, answers = self.costs[place], self.answers
        consistency = None if self.consistency is None else self.consistency.by_seed[place]
        figure_2 = {
            name: [
                {"c": count, "queries": queries, "accuracy": accuracy}
                for count, (queries, accuracy) in enumerate(each.figure_2[place])
            ]
            for name, each in answers.items()
            if each.figure_2
        }
        return {
            **self._setting_to_json,
            "exemplars": {
                "asked": self.variant.exemplars,
                "drawn": cost.drawn,
                "shown": cost.shown,
            },
            "seed": seed,
            "consistency": consistency and consistency.to_json(),
            "chance": chance,
            "accuracy": {
                name: each.accuracy.by_seed[place].to_json() for name, each in answers.items()
            },
            "mcc": {name: each.mcc[place] for name, each in answers.items()},
            "by_consistent": figure_2,
            "best_texts": self.best_texts[place] if self.arm.keeps else None,
            "texts_encoded": cost.texts_encoded,
            "prefix_tokens": cost.prefix_tokens,
            "shortened": cost.shortened,
            "skipped": cost.skipped,
            "seconds": {"reading": cost.reading_seconds, "query": self.seconds_a_query},
        }

    @property
    def _setting_to_json(self) -> dict[str, Any]:
        return {
            "row": self.arm.name,
            "stage": self.arm.stage,
            "similarity": self.arm.similarity,
            **asdict(self.variant),
            "model": self.model,
        }


def rows_of(
    evidence: Evidence, variant: Variant, named: tuple[str, str], found: Sequence[OfSeed]
) -> tuple[PgraRow, ...]:
    """A row for each way of keeping texts that was tried with a setting.

    Args:
        evidence: The pool in two parts.
        variant: The setting.
        named: What the setting is called, and its model.
        found: What was measured with each seed, in their order.
    """
    label, model = named
    queries = Queries(evidence.queries * len(found))
    stage_1 = _consistencies(evidence, found, STAGE_1)
    rows = []
    for arm in found[0].seen:
        consistencies = _consistencies(evidence, found, arm)
        gap = consistencies - stage_1 if arm.keeps and arm is not STAGE_1 else None
        seen = [each for seed in found for each in seed.seen[arm] if each is not None]
        rows.append(
            PgraRow(
                label=label,
                variant=variant,
                arm=arm,
                consistency=_estimates(evidence, consistencies, share=False) if arm.keeps else None,
                gap=None if gap is None else queries.estimate(gap.ravel()),
                best_texts=tuple(_best_texts(evidence, seed.seen[arm]) for seed in found),
                answers=_answers(evidence, found, arm, variant.kept),
                costs=tuple(seed.cost for seed in found),
                too_long=max(seed.too_long for seed in found),
                seconds_a_query=statistics.median([each.seconds for each in seen] or [0.0]),
                model=model,
            )
        )
    return tuple(rows)


def spread(values: Iterable[float | None]) -> float | None:
    """The standard deviation of what is defined; None below two."""
    known = [each for each in values if each is not None]
    return statistics.stdev(known) if len(known) > 1 else None


def mean_of(values: Sequence[float | None]) -> float | None:
    """The mean of what is defined; None where nothing is."""
    known = [each for each in values if each is not None]
    return statistics.fmean(known) if known else None


def _consistencies(evidence: Evidence, found: Sequence[OfSeed], arm: Arm) -> Vector:
    """The consistency of each query, shape (seeds, q); NaN where nothing is kept for it."""
    return np.array(
        [
            [
                np.nan if each is None else label_consistency(_words(evidence, each), label)
                for each, label in zip(seed.seen[arm], evidence.labels, strict=True)
            ]
            for seed in found
        ],
        dtype=np.float64,
    )


def _words(evidence: Evidence, seen: Seen) -> list[str]:
    return [evidence.words[index] for index in seen.kept.indices]


def _best_texts(evidence: Evidence, seen: Sequence[Seen | None]) -> int:
    kept = (each.kept.indices for each in seen if each is not None and each.kept.indices)
    return len({evidence.view.queries[indices[0]] for indices in kept})


def _estimates(evidence: Evidence, values: Vector, *, share: bool) -> OverSeeds:
    """Of one number a seed and query, shape (seeds, q)."""
    once = Queries(evidence.queries)
    over_all = Queries(evidence.queries * len(values))
    if share:
        return OverSeeds(tuple(map(once.share, values)), over_all.share(values.ravel()))
    return OverSeeds(tuple(map(once.estimate, values)), over_all.estimate(values.ravel()))


def _answers(
    evidence: Evidence, found: Sequence[OfSeed], arm: Arm, kept: int
) -> dict[str, Answers]:
    names = {
        name: None
        for seed in found
        for each in seed.seen[arm]
        if each is not None
        for name in each.readings
    }
    return {
        name: _answers_of(evidence, [seed.seen[arm] for seed in found], name, arm, kept)
        for name in names
    }


def _answers_of(
    evidence: Evidence,
    found: Sequence[Sequence[Seen | None]],
    reader: str,
    arm: Arm,
    kept: int,
) -> Answers:
    right = np.full((len(found), len(evidence.queries)), np.nan)
    mcc: list[float | None] = []
    figure_2, left_out = [], []
    for place, seen in enumerate(found):
        read = [
            (at, each, label, word)
            for at, (each, label) in enumerate(zip(seen, evidence.labels, strict=True))
            if each is not None and (word := each.readings[reader].word) is not None
        ]
        for at, _, label, word in read:
            right[place, at] = word == label
        predicted = [word for *_, word in read]
        labels = [label for _, _, label, _ in read]
        mcc.append(matthews_correlation(predicted, labels) if read else None)
        left_out += [each.readings[reader].left_out for _, each, _, _ in read]
        counts = [_words(evidence, each).count(label) for _, each, label, _ in read]
        hits = [word == label for _, _, label, word in read]
        if arm.keeps:
            figure_2.append(by_consistent(counts, hits, kept))
    return Answers(
        accuracy=_estimates(evidence, right, share=True),
        mcc=tuple(mcc),
        figure_2=tuple(figure_2),
        left_out=statistics.fmean(left_out) if left_out else 0.0,
    )
