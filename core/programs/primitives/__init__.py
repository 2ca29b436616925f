"""The primitives of Demonstrate-Search-Predict, as plain functions."""

from .crossval import CrossValidation, crossval
from .demonstrate import Annotations, Attempt, all_but, annotate, knn, sample
from .predict import answer_match, branch, generate, majority, most_common, passage_match
from .search import comb_sum, fused_retrieval, rank, reciprocal_rank, retrieve

__all__ = [
    "Annotations", "Attempt", "CrossValidation", "all_but", "annotate", "answer_match",
    "branch", "comb_sum", "crossval", "fused_retrieval", "generate", "knn", "majority",
    "most_common", "passage_match", "rank", "reciprocal_rank", "retrieve", "sample",
]  # fmt: skip
