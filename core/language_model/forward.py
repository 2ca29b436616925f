"""One forward pass of a causal model over a batch of rows, and what a model can be trusted with."""

import inspect
import math
from collections.abc import Sequence
from typing import Any

from .rows import Row, scored_width


def score_rows(network: Any, rows: Sequence[Row]) -> list[list[tuple[float, ...]]]:
    """Log-probabilities in nats of every token of every answer of every row.

    Each row is one sequence: the prompt, then its answers side by side. A mask lets an answer see
    the prompt and itself only, and each answer's positions go on from the prompt's, so that the
    prompt is computed once and every answer is read as if it stood alone. Rows of one answer need
    no mask: padding stands at the right, where a causal model does not look.
    """
    import torch

    width = max(row.length for row in rows)
    keep = scored_width(rows)
    # The last real token as padding: any id does, and PAD itself would be warned about.
    ids = [_padded(_inputs(row), width) for row in rows]
    extra: dict[str, Any] = {}
    if any(row.packed for row in rows):
        positions = [_positions(row) for row in rows]
        extra["position_ids"] = _tensor([_padded(p, width) for p in positions], network)
        extra["attention_mask"] = _mask(rows, width, network)
    if "logits_to_keep" in inspect.signature(network.forward).parameters:
        extra["logits_to_keep"] = keep
    with torch.inference_mode():
        logits = network(input_ids=_tensor(ids, network), use_cache=False, **extra).logits
        logits = logits[:, -keep:]  # (rows, keep, vocabulary)
        places = [_places(row, width - keep) for row in rows]
        index = [i for i, found in enumerate(places) for _ in found]
        chosen = logits[index, [place for found in places for place in found]].float()
        targets = _tensor([t for row in rows for a in row.answers for t in a], network)
        picked = chosen.gather(-1, targets[:, None])[:, 0] - chosen.logsumexp(-1)  # (tokens,)
        values = iter(picked.clamp(max=0.0).tolist())
    return [[tuple(next(values) for _ in answer) for answer in row.answers] for row in rows]


def packs(network: Any) -> bool:
    """Whether packed answers come out as they do alone: some models ignore masks or positions."""
    answers = ((7, 9, 4), (6,), (4, 4, 8, 7), (9, 5))
    row = Row((5, 3, 8, 2), answers, tuple(range(len(answers))))
    try:
        together = score_rows(network, [row])[0]
    except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
        return False  # an architecture that wants a mask of another shape
    alone = [score_rows(network, [piece])[0][0] for piece in row.pieces(1)]
    return all(
        abs(a - b) <= _tolerance(network, 1e-3)
        for first, second in zip(together, alone, strict=True)
        for a, b in zip(first, second, strict=True)
    )


def is_causal(network: Any) -> bool:
    """Whether a prediction does not depend on what stands after it."""
    first, second = (_probed(network, later) for later in (2, 7))
    return abs(first - second) <= _tolerance(network, 1e-5)


def is_finite(network: Any) -> bool:
    """Whether the model puts out numbers at all."""
    return math.isfinite(_probed(network, 2))


def _probed(network: Any, later: int) -> float:
    """The log-probability of token 8 after (5, 3), where `later` is read after it."""
    return score_rows(network, [Row((5, 3), ((8, later, 4),), (0,))])[0][0][0]


def _tolerance(network: Any, single: float) -> float:
    """Nats that rounding may explain: a wrong mask costs a trained model far more in any type."""
    return single if network.dtype.itemsize == 4 else 0.1


def packing_limit(config: Any, window: int) -> int:
    """Up to how many tokens a sequence may be padded or packed with others.

    Beyond it a model with a sliding window would need a mask of its own, and one whose rotary
    frequencies depend on the longest sequence of a batch would change its values with its
    neighbours; such answers are read alone. The upper end bounds the memory of the mask.
    """
    of_attention = (
        value
        for key, value in config.to_dict().items()
        if key.endswith(("window", "window_size", "attention_chunk_size"))
    )
    rope = getattr(config, "rope_parameters", None) or {}
    of_positions = (
        settings.get("original_max_position_embeddings")
        for settings in (rope, *(part for part in rope.values() if isinstance(part, dict)))
        if settings.get("rope_type") in {"dynamic", "longrope"}
    )
    limits = [*of_attention, *of_positions]
    return min([window, 8192, *(x for x in limits if type(x) is int and x > 0)])


def _inputs(row: Row) -> list[int]:
    return [*row.prompt, *(token for answer in row.answers for token in answer[:-1])]


def _positions(row: Row) -> list[int]:
    start = len(row.prompt)
    return [*range(start), *(start + i for answer in row.answers for i in range(len(answer) - 1))]


def _places(row: Row, offset: int) -> list[int]:
    """Where each answer's tokens are predicted: its first at the end of the prompt."""
    places, start = [], len(row.prompt)
    for answer in row.answers:
        places += [len(row.prompt) - 1, *range(start, start + len(answer) - 1)]
        start += len(answer) - 1
    return [place - offset for place in places]


def _padded(values: list[int], width: int) -> list[int]:
    return values + values[-1:] * (width - len(values))


def _mask(rows: Sequence[Row], width: int, network: Any) -> Any:
    """What is added to the attention of each position, (rows, 1, width, width): 0 where it sees."""
    import torch

    # 0 is the prompt, 1.. its answers, -1 the padding, which sees itself so that no row is empty.
    segments = torch.full((len(rows), width), -1)
    for i, row in enumerate(rows):
        parts = [0] * len(row.prompt)
        for number, answer in enumerate(row.answers, start=1):
            parts += [number] * (len(answer) - 1)
        segments[i, : len(parts)] = torch.tensor(parts)
    segments = segments.to(network.device)
    seen = (segments[:, :, None] == segments[:, None, :]) | (segments[:, None, :] == 0)
    seen &= torch.ones(width, width, dtype=torch.bool, device=network.device).tril()
    mask = torch.zeros(seen.shape, dtype=network.dtype, device=network.device)
    return mask.masked_fill_(~seen, torch.finfo(network.dtype).min)[:, None]


def _tensor(values: Any, network: Any) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.long, device=network.device)
