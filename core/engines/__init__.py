"""What scores prompts with their answers for evaluation."""

from .local import LocalEngine
from .stored import StoredEngine

__all__ = ["LocalEngine", "StoredEngine"]
