"""Rows of a comparison that differ in one knob alone, or in the model: what a metric does over it.

The paper's Figures 3 and 4 are such sweeps, over the candidates of stage 1, over the demonstrations
that are kept and over the size of the model; any method's rows make them. Its Figure 5, sentences
against passages, is left out: a pool contains demonstrations, no passages.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.run_figures import RecordedRequest
from ...interval import Interval
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS
from ...retrieval.knobs import KNOBS, Knob

MODEL = "model"
"""The knob of a sweep over models."""
_NO_SCALE = ("seed",)
"""Numbers whose size means nothing."""
_ACROSS_MODELS = tuple(name for name, each in METRICS.items() if each.spread == "share")
"""Shares are on one scale whatever the model; nats of a model's own tokens are not."""

Others: TypeAlias = tuple[str, tuple[tuple[str, object], ...]]


@dataclass(frozen=True)
class SweepPoint:
    """A row at its value of the knob, or the name of its model; `of` has its figures."""

    value: float | str
    row: str
    of: Comparison

    def estimate(self, metric: str) -> Interval:
        """The row's metric."""
        return self.of.value(self.row, metric)


@dataclass(frozen=True)
class SweepLine:
    """Rows that differ in the knob alone, in the order of its values."""

    name: str
    points: tuple[SweepPoint, ...]


@dataclass(frozen=True)
class Sweep:
    """The knob that rows differ in, and a line for all that are otherwise the same."""

    knob: str
    lines: tuple[SweepLine, ...]

    def metrics(self) -> tuple[str, ...]:
        """The metrics for which two points of a line have a figure, on one scale."""
        names = _ACROSS_MODELS if self.knob == MODEL else tuple(METRICS)
        return tuple(name for name in names if any(_drawn(line, name) for line in self.lines))


def sweeps_of(comparison: Comparison) -> tuple[Sweep, ...]:
    """The sweeps that the rows make, those with the most points first.

    Two values already make a line. Rows of a removed method make none, and neither do seeds.
    """
    rows = {name: each.request for name, each in comparison.methods.items()}
    known = {name: request for name, request in rows.items() if request.method in METHODS}
    knobs = dict.fromkeys(name for request in known.values() for name in _numbers(request))
    found = [_over(comparison, known, knob) for knob in knobs]
    return tuple(sorted((each for each in found if each.lines), key=_size, reverse=True))


def sweep_of_models(comparison: Comparison) -> Sweep | None:
    """The rows that several models share, model by model in their order; None for one model."""
    lines: dict[str, list[SweepPoint]] = {}
    names: dict[str, str] = {}
    for of, model in zip(comparison.models, comparison.model_names, strict=True):
        for row, each in of.methods.items():
            same = json.dumps(each.request.to_json(), sort_keys=True)
            names.setdefault(same, row)
            lines.setdefault(same, []).append(SweepPoint(Path(model).name or model, row, of))
    shared = {same: points for same, points in lines.items() if len(points) > 1}
    found = tuple(SweepLine(names[same], tuple(points)) for same, points in shared.items())
    return Sweep(MODEL, found) if found else None


def _over(comparison: Comparison, rows: Mapping[str, RecordedRequest], knob: str) -> Sweep:
    groups: dict[Others, list[SweepPoint]] = {}
    for name, request in rows.items():
        numbers = _numbers(request)
        if knob not in numbers or (knob == "candidates" and not request.candidates):
            continue
        # Knobs in `numbers` are numbers, which mypy cannot know.
        value = float(request.value_of(knob))
        groups.setdefault(_others(request, knob), []).append(SweepPoint(value, name, comparison))
    lines = {same: points for same, points in groups.items() if len(_values(points)) > 1}
    return Sweep(
        knob,
        tuple(
            SweepLine(_line_name(same, list(lines)), tuple(sorted(points, key=_at)))
            for same, points in lines.items()
        ),
    )


def _line_name(same: Others, all_of_them: list[Others]) -> str:
    """The method, and what it differs in from other lines of the same method."""
    method, values = same
    others = [dict(each) for name, each in all_of_them if name == method and each != values]
    differing = [
        f"{name} {value}" for name, value in values if any(each[name] != value for each in others)
    ]
    return f"{method}, {', '.join(differing)}" if differing else method


def _others(request: RecordedRequest, knob: str) -> Others:
    """The method and every other knob that its choice depends on, with its value."""
    names = (name for name in METHODS[request.method].knobs if name != knob)
    return request.method, tuple((name, request.value_of(name)) for name in names)


def _numbers(request: RecordedRequest) -> list[str]:
    """The names of the numeric knobs that the row's choice depends on."""
    own = {knob.name: knob for knob in METHODS[request.method].own}
    names = METHODS[request.method].knobs
    return [name for name in names if name not in _NO_SCALE and _is_number({**KNOBS, **own}[name])]


def _is_number(knob: Knob) -> bool:
    return knob.choices is None and not knob.is_switch


def _values(points: list[SweepPoint]) -> set[float | str]:
    return {point.value for point in points}


def _at(point: SweepPoint) -> float:
    return float(point.value)


def _size(sweep: Sweep) -> int:
    return sum(len(line.points) for line in sweep.lines)


def _drawn(line: SweepLine, metric: str) -> bool:
    return sum(point.estimate(metric).mean is not None for point in line.points) > 1
