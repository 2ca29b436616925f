"""The network: a small Llama, three of whose heads start out looking at the tokens just before."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .tokenizer import WINDOW

if TYPE_CHECKING:
    from torch import Tensor

HEAD_WIDTH = 32
ROPE_BASE = 10_000.0


@dataclass(frozen=True, slots=True)
class Size:
    """Width of the residual stream, number of layers, width of the hidden layer of the MLP."""

    width: int
    layers: int
    hidden: int


SIZES = {"small": Size(128, 4, 384), "large": Size(384, 8, 1152)}
"""`small` is the bundled one, for a CPU; `large` wants a GPU."""


def build_network(tokenizer: Any, size: Size) -> Any:
    """A Llama for causal language modelling with random weights (seed torch before).

    Heads 0, 1 and 2 of the first layer start as heads that look 1, 2 and 3 tokens back: copying
    what follows an earlier token needs such a head, and a small model finds it late by itself.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        intermediate_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.width // HEAD_WIDTH,
        num_key_value_heads=size.width // HEAD_WIDTH,
        head_dim=HEAD_WIDTH,
        max_position_embeddings=WINDOW,
        rope_parameters={"rope_type": "default", "rope_theta": ROPE_BASE},
        tie_word_embeddings=True,
        attention_bias=True,
        rms_norm_eps=1e-5,
        initializer_range=0.05,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    network = LlamaForCausalLM(config)
    for head in range(3):
        _look_back(network.model.layers[0].self_attn, head, head + 1)
    return network


def _look_back(attention: Any, head: int, distance: int) -> None:
    """Let a head start with its attention on the token `distance` back.

    The query is a constant and the key the same constant rotated by `distance` steps of the
    rotary embedding, so that their product peaks at that distance. The fast half of the
    frequencies does it: the slow ones hardly distinguish neighbours.
    """
    import torch

    half = HEAD_WIDTH // 2
    angle = distance * ROPE_BASE ** (-torch.arange(half) / half)
    strength: Tensor = torch.where(torch.arange(half) < half // 2, 5.5, 0.0)
    rows = slice(head * HEAD_WIDTH, (head + 1) * HEAD_WIDTH)
    with torch.no_grad():
        attention.q_proj.weight[rows] *= 0.1
        attention.k_proj.weight[rows] *= 0.1
        attention.q_proj.bias[rows] = torch.cat([strength, torch.zeros(half)])
        attention.k_proj.bias[rows] = torch.cat([strength * angle.cos(), strength * angle.sin()])
