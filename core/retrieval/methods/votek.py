"""Demonstrations that many candidates have among their neighbours: vote-k."""

from ...selection.baselines.votek import NEIGHBOURS, votek
from ...types import BoolArray, FloatArray
from ..context import Context
from ..knobs import Knob, Knobs
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
    """The picks of `votek` among the candidates.

    Raises:
        InvalidInput: There are more candidates than can be compared with each other.
    """
    selection = votek(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        neighbours=knobs.own("neighbours"),
        excluded=excluded,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


METHOD = Method(
    "votek",
    "Votes of the neighbours",
    "Those that most candidates have among their nearest neighbours; a candidate with a chosen "
    "neighbour has less of a vote (vote-k).",
    "Su et al. 2022, vote-k",
    choose,
    candidates=50,
    own=(
        Knob(
            "Neighbours",
            "For how many of its nearest neighbours each candidate votes. With more, dense regions "
            "count more; with as many as there are candidates, only relevance counts.",
            low=1,
            name="neighbours",
            default=NEIGHBOURS,
        ),
    ),
    by_embedding=True,
    value="Votes",
    value_note="of near candidates",
)
