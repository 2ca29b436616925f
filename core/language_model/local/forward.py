"""The forward passes of a causal model over a batch of rows, with what it read before."""

import copy
import inspect
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from os.path import commonprefix
from typing import Any

from ..folder import quiet
from .rows import TokenReading, TokenRow, Tokens, scored_width

BEFORE_MASK = "shotlist_causal_before_mask"
"""The name under which `transformers` knows it."""


def can_leave_out(network: Any) -> bool:
    """Whether the network takes masks that leave out the first positions; see `leave_out`."""
    return bool(network.config._attn_implementation == BEFORE_MASK)


def leave_out(network: Any) -> str | None:
    """Let the network take masks without rows for its first positions, which stay causal.

    A prompt then costs half the attention, since SDPA skips what comes after each token, and the
    mask shrinks to the rows of the answers.

    Returns:
        The name of the attention that was replaced, for `set_attn_implementation`; None where the
        network computes attention in a way of its own and was left alone.
    """
    replaced = network.config._attn_implementation
    if replaced != "sdpa":
        return None
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(BEFORE_MASK, _causal_before_mask)
    AttentionMaskInterface.register(BEFORE_MASK, sdpa_mask)
    with quiet():
        network.set_attn_implementation(BEFORE_MASK)
    return str(replaced) if can_leave_out(network) else None


def _causal_before_mask(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **given: Any
) -> tuple[Any, None]:
    """SDPA; queries (rows, heads, t, d) before those that the mask covers see what is before them.

    Args:
        module: The layer's attention.
        query: As `transformers` passes it to an attention function.
        key: Likewise.
        value: Likewise.
        attention_mask: None for causal attention throughout, or (rows, 1, m, t) for the last m.
        given: Further arguments of SDPA.
    """
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    before = 0 if attention_mask is None else query.shape[2] - attention_mask.shape[2]
    if before <= 0:
        whole, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **given)
        return whole, None
    q, k, v = (part[:, :, :before] for part in (query, key, value))
    opening, _ = sdpa_attention_forward(module, q, k, v, None, **given)
    rest, _ = sdpa_attention_forward(
        module, query[:, :, before:], key, value, attention_mask, **given
    )
    return torch.cat([opening, rest], dim=1), None  # (rows, t, heads, d)


_NAME, _FORMER_NAME = "cache", "past_key_values"
"""Since and before version 5.24."""
LEAST = 16
"""Fewer tokens in common are read again: a copy of the past costs as much."""

BYTES = 1 << 28
"""Some 25 prompts with six demonstrations of a model of 135 million parameters."""


class PastPrompts:
    """Keys and values of the prompts that were read last, for prompts that begin as one of them.

    Contexts of one query share demonstrations, and so do a method's for several queries.

    Args:
        size: Bytes that they take together at most; the last one stays whatever its size.
        least: With how many tokens a prompt must begin as one of them.
    """

    def __init__(self, size: int = BYTES, least: int = LEAST) -> None:
        self._size, self._least = size, least
        self._pasts: OrderedDict[Tokens, Any] = OrderedDict()

    def beginning_of(self, prompt: Tokens) -> tuple[int, Any]:
        """How many tokens of the prompt are read, at most all but the last, and a past of these.

        A pass may extend the past in place; (0, None) where too few are.
        """
        known = ((len(commonprefix([prompt[:-1], other])), other) for other in self._pasts)
        read, other = max(known, key=lambda each: each[0], default=(0, ()))
        if read < self._least:
            return 0, None
        self._pasts.move_to_end(other)
        past = copy.deepcopy(self._pasts[other])
        _cut(past, len(other) - read)
        return read, past

    def keep(self, prompt: Tokens, past: Any, beyond: int) -> None:
        """Keep the past of a pass that read the prompt and so many tokens beyond it."""
        _cut(past, beyond)
        self._pasts[prompt] = past
        self._pasts.move_to_end(prompt)
        while len(self._pasts) > 1 and sum(map(_bytes_of, self._pasts.values())) > self._size:
            self._pasts.popitem(last=False)

    def clear(self) -> None:
        """Let go of all of them."""
        self._pasts.clear()


