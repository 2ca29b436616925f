"""Demonstrations that many candidates have among their neighbours: vote-k."""

from ...selection.baselines.votek import NEIGHBOURS, votek
from ..context import Context
from ..knobs import Knob
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `votek` among the candidates.

    Raises:
        InvalidInput: There are more candidates than can be compared with each other.
    """
    selection = votek(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        neighbours=asked.knobs.own("neighbours"),
        excluded=asked.excluded,
        groups=asked.groups,
    )
    return asked.context(selection)


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
