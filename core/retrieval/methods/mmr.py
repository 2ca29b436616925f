"""Relevance, diversity and quality bias weighed by two lambdas: the family of RAGSys, Algorithm 1.

Its methods differ only by the lambdas that they fix.
"""

from functools import partial

from ...selection.mmr import mmr
from ..context import Context
from ..method import PAPER, Method, MethodInput, bias_for, never_shown


def choose(asked: MethodInput) -> Context:
    """The picks of `mmr`.

    Raises:
        InvalidInput: The quality bias counts and some demonstrations are not scored.
    """
    view, knobs = asked.view, asked.knobs
    selection = mmr(
        asked.relevance,
        view.matrix,
        knobs.k,
        lambda_d=knobs.lambda_d,
        lambda_b=knobs.lambda_b,
        quality_bias=bias_for(view, knobs),
        excluded=asked.excluded | never_shown(view, knobs),
        query=asked.vector,
        groups=asked.groups,
        pinned=asked.pinned,
    )
    return asked.context(selection)


_method = partial(
    Method,
    choose=choose,
    chooses_by_mmr=True,
    by_embedding=True,
    pins=True,
    value="Value",
    value_note="the highest is picked",
)

METHODS = (
    _method(
        "bias",
        "Quality bias",
        "The k demonstrations whose answers the model finds most likely, whatever the query.",
        PAPER,
        lambda_b=0.0,
        by_embedding=False,
        takes_candidates=False,
    ),
    _method(
        "rel",
        "Relevance",
        "The k demonstrations whose queries are most similar to the query.",
        PAPER,
    ),
    _method(
        "rel+bias",
        "Relevance and quality bias",
        "The most similar demonstrations, with a bonus for answers the model finds likely.",
        PAPER,
        lambda_b=None,
    ),
    _method(
        "rel+div",
        "Relevance and diversity",
        "Similar to the query, yet unlike those chosen before (maximal marginal relevance).",
        PAPER,
        lambda_d=None,
    ),
    _method(
        "rel+div+bias",
        "Relevance, diversity and quality bias",
        "All three: similar to the query, unlike each other, and likely for the model.",
        "RAGSys, Algorithm 1",
        lambda_d=None,
        lambda_b=None,
    ),
)
