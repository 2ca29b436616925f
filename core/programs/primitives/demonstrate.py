"""Choosing training examples: at random, the nearest, all but one."""

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import InvalidInput
from ...settings import SEED
from ...text import normalised
from ...types import FloatArray
from ..example import Example

SHOTS = 16
"""How many training examples DSP's programs sample: section 3.4."""


def sample(train: Sequence[Example], k: int = SHOTS, seed: int = SEED) -> tuple[Example, ...]:
    """Training examples drawn at random without replacement, in the order drawn.

    Args:
        train: What is drawn from.
        k: How many, >= 0; more than there are gives all. Those of a smaller k are the first ones.
        seed: The same seed draws the same.

    Raises:
        InvalidInput: k is negative.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3.
    """
    drawn = np.random.default_rng(seed).permutation(len(train))[: checked_k(k)]
    return tuple(train[place] for place in drawn)


def all_but(train: Sequence[Example], example: Example) -> tuple[Example, ...]:
    """The training examples that share no turn with the example, in their order.

    Turns are the question and those of the history; they are the same where they differ in case,
    spacing and the form of letters alone. Without a history this leaves out the example itself and
    every other one with its question.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3, and its code.
    """
    own = turns_of(example)
    return tuple(each for each in train if not own & turns_of(each))


def turns_of(example: Example) -> set[str]:
    """The questions of an example and its history, by which `all_but` compares examples."""
    questions = (*(turn.question for turn in example.history), example.question)
    return {normalised(question) for question in questions}


def question_of(example: Example) -> str:
    """The example's question, by which it is compared where nothing else is asked for."""
    return example.question


def knn(
    train: Sequence[Example],
    encode: Callable[[Sequence[str]], FloatArray],
    cast: Callable[[Example], str] = question_of,
) -> Callable[[Example, int], tuple[Example, ...]]:
    """A function (example, k) that gives the k training examples nearest to the example.

    Nearest is the highest cosine of the texts' rows, the nearest comes first, and among equals the
    first of `train`. More than there are gives all; the example itself is not left out (`all_but`).

    Args:
        train: What is searched; it is encoded once, here.
        encode: Texts to unit rows, shape (n, d): the retriever's representation.
        cast: What is encoded of an example.

    Raises:
        InvalidInput: The function raises it where k is negative.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3.
    """
    rows = encode([cast(each) for each in train]) if train else None

    def nearest(example: Example, k: int) -> tuple[Example, ...]:
        if checked_k(k) == 0 or rows is None:
            return ()
        cosines = np.vecdot(rows, encode([cast(example)])[0])
        order = np.argsort(-cosines, kind="stable")[:k]
        return tuple(train[place] for place in order)

    return nearest


def checked_k(k: int) -> int:
    """The number of examples or passages that is asked for.

    Raises:
        InvalidInput: It is negative.
    """
    if k < 0:
        raise InvalidInput(f"k is {k}; it must be 0 or more.")
    return k
