"""What scores prompts with their answers for evaluation."""

from .local import LocalEngine, StoredEngine, known_log_probs

__all__ = ["LocalEngine", "StoredEngine", "known_log_probs"]
