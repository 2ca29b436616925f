"""For each query the setting that did best on the nearest evaluation examples of a run."""

from dataclasses import replace

import numpy as np

from ...errors import InvalidInput
from ...selection.best_on_neighbours import best_on_neighbours
from ..context import Context, SettingChosen
from ..knobs import Knob, Knobs
from ..method import Method, MethodInput
from ..pool_view import LivePool

NEAREST, RUN = "nearest", "run"
LATEST = 0
"""The value of `run` that stands for the latest one with scores."""


def choose(asked: MethodInput) -> Context:
    """The context that the best setting on the query's neighbours chooses.

    An evaluation example is never among its own neighbours, nor is one that gives it away
    (`ScoredSettings.groups`). The setting's own knobs apply, its k too, which is cut to the one
    that is asked for. `values` are undefined: each method's mean another thing.

    Raises:
        InvalidInput: There is no such run, or the setting needs quality bias that is not scored.
    """
    view, knobs = asked.view, asked.knobs
    if not knobs.k or asked.excluded.all():
        return asked.context(np.empty(0, dtype=np.int64))
    scored = view.services.scores(view, knobs.own(RUN))
    allowed = scored.not_of(asked.query)
    if not (allowed & scored.table.usable).any():
        raise InvalidInput(
            f"Run {scored.run} has scores of this query alone; compare settings on more examples."
        )
    found = best_on_neighbours(scored.table, asked.vector, knobs.own(NEAREST), allowed)
    setting = scored.knobs[found.setting]
    used = replace(
        setting,
        k=min(setting.k, knobs.k),
        order=knobs.order,
        one_per_query=setting.one_per_query or knobs.one_per_query,
    )
    context = scored.choose(used, asked.query, asked.vector, asked.excluded)
    return replace(
        context,
        values=np.full(len(context), np.nan),
        setting=SettingChosen(
            name=scored.names[found.setting],
            k=used.k,
            run=scored.run,
            metric=scored.metric,
            neighbours=len(found.neighbours),
            mean=found.mean,
            overall=scored.names[found.overall],
            overall_mean=found.overall_mean,
        ),
    )


def with_run(view: LivePool, knobs: Knobs) -> Knobs:
    """The knobs with the id of the run that they mean, so that a record of them names it.

    Knobs of another method, or that name a run, stay as they are.

    Raises:
        InvalidInput: There is no run with scores.
    """
    if knobs.method != METHOD.name:
        return knobs
    values = dict(METHOD.settle(knobs).own_values)
    if values[RUN] == LATEST:
        values[RUN] = view.services.scores(view, LATEST).run
    return replace(knobs, own_values=tuple(values.items()))


METHOD = Method(
    "neighbours",
    "Best on the neighbours",
    "For each query the setting that did best on the evaluation examples most similar to it, by "
    "the scores of a comparison or a calibration of this pool; the model is not asked again.",
    "DSP, Khattab et al. 2022, section 2.3",
    choose,
    own=(
        Knob(
            "Nearest examples",
            "How many evaluation examples choose the setting: at 1 the nearest alone, with all of "
            "them every query gets the one best setting.",
            low=1,
            high=1000,
            name=NEAREST,
            default=50,
        ),
        Knob(
            "Run",
            "The id of the run whose scores are used; 0 is the latest one.",
            name=RUN,
            default=LATEST,
        ),
    ),
    by_embedding=True,
    pins=True,
)
