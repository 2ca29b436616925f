"""The answers of one prompt as a tree of tokens: what several begin with is read once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tokenisation import Tokens

ROOT = -1
"""The last token of the prompt, on which every answer's first token follows."""


@dataclass(frozen=True, slots=True)
class AnswerTree:
    """What is read after a prompt so that every token of every answer is predicted.

    The last token of an answer is only predicted, so it is a node only where a longer answer goes
    on from it.

    Attributes:
        tokens: The token of each node, parents before their children.
        parents: The node before each, or `ROOT`.
        depths: How many nodes are between each and the prompt.
        places: For every token of every answer, in their order, the node that predicts it.
    """

    tokens: list[int]
    parents: list[int]
    depths: list[int]
    places: list[int]

    @classmethod
    def of(cls, answers: Sequence[Tokens]) -> "AnswerTree":
        """The tree of these answers, each of at least one token."""
        nodes: dict[tuple[int, int], int] = {}
        tokens: list[int] = []
        depths: list[int] = []
        places: list[int] = []
        for answer in answers:
            node = ROOT
            places.append(node)
            for depth, token in enumerate(answer[:-1]):
                node = nodes.setdefault((node, token), len(tokens))
                if node == len(tokens):
                    tokens.append(token)
                    depths.append(depth)
                places.append(node)
        return cls(tokens, [parent for parent, _ in nodes], depths, places)

    def seen(self) -> NDArray[np.bool_]:
        """Which nodes each node sees, shape (nodes, nodes): itself and those it follows on."""
        seen = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent != ROOT:
                seen[node] |= seen[parent]
        return seen
