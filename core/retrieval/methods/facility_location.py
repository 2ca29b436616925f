"""Similar demonstrations, near one of which every candidate lies."""

from ...selection.baselines.facility_location import facility_location
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
    """The picks of `facility_location` among the candidates, which they also are to cover.

    Raises:
        InvalidInput: There are more candidates than can be compared with each other.
    """
    selection = facility_location(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        lambda_d=knobs.lambda_d,
        excluded=excluded,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


METHOD = Method(
    "facility-location",
    "Coverage of the candidates",
    "Similar to the query, and so spread that each candidate has one of them nearby (facility "
    "location).",
    "Lin and Bilmes 2011",
    choose,
    lambda_d=None,
    candidates=50,
    by_embedding=True,
    value="Gain in relevance and coverage",
    value_note="the highest is picked",
)
