"""The demonstrations whose sum points at the query: similar and diverse, without a knob."""

from ...selection.vrsd import vrsd
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `vrsd`; the paper chooses among candidates, by query and answer."""
    rows, k = asked.view.matrix, asked.knobs.k
    selection = vrsd(asked.vector, rows, k, excluded=asked.excluded, groups=asked.groups)
    return asked.context(selection)


METHOD = Method(
    "vrsd",
    "Sum towards the query",
    "Each demonstration is the one that brings the sum of all chosen nearest to the query.",
    "VRSD (Gao, Deng and Zhang 2024), Algorithm 1",
    choose,
    by_embedding=True,
    value="Cosine of the sum",
    value_note="of all picks so far with the query",
)
