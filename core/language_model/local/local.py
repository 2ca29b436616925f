"""A language model on this machine, run by `transformers`."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import InvalidInput
from ...generation import Generation, GenerationRequest
from ...types import AnswerRequest, FloatArray, LogProb
from ...watcher import NOBODY, Watcher
from ..base import Abilities, OnText
from ..template import ChatFormat
from .forward import PastPrompts, score_rows
from .generator import TextGenerator
from .memory import STOPPED, within_memory
from .probing import Limits, agrees, choose_reading, goes_on
from .rows import Budget, PairEncoder, TokenReading, TokenRow, Tokens, batches
from .states import PrefixReader

CPU_BUDGET = Budget(tokens=512, logits=1 << 25)
GPU_BUDGET = Budget(tokens=16_384, logits=1 << 28, cached=16_384)
"""On a CPU twice the tokens gained 7 % on tiny models, and a cancelled batch would end later; a GPU
needs large ones to be busy."""


class LocalLanguageModel:
    """A causal model of `transformers` that scores, generates and reads: a `LanguageModel`.

    Every distinct prompt is computed once for all its answers (see `forward`): packed where the
    architecture can be trusted with it, else on a cache of the prompt, else in plain padded
    batches; which of them works is probed at loading. On a CPU, what a prompt has in common with
    one of the last few is not read again (`PastPrompts`): with the most relevant demonstration last
    that is 11 % of all tokens of the contexts of a query's path on TruthfulQA. When memory runs
    out, the batch is halved and the work goes on.

    Args:
        network: The model, on its device, in evaluation mode.
        encoder: Its tokenizer.
        name: Shown to people.
        fingerprint: Of everything that decides the log-probabilities.
        window: The most tokens of prompt and answer together.
        chat_format: What its chat template puts around a message; None where it has none.
        budget: How large a batch may be; None chooses by the device.
    """

    abilities = Abilities()

    def __init__(
        self,
        network: Any,
        encoder: PairEncoder,
        *,
        name: str,
        fingerprint: str,
        window: int,
        chat_format: ChatFormat | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.name = name
        self.chat_format = chat_format
        self.fingerprint = fingerprint
        self.window = window
        self.device: str = network.device.type
        self.dtype = str(network.dtype).removeprefix("torch.")
        self.parameters: int = network.num_parameters()
        self._network = network
        self._encoder = encoder
        self._vocabulary: int = network.get_input_embeddings().weight.shape[0]
        self._limits = Limits.of(network.config.get_text_config(), window)
        self.reading = choose_reading(network)
        self._long_cache_works: bool | None = None
        self._budget = budget or (CPU_BUDGET if self.device == "cpu" else GPU_BUDGET)
        alone = self.device == "cpu" and self.reading is TokenReading.PACKED
        self._prompts = PastPrompts() if alone and goes_on(network) else None
        self._prefix_reader = PrefixReader(
            network, encoder, name=name, window=window, limits=self._limits, budget=self._budget
        )
        self._generator = TextGenerator(
            network, encoder, name=name, window=window, limits=self._limits, budget=self._budget
        )

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """See `LanguageModel.log_probs`; progress counts distinct pairs of prompt and answer."""
        slots: dict[tuple[Tokens, Tokens], int] = {}
        places: list[list[int]] = []
        for request in requests:
            watcher.checkpoint(STOPPED)
            prompt, answers = self._tokens(request)
            places.append([slots.setdefault((prompt, a), len(slots)) for a in answers])
        results: list[LogProb | None] = [None] * len(slots)
        done = 0
        for batch, scored in within_memory(
            batches(
                self._rows(slots), self._budget, self._vocabulary, padded_up_to=self._limits.padded
            ),
            lambda batch: score_rows(self._network, batch, self._prompts),
            self._smaller,
            device=self.device,
            watcher=watcher,
        ):
            for row, answers_of_row in zip(batch, scored, strict=True):
                for slot, tokens in zip(row.slots, answers_of_row, strict=True):
                    results[slot] = LogProb(sum(tokens), len(tokens), tokens)
                    done += 1
            watcher.on_progress(done, len(slots))
        found = [result for result in results if result is not None]
        return [[found[slot] for slot in row] for row in places]

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """See `LanguageModel.states` and `PrefixReader`; progress counts distinct texts."""
        return self._prefix_reader.states(prefix, texts, watcher=watcher)

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """See `LanguageModel.generate` and `TextGenerator`."""
        return self._generator.generate(requests, on_text=on_text, watcher=watcher)

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """How many tokens the prompt and the answer that follows it have together."""
        read, (tokens,) = self._encoder.encode_pair(prompt, [answer])
        return len(read) + len(tokens)

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether the prompt with the longest of the answers is within the window."""
        read, tokens = self._encoder.encode_pair(prompt, answers)
        return len(read) + max(map(len, tokens), default=0) <= self.window

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers that have no tokens after the prompt; `log_probs` refuses them."""
        _, tokens = self._encoder.encode_pair(prompt, answers)
        return tuple(text for text, ids in zip(answers, tokens, strict=True) if not ids)

    def pieces(self, prompt: str, answer: str) -> tuple[str, ...]:
        """The text of each of the answer's tokens, in their order; see `LanguageModel.pieces`."""
        return self._encoder.pieces(prompt, answer)

    def _tokens(self, request: AnswerRequest) -> tuple[Tokens, list[Tokens]]:
        prompt, answers = self._encoder.encode_pair(request.prompt, request.answers)
        for text, tokens in zip(request.answers, answers, strict=True):
            if not tokens:
                raise InvalidInput(
                    f"The answer {text!r} has no tokens after the prompt that ends in "
                    f"{request.prompt[-40:]!r}, so it has no probability; give it some text that "
                    f"{self.name} knows."
                )
            if len(prompt) + len(tokens) > self.window:
                raise InvalidInput(
                    f"The prompt that ends in {request.prompt[-40:]!r} and the answer "
                    f"{text[:60]!r} have {len(prompt) + len(tokens):,} tokens; {self.name} takes "
                    f"at most {self.window:,}: use fewer demonstrations or shorter text."
                )
        return prompt, answers

    def _rows(self, slots: dict[tuple[Tokens, Tokens], int]) -> list[TokenRow]:
        """The answers of each prompt in as few rows as their reading and the budget allow."""
        together: dict[tuple[Tokens, bool], list[tuple[Tokens, int]]] = {}
        for (prompt, answer), slot in slots.items():
            long = len(prompt) + len(answer) > self._limits.packed
            together.setdefault((prompt, long), []).append((answer, slot))
        rows = []
        for (prompt, long), members in together.items():
            row = TokenRow(prompt, tuple(a for a, _ in members), tuple(s for _, s in members))
            row = replace(row, reading=self._reading_of_long(row) if long else self.reading)
            rows += row.pieces(self._share(row))
        return rows

    def _reading_of_long(self, row: TokenRow) -> TokenReading:
        """How answers are read beyond a sliding window, where loading did not probe the cache."""
        longest = len(row.prompt) + max(map(len, row.answers))
        if self.reading is TokenReading.PLAIN or longest > self._limits.padded:
            return TokenReading.PLAIN
        if len(row.answers) > 1 and self._long_cache_works is None:
            probe = replace(row.pieces(2)[0], reading=TokenReading.CACHED)
            self._long_cache_works = agrees(self._network, probe)
        return TokenReading.CACHED if self._long_cache_works else TokenReading.PLAIN

    def _share(self, row: TokenRow) -> int:
        """How many answers may share a row: within the budget, and within a sliding window."""
        budget, prompt, longest = self._budget, len(row.prompt), max(map(len, row.answers))
        if row.reading is TokenReading.PLAIN:
            return 1
        if row.reading is TokenReading.CACHED:
            most = budget.cached // (prompt + longest)
            return max(1, min(most, budget.logits // (longest * self._vocabulary)))
        # The square root bounds the mask; a row of many more answers than its prompt has tokens
        # would spend longer on attention among them than on reading the prompt again.
        most = min(
            budget.logits // self._vocabulary,
            math.isqrt(budget.logits),
            max(2 * budget.tokens, prompt),
        )
        if self._limits.packed < self.window:
            most = min(most, self._limits.packed - prompt)
        return max(1, most // longest)

    def _smaller(self, batch: list[TokenRow]) -> list[list[TokenRow]]:
        """The batch in two, and every later one smaller; memory did not suffice for it."""
        if len(batch) == 1 and len(batch[0].answers) == 1:
            raise InvalidInput(
                f"A prompt and its answer of {batch[0].length:,} tokens need more memory than "
                f"{self.device} has left for {self.name}; use fewer demonstrations or a "
                "smaller model."
            )
        self._budget = self._budget.halved()
        if self._prompts is not None:
            self._prompts.clear()
        if len(batch) == 1:
            return [[piece] for piece in batch[0].pieces((len(batch[0].answers) + 1) // 2)]
        return [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
