"""The unit of scoring: a prompt with the answers that may follow it, and what came of each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """All answers of one prompt together, so that the prompt is computed once.

    The answers are verbatim continuations of the prompt, their leading space included.
    """

    prompt: str
    answers: tuple[str, ...]
