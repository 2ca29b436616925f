"""The same demonstrations for every query."""

from ..context import Context
from ..method import PAPER, Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The first k of those that the pool names and that are allowed, in the pool's order."""
    fixed = asked.view.fixed
    return asked.context(asked.first_k(fixed[~asked.excluded[fixed]]))


METHOD = Method(
    "fix",
    "Fixed",
    "The same demonstrations for every query: the six that the pool names.",
    PAPER,
    choose,
    takes_candidates=False,
)
