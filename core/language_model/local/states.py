"""The last hidden state of a causal model at the end of each of many texts behind one prefix."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...types import FloatArray
from ...watcher import NOBODY, Watcher
from .forward import integers, name_of_past, past_of
from .memory import STOPPED, is_out_of_memory, within_memory
from .probing import Limits
from .rows import Budget, PairEncoder, Tokens

_ENCODED_AT_ONCE = 256
"""Texts between two checks whether to go on."""


class _TaskPrefix:
    """The tokens before every text."""

    def __init__(self, base: Any, tokens: Tokens) -> None:
        self.base = base
        self.tokens = tokens

    @cached_property
    def cache(self) -> Any:
        """Keys and values of the prefix, one row; a pass extends them, so it takes a copy.

        Computed when first asked for.
        """
        ids = integers([self.tokens], self.base)
        return past_of(self.base(input_ids=ids, use_cache=True))


@dataclass(frozen=True)
class _Batch:
    """Texts that are read at once: on the prefix's cache, or each with the prefix before it.

    Those that repeat the prefix are equally long, so that nothing is padded.
    """

    prefix: _TaskPrefix
    endings: Sequence[Tokens]
    cached: bool


class PrefixReader:
    """Reads texts behind a prefix that is computed once; see `LanguageModel.states`.

    The prefix is kept until another is read: a pool is read a piece at a time, and its queries
    later, one by one.

    Texts are a batch on copies of the prefix's keys and values. Positions and masks are the
    network's own, padding is at the right, where a causal model does not look, and the state
    is taken by the text's length, so that no token is mistaken for padding. Packing the texts
    behind one copy, with a mask, took 5 to 50 % less time with prefixes of 400 tokens, but fails
    with sliding windows and positions that come from the mask.

    Where two texts have other states on the cache than alone, and where positions depend on the
    longest sequence, the prefix is read with every text.

    Args:
        network: A causal model of `transformers`, on its device, in evaluation mode.
        encoder: Its tokenizer.
        name: Shown to people.
        window: The most tokens of prefix and text together.
        limits: Up to how many tokens the architecture may be read with others.
        budget: How large a batch may be; halved when memory runs out.
    """

    def __init__(
        self,
        network: Any,
        encoder: PairEncoder,
        *,
        name: str,
        window: int,
        limits: Limits,
        budget: Budget,
    ) -> None:
        self._network = network
        self._encoder = encoder
        self._name = name
        self._window = window
        self._limits = limits
        self._budget = budget
        self._device: str = network.device.type
        self._cache_worked: dict[bool, bool] = {}
        self._prefix: _TaskPrefix | None = None

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """See `LanguageModel.states`; a text that does not fit the memory is refused too."""
        opening, endings = self._tokens(prefix, texts, watcher)
        distinct = list(dict.fromkeys(endings))
        found: dict[Tokens, FloatArray] = {}
        if not distinct:
            return np.empty((0, self._width()), np.float32)
        for batch, states in within_memory(
            list(self._batches(self._kept(opening), distinct)),
            self._read,
            self._halves,
            device=self._device,
            watcher=watcher,
        ):
            finite = np.isfinite(states).all(axis=1)
            if not finite.all():
                ending = batch.endings[int(np.argmin(finite))]
                raise self._not_finite(texts[endings.index(ending)])
            found.update(zip(batch.endings, states, strict=True))
            watcher.on_progress(len(found), len(distinct))
        return np.stack([found[ending] for ending in endings])

    def _base(self) -> Any:
        """The network without its head, which is what AutoModel loads."""
        base = self._network.base_model
        if base is self._network:
            raise self._no_states()
        return base

    def _kept(self, opening: Tokens) -> _TaskPrefix:
        if self._prefix is None or self._prefix.tokens != opening:
            self._prefix = None  # one at a time in memory
            self._prefix = _TaskPrefix(self._base(), opening)
        return self._prefix

    def _width(self) -> int:
        return int(self._alone(_TaskPrefix(self._base(), ()), [(0,)]).shape[1])

    def _tokens(
        self, prefix: str, texts: Sequence[str], watcher: Watcher
    ) -> tuple[Tokens, list[Tokens]]:
        """The prefix's tokens, and those of every text behind it."""
        opening: Tokens = ()
        endings: list[Tokens] = []
        for start in range(0, len(texts), _ENCODED_AT_ONCE):
            watcher.checkpoint(STOPPED)
            some = texts[start : start + _ENCODED_AT_ONCE]
            opening, encoded = self._encoder.encode_pair(prefix, some)
            for text, tokens in zip(some, encoded, strict=True):
                self._check(prefix, text, len(opening), len(tokens))
            endings += encoded
        return opening, endings

    def _check(self, prefix: str, text: str, before: int, own: int) -> None:
        if not own:
            raise InvalidInput(
                f"The text {text!r} has no tokens after the prefix that ends in {prefix[-40:]!r}, "
                f"so it has no state of its own; give it some text that {self._name} knows."
            )
        if before + own > self._window:
            raise InvalidInput(
                f"The prefix that ends in {prefix[-40:]!r} and the text {text[:60]!r} have "
                f"{before + own:,} tokens; {self._name} takes at most {self._window:,}: use fewer "
                "exemplars or shorter text."
            )

    def _batches(self, prefix: _TaskPrefix, endings: Sequence[Tokens]) -> Iterator[_Batch]:
        """Batches within the budget, longest texts first, similar lengths together."""

        def reach(ending: Tokens) -> tuple[bool, bool]:
            length = len(prefix.tokens) + len(ending)
            return length > self._limits.padded, length > self._limits.packed

        longest_first = sorted(endings, key=len, reverse=True)
        for (depends_on_others, beyond_window), group in groupby(longest_first, key=reach):
            texts = list(group)
            cached = not depends_on_others and self._cache_works(prefix, texts, beyond_window)
            while texts:
                size = self._size(prefix, texts, cached)
                yield _Batch(prefix, texts[:size], cached)
                texts = texts[size:]

    def _size(self, prefix: _TaskPrefix, texts: Sequence[Tokens], cached: bool) -> int:
        """How many of the texts, longest first, are the next batch."""
        longest = len(texts[0])
        whole = len(prefix.tokens) + longest
        if cached:
            most = min(self._budget.tokens // longest, self._budget.cached // whole)
        else:
            alike = sum(len(text) == longest for text in texts)
            most = min(self._budget.tokens // whole, alike)
        return max(1, most)

    def _cache_works(
        self, prefix: _TaskPrefix, texts: Sequence[Tokens], beyond_window: bool
    ) -> bool:
        """Whether the longest and the shortest text have the same states on the cache as alone.

        Tried at the first call within sliding windows and at the first beyond them. Some models
        store their past in a way of their own.
        """
        if beyond_window not in self._cache_worked:
            pair = [texts[0], texts[-1]]
            try:
                together = self._on_cache(prefix, pair)
            except (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError) as e:
                if is_out_of_memory(e):
                    return True  # unrelated to the cache; the batches shrink by themselves
                self._cache_worked[beyond_window] = False
            else:
                alone = np.concatenate([self._alone(prefix, [text]) for text in pair])
                if not np.isfinite(alone).all():
                    return False  # unrelated to the cache: the text will be refused
                self._cache_worked[beyond_window] = self._agree(together, alone)
        return self._cache_worked[beyond_window]

    def _agree(self, first: FloatArray, second: FloatArray) -> bool:
        """Whether rounding may explain the difference: a wrong past changes a state throughout."""
        tolerance = 1e-3 if self._network.dtype.itemsize == 4 else 0.1
        apart = np.linalg.norm(first - second, axis=1)
        return bool(np.all(apart <= tolerance * np.linalg.norm(second, axis=1)))

    def _read(self, batch: _Batch) -> FloatArray:
        read = self._on_cache if batch.cached else self._alone
        return read(batch.prefix, batch.endings)

    def _on_cache(self, prefix: _TaskPrefix, endings: Sequence[Tokens]) -> FloatArray:
        import torch

        with torch.inference_mode():
            cache = copy.deepcopy(prefix.cache)
            cache.batch_repeat_interleave(len(endings))
            past = {name_of_past(prefix.base): cache}
            return self._last(prefix.base, endings, use_cache=True, **past)

    def _alone(self, prefix: _TaskPrefix, endings: Sequence[Tokens]) -> FloatArray:
        import torch

        with torch.inference_mode():
            rows = [prefix.tokens + ending for ending in endings]
            return self._last(prefix.base, rows, use_cache=False)

    def _last(self, base: Any, rows: Sequence[Tokens], **given: Any) -> FloatArray:
        """The state at the last token of every row, (rows, width)."""
        width = max(map(len, rows))
        # The last real token as padding: any id does, and PAD itself would be warned about.
        ids = [[*row, *row[-1:] * (width - len(row))] for row in rows]
        answer = base(input_ids=integers(ids, base), **given)
        states = getattr(answer, "last_hidden_state", None)  # (rows, tokens, width)
        if states is None:
            raise self._no_states()
        last = states[list(range(len(rows))), [len(row) - 1 for row in rows]]
        found: FloatArray = last.float().cpu().numpy()
        return found

    def _halves(self, batch: _Batch) -> list[_Batch]:
        size = len(batch.endings)
        if size == 1:
            tokens = len(batch.prefix.tokens) + len(batch.endings[0])
            raise InvalidInput(
                f"A prefix and its text of {tokens:,} tokens need more memory than "
                f"{self._device} has left for {self._name}; use fewer exemplars or a smaller "
                "model."
            )
        self._budget = self._budget.halved()
        parts = (batch.endings[: size // 2], batch.endings[size // 2 :])
        return [_Batch(batch.prefix, part, batch.cached) for part in parts]

    def _not_finite(self, text: str) -> InvalidInput:
        dtype = str(self._network.dtype).removeprefix("torch.")
        return InvalidInput(
            f"The model {self._name!r} puts out no finite numbers for the text {text[:60]!r} in "
            f"{dtype}; choose float32, or another model."
        )

    def _no_states(self) -> InvalidInput:
        return InvalidInput(
            f"The model {self._name!r} gives no hidden states, so texts cannot be compared by what "
            "it makes of them; choose a model whose architecture has them in transformers, such "
            "as a GPT, Llama or Qwen model."
        )
