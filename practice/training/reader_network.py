"""The practice reader before training: a T5 of a million parameters, with heads that look aside."""

from typing import Any

from ..words import VALUES
from .tokenizer import BEGINNING, build_tokenizer

READER_WINDOW = 256
"""Tokens of a piece with its query; a demonstration has some 30."""

_WIDTH, _HEAD = 128, 32
_STRENGTH = 6.0
"""A head's first bias for the place that it looks at: all others get a 400th of the attention."""

_BACK, _AHEAD = 0, 16
"""Where the buckets of the places before and after a token begin in T5's relative positions."""


def build_reader_tokenizer() -> Any:
    """The practice model's tokenizer as T5 has its own: a space before, an ending token after."""
    from tokenizers import normalizers, processors

    tokenizer = build_tokenizer()
    tokenizer.backend_tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {BEGINNING}", special_tokens=[(BEGINNING, tokenizer.eos_token_id)]
    )
    tokenizer.model_max_length = READER_WINDOW
    return tokenizer


def build_reader_network(tokenizer: Any) -> Any:
    """A T5 with weights that are random (seed torch before) but for what copying needs.

    A T5 that has read much text knows which words are alike, and has heads that look at the words
    beside one and heads that copy; fine-tuning uses them. So small a network finds them late by
    itself, so it starts with them: `_make_values_alike`, `_look_aside`, `_copy`. No name of a
    dialect is in any of it.
    """
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    # The types of transformers do not know what every configuration takes.
    configuration: Any = T5Config
    config = configuration(
        vocab_size=len(tokenizer),
        d_model=_WIDTH,
        d_kv=_HEAD,
        d_ff=2 * _WIDTH,
        num_layers=3,
        num_decoder_layers=2,
        num_heads=_WIDTH // _HEAD,
        dropout_rate=0.0,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    network: Any = T5ForConditionalGeneration(config)
    with torch.no_grad():
        _make_values_alike(network, tokenizer)
        _look_aside(network)
        for block in network.decoder.block:
            _copy(block.layer[1].EncDecAttention)
    return network


def _make_values_alike(network: Any, tokenizer: Any) -> None:
    """Let the values of one kind, such as all cities, have embeddings with a cosine of 0.64."""
    import torch

    table = network.shared.weight
    for words in VALUES.values():
        shared = torch.randn(_WIDTH)
        for word in words:
            token = tokenizer(word)["input_ids"][0]
            table[token] = 0.6 * table[token] + 0.8 * shared


def _look_aside(network: Any) -> None:
    """Let heads start with their attention on a neighbour, and note there what it is.

    In the encoder one looks two back, where the value of a field is, another one back, a third one
    ahead; in the decoder three look one to three back. The encoder's head for values writes
    what it sees as the decoder's head for the latest token does, so that the two can be compared.
    """
    import torch

    value, before = (torch.linalg.qr(torch.randn(_WIDTH, _HEAD))[0].T for _ in range(2))
    encoder, decoder = (
        stack.block[0].layer[0].SelfAttention for stack in (network.encoder, network.decoder)
    )
    looking = (
        (encoder, 0, _BACK + 1, before),
        (encoder, 1, _BACK + 2, value),
        (encoder, 2, _AHEAD + 1, None),
        (decoder, 0, _BACK + 1, value),
        (decoder, 1, _BACK + 2, None),
        (decoder, 2, _BACK + 3, None),
    )
    for attention, head, bucket, noted in looking:
        attention.relative_attention_bias.weight[bucket, head] = _STRENGTH
        if noted is not None:
            rows = slice(head * _HEAD, (head + 1) * _HEAD)
            attention.v.weight[rows] = noted
            attention.o.weight[:, rows] = 1.5 * noted.T


def _copy(attention: Any) -> None:
    """Let the decoder attend to what is like its own state, and write what it attends to."""
    import torch

    attention.q.weight.normal_(0.0, 0.5 * _WIDTH**-0.5)
    attention.k.weight.copy_(attention.q.weight)
    for matrix in (attention.v, attention.o):
        matrix.weight.copy_(torch.eye(_WIDTH))
