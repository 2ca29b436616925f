"""The key under which the store keeps the log-probability of an answer after a prompt."""

from typing import TypeAlias

from ..text import content_hash
from ..types import AnswerRequest

Pair: TypeAlias = tuple[str, str]
"""(hash of the prompt, hash of the answer)."""


def pairs_of(request: AnswerRequest) -> list[Pair]:
    """The pair of each of the request's answers."""
    prompt = content_hash(request.prompt)
    return [(prompt, content_hash(answer)) for answer in request.answers]
