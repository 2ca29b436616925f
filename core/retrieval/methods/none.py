"""No demonstrations: what the model does by itself."""

import numpy as np

from ..context import Context
from ..method import PAPER, Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The empty context."""
    return asked.context(np.empty(0, dtype=np.int64))


METHOD = Method(
    "none", "No demonstrations", "The model sees the query alone.", PAPER, choose, chooses=False
)
