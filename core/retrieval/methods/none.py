"""No demonstrations: what the model does by itself."""

import numpy as np

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
    """The empty context."""
    return context_of_indices(view, view.relevance(query_vector), np.empty(0, dtype=np.int64))


METHOD = Method(
    "none",
    "No demonstrations",
    "The model sees the query alone.",
    PAPER,
    choose,
    chooses=False,
)
