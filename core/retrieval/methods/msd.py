"""Similar demonstrations that are far from each other, all distances added up."""

from ...selection.baselines.msd import msd
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `msd` among the candidates."""
    selection = msd(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        lambda_d=asked.knobs.lambda_d,
        excluded=asked.excluded,
        groups=asked.groups,
    )
    return asked.context(selection)


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
