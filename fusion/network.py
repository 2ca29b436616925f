"""The forward pass: each piece through the encoder alone, the decoder over all of them.

Source: Izacard and Grave, Leveraging Passage Retrieval with Generative Models for Open Domain
Question Answering (Fusion-in-Decoder), section 3; as PGRA's reader, section 2.3.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .tokenisation import IGNORED, Tokens, padded

if TYPE_CHECKING:
    from torch import Tensor

PIECES_AT_ONCE = 32
"""Inputs encoded together; those of about equal length, so that little is padding."""


def encode(network: Any, inputs: Sequence[Sequence[Tokens]]) -> tuple["Tensor", "Tensor"]:
    """The encoder's states of every query's pieces, one after the other.

    No piece sees another, and positions start again in each, so that the order of the pieces does
    not matter.

    Args:
        network: A `T5ForConditionalGeneration`.
        inputs: For each query the token ids of its pieces, at least one.

    Returns:
        States (q, t, width) and mask (q, t), with t the tokens of the query that has most; padding
        is at the end.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    flat = [row for pieces in inputs for row in pieces]
    states: list[Tensor] = [torch.empty(0)] * len(flat)
    for places in _of_like_length(flat):
        ids = padded([flat[place] for place in places], 0).to(network.device)
        lengths = torch.tensor([len(flat[place]) for place in places], device=network.device)
        mask = torch.arange(ids.shape[1], device=network.device) < lengths[:, None]
        hidden = network.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        for row, place in enumerate(places):
            states[place] = hidden[row, : len(flat[place])]  # (t, width)
    joined, begin = [], 0
    for pieces in inputs:
        joined.append(torch.cat(states[begin : begin + len(pieces)]))
        begin += len(pieces)
    lengths = torch.tensor([len(each) for each in joined], device=network.device)
    together = pad_sequence(joined, batch_first=True)  # (q, t, width)
    mask = torch.arange(together.shape[1], device=network.device) < lengths[:, None]
    return together, mask.long()


def token_log_probs(
    network: Any, states: "Tensor", mask: "Tensor", answers: Sequence[Tokens]
) -> tuple["Tensor", "Tensor", "Tensor"]:
    """What the decoder gives each token of the answers, given those before it.

    Args:
        network: A `T5ForConditionalGeneration`.
        states: The encoder's states, (rows, t, width).
        mask: Which of them are no padding, (rows, t).
        answers: Token ids of one answer for each row.

    Returns:
        Log-probabilities (rows, a), 0 on padding; whether each token is the one that the decoder
        puts first (rows, a); which places are no padding (rows, a).
    """
    from transformers.modeling_outputs import BaseModelOutput

    labels = padded(answers, IGNORED).to(network.device)  # (rows, a)
    real = labels != IGNORED
    logits = network(
        encoder_outputs=BaseModelOutput(last_hidden_state=states),
        attention_mask=mask,
        labels=labels,
    ).logits  # (rows, a, vocabulary)
    places = labels.clamp(min=0)
    log_probs = logits.log_softmax(-1).gather(-1, places[..., None])[..., 0]
    return log_probs * real, (logits.argmax(-1) == labels) & real, real


def _of_like_length(rows: Sequence[Tokens]) -> Iterator[list[int]]:
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    for begin in range(0, len(order), PIECES_AT_ONCE):
        yield order[begin : begin + PIECES_AT_ONCE]
