"""What scores prompts with their answers for evaluation."""

from .local import LocalEngine, known_log_probs

__all__ = ["LocalEngine", "known_log_probs"]
