"""Similar demonstrations whose embeddings span a large volume: a determinantal point process."""

from ...selection.baselines.dpp import dpp
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `dpp` among the candidates."""
    selection = dpp(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        lambda_d=asked.knobs.lambda_d,
        excluded=asked.excluded,
        groups=asked.groups,
    )
    return asked.context(selection)


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
