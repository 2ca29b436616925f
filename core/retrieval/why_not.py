"""Why a demonstration is in a query's context, or is not: step by step of the choice."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..selection.greedy import valued, weighed
from ..types import FloatArray, IntArray
from .choosing import asked_of, find_method
from .knobs import SettledKnobs
from .method import MethodInput, bias_for, never_shown
from .pool_view import LivePool


class Why(StrEnum):
    """The reason, as far as it is one; of those that could be chosen the steps tell more."""

    CHOSEN = "chosen"
    PINNED = "pinned"
    """It begins every context of its pool."""
    ITS_OWN = "its own"
    """It has the query of the evaluation example, which never sees its own demonstrations."""
    UNSCORABLE = "unscorable"
    """The model can score none of its answer, and the quality bias counts."""
    SAME_QUERY = "same query"
    """Another answer of its query was chosen before, and only one of each may be."""
    BEATEN = "beaten"


@dataclass(frozen=True, kw_only=True)
class ChoiceStep:
    """One step of the choice, counted from 1: the demonstration beside the winner.

    `place` counts from 1 among all that could be chosen at this step, the best first. `redundancy`
    and `value` are the demonstration's, those of the winner begin with its name; the redundancy of
    the first step is 0.
    """

    step: int
    winner: int
    winner_value: float
    winner_redundancy: float
    redundancy: float
    value: float
    place: int


@dataclass(frozen=True)
class WhyNot:
    """Why a demonstration was chosen or not, with its parts at every step before it was chosen.

    Where the context begins with pinned ones, nothing is chosen in these steps.
    `trials` is empty where it could not be chosen, and ends where it no longer could.
    `weighed_quality` is its quality bias on the scale of the knobs, 0 where it does not count.
    """

    id: int
    why: Why
    relevance: float
    weighed_quality: float
    trials: tuple[ChoiceStep, ...]


def why_not(
    view: LivePool,
    query: str,
    query_vector: FloatArray,
    knobs: SettledKnobs,
    chosen: IntArray,
    id: int,
    *,
    leave_out: bool,
) -> WhyNot:
    """Why one demonstration is, or is not, in the context of a query.

    Args:
        view: The pool as arrays.
        query: The query's text.
        query_vector: Its unit vector, shape (d,).
        knobs: What the context was chosen with; its method is one of relevance, diversity and
            quality bias.
        chosen: The context's positions in the pool, in the order chosen, shape (k,).
        id: The demonstration's id.
        leave_out: Whether the query's own demonstrations were left out.

    Raises:
        InvalidInput: The method weighs nothing of this, or the pool has no such demonstration.
    """
    method = find_method(knobs.method)
    if not method.chooses_by_mmr:
        raise InvalidInput(
            f"The method {method.name!r} does not choose by relevance, quality and diversity; "
            "choose one that does."
        )
    found = np.flatnonzero(view.ids == id)
    if not len(found):
        raise InvalidInput(f"The pool has no included demonstration {id}; name one that it has.")
    row = int(found[0])
    asked = asked_of(view, query, query_vector, knobs, leave_out=leave_out)
    known = bias_for(asked.view, asked.knobs)
    bias = None if known is None else np.asarray(known, dtype=np.float64)
    unscorable = never_shown(asked.view, asked.knobs)
    values = valued(np.asarray(asked.relevance, dtype=np.float64), bias, asked.knobs.lambda_b)
    barred = asked.excluded | unscorable
    trials = () if barred[row] else _trials(asked, values, barred, chosen, row)
    return WhyNot(
        id=id,
        why=_reason(asked, barred, unscorable, chosen, row),
        relevance=float(asked.relevance[row]),
        weighed_quality=0.0 if bias is None else float(bias[row]),
        trials=trials,
    )


def _reason(
    asked: MethodInput,
    barred: NDArray[np.bool_],
    unscorable: NDArray[np.bool_],
    chosen: IntArray,
    row: int,
) -> Why:
    if row in chosen:
        return Why.PINNED if row in asked.pinned else Why.CHOSEN
    if barred[row]:
        return Why.UNSCORABLE if unscorable[row] else Why.ITS_OWN
    groups = asked.groups
    if groups is not None and groups[row] in groups[chosen]:
        return Why.SAME_QUERY
    return Why.BEATEN


def _trials(
    asked: MethodInput,
    values: NDArray[np.float64],
    barred: NDArray[np.bool_],
    chosen: IntArray,
    row: int,
) -> tuple[ChoiceStep, ...]:
    """The steps up to the one at which the row is chosen, or may no longer be."""
    matrix, groups = asked.view.matrix, asked.groups
    redundancy = np.full(len(values), -np.inf)
    barred, trials, pinned = barred.copy(), [], asked.pinned
    for step, winner in enumerate(chosen.tolist()):
        if barred[row]:
            break
        beside = redundancy if step else np.zeros(len(values))
        weights = weighed(values, beside, asked.knobs.lambda_d) if step else values
        if winner not in pinned:
            trial = ChoiceStep(
                step=step + 1,
                winner=int(asked.view.ids[winner]),
                winner_value=float(weights[winner]),
                winner_redundancy=float(beside[winner]),
                redundancy=float(beside[row]),
                value=float(weights[row]),
                place=1 + int((weights[~barred] > weights[row]).sum()),
            )
            trials.append(trial)
        barred[winner] = True
        if groups is not None:
            barred |= groups == groups[winner]
        cosines = np.asarray(matrix @ matrix[winner], dtype=np.float64)
        redundancy = np.maximum(redundancy, cosines)
    return tuple(trials)
