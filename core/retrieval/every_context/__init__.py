"""Every context that a query has while its lambdas go through all their values."""

from .drawing import weights_at
from .path import context_path
from .triangle import ContextTriangle, context_triangle, has_triangle
from .why_not import Trial, Why, WhyNot, why_not

__all__ = [
    "ContextTriangle",
    "Trial",
    "Why",
    "WhyNot",
    "context_path",
    "context_triangle",
    "has_triangle",
    "weights_at",
    "why_not",
]
