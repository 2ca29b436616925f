"""Evidence with its query, and answers, as rows of token ids."""

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from core.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor

Tokens: TypeAlias = tuple[int, ...]

IGNORED = -100
"""The label of padding, which T5's own loss leaves out."""


class FusionTokenizer:
    """Token ids of a reader's inputs and answers; nothing is ever cut off.

    An input is the evidence, a space and the query, as PGRA's public code has it. An answer ends
    with the token that ends a text.

    Args:
        tokenizer: A tokenizer of `transformers`.
        vocabulary: How many tokens the network knows.
        window: The most tokens of an input, and of an answer.
    """

    def __init__(self, tokenizer: Any, *, vocabulary: int, window: int) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        self.window = window
        self._lock = Lock()  # a fast tokenizer refuses a second caller meanwhile

    def inputs(self, query: str, evidence: Sequence[str]) -> list[Tokens]:
        """One row for each piece of evidence, in its order; one of the query alone without any.

        Raises:
            InvalidInput: A piece with its query has no tokens or more than the window.
        """
        if not evidence:
            return [self._checked(self._encode([query])[0], "query", query)]
        rows = self._encode([f"{piece} {query}" for piece in evidence])
        return [
            self._checked(row, "evidence", piece) for row, piece in zip(rows, evidence, strict=True)
        ]

    def answers(self, answers: Sequence[str]) -> list[Tokens]:
        """One row for each answer, its ending token included.

        Raises:
            InvalidInput: An answer has no tokens, or more than the window.
        """
        end = self._tokenizer.eos_token_id
        rows = [row if row[-1:] == (end,) else (*row, end) for row in self._encode(answers)]
        for row, answer in zip(rows, answers, strict=True):
            if len(row) < 2:
                raise InvalidInput(
                    f"The answer {answer!r} has no tokens, so it cannot be scored; give its text."
                )
        return [
            self._checked(row, "answer", answer) for row, answer in zip(rows, answers, strict=True)
        ]

    def text(self, tokens: Sequence[int]) -> str:
        """The text of an answer's tokens, without special ones."""
        with self._lock:
            text: str = self._tokenizer.decode(
                list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        return text.strip()

    def _encode(self, texts: Sequence[str]) -> list[Tokens]:
        for text in texts:
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise InvalidInput(
                    f"The text {text[:60]!r} contains half of a surrogate pair, which is "
                    "no character; remove it."
                )
        if not texts:
            return []
        with self._lock:
            encoded = self._tokenizer(list(texts), return_attention_mask=False, verbose=False)
        return [tuple(ids) for ids in encoded["input_ids"]]

    def _checked(self, row: Tokens, what: str, text: str) -> Tokens:
        if not row:
            raise InvalidInput(f"The {what} {text[:60]!r} has no tokens; give its text.")
        if len(row) > self.window:
            beside = " with its query" if what == "evidence" else ""
            raise InvalidInput(
                f"The {what} {text[:60]!r} has {len(row):,} tokens{beside}, and the reader's "
                f"window is {self.window:,}; nothing is cut off: shorten it or leave it out."
            )
        if max(row) >= self._vocabulary:
            raise InvalidInput(
                f"The tokenizer makes token {max(row)} of {text[:60]!r}, but the model knows only "
                f"{self._vocabulary:,} tokens; use the tokenizer that belongs to it."
            )
        return row


def padded(rows: Sequence[Tokens], padding: int) -> "Tensor":
    """The rows as one array (rows, t), filled up at the end."""
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