def _cut(past: Any, tokens: int) -> None:
    """Take the last tokens away; a negative number means that in every version."""
    if tokens:
        past.crop(-tokens)


def _bytes_of(past: Any) -> int:
    return sum(int(layer.keys.nbytes + layer.values.nbytes) for layer in past.layers)


def past_of(answer: Any) -> Any:
    """The past that a pass with `use_cache` leaves; a further pass extends it in place."""
    return getattr(answer, _NAME if hasattr(answer, _NAME) else _FORMER_NAME)


def name_of_past(network: Any) -> str:
    """The argument under which a pass is given a past to go on from."""
    known = inspect.signature(network.forward).parameters
    return _NAME if _NAME in known else _FORMER_NAME


TokenLogProbs = list[tuple[float, ...]]
"""For each answer of a row the log-probability of each of its tokens, in nats."""


def score_rows(
    network: Any, rows: Sequence[TokenRow], prompts: PastPrompts | None = None
) -> list[TokenLogProbs]:
    """Log-probabilities of every answer of every row; a cached row is the only one of its batch.

    A row that is read alone goes on from the past of one of the `prompts`, and its own joins them.
    """
    import torch

    with torch.inference_mode():
        if any(row.cached for row in rows):
            return [_score_on_cache(network, row) for row in rows]
        if prompts is not None and len(rows) == 1 and rows[0].reading is TokenReading.PACKED:
            return [_score_after_past(network, rows[0], prompts)]
        return _score_side_by_side(network, rows)


def _score_after_past(network: Any, row: TokenRow, prompts: PastPrompts) -> TokenLogProbs:
    """One row without what its prompt has in common with one that was read before."""
    read, past = prompts.beginning_of(row.prompt)
    keep = scored_width([row])
    extra = {"position_ids": integers([_positions(row)[read:]], network)}
    if read:
        extra[name_of_past(network)] = past
    if read or row.packed:
        extra["attention_mask"] = _mask([row], row.length, network, read)
    ids = integers([[*row.prompt[read:], *row.tree.tokens]], network)
    answer = network(input_ids=ids, use_cache=True, **extra, **head_at(network, keep))
    prompts.keep(row.prompt, past_of(answer), len(row.tree.tokens))
    places = [node + 1 for node in row.tree.places]  # the first is that of the prompt's last token
    logits = answer.logits[:, -keep:]
    values = iter(_picked(logits, [places], [_targets(row.answers)], network))
    return [tuple(next(values) for _ in answer) for answer in row.answers]


def _score_side_by_side(network: Any, rows: Sequence[TokenRow]) -> list[TokenLogProbs]:
    """Each row is one sequence: the prompt, then the tree of its answers, node after node.

    A mask lets a node see the prompt and the nodes it follows on, and positions go on from the
    prompt's by depth, so that the prompt and what answers begin with in common are computed once
    and every answer is read as if it were alone. Rows of one answer need no mask: padding is at
    the right, where a causal model does not look.
    """
    width = max(row.length for row in rows)
    keep = scored_width(rows)
    # The last real token as padding: any id does, and PAD itself would be warned about.
    ids = [_padded([*row.prompt, *row.tree.tokens], width) for row in rows]
    extra = {}
    if any(row.packed for row in rows):
        positions = [_padded(_positions(row), width) for row in rows]
        extra["position_ids"] = integers(positions, network)
        extra["attention_mask"] = _mask(rows, width, network)
    logits = _logits(network, ids, keep, use_cache=False, **extra)  # (rows, keep, vocabulary)
    shifts = [len(row.prompt) - (width - keep) for row in rows]
    places = [
        [shift + node for node in row.tree.places] for row, shift in zip(rows, shifts, strict=True)
    ]
    values = iter(_picked(logits, places, [_targets(row.answers) for row in rows], network))
    return [[tuple(next(values) for _ in answer) for answer in row.answers] for row in rows]


