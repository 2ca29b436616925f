"""A recorded run as a model and a retriever, so that the same program runs again from it."""

from collections.abc import Sequence

from ..errors import NotComputed
from ..generation import Generation, GenerationRequest
from ..types import IsCancelled
from .example import Found, Passage
from .steps import SearchKind, Step


class Replay:
    """Answers from steps that were recorded; it is both `Generates` and `Retrieves`.

    A prompt's tokens are those recorded. Where something was left out, longer prompts were tried
    that no step has: a prompt that is not recorded counts as one that does not fit.

    Args:
        steps: Trees of steps.

    Raises from its methods:
        NotComputed: What is asked is in no step.
    """

    window = 2**31
    """More than any prompt has, so that recorded prompts fit."""

    def __init__(self, steps: Sequence[Step]) -> None:
        every = [step for tree in steps for step in tree.walk()]
        calls = [call for step in every for call in step.calls]
        self._texts = {call.request: call.generations for call in calls}
        self._tokens = {call.request.prompt: call.tokens for call in calls}
        self._shortened = any(step.left_out for step in every)
        searches = [step.search for step in every if step.search is not None]
        self._found = {
            (each.queries[0], each.k): each.found
            for each in searches
            if each.kind is SearchKind.RETRIEVE
        }
        self._scores = {
            (each.queries[0], found.passage): found.score
            for each in searches
            if each.kind is SearchKind.RANK
            for found in each.found
        }

    def count_tokens(self, prompt: str) -> int:
        """The prompt's tokens as recorded."""
        if prompt not in self._tokens and not self._shortened:
            raise NotComputed(f"No recorded step has the prompt that ends in {prompt[-40:]!r}.")
        return self._tokens.get(prompt, self.window + 1)

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        cancelled: IsCancelled | None = None,
    ) -> list[list[Generation]]:
        """The recorded texts of each request."""
        for request in requests:
            if request not in self._texts:
                raise NotComputed(
                    f"No recorded step was asked to continue {request.prompt[-40:]!r} like this."
                )
        return [list(self._texts[request]) for request in requests]

    def search(self, query: str, k: int) -> Sequence[Found]:
        """The recorded passages for the query."""
        if (query, k) not in self._found:
            raise NotComputed(f"No recorded step searched for {k} passages for {query!r}.")
        return self._found[query, k]

    def scores(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """The recorded scores of the passages."""
        missing = [each.id for each in passages if (query, each) not in self._scores]
        if missing:
            raise NotComputed(f"No recorded step scored passage {missing[0]} for {query!r}.")
        return [self._scores[query, each] for each in passages]
