"""The primitives of Demonstrate-Search-Predict, as plain functions."""

from .annotate import Annotated, Attempt, annotate
from .crossval import CrossValidation, crossval
from .demonstrate import all_but, knn, sample
from .fusion import comb_sum, reciprocal_rank
from .generate import generate
from .predict import answer_match, branch, majority, most_common, passage_match
from .search import fused_retrieval, rank, retrieve

__all__ = [
    "Annotated",
    "Attempt",
    "CrossValidation",
    "all_but",
    "annotate",
    "answer_match",
    "branch",
    "comb_sum",
    "crossval",
    "fused_retrieval",
    "generate",
    "knn",
    "majority",
    "most_common",
    "passage_match",
    "rank",
    "reciprocal_rank",
    "retrieve",
    "sample",
]
