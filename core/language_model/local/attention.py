"""Attention in which a mask is needed only where a prompt ends and its answers begin."""

from typing import Any

from ..folder import quiet

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
