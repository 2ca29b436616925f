"""The unit of scoring: a prompt with the answers that may follow it, and what came of each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """All answers of one prompt together, so that the prompt is computed once.

    The answers are verbatim continuations of the prompt, their leading space included.
    """

    prompt: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogProb:
    """How probable a model finds an answer after its prompt.

    Attributes:
        total: Natural logarithm of the answer's probability, <= 0: the sum of `tokens`, in nats.
        n_tokens: How many tokens the answer has, >= 1.
        tokens: Natural logarithm of each token's probability given all before it, in nats.
    """

    total: float
    n_tokens: int
    tokens: tuple[float, ...]
