"""The demonstrations whose sum is turned towards the query: similar and diverse, without a knob."""

from ...selection.vrsd import vrsd
from ...types import BoolArray, FloatArray
from ..context import Context
from ..knobs import Knobs
from ..method import Method
from ..pool_contexts import context_of
from ..pool_view import PoolView


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """The picks of `vrsd`; the paper has it choose among candidates, by query and answer."""
    groups = view.groups if knobs.one_per_query else None
    selection = vrsd(query_vector, view.matrix, knobs.k, excluded=excluded, groups=groups)
    return context_of(view, selection)


METHOD = Method(
    "vrsd",
    "Sum towards the query",
    "Each demonstration is the one that turns the sum of all chosen most towards the query.",
    "VRSD (Gao, Deng and Zhang 2024), Algorithm 1",
    choose,
    by_embedding=True,
    value="Cosine of the sum",
    value_note="of all picks so far with the query",
)
