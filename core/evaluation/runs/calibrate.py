"""DPO and diversity over the lambdas and k: which of them suit this pool and this model best."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ...demonstration.demonstration import EvaluationExample
from ...embedding import Encoder
from ...errors import InvalidInput
from ...interval import Interval, defined
from ...metrics.registry import METRICS, metrics_of
from ...metrics.scores import ratio
from ...retrieval.choosing import settled
from ...retrieval.knobs import Knobs, SettledKnobs
from ...retrieval.pool_view import LivePool
from ...settings import LAMBDA_B, LAMBDA_GRID, K
from ...store import Store
from ...watcher import NOBODY, Watcher
from ..plan.engine import Engine
from ..results.calibration import Calibration, CalibrationSettings
from ..results.cells import (
    DELTA,
    DPO,
    SAMENESS,
    CalibrationCell,
    CellKnobs,
    ExactCurve,
    Line,
    OutcomePath,
    StepFunction,
    mean_steps,
)
from ..results.outcomes import RequestResult, ScoredRun
from ..results.recommendation import Recommendation, plainness, recommend
from ..results.run_figures import RecordedRequest
from ..results.verdict import Basis
from ..scoring.example_scores import Setting
from .running import ExampleTask, RunOptions
from .tally import ScoredTask, seen_before

LOOK_EVERY = 10
"""Examples between two looks at whether the choice is settled."""
NEEDS_LITTLE = 0.7
"""The least lambda_d, but for 0, of a first look at a pool whose quality is not scored."""
DEFAULTS = -1
"""The key of the paper's defaults; that of a cell is its place."""


@dataclass(frozen=True, kw_only=True)
class CalibrationOptions(RunOptions):
    """As `RunOptions`, with the cells: every k, lambda_b and lambda_d together.

    Both ends of lambda_d, 0 (diversity only) and 1 (relevance only), are always among its values.
    `knobs` are the others, which all cells share. The first of `ks` with the first of `lambda_bs`
    is the line whose curve is computed exactly, at every lambda_d. `margin` is the margin of
    indifference in the metric's unit, None for one fitted to the effect
    (`recommendation.fitted_margin`); `until_settled` ends the run before its limit, at a look every
    tenth example, once no other cell can be better than the best by more than the margin.
    With `first_look` a few cells of the line are scored for the first examples before all the rest.
    `metric` chooses the best cell; None takes the one that leads by the examples (`Basis`).
    """

    lambda_ds: tuple[float, ...] = LAMBDA_GRID
    lambda_bs: tuple[float, ...] = (LAMBDA_B,)
    ks: tuple[int, ...] = (K,)
    knobs: Knobs = Knobs()
    metric: str | None = None
    margin: float | None = None
    until_settled: bool = False
    first_look: bool = False

    @classmethod
    def of(cls, knobs: Knobs) -> Self:
        """One line over lambda_d, with the k, the lambda_b, the seed and the rest of the knobs."""
        return cls(seed=knobs.seed, ks=(knobs.k,), lambda_bs=(knobs.lambda_b,), knobs=knobs)

    def __post_init__(self) -> None:
        if self.margin is not None and not 0.0 <= self.margin < math.inf:
            raise InvalidInput(f"The margin is {self.margin}; it must be 0 or more.")
        for name, values in (("k", self.ks), ("lambda_b", self.lambda_bs)):
            if not values:
                raise InvalidInput(f"No {name} to calibrate over was given; name at least one.")
        measured = metrics_of(generated=False)
        ranking = [name for name in measured if METRICS[name].higher_is_better is not None]
        if self.metric is not None and self.metric not in ranking:
            raise InvalidInput(
                f"Cells cannot be ranked by {self.metric!r}; choose one of {', '.join(ranking)}."
            )

    @property
    def line(self) -> SettledKnobs:
        """The line of the exact curve: its k and lambda_b, at any lambda_d."""
        return self._request(self.ks[0], 1.0, self.lambda_bs[0])

    def requests(self) -> list[SettledKnobs]:
        """One request a cell: by k, then lambda_b, then lambda_d, each ascending."""
        return [
            self._request(k, lambda_d, lambda_b)
            for k in sorted(set(self.ks))
            for lambda_b in sorted(set(self.lambda_bs))
            for lambda_d in sorted({0.0, 1.0, *self.lambda_ds})
        ]

    def first_look_requests(self) -> list[SettledKnobs]:
        """The line's cells nearest to the quarters of lambda_d: they show the shape soonest."""
        line = [each for each in self.requests() if replace(each, lambda_d=1.0) == self.line]
        nearest = {
            min(line, key=lambda each: abs(each.lambda_d - quarter / 4)) for quarter in range(5)
        }
        return sorted(nearest, key=lambda each: each.lambda_d)

    def _request(self, k: int, lambda_d: float, lambda_b: float) -> SettledKnobs:
        cell = replace(self.knobs, k=k, lambda_d=lambda_d, lambda_b=lambda_b, seed=self.seed)
        return settled(cell)


