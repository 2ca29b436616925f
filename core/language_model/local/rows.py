"""Prompts and answers to token ids, and to the rows that the model reads at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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


ROOT = -1
"""The last token of the prompt, on which every answer's first token follows."""


@dataclass(frozen=True, slots=True)
class AnswerTree:
    """What is read after a prompt so that every token of every answer is predicted.

    The last token of an answer is only predicted, so it is a node only where a longer answer goes
    on from it.

    Attributes:
        tokens: The token of each node, parents before their children.
        parents: The node before each, or `ROOT`.
        depths: How many nodes are between each and the prompt.
        places: For every token of every answer, in their order, the node that predicts it.
    """

    tokens: list[int]
    parents: list[int]
    depths: list[int]
    places: list[int]

    @classmethod
    def of(cls, answers: Sequence[Tokens]) -> "AnswerTree":
        """The tree of these answers, each of at least one token."""
        nodes: dict[tuple[int, int], int] = {}
        tokens: list[int] = []
        depths: list[int] = []
        places: list[int] = []
        for answer in answers:
            node = ROOT
            places.append(node)
            for depth, token in enumerate(answer[:-1]):
                node = nodes.setdefault((node, token), len(tokens))
                if node == len(tokens):
                    tokens.append(token)
                    depths.append(depth)
                places.append(node)
        return cls(tokens, [parent for parent, _ in nodes], depths, places)

    def seen(self) -> NDArray[np.bool_]:
        """Which nodes each node sees, shape (nodes, nodes): itself and those it follows on."""
        seen = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent != ROOT:
                seen[node] |= seen[parent]
        return seen


class TokenReading(Enum):
    """How several answers of one prompt are read; each needs less of an architecture."""

    PACKED = "packed"
    """In one sequence, as branches from the prompt, separated by a 4-D mask and positions."""

    CACHED = "cached"
    """The prompt first, then all answers as a batch on its keys and values."""

    PLAIN = "plain"
    """Each answer with the prompt before it."""


class Budget(NamedTuple):
    """How large one batch may be; a row that alone exceeds it is a batch of its own.

    Attributes:
        tokens: Padded tokens of all rows together.
        logits: Numbers that the head puts out, padding included (4 bytes each in float32).
        cached: Tokens whose keys and values are in memory, repetitions included.
    """

    tokens: int
    logits: int
    cached: int = 4096

    def halved(self) -> "Budget":
        """Half of everything, at least 1."""
        return Budget(*(max(1, size // 2) for size in self))


@dataclass(frozen=True)
class TokenRow:
    """One prompt with some of its answers; `slots` are the positions of the answers' results."""

    prompt: Tokens
    answers: tuple[Tokens, ...]
    slots: tuple[int, ...]
    reading: TokenReading = TokenReading.PACKED

    @cached_property
    def tree(self) -> AnswerTree:
        """What is read after the prompt."""
        return AnswerTree.of(self.answers)

    @property
    def length(self) -> int:
        """Tokens to read: the last token of an answer is only predicted."""
        return len(self.prompt) + len(self.tree.tokens)

    @property
    def packed(self) -> bool:
        """Whether several answers are in one sequence, so that a mask must separate them."""
        return self.reading is TokenReading.PACKED and len(self.answers) > 1

    @property
    def cached(self) -> bool:
        """Whether several answers are read on the prompt's keys and values."""
        return self.reading is TokenReading.CACHED and len(self.answers) > 1

    def pieces(self, size: int) -> list["TokenRow"]:
        """The same answers in rows of at most `size`."""
        return [
            TokenRow(
                self.prompt, self.answers[i : i + size], self.slots[i : i + size], self.reading
            )
            for i in range(0, len(self.answers), size)
        ]


def batches(
    rows: Iterable[TokenRow], budget: Budget, vocabulary: int, *, padded_up_to: int
) -> list[list[TokenRow]]:
    """The rows in batches within the budget, longest first, similar lengths together.

    The longest come first so that memory, if it is short, is short at once. A row of one answer
    that is longer than `padded_up_to` tokens is a batch of its own, as is a cached row; others that
    are alone come last, by their prompts, so that those that begin alike are neighbours.
    """
    made: list[list[TokenRow]] = []
    shortest_prompt = 0
    for row in sorted(
        rows, key=lambda row: (row.cached, row.packed, row.length, row.slots), reverse=True
    ):
        if made and not row.cached and made[-1][0].packed == row.packed:
            longest, size = made[-1][0].length, len(made[-1]) + 1
            shortest = min(shortest_prompt, len(row.prompt))
            fits = (row.packed or longest <= padded_up_to) and (
                size * longest <= budget.tokens
                and size * (longest - shortest + 1) * vocabulary <= budget.logits
            )
            if fits and not made[-1][0].cached:
                made[-1].append(row)
                shortest_prompt = shortest
                continue
        made.append([row])
        shortest_prompt = len(row.prompt)
    return sorted(
        made, key=lambda batch: () if len(batch) > 1 or batch[0].cached else batch[0].prompt
    )


def scored_width(rows: Sequence[TokenRow]) -> int:
    """At how many positions, counted from the end of the longest row, the head is needed."""
    return max(row.length for row in rows) - min(len(row.prompt) for row in rows) + 1
