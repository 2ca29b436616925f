"""Prompt and answer to token ids: the one place that decides which tokens are the answer's."""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from ...errors import InvalidInput

Tokens = tuple[int, ...]

_BEFORE = 8  # tokens; a character takes at most four
_REMEMBERED = 128  # prompts with their answers: all contexts of a query, with room


class PairEncoder:
    """Splits the tokens of a prompt and its answer, from any thread.

    With P = encode(prompt) and W = encode(prompt + answer), both with the tokenizer's own special
    tokens, the answer's tokens are W[len(P):], and the model reads P + W[len(P):]. Where a token
    spans the boundary this differs from reading W, by nats; it keeps P the same for every answer.

    An empty prompt means the beginning of a text: P is what the tokenizer opens a text with,
    or else its BOS (or EOS) token, since a model predicts nothing without something to read. An
    EOS token with which a tokenizer closes every text is left out: no answer follows it.

    Source: lm-evaluation-harness, `TemplateLM._encode_pair`. That function also moves white
    space at the end of a prompt to its answers; `Template` makes no such prompts.

    Args:
        tokenizer: A tokenizer of `transformers`.
        vocabulary: How many tokens the model knows, or None to let every id pass.
    """

    def __init__(self, tokenizer: Any, *, vocabulary: int | None = None) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        # A fast tokenizer refuses a second caller while one changes its settings.
        self._lock = Lock()
        # Whether a prompt fits is asked before it is scored: its tokens are made once.
        self._encode_pair = lru_cache(_REMEMBERED)(self._pair)
        self._closes = False
        sample = self.encode(["a"])[0]
        self._closes = len(sample) > 1 and sample[-1] == tokenizer.eos_token_id

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of every text, with the special tokens that open it."""
        for text in texts:
            if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                raise InvalidInput(
                    f"The text {text[:60]!r} contains half of a surrogate pair, which is "
                    "no character; remove it."
                )
        with self._lock:
            encoded = self._tokenizer(list(texts), return_attention_mask=False, verbose=False)
        rows = [tuple(ids[:-1] if self._closes else ids) for ids in encoded["input_ids"]]
        for text, ids in zip(texts, rows, strict=True):
            if self._vocabulary is not None and ids and max(ids) >= self._vocabulary:
                raise InvalidInput(
                    f"The tokenizer makes token {max(ids)} of {text[-60:]!r}, but the model knows "
                    f"only {self._vocabulary:,} tokens; use the tokenizer that belongs to it."
                )
        return rows

    def encode_pair(self, prompt: str, answers: Sequence[str]) -> tuple[Tokens, list[Tokens]]:
        """The prompt's token ids, and those of each answer after it (none where it has none)."""
        opening, continuations = self._encode_pair(prompt, tuple(answers))
        return opening, list(continuations)

    def _pair(self, prompt: str, answers: tuple[str, ...]) -> tuple[Tokens, tuple[Tokens, ...]]:
        opening, *wholes = self.encode([prompt, *(prompt + answer for answer in answers)])
        return opening or self._start(), tuple(whole[len(opening) :] for whole in wholes)

    def pieces(self, prompt: str, answer: str) -> tuple[str, ...]:
        """The text of each of the answer's tokens after the prompt, as the model reads it.

        Joined, they are the answer, unless the tokenizer drops characters that it does not know,
        or a token spans prompt and answer. Of a character that takes several tokens the last one
        has the text, the others none.
        """
        before, whole = self.encode([prompt, prompt + answer])
        # The tokens before decide whether a leading space is kept; a few of them are enough.
        start = max(0, len(before) - _BEFORE)
        pieces: list[str] = []
        done = self._decode(whole[start : len(before)])
        for place in range(len(before), len(whole)):
            text = self._decode(whole[start : place + 1])
            unfinished = text.endswith("\ufffd") and place + 1 < len(whole)
            pieces.append("" if unfinished else text[len(done) :])
            done = done if unfinished else text
        return tuple(pieces)

    def continued(self, prompt: Tokens, tokens: Sequence[int]) -> str:
        """The text of tokens that a model put out after the prompt's, its leading space included.

        Of a character that takes several tokens, those before the last one have no text.
        """
        # What is before decides whether a leading space is kept; a few tokens show it.
        before = prompt[-_BEFORE:]
        text = self._decode((*before, *tokens))[len(self._decode(before)) :]
        return text.rstrip("\ufffd")

    def _decode(self, tokens: Tokens) -> str:
        with self._lock:
            text: str = self._tokenizer.decode(
                list(tokens), skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        return text

    def _start(self) -> Tokens:
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return (token,)
        raise InvalidInput(
            "The prompt has no tokens and the tokenizer has none that begins a text, so nothing "
            "can be predicted; give a prompt that is not empty."
        )
