"""Similar demonstrations whose embeddings span a large volume: a determinantal point process."""

from ...selection.baselines.dpp import dpp
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
    """The picks of `dpp` among the candidates."""
    selection = dpp(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        lambda_d=knobs.lambda_d,
        excluded=excluded,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


METHOD = Method(
    "dpp",
    "Largest volume",
    "Similar to the query, and together spanning the largest volume: no demonstration is nearly a "
    "mixture of the others (determinantal point process).",
    "Chen, Zhang and Zhou 2018, Algorithm 1",
    choose,
    lambda_d=None,
    candidates=50,
    by_embedding=True,
    value="Gain in log-probability",
    value_note="of the set chosen; the highest is picked",
)
