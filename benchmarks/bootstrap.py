"""What demonstrations that a program writes are worth: as a pool, beside one that people curated.

    python benchmarks/bootstrap.py [--tried 100] [--held-out 100] [--start 12 25 50] [--seed 0]

The service desk's log goes on after the bundled pool's 480 requests: the next ones are tried by
`bootstrap` with the practice model, whose answers are known here and in no pool, and those after
them are answered from each pool by the method `rel`, k = 6. The program has the curated pool to
show, or so many demonstrations drawn from it. Prints how many requests come out right, then for
each pool the probability that the model gives the held-out requests' correct answers, DPO per
triple and exact match, and the paired differences from the pool that it was written from and from
the curated one, with 95 % intervals, each by itself. About ten minutes on two cores.
"""

import argparse
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from sys import path as import_path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import transformers

from benchmarks.scoring import PRACTICE_MODEL, PRACTICE_POOL, drafts_of
from core.demonstration.demonstration import Draft
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.interval import Interval
from core.metrics.bounds.intervals import estimate, mean_interval, paired_difference
from core.metrics.registry import METRICS
from core.metrics.scores import AnswerScores
from core.retrieval.knobs import Knobs
from core.studio import Studio
from core.studio.programs.attempts import Bootstrap, keep
from core.studio.programs.bootstrap import BootstrapRequest, run
from core.studio.runs import compare
from core.studio.session.studio import Setup
from core.types import FloatArray
from core.watcher import Watcher
from practice.pools import QUERIES, PoolRow, build_pool

CURATED, LABELLED, TRIED, HELD_OUT = "curated", "labelled by people", "tried", "held out"
CURATED_POOL = PRACTICE_POOL.with_name("service-desk-curated.jsonl")
BESIDE = ", and written from it"
MEASURED = ("dpo_per_triple", "exact_match")


@dataclass(frozen=True)
class Options:
    """How many requests are tried and held out, and with how many demonstrations it starts."""

    tried: int
    held_out: int
    start: Sequence[int]
    seed: int


def main() -> None:
    asked = _options()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    rows = build_pool(queries=QUERIES + asked.tried + asked.held_out)[QUERIES:]
    tried, held_out = rows[: asked.tried], rows[asked.tried :]
    curated = drafts_of(CURATED_POOL)
    with (
        tempfile.TemporaryDirectory(prefix="shotlist-bootstrap-") as folder,
        Studio.open(folder) as studio,
    ):
        pools = {CURATED: curated, TRIED: drafts_from(tried), HELD_OUT: drafts_from(held_out)}
        studio.store.demonstrations.add_to_several(pools)
        _put(studio, LABELLED, [each for each in pools[TRIED] if each.best])
        compared = [CURATED, LABELLED, *_written(studio, CURATED, asked)]
        for size in asked.start:
            name = f"{size} drawn"
            _put(studio, name, Random(asked.seed).sample(curated, size))
            compared += [name, *_written(studio, name, asked)]
        scores = {name: held_out_scores(studio, name) for name in compared}
    _print(scores)


def drafts_from(rows: Sequence[PoolRow]) -> list[Draft]:
    """Every answer of the requests as a demonstration; the first of each is the best."""
    return [
        Draft(row.query, answer, row.incorrect, best=not place)
        for row in rows
        for place, answer in enumerate(row.answers)
    ]


def held_out_scores(studio: Studio, pool: str) -> list[AnswerScores]:
    """The scores of the held-out requests, each after its context from the pool."""
    request = compare.CompareRequest(
        setup=Setup(pool, model=str(PRACTICE_MODEL)),
        rows=(ComparisonRow.parse("rel", Knobs()),),
        examples=HELD_OUT,
        generate=True,
    )
    found = compare.run(studio, request, Watcher())
    return [outcome.scores for outcome in found.methods["rel"].outcomes]


def probabilities(scores: Sequence[AnswerScores]) -> FloatArray:
    """The probability that the model writes one of the correct answers, shape (q,)."""
    return np.array([np.exp(each.correct).sum() for each in scores])


def _options() -> Options:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tried", type=int, default=100, help="requests that are tried")
    parser.add_argument("--held-out", type=int, default=100, help="requests that are answered")
    parser.add_argument(
        "--start", type=int, nargs="*", default=[12, 25, 50], help="demonstrations to begin with"
    )
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    found = parser.parse_args()
    return Options(found.tried, found.held_out, found.start, found.seed)


def _put(studio: Studio, name: str, drafts: Sequence[Draft]) -> None:
    studio.store.demonstrations.add_to_named(name, drafts)


def _written(studio: Studio, pool: str, asked: Options) -> list[str]:
    """The pools of what is written from a pool: alone, beside it, and as many of the curated."""
    found: dict[str, Bootstrap] = {}
    for program in ("nearest", "vanilla"):
        request = BootstrapRequest(
            setup=Setup(pool, model=str(PRACTICE_MODEL)),
            program=program,
            examples=TRIED,
            seed=asked.seed,
        )
        found[program] = run(studio, request, Watcher())
        right, tried = len(found[program].right), len(found[program].tried)
        size = studio.store.pools.summary(pool).demonstrations
        print(f"{program} from {pool} ({size}): {right} of {tried} right", flush=True)
    best = found["nearest"]
    alone, beside = f"written from {pool}", f"{pool}{BESIDE}"
    keep(studio, best, to=alone)
    rows = studio.store.demonstrations.all(studio.store.pools.get(pool).id)
    _put(studio, beside, [Draft(row.query, row.answer, row.incorrect) for row in rows])
    keep(studio, best, to=beside)
    if pool != CURATED:
        return [alone, beside]
    as_many = f"{len(best.right)} of the curated"
    _put(studio, as_many, Random(asked.seed).sample(drafts_of(CURATED_POOL), len(best.right)))
    return [alone, as_many, beside]


def _print(scores: Mapping[str, Sequence[AnswerScores]]) -> None:
    for name, each in scores.items():
        before = name.removesuffix(BESIDE)
        others = [other for other in dict.fromkeys((before, CURATED)) if other != name]
        print(f"\n{name}")
        given = probabilities(each)
        apart = [mean_interval(given - probabilities(scores[other])) for other in others]
        _line("probability of a correct answer", mean_interval(given), others, apart)
        for metric in map(METRICS.__getitem__, MEASURED):
            apart = [paired_difference(metric, each, scores[other]) for other in others]
            _line(metric.name, estimate(metric, each), others, apart)


def _line(what: str, value: Interval, others: Sequence[str], apart: Sequence[Interval]) -> None:
    pairs = zip(others, apart, strict=True)
    less = "".join(f"; less {other} {_shown(one)}" for other, one in pairs)
    print(f"  {what} {_shown(value)}{less}")


def _shown(value: Interval) -> str:
    if value.mean is None or value.low is None or value.high is None:
        return "undefined" if value.mean is None else f"{value.mean:.3f}"
    return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


if __name__ == "__main__":
    main()
