"""Choosing training examples, and making demonstrations of them: what worked is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import Cancelled, InvalidInput, NotComputed
from ...recorded import Recorded
from ...settings import SEED
from ...text import normalised
from ...types import FloatArray
from ...watcher import NOBODY, Watcher
from ..example import Example
from ..run import Outcome, Reason, Rejection, Run, Transformation
from ..steps import Step

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


@dataclass(frozen=True, slots=True)
class Attempt(Recorded):
    """What became of one training example.

    Attributes:
        example: As the training set has it.
        result: The demonstration; of a reject the example as far as it came, where that is known.
        reason: Why it was rejected; None where it was kept.
        message: What an error said; "" without one.
        step: What was done.
    """

    example: Example
    result: Example | None
    reason: Reason | None
    message: str
    step: Step

    @property
    def kept(self) -> bool:
        """Whether it became a demonstration."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class Annotations(Recorded):
    """The demonstrations that were made, and every attempt.

    Attributes:
        attempts: In the order in which they were made.
        raw: The other training examples, where they are kept, in their order.
    """

    attempts: tuple[Attempt, ...]
    raw: tuple[Example, ...] = ()

    @property
    def augmented(self) -> tuple[Example, ...]:
        """The demonstrations with their intermediate fields, in the order of the attempts."""
        return tuple(each.result for each in self.attempts if each.kept and each.result is not None)

    @property
    def demos(self) -> tuple[Example, ...]:
        """The augmented demonstrations, then the raw ones."""
        return (*self.augmented, *self.raw)


def annotate(
    run: Run,
    train: Sequence[Example],
    fn: Transformation,
    k: int | None = None,
    *,
    keep_raw: bool = True,
    watcher: Watcher = NOBODY,
) -> Annotations:
    """The training examples for which `fn` works out, as demonstrations with all it filled in.

    A demonstration is marked as augmented and does without the demonstrations and training
    examples that it was made with; its attempt's step has the prompts.

    Args:
        run: Its trace gets one step an attempt.
        train: Tried in their order; never changed.
        fn: Gives the example with fields filled in, or None or `Rejection`. An exception in it is a
            reject with the reason `error`, not the end, except that a run which is cancelled or
            whose model computes nothing ends.
        k: How many demonstrations are wanted: once there are k, `fn` is called no more. 0 tries
            nothing, None tries every example.
        keep_raw: Whether the other training examples follow the demonstrations as they are.
        watcher: Gets the attempts made and the most there can be, after each attempt.

    Raises:
        InvalidInput: k is negative.
        Cancelled: The run was stopped.
        NotComputed: The run's model computes nothing and does not know what is asked.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.3; `keep_raw` is the
        `return_all` of its code.
    """
    most = len(train) if k is None else checked_k(k)
    attempts = list[Attempt]()
    left = list[Example]()
    kept = 0
    for done, example in enumerate(train):
        if kept >= most:
            left += train[done:]
            break
        run.go_on()
        attempts.append(_attempt(run, example, fn))
        if attempts[-1].kept:
            kept += 1
        else:
            left.append(example)
        watcher.on_progress(done + 1, len(train))
    return Annotations(tuple(attempts), tuple(left) if keep_raw else ())


def _attempt(run: Run, example: Example, fn: Transformation) -> Attempt:
    message, outcome = "", None
    try:
        with run.trace.step("attempt") as opened:
            outcome = fn(example)
            opened.note = reason_of(outcome) or "kept"
        reason = reason_of(outcome)
    except (Cancelled, NotComputed):
        raise
    except Exception:  # noqa: BLE001  an attempt may fail in any way; the others go on
        reason, message = Reason.ERROR, run.trace.last.note
    result = outcome.example if isinstance(outcome, Rejection) else outcome
    if result is not None:
        result = result.without("train", "demos").copy(augmented=reason is None)
    return Attempt(example, result, reason, message, run.trace.last)


def reason_of(outcome: Outcome) -> Reason | None:
    """Why an outcome is no demonstration; None where it is one.

    A wrong prediction that is empty is none.
    """
    if not isinstance(outcome, Rejection):
        return Reason.REJECTED if outcome is None else None
    example = outcome.example
    if outcome.reason is Reason.ANSWER_WRONG and example is not None and not example.pred:
        return Reason.NO_ANSWER
    return outcome.reason
