"""Calibrations and comparisons by hand."""

from dataclasses import replace

from core.evaluation.results.calibration import Advice, Calibration, CalibrationSettings
from core.evaluation.results.cells import CalibrationCell, CellKnobs, Line
from core.evaluation.results.comparison import Comparison, ComparisonSettings, Front, MethodFigures
from core.evaluation.results.run_figures import Leaks, RecordedRequest
from core.interval import UNDEFINED, Interval
from core.metrics.bounds.sequential import last_look

SETTINGS = {
    "pool": "beliefs",
    "pool_version": 3,
    "encoder": "e" * 32,
    "encoder_name": "all-MiniLM-L6-v2",
    "model": "/models/tiny",
    "model_fingerprint": "f" * 32,
    "device": "cpu",
    "dtype": "float32",
    "template": "qa",
    "template_fingerprint": "a" * 32,
    "order": "most relevant last",
    "examples_from": "beliefs",
    "examples": 40,
    "limit": 40,
    "seed": 0,
    "leave_out": "same normalised query",
    "leave_out_leaks": False,
    "caution": "",
}
NO_LEAKS = Leaks(0, 40, None, None)
DEFAULTS = CellKnobs(6, 0.95, 0.75)


def figures(examples=40, skipped=(), **changes):
    return {
        "examples": examples,
        "without_incorrect": 0,
        "skipped": tuple(skipped),
        "total": examples,
        "end": None,
        "look": last_look(examples, planned=False),
        "distinct_sets": 7,
        "language_model_calls": 123,
        "run": 5,
    } | changes


def interval(mean, half):
    """An estimate; `half` None is one without an interval."""
    ends = (None, None) if mean is None or half is None else (mean - half, mean + half)
    return Interval(mean, *ends, 40)


def cell(
    lambda_d, dpo, behind=0.0, clear=False, k=6, lambda_b=0.95, diversity=None, half=0.05, delta=0.5
):
    """A cell; `clear` makes the paired interval of its lag leave zero out."""
    spread = (behind or 0.0) / 2 if clear else 1.0
    if diversity is None and dpo is not None and k > 1:
        diversity = 0.1 + 0.4 * lambda_d
    return CalibrationCell(
        knobs=CellKnobs(k, lambda_b, lambda_d),
        dpo=interval(dpo, half),
        value=interval(dpo, half),
        diversity=interval(diversity, 0.01),
        shortened=0,
        leaks=NO_LEAKS,
        behind=interval(behind, spread if half is not None else None),
        is_behind=bool(clear and behind),
        delta=interval(delta, half),
    )


def recommendation(
    knobs, gain=0.06, half=0.04, gap=0.03, clear=True, margin=0.05, sharpen=0, needed=0
):
    """What is recommended over the paper's defaults."""
    return Advice(
        knobs=knobs,
        clear=clear,
        defaults=DEFAULTS,
        gain=interval(gain, half),
        best_value=interval(-0.52, 0.04),
        gap=gap,
        margin=margin,
        settled=gap is not None and gap <= margin,
        sharpen=sharpen,
        needed=needed,
    )


def calibration(*cells, metric="dpo_per_triple", advice=None, curve=None, **changes):
    """A calibration whose best cell is the one with the largest mean."""
    known = [each for each in cells if each.value.mean is not None]
    best = max(known, key=lambda each: each.value.mean, default=None)
    requests = tuple(
        RecordedRequest(
            method="rel+div+bias",
            k=each.k,
            lambda_d=each.lambda_d,
            lambda_b=each.lambda_b,
            seed=0,
            bias_scale="raw",
        )
        for each in cells
    )
    if advice is None and best is not None:
        advice = recommendation(best.knobs)
    return Calibration(
        cells=cells,
        metric=metric,
        best=best,
        advice=advice,
        curve=curve,
        leaking_examples=0,
        settings=CalibrationSettings(
            **SETTINGS,
            cells=requests,
            line=Line(6, 0.95),
            defaults=RecordedRequest(
                method="rel+div+bias", k=6, lambda_d=0.75, lambda_b=0.95, seed=0, bias_scale="raw"
            ),
            margin=None,
            until_settled=False,
            seen_before=False,
        ),
        **figures(**changes),
    )


def helps_then_hurts(**changes):
    return calibration(
        cell(0.0, -0.9, 0.4, clear=True),
        cell(0.5, -0.52, 0.02),
        cell(0.6, -0.5),
        cell(0.8, -0.53, 0.03),
        cell(1.0, -0.7, 0.2, clear=True),
        **changes,
    )


METRICS = (
    "dpo_per_triple",
    "dpo",
    "delta",
    "mc1",
    "mc2",
    "mc3",
    "mc3_normalised",
    "dpo_correct_only",
    "diversity",
)


def method(name, mean, half=0.05, lead=None, clear=False, kinds=None, **metrics):
    """A method's figures; `lead` over the reference, None for the reference itself.

    `kinds` are the means of DPO per triple by kind of incorrect answer.
    """
    values = dict.fromkeys(METRICS) | {"dpo_per_triple": mean} | metrics
    differences = {}
    if lead is not None:
        led = {"dpo_per_triple": interval(lead, abs(lead) / 2 if clear else 1.0)}
        differences = {"": dict.fromkeys(METRICS, UNDEFINED) | led}
    return MethodFigures(
        request=RecordedRequest(
            method=name, k=6, lambda_d=0.75, lambda_b=0.95, seed=0, bias_scale="raw"
        ),
        metrics={name: interval(value, half) for name, value in values.items()},
        shortened=0,
        left_out=0,
        leaks=NO_LEAKS,
        leakage=None,
        by_kind={kind: interval(mean, half) for kind, mean in (kinds or {}).items()},
        differences=differences,
    )


def comparison_settings(**changes):
    return ComparisonSettings(**SETTINGS | {"methods": {}, "seen_before": False} | changes)


def comparison(reference="none", best=None, needed=0, **methods):
    """`best` are the methods that none is clearly better than, all of them unless given."""
    known = [name for name, each in methods.items() if each.metrics["dpo_per_triple"].mean]
    front = Front(tuple(known if best is None else best), 40, needed)
    led = {
        name: replace(each, differences=dict.fromkeys(each.differences and [reference], lead))
        for name, each in methods.items()
        for lead in [next(iter(each.differences.values()), None)]
    }
    return Comparison(
        methods=led,
        reference=reference,
        fronts=dict.fromkeys(METRICS, front),
        metric="dpo_per_triple",
        settings=comparison_settings(
            methods={name: each.request for name, each in methods.items()}
        ),
        **figures(),
    )


def three_methods():
    return comparison(
        best=["rel+div"],
        none=method("none", -0.693, half=0.0, mc1=0.2),
        rel=method("rel", -0.68, lead=0.013, mc1=0.5, diversity=0.4),
        **{"rel+div": method("rel+div", -0.5, lead=0.193, clear=True, mc1=0.5, diversity=0.2)},
    )


def two_methods_by_kind():
    return comparison(
        rel=method("rel", -0.5, kinds={"<b>myth</b>": -0.4, "slip": -0.2}),
        **{"rel+div": method("rel+div", -0.3, lead=0.2, kinds={"<b>myth</b>": -0.6, "slip": -0.1})},
        reference="rel",
    )
