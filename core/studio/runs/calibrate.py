"""Calibrate: which lambdas are best for this pool and this language model?"""

from dataclasses import dataclass, replace

from ...background import Job, Watcher
from ...evaluation.results.calibration import Calibration, CalibrationSettings
from ...evaluation.results.cells import CellKnobs
from ...evaluation.runs.calibrate import CalibrationOptions, ScoredCalibration, calibrate
from ...retrieval.knobs import KNOBS, Knobs
from ...settings import LAMBDA_B, LAMBDA_GRID, K
from ..session.studio import Setup, Studio
from .running import PoolRuns, Say, examples_in, prepare

RUNS = PoolRuns("calibrate", Calibration.from_json, CalibrationSettings.from_json)
HEAT_MAP = (1.0, 0.95, 0.9, 0.75, 0.5)
"""The values of lambda_b that the heat map of lambda_b by lambda_d offers."""
K_SWEEP = (1, 2, 4, 6, 8, 12)
"""The values of k that the curve over k offers."""


@dataclass(frozen=True)
class CalibrateRequest:
    """The lambdas and k to try, every combination of them with the other `knobs`.

    `limit` None takes all evaluation examples. The first of `ks` with the first of `lambda_bs` is
    the line whose curve is exact. With `until_settled` the run ends before its limit once no value
    can be better than the best by more than `margin`, or than one that fits the effect where it is
    None. With `leave_out_leaks` no context gives a correct answer of its example under another
    query.
    """

    setup: Setup
    examples: str | None = None
    lambda_ds: tuple[float, ...] = LAMBDA_GRID
    lambda_bs: tuple[float, ...] = (LAMBDA_B,)
    ks: tuple[int, ...] = (K,)
    knobs: Knobs = Knobs()
    limit: int | None = None
    margin: float | None = None
    until_settled: bool = False
    leave_out_leaks: bool = False

    def options(self) -> CalibrationOptions:
        """The same as the evaluation takes it."""
        return CalibrationOptions(
            limit=self.limit,
            seed=self.knobs.seed,
            examples_from=self.examples,
            lambda_ds=self.lambda_ds,
            lambda_bs=self.lambda_bs,
            ks=self.ks,
            knobs=self.knobs,
            margin=self.margin,
            until_settled=self.until_settled,
            leave_out_leaks=self.leave_out_leaks,
        )


def resumed(setup: Setup, settings: CalibrationSettings) -> CalibrateRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    cells = settings.cells
    line = settings.line or cells[0]
    defaults = {name: KNOBS[name].default for name in CellKnobs._fields}
    return CalibrateRequest(
        replace(setup, template=settings.template),
        examples=settings.other_pool,
        lambda_ds=tuple(sorted({cell.lambda_d for cell in cells})),
        lambda_bs=tuple(dict.fromkeys((line.lambda_b, *(cell.lambda_b for cell in cells)))),
        ks=tuple(dict.fromkeys((line.k, *(cell.k for cell in cells)))),
        knobs=replace(settings.knobs_of(cells[0]), **defaults),
        limit=settings.limit,
        margin=settings.margin,
        until_settled=settings.until_settled,
        leave_out_leaks=settings.leave_out_leaks,
    )


def contexts_about(studio: Studio, request: CalibrateRequest) -> int:
    """How many contexts the model will have to judge, roughly.

    The exact line has about 5 (k - 1) + 1 pieces per query (measured on two pools for k from 1 to
    20), every other line at most one per value of lambda_d; and each example is scored without
    context.
    """
    examples = examples_in(studio, request.examples or request.setup.pool, request.limit)
    options = request.options()
    lines = len(set(options.ks)) * len(set(options.lambda_bs))
    others = len(options.requests()) * (lines - 1) // lines
    return examples * (5 * max(options.line.k - 1, 0) + 1 + others + 1)


def cost(studio: Studio, request: CalibrateRequest) -> str:
    """The same in words."""
    return f"About {contexts_about(studio, request):,} contexts"


def run(
    studio: Studio,
    request: CalibrateRequest,
    watcher: Watcher,
    say: Say,
    *,
    first_look: bool = False,
) -> ScoredCalibration:
    """Calibrate; resumable, and nothing is scored twice.

    With `first_look` the watcher gets a picture of a few values of lambda_d soon.

    Raises:
        InvalidInput: A knob out of its range, an unknown pool or model, or no examples.
        Cancelled: The watcher asked to stop; what was scored is kept.
    """
    options = request.options()
    ready = prepare(studio, request.setup, request.examples, options.requests(), watcher, say)
    return calibrate(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(request.setup.encoder),
        options=replace(options, caution=ready.caution, first_look=first_look),
        watcher=watcher,
    )


def start(studio: Studio, request: CalibrateRequest) -> Job:
    """Run in the background; partial and final results are `ScoredCalibration`."""
    return RUNS.start(
        studio,
        request.setup.pool,
        f"Calibrating {request.setup.pool}",
        lambda watcher: run(studio, request, watcher, lambda line: None, first_look=True),
    )
