"""Similar demonstrations that lie far from each other, all distances added up."""

from ...selection.baselines.msd import msd
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
    """The picks of `msd` among the candidates."""
    selection = msd(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        lambda_d=knobs.lambda_d,
        excluded=excluded,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


METHOD = Method(
    "msd",
    "Sum of distances",
    "Similar to the query, and far from those chosen before, all of their distances added up "
    "(max-sum diversification).",
    "Borodin, Lee and Ye 2012",
    choose,
    lambda_d=None,
    candidates=50,
    by_embedding=True,
    value="Relevance and distances",
    value_note="weighed; the highest is picked",
)
