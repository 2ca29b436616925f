"""The same demonstrations for every query."""

from ...types import BoolArray, FloatArray
from ..context import Context
from ..knobs import Knobs
from ..method import PAPER, Method
from ..pool_contexts import context_of_indices
from ..pool_view import PoolView


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """The first k of those that the pool names and that are allowed, in the pool's order."""
    allowed = view.fixed[~excluded[view.fixed]]
    if knobs.one_per_query:
        allowed = view.first_of_each_query(allowed)
    return context_of_indices(view, view.relevance(query_vector), allowed[: knobs.k])


METHOD = Method(
    "fix",
    "Fixed",
    "The same demonstrations for every query: the six that the pool names.",
    PAPER,
    choose,
)
