"""Relevance, diversity and quality bias weighed by two lambdas: the family of RAGSys, Algorithm 1.

Its methods differ only by the lambdas that they hold fixed.
"""

from functools import partial

from ...selection.mmr import mmr
from ...types import BoolArray, FloatArray
from ..bias import bias_for, never_shown
from ..context import Context
from ..knobs import Knobs
from ..method import PAPER, Method
from ..pool_contexts import context_of
from ..pool_view import PoolView


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """The picks of `mmr`, with the lambdas as the method uses them.

    Raises:
        InvalidInput: The quality bias counts and some demonstrations are not scored.
    """
    selection = mmr(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        lambda_d=knobs.lambda_d,
        lambda_b=knobs.lambda_b,
        quality_bias=bias_for(view, knobs),
        excluded=excluded | never_shown(view, knobs),
        query=query_vector,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


_method = partial(
    Method,
    choose=choose,
    chooses_by_mmr=True,
    by_embedding=True,
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
