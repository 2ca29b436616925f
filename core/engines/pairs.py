"""The keys under which the store has log-probabilities of answers and generated texts."""

from typing import TypeAlias

from ..generation import GenerationRequest
from ..text import content_hash
from ..types import AnswerRequest

Pair: TypeAlias = tuple[str, str]
"""(hash of the prompt, hash of the answer)."""


TextKey: TypeAlias = tuple[str, str, int]
"""(hash of the prompt, hash of the settings, number of the text)."""


def pairs_of(request: AnswerRequest) -> list[Pair]:
    """The pair of each of the request's answers."""
    prompt = content_hash(request.prompt)
    return [(prompt, content_hash(answer)) for answer in request.answers]


def generation_keys(request: GenerationRequest) -> list[TextKey]:
    """(hash of the prompt, settings, number) of each of its n texts; a greedy one has the same."""
    prompt = content_hash(request.prompt)
    return [
        (prompt, request.settings, 0 if request.greedy else number) for number in range(request.n)
    ]