def _score_on_cache(network: Any, row: TokenRow) -> TokenLogProbs:
    """The prompt's keys and values computed once, then repeated for a batch of the answers.

    Positions and masks are the network's own, so sliding windows apply, at any length.
    """
    opening = network(
        input_ids=integers([row.prompt], network), use_cache=True, **head_at(network, 1)
    )
    last = opening.logits[:, -1:]
    firsts = _picked(
        last, [[0] * len(row.answers)], [[answer[0] for answer in row.answers]], network
    )
    longer = [answer for answer in row.answers if len(answer) > 1]
    values: Iterator[float] = iter(())
    if longer:
        cache = past_of(opening)  # the second pass extends it in place: it is used up here
        cache.batch_repeat_interleave(len(longer))
        width = max(map(len, longer)) - 1
        ids = [_padded(list(answer[:-1]), width) for answer in longer]
        logits = _logits(network, ids, width, use_cache=True, **{name_of_past(network): cache})
        places = [list(range(len(answer) - 1)) for answer in longer]
        targets = [list(answer[1:]) for answer in longer]
        values = iter(_picked(logits, places, targets, network))
    return [
        (first, *(next(values) for _ in answer[1:]))
        for first, answer in zip(firsts, row.answers, strict=True)
    ]


def _logits(network: Any, ids: list[list[int]], keep: int, **given: Any) -> Any:
    """The head's output at the last `keep` positions, (rows, keep, vocabulary)."""
    inputs = integers(ids, network)
    return network(input_ids=inputs, **given, **head_at(network, keep)).logits[:, -keep:]


def head_at(network: Any, keep: int) -> dict[str, int]:
    """The argument that asks for logits at the last `keep` positions alone, where there is one."""
    known = "logits_to_keep" in inspect.signature(network.forward).parameters
    return {"logits_to_keep": keep} if known else {}


def _picked(
    logits: Any, places: list[list[int]], targets: list[list[int]], network: Any
) -> list[float]:
    """Log-probabilities of the targets at these places of each row, one after the other."""
    # One entry a distinct place: where many answers begin, the sum over the vocabulary is the same.
    distinct = {
        key: i
        for i, key in enumerate(
            dict.fromkeys((row, place) for row, found in enumerate(places) for place in found)
        )
    }
    chosen = logits[[row for row, _ in distinct], [place for _, place in distinct]].float()
    at = integers(
        [distinct[row, place] for row, found in enumerate(places) for place in found], network
    )
    wanted = integers([target for row in targets for target in row], network)
    values: list[float] = (chosen[at, wanted] - chosen.logsumexp(-1)[at]).clamp(max=0.0).tolist()
    return values


def _targets(answers: Sequence[tuple[int, ...]]) -> list[int]:
    return [token for answer in answers for token in answer]


def _positions(row: TokenRow) -> list[int]:
    start = len(row.prompt)
    return [*range(start), *(start + depth for depth in row.tree.depths)]


def _padded(values: list[int], width: int) -> list[int]:
    return values + values[-1:] * (width - len(values))


def _mask(rows: Sequence[TokenRow], width: int, network: Any, read: int = 0) -> Any:
    """What is added to the attention of each position, (rows, 1, m, width): 0 where it sees.

    m is the width less what is read already, or what is left of it when the prompt that all rows
    have at least is left out.
    """
    import numpy as np
    import torch

    left_out = min(len(row.prompt) for row in rows) if can_leave_out(network) and not read else read
    left_out = min(left_out, width - 1)
    seen = np.tri(width - left_out, width, left_out, dtype=bool)
    seen = np.repeat(seen[None], len(rows), axis=0)  # (rows, m, width)
    for sees, row in zip(seen, rows, strict=True):
        start, end = len(row.prompt), row.length
        sees[start - left_out : end - left_out, start:end] = row.tree.seen()
    shown = torch.from_numpy(seen).to(network.device)[:, None]
    mask = torch.zeros(shown.shape, dtype=network.dtype, device=network.device)
    return mask.masked_fill_(~shown, torch.finfo(network.dtype).min)


def integers(values: Any, network: Any) -> Any:
    """The numbers as a tensor of integers on the network's device."""
    import torch

    return torch.tensor(values, dtype=torch.long, device=network.device)
