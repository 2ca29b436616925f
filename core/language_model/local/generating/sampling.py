"""Which token comes next: the most probable one, or one drawn from the model's distribution."""

import numpy as np

from ....generation import GenerationRequest
from ....types import FloatArray


class Sampler:
    """Draws the tokens of one text, one number of its own random sequence a token.

    What is drawn depends on the seed, the text's number and the logits alone: not on how many
    texts there are, nor on which others are generated at the same time.

    Args:
        request: With a temperature above 0.
        number: Which of the request's n texts it is, from 0.
    """

    def __init__(self, request: GenerationRequest, number: int) -> None:
        self._temperature = request.temperature
        self._top_p = request.top_p
        self._random = np.random.default_rng([request.seed, number])

    def draw(self, logits: FloatArray) -> int:
        """The next token's id.

        Args:
            logits: Shape (vocabulary,), finite.
        """
        scaled = logits.astype(np.float64) / self._temperature
        weights = np.exp(scaled - scaled.max())
        order = np.argsort(-weights, kind="stable")
        sums = np.cumsum(weights[order])
        if self._top_p < 1:
            sums = sums[: int(np.searchsorted(sums, self._top_p * sums[-1])) + 1]
        at = np.searchsorted(sums, self._random.random() * sums[-1], side="right")
        return int(order[min(int(at), len(sums) - 1)])
