"""Similar demonstrations, so that every candidate is near one of them."""

from ...selection.baselines.facility_location import facility_location
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `facility_location` among the candidates, which they are also to cover.

    Raises:
        InvalidInput: There are more candidates than can be compared with each other.
    """
    selection = facility_location(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        lambda_d=asked.knobs.lambda_d,
        excluded=asked.excluded,
        groups=asked.groups,
    )
    return asked.context(selection)


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
