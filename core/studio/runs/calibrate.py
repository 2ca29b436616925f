"""Calibrate: which lambdas are best for this pool and this language model?"""

from dataclasses import dataclass, replace
from functools import partial

from ...evaluation.results.calibration import Calibration, CalibrationSettings
from ...evaluation.results.cells import CellKnobs
from ...evaluation.runs.calibrate import CalibrationOptions, ScoredCalibration, calibrate
from ...retrieval.knobs import KNOBS
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .duration import with_time
from .running import RunKind, examples_in, figures_by, prepare

HEAT_MAP = (1.0, 0.95, 0.9, 0.75, 0.5)
"""The values of lambda_b that the heat map of lambda_b by lambda_d offers."""
K_SWEEP = (1, 2, 4, 6, 8, 12)
"""The values of k that the curve over k offers."""


@dataclass(frozen=True, kw_only=True)
class CalibrateRequest:
    """What to calibrate, and how: `options` with `limit` None take all evaluation examples."""

    setup: Setup
    options: CalibrationOptions = CalibrationOptions()

    @property
    def examples(self) -> str | None:
        """The pool that the evaluation examples are from, None for the same."""
        return self.options.examples_from


def resumed(setup: Setup, settings: CalibrationSettings) -> CalibrateRequest:
    """The request that a recorded run's settings came from, for this encoder and model."""
    cells, line = settings.cells, settings.line
    defaults = {name: KNOBS[name].default for name in CellKnobs._fields}
    options = CalibrationOptions(
        limit=settings.limit,
        seed=settings.seed,
        examples_from=settings.other_pool,
        leave_out_leaks=settings.leave_out_leaks,
        lambda_ds=tuple(sorted({cell.lambda_d for cell in cells})),
        lambda_bs=tuple(dict.fromkeys((line.lambda_b, *(cell.lambda_b for cell in cells)))),
        ks=tuple(dict.fromkeys((line.k, *(cell.k for cell in cells)))),
        knobs=replace(settings.knobs_of(cells[0]), **defaults),
        margin=settings.margin,
        until_settled=settings.until_settled,
    )
    return CalibrateRequest(setup=replace(setup, template=settings.template), options=options)


def contexts_about(studio: Studio, request: CalibrateRequest) -> int:
    """How many contexts the model will have to score, roughly.

    The exact line has about 5 (k - 1) + 1 pieces per query (measured on two pools for k from 1 to
    20), every other line at most one per value of lambda_d; and each example is scored without
    context.
    """
    options = request.options
    examples = examples_in(studio, options.examples_from or request.setup.pool, options.limit)
    lines = len(set(options.ks)) * len(set(options.lambda_bs))
    others = len(options.requests()) * (lines - 1) // lines
    return examples * (5 * max(options.line.k - 1, 0) + 1 + others + 1)


def cost(studio: Studio, request: CalibrateRequest) -> str:
    """`contexts_about` in words, with the time that they take once the model was timed."""
    contexts = contexts_about(studio, request)
    words = f"About {contexts:,} contexts"
    return with_time(studio, request, contexts, request.options.requests(), words)


def run(
    studio: Studio, request: CalibrateRequest, watcher: Watcher, *, first_look: bool = False
) -> ScoredCalibration:
    """Calibrate; resumable, and nothing is scored twice.

    With `first_look` the watcher soon gets results at a few values of lambda_d.

    Raises:
        InvalidInput: A knob out of its range, an unknown pool or model, or no examples.
        Cancelled: The watcher requested a stop; what was scored is kept.
    """
    options = request.options
    ready = prepare(
        studio, request.setup, options.examples_from, options.requests(), watcher, as_needed=True
    )
    return calibrate(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(request.setup.encoder),
        options=replace(
            options, caution=ready.caution, quality=ready.quality, first_look=first_look
        ),
        watcher=watcher,
    )


RUNS = RunKind(
    name="calibrate",
    label=lambda request: f"Calibrating {request.setup.pool}",
    run=partial(run, first_look=True),
    settings=CalibrationSettings.from_json,
    resumed=resumed,
    result=figures_by(Calibration.from_json),
)
"""Calibrations; partial and final results of a job are `ScoredCalibration`."""