@dataclass(frozen=True, kw_only=True)
class ScoredCalibration(ScoredRun):
    """Every cell's outcomes over the same evaluation examples; by k, lambda_b, lambda_d.

    `line` is the request whose curve is exact, and `paths` each example's outcomes along it.
    `defaults` are the outcomes of the paper's defaults, which need not be among the cells.
    """

    cells: tuple[RequestResult, ...]
    metric: str
    line: SettledKnobs
    paths: tuple[OutcomePath, ...]
    defaults: RequestResult
    margin: float | None

    @property
    def first_look(self) -> bool:
        """Whether these are a few cells over the first examples, without the exact line."""
        return bool(self.examples) and not any(self.paths)

    @property
    def best(self) -> RequestResult | None:
        """The cell with the best mean; among equals the largest lambdas and the smallest k.

        Those are the plainest: closest to relevance only. None while no cell has a figure.
        """
        sign = 1.0 if METRICS[self.metric].higher_is_better else -1.0
        means = [(cell, sign * ratio(*cell.sums(self.metric))) for cell in self.cells]
        known = [(cell, mean) for cell, mean in means if not math.isnan(mean)]
        if not known:
            return None
        return max(known, key=lambda pair: (pair[1], plainness(pair[0])))[0]

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """The knobs to use, with their gain over the defaults; None while no cell has a figure."""
        return recommend(self.cells, self.defaults, self.metric, self.figures.look, self.margin)

    def steps(self, metric: str | None = None) -> StepFunction:
        """The line's metric, or another one, at every lambda_d, exactly.

        At a single value where several contexts tie, often at 0, the line's cell has the context
        chosen there, and the steps have the one chosen next to it.
        """
        return mean_steps(self.paths, metric or self.metric)

    def summary(self) -> Calibration:
        """The figures without the examples' own outcomes."""
        best, found = self.best, self.recommendation
        cells = tuple(self._cell(result, place) for place, result in enumerate(self.cells))
        return Calibration(
            **vars(self.figures),
            cells=cells,
            metric=self.metric,
            best=None if best is None else cells[self.cells.index(best)],
            advice=None if found is None else found.advice(),
            curve=None if self.first_look else self._curve(),
            leaking_examples=self._leaking_examples(),
        )

    def _leaking_examples(self) -> int:
        """Examples with a leaking context, of a cell or along the line."""
        found = [any(piece.value.leaking for piece in path) for path in self.paths]
        for cell in self.cells:
            leaking = (bool(each.leaking) for each in cell.outcomes)
            found = [one or other for one, other in zip(found, leaking, strict=True)]
        return sum(found)

    def _curve(self) -> ExactCurve:
        names = dict.fromkeys((DPO, self.metric, SAMENESS))
        by_name = {name: self.steps(name) for name in names}
        values = {
            name: tuple(defined(value) for value in steps.values) for name, steps in by_name.items()
        }
        line, lows = Line(self.line.k, self.line.lambda_b), tuple(by_name[DPO].lows.tolist())
        return ExactCurve(line, lows, values[DPO], values[self.metric], values[SAMENESS])

    def _cell(self, cell: RequestResult, place: int) -> CalibrationCell:
        def value(metric: str) -> Interval:
            found = cell.metric(metric, every_look=not self.figures.look.fixed)
            return Interval(found.mean, found.low, found.high)

        found = self.recommendation
        return CalibrationCell(
            knobs=CellKnobs(cell.k, cell.lambda_b, cell.lambda_d),
            dpo=value(DPO),
            value=value(self.metric),
            diversity=value(SAMENESS),
            shortened=cell.shortened,
            leaks=cell.leaks,
            behind=None if found is None else found.differences[place],
            is_behind=None if found is None else found.behind[place],
            delta=value(DELTA),
        )


