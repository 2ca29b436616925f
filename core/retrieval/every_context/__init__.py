"""Every context that a query has while its lambdas go through all their values."""

from .drawing import weights_at
from .path import context_path
from .triangle import ContextTriangle, context_triangle, has_triangle

__all__ = ["ContextTriangle", "context_path", "context_triangle", "has_triangle", "weights_at"]
