"""What a model can be trusted with, found out by trying it on a few tokens."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from .forward import PastPrompts, leave_out, score_rows
from .rows import TokenReading, TokenRow

_ANSWERS = ((7, 9, 4), (6,), (4, 4, 8, 7), (9, 5), (4, 4, 2), (7, 9))
PROBE = TokenRow((5, 3, 8, 2), _ANSWERS, tuple(range(len(_ANSWERS))))
"""Answers with and without a common beginning, of one token and of several."""


class Limits(NamedTuple):
    """Up to how many tokens of prompt and answer an architecture may be read together with others.

    Attributes:
        packed: Side by side with other answers: beyond it a sliding window would need a mask of
            its own, or the mask takes too much memory.
        padded: With others in one batch or on one cache: beyond it rotary frequencies depend on
            the longest sequence of the batch, so that an answer's neighbours would change it.
    """

    packed: int
    padded: int

    @classmethod
    def of(cls, config: Any, window: int) -> "Limits":
        """The limits that a configuration of `transformers` sets."""
        of_attention = [
            value
            for key, value in config.to_dict().items()
            if key.endswith(("window", "window_size", "attention_chunk_size"))
        ]
        rope = getattr(config, "rope_parameters", None) or {}
        of_positions = [
            settings.get("original_max_position_embeddings")
            for settings in (rope, *(part for part in rope.values() if isinstance(part, dict)))
            if settings.get("rope_type") in {"dynamic", "longrope"}
        ]
        padded = _least([window, *of_positions])
        return cls(_least([padded, 8192, *of_attention]), padded)


def choose_reading(network: Any) -> TokenReading:
    """The quickest reading under which the probe's answers score as they do alone.

    Attention that leaves the prompt out of the mask is set on the network where it agrees.
    """
    replaced = leave_out(network)
    if agrees(network, PROBE):
        return TokenReading.PACKED
    if replaced is not None:
        network.set_attn_implementation(replaced)
        if agrees(network, PROBE):
            return TokenReading.PACKED
    if agrees(network, replace(PROBE, reading=TokenReading.CACHED)):
        return TokenReading.CACHED
    return TokenReading.PLAIN


def goes_on(network: Any) -> bool:
    """Whether answers score after a past that was cut as they do alone."""
    prompts = PastPrompts(least=1)
    before = replace(PROBE, prompt=(5, 3, 7, 4, 6))
    found = _tried(lambda: [score_rows(network, [r], prompts)[0] for r in (before, PROBE)][1])
    alone = score_rows(network, [PROBE])[0]
    return found is not None and _farthest(found, alone) <= _tolerance(network, 1e-3)


def agrees(network: Any, row: TokenRow) -> bool:
    """Whether the row's answers together score as they do alone.

    Some models ignore masks or positions, refuse them, or store their past in a way of their own.
    In 16 bits, rounding alone can take a deep model further than the tolerance: there, three times
    what batches change is allowed too.
    """
    together = _tried(lambda: score_rows(network, [row])[0])
    if together is None:
        return False
    alone = [score_rows(network, [piece])[0][0] for piece in row.pieces(1)]
    apart = _farthest(together, alone)
    if network.dtype.itemsize == 4 or apart <= _tolerance(network, 1e-3):
        return apart <= _tolerance(network, 1e-3)
    return apart <= 3 * _rounding(network, row, alone)


def _rounding(network: Any, row: TokenRow, alone: list[tuple[float, ...]]) -> float:
    """How many nats a plain batch moves an answer, padded by a little and by much.

    Padding at the right changes nothing but the order in which a GPU sums.
    """
    pieces = row.pieces(1)
    long = TokenRow(row.prompt * 8, row.answers[:1], row.slots[:1])
    batches = (pieces, [*pieces, long])
    return max(
        _farthest([found[0] for found in score_rows(network, batch)[: len(pieces)]], alone)
        for batch in batches
    )


def _farthest(first: list[tuple[float, ...]], second: list[tuple[float, ...]]) -> float:
    """The most nats between two readings of the same answers; infinite where one is no number."""
    pairs = [
        (a, b)
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one, other, strict=True)
    ]
    return max((abs(a - b) if math.isfinite(a - b) else math.inf) for a, b in pairs)


def is_causal(network: Any) -> bool:
    """Whether a prediction does not depend on what comes after it."""
    first, second = (_probed(network, later) for later in (2, 7))
    return abs(first - second) <= _tolerance(network, 1e-5)


def is_finite(network: Any) -> bool:
    """Whether the model puts out numbers at all."""
    return math.isfinite(_probed(network, 2))


def _tried(score: Callable[[], list[tuple[float, ...]]]) -> list[tuple[float, ...]] | None:
    """What the architecture makes of it, or None where it cannot."""
    try:
        return score()
    except (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError):
        return None


def _probed(network: Any, later: int) -> float:
    """The log-probability of token 8 after (5, 3), where `later` is read after it."""
    return score_rows(network, [TokenRow((5, 3), ((8, later, 4),), (0,))])[0][0][0]


def _tolerance(network: Any, single: float) -> float:
    """Nats that rounding may explain: a wrong mask costs a trained model far more in any type."""
    return single if network.dtype.itemsize == 4 else 0.1


def _least(limits: list[Any]) -> int:
    return min(limit for limit in limits if type(limit) is int and limit > 0)
