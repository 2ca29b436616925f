"""Marked texts as rows of token ids, each token with the part that it belongs to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..episodes import MarkedText, Part

if TYPE_CHECKING:
    from torch import Tensor

NOTHING = -1
"""The part of padding."""

WEIGHTS = {
    Part.QUERY: 0.3, Part.FUNCTION_SHOWN: 2.0, Part.FUNCTION_NEW: 1.0, Part.FIELD_SHOWN: 1.0,
    Part.FIELD_NEW: 1.0, Part.VALUE: 1.0, Part.FRAME: 1.0, Part.PROSE: 0.5,
}  # fmt: skip
"""How much a token of each part counts in the loss."""


def encode(tokenizer: Any, texts: Sequence[MarkedText]) -> tuple["Tensor", "Tensor"]:
    """Token ids (rows, t) and the part of each token (rows, t), padded at the end.

    The first token opens the text and belongs to the frame.
    """
    import torch

    encoded = tokenizer([text.text for text in texts], return_offsets_mapping=True, verbose=False)
    longest = max(len(row) for row in encoded["input_ids"])
    ids = torch.full((len(texts), longest), tokenizer.pad_token_id)
    parts = torch.full((len(texts), longest), NOTHING)
    for number, (row, offsets) in enumerate(
        zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    ):
        marks = texts[number].marks
        ids[number, : len(row)] = torch.tensor(row)
        parts[number, : len(row)] = torch.tensor(
            [marks[end - 1] if end else int(Part.FRAME) for _, end in offsets]
        )
    return ids, parts
