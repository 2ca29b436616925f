"""The scores of a recorded run, by example and setting, and groups of like examples."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...demonstration.demonstration import EvaluationExample
from ...errors import InvalidInput
from ...metrics.registry import METRICS
from ...metrics.scores import AnswerScores
from ...retrieval.methods.neighbours import METHOD as NEIGHBOURS
from ...retrieval.near_queries import AnswerIndex
from ...store import Store, StoredRun
from ...text import normalised
from ...types import IntArray
from ..plan.examples import random_place
from ..results.calibration import CalibrationSettings
from ..results.comparison import ComparisonSettings
from ..results.run_figures import RecordedRequest, RunSettings
from ..results.verdict import Basis
from .tally import recorded_contexts

FOLDS = 10
"""Parts of a cross-validation."""


def groups_of(examples: Sequence[EvaluationExample]) -> IntArray:
    """The number of each example's group, shape (e,), from 0 in the order of their first example.

    Examples are of one group where their normalised query is the same, where they have a correct
    answer in common that is no label (`answer_index.LABEL_RULE`, over these examples), and where a
    chain of such examples connects them.
    """
    pairs = [(at, answer) for at, each in enumerate(examples) for answer in each.answers]
    owners = np.array([at for at, _ in pairs], dtype=np.int64)
    index = AnswerIndex.of_texts(
        [answer for _, answer in pairs], [examples[at].query for at, _ in pairs]
    )
    labels = index.labels if len(pairs) else np.zeros(0, dtype=bool)
    parents = list(range(len(examples)))
    first: dict[tuple[str, str], int] = {}

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    def join(key: tuple[str, str], place: int) -> None:
        one, other = root(first.setdefault(key, place)), root(place)
        parents[max(one, other)] = min(one, other)

    for place, example in enumerate(examples):
        join(("query", normalised(example.query)), place)
    for owner, (_, answer), is_label in zip(owners.tolist(), pairs, labels.tolist(), strict=True):
        if not is_label:
            join(("answer", normalised(answer)), owner)
    roots = [root(place) for place in range(len(examples))]
    number_of = {each: number for number, each in enumerate(dict.fromkeys(roots))}
    return np.array([number_of[each] for each in roots], dtype=np.int64)


def folds_of(examples: Sequence[EvaluationExample], groups: IntArray, seed: int) -> IntArray:
    """The fold of each example, shape (e,): at most `FOLDS`, whole groups, nearly equal in size.

    Groups are dealt out in the seed's random order of their first example, each to the smallest
    fold so far. With fewer groups than folds each group is a fold of its own.
    """
    firsts = [
        int(np.flatnonzero(groups == group)[0]) for group in range(groups.max(initial=-1) + 1)
    ]
    order = sorted(
        range(len(firsts)), key=lambda group: random_place(examples[firsts[group]].query, seed)
    )
    fold_of, sizes = np.zeros(len(firsts), dtype=np.int64), [0] * min(FOLDS, len(firsts))
    for group in order:
        fold_of[group] = smallest = sizes.index(min(sizes))
        sizes[smallest] += int((groups == group).sum())
    return fold_of[groups]


KINDS = ("evaluate", "calibrate")
"""The kinds of runs whose rows have settings and scores."""
LEAST = 2
"""With fewer settings there is nothing to choose among."""
_LOOKED_THROUGH = (1, 5, 20)
"""How many of the latest runs are read, one after the other until one will do."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedScores:
    """The scores of a run's settings on its examples.

    Attributes:
        run: The run's id.
        settings: What the run's figures depend on.
        metric: The metric that leads in it; by it settings are chosen.
        requests: The knobs of each setting, by its name.
        examples: In the order of the run; those that were passed over are not among them.
        scores: For each example its scores under each setting, by name.
    """

    run: int
    settings: RunSettings
    metric: str
    requests: Mapping[str, RecordedRequest]
    examples: tuple[EvaluationExample, ...]
    scores: tuple[Mapping[str, AnswerScores], ...]

    @cached_property
    def groups(self) -> IntArray:
        """The number of each example's group, shape (e,): see `groups_of`."""
        return groups_of(self.examples)

    @property
    def sign(self) -> float:
        """1 where a higher value of the metric is better, -1 where a lower one is."""
        return -1.0 if METRICS[self.metric].higher_is_better is False else 1.0

    def table(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The scores under these settings, and how much each example counts.

        Returns:
            The metric of each example by itself, shape (e, s), signed so that higher is better, NaN
            where it is undefined or was not scored; and its denominator, shape (e,), so that the
            weighted mean over examples is the metric over them.
        """
        metric = METRICS[self.metric]
        scores = np.full((len(self.examples), len(names)), np.nan)
        weights = np.zeros(len(self.examples))
        for place, name in enumerate(names):
            having = [at for at, each in enumerate(self.scores) if name in each]
            found = [self.scores[at][name] for at in having]
            above, below = metric.numerators(found), metric.denominators(found)
            defined = np.divide(above, below, out=np.full(len(found), np.nan), where=below > 0)
            scores[having, place] = self.sign * defined
            weights[having] = np.maximum(weights[having], below)
        return scores, weights

    @classmethod
    def read(cls, store: Store, run: StoredRun) -> "RecordedScores":
        """The scores of a run, also of one that was stopped or still goes on.

        Raises:
            InvalidInput: Its kind has no settings with scores.
        """
        if run.kind not in KINDS:
            raise InvalidInput(
                f"Run {run.id} is of the kind {run.kind!r}; give one of evaluate or of calibrate."
            )
        settings, requests, name_of = _requests(run)
        examples: dict[str, EvaluationExample] = {}
        scores: dict[str, dict[str, AnswerScores]] = {}
        for row in recorded_contexts(store, run.id):
            if row.example is not None:
                examples[row.query] = row.example
            found = scores.setdefault(row.query, {})
            for request in row.requests:
                if request in name_of:
                    found[name_of[request]] = row.outcome.scores
        kept = tuple(query for query in scores if query in examples)
        used = tuple(examples[query] for query in kept)
        result = run.result or {}
        named = result.get("headline") or result.get("metric")
        metric = str(named) if named in METRICS else Basis.of(used).headline
        return cls(
            run=run.id,
            settings=settings,
            metric=metric,
            requests=requests,
            examples=used,
            scores=tuple(scores[query] for query in kept),
        )


def find_run(
    store: Store, pool: str, run: int | None, suits: Callable[[RunSettings], bool]
) -> StoredRun:
    """The run of that id, else the pool's latest finished one that suits and has two settings.

    Args:
        store: The workspace.
        pool: The pool's name.
        run: An id; None for the latest.
        suits: Whether a run with these settings is of the wanted model; not asked about a run that
            is named.

    Raises:
        InvalidInput: There is no such run, or it is of another pool or kind.
    """
    pool_id = store.pools.get(pool).id
    if run is not None:
        found = store.runs.get(run)
        if found.pool_id != pool_id or found.kind not in KINDS:
            raise InvalidInput(
                f"Run {run} is no comparison or calibration of pool {pool!r}; give the id of one, "
                "or none for the latest."
            )
        return found
    latest = max(_latest(store, pool_id, suits), key=lambda each: each.id, default=None)
    if latest is None:
        raise InvalidInput(
            f"Pool {pool!r} has no finished comparison of {LEAST} settings or more, and no "
            "calibration, with this language model and template; run evaluate, calibrate or "
            "Compare first."
        )
    return latest


def _latest(
    store: Store, pool_id: int, suits: Callable[[RunSettings], bool]
) -> Iterator[StoredRun]:
    """The newest run of each kind that will do."""
    for kind in KINDS:
        for limit in _LOOKED_THROUGH:
            runs = store.runs.latest(kind, pool_id, limit=limit)
            found = next((each for each in runs if _will_do(each, suits)), None)
            if found is not None:
                yield found
            if found is not None or len(runs) < limit:
                break


def _will_do(run: StoredRun, suits: Callable[[RunSettings], bool]) -> bool:
    if run.state != "finished":
        return False
    settings, requests, _ = _requests(run)
    others = [each for each in requests.values() if each.method != NEIGHBOURS.name]
    return len(others) >= LEAST and suits(settings)


def _requests(
    run: StoredRun,
) -> tuple[RunSettings, dict[str, RecordedRequest], dict[Hashable, str]]:
    """A run's settings, its requests by name, and the name of what its rows call them."""
    if run.kind == "evaluate":
        comparison = ComparisonSettings.from_json(run.settings)
        methods = dict(comparison.methods)
        return comparison, methods, {name: name for name in methods}
    calibration = CalibrationSettings.from_json(run.settings)
    names = _cell_names(calibration.cells)
    requests = dict(zip(names, calibration.cells, strict=True))
    return calibration, requests, dict(enumerate(names))


def _cell_names(cells: Sequence[RecordedRequest]) -> list[str]:
    """What each cell differs from the others in: `lambda_d=0.75`, `k=4 lambda_d=0.75`."""
    differing = [
        name
        for name in ("k", "lambda_b", "lambda_d")
        if len({getattr(cell, name) for cell in cells}) > 1
    ] or ["lambda_d"]
    return [" ".join(f"{name}={getattr(cell, name):g}" for name in differing) for cell in cells]