def calibrate(
    store: Store,
    view: LivePool,
    engine: Engine,
    examples: Sequence[EvaluationExample],
    encoder: Encoder,
    *,
    options: CalibrationOptions | None = None,
    watcher: Watcher = NOBODY,
) -> ScoredCalibration:
    """Score every example under the context of every cell and of the whole line, each once.

    The picture sharpens as examples arrive: the watcher gets a `ScoredCalibration` over the
    examples so far after each. Resumable, as `evaluate` is.

    The arguments are those of `evaluate`.

    Raises:
        InvalidInput: No examples, a limit below 1, a knob out of its range, or lambda_b < 1 while
            the quality is not scored.
        Cancelled: The watcher asked to stop; what was scored is kept.

    Source: RAGSys, Figure 1.
    """
    options = options or CalibrationOptions()
    defaults = _defaults(view, options)
    requests = {DEFAULTS: defaults, **dict(enumerate(options.requests()))}
    setting = Setting(view, engine, options.knobs.order)
    task = ExampleTask.prepare(setting, encoder, examples, requests, options, options.line)
    settings = CalibrationSettings(
        **vars(task.settings),
        cells=tuple(RecordedRequest.of(request) for request in options.requests()),
        line=Line(options.line.k, options.line.lambda_b),
        defaults=RecordedRequest.of(defaults),
        margin=options.margin,
        until_settled=options.until_settled,
        seen_before=seen_before(store, "calibrate", task.settings),
    )
    task = replace(task, settings=settings)
    metric = options.metric or Basis.of(task.examples).headline

    def build(scored: ScoredTask[int]) -> ScoredCalibration:
        cells = [result for key, result in scored.results.items() if key != DEFAULTS]
        return ScoredCalibration(
            examples=scored.examples,
            figures=scored.figures,
            cells=tuple(cells),
            metric=metric,
            line=options.line,
            paths=scored.paths,
            defaults=scored.results[DEFAULTS],
            margin=options.margin,
        )

    def enough(result: ScoredCalibration) -> bool:
        if not options.until_settled or result.figures.done % LOOK_EVERY:
            return False
        found = result.recommendation
        return found is not None and found.settled

    first = _first_look(options) if options.first_look else []
    keys = [key for key, request in requests.items() if key == DEFAULTS or request in first]
    return task.run(store, "calibrate", build, watcher, enough, keys if first else ())


def _first_look(options: CalibrationOptions) -> list[SettledKnobs]:
    """The cells of the first look; of a pool that is not scored those that need little quality.

    Between its ends, where relevance and difference nearly balance, a choice needs the quality
    of many demonstrations: on TruthfulQA the first context at 0.25 and 0.5 needs 160 and 473, at
    0, 0.75 and 1 only 8, 65 and 35.
    """
    cells, quality = options.first_look_requests(), options.quality
    if quality is None or not cells[0].needs_bias or quality.needs_all(cells):
        return cells
    return [each for each in cells if not 0.0 < each.lambda_d < NEEDS_LITTLE]


def _defaults(view: LivePool, options: CalibrationOptions) -> Knobs:
    """The paper's defaults; without bias (lambda_b 1) for a pool whose quality nobody scores."""
    biased = any(each.needs_bias for each in options.requests())
    scored = not view.unscored or (options.quality is not None and biased)
    lambda_b = LAMBDA_B if scored else 1.0
    return Knobs(lambda_b=lambda_b, order=options.knobs.order, seed=options.seed)
