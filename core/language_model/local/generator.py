"""Texts after prompts by a causal model: the loop of steps, and what can be read together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...errors import InvalidInput
from ...generation import Generation, GenerationRequest
from ...watcher import NOBODY, Watcher
from ..base import OnText
from .continuation import Batch, Continuation, GenerationTask, batches, shared_of
from .memory import STOPPED, is_out_of_memory, within_memory
from .probing import Limits
from .rows import Budget, PairEncoder, Tokens
from .steps import CachedSteps, PlainSteps

_PROBE: list[Tokens] = [(5, 3, 8, 2, 7, 4), (5, 3, 9), (5, 3, 8, 7)]
"""Prompts that begin alike and have different lengths."""


class TextGenerator:
    """Writes texts after prompts; see `LanguageModel.generate`.

    What several prompts begin with in common is read once, and each step is one pass over the last
    token of every text that has not ended (see `CachedSteps`). Whether the architecture can be
    read so is tried where it is first needed: if the logits of a second step are not those of a
    plain pass over the row alone, prompts of different lengths are not read together; then texts
    not side by side; and at last each is read from its beginning at every step.

    Args:
        network: A causal model of `transformers`, on its device, in evaluation mode.
        encoder: Its tokenizer.
        name: Shown to people.
        window: The most tokens of prompt and text together.
        limits: Up to how many tokens the architecture may be read with others.
        budget: What a batch may contain; halved when memory runs out.
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
        self._ends = _ends_of(network)
        self._agree: dict[tuple[int, bool], bool] = {}

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """See `LanguageModel.generate`; a prompt that does not fit the memory is refused too."""
        tasks = list(dict.fromkeys(task for each in requests for task in self._tasks(each)))
        watch = _Watch(sum(task.most for task in tasks), watcher, on_text)
        found: dict[GenerationTask, Generation] = {}
        for batch, written in within_memory(
            list(batches(tasks, self._budget, self._limits)),
            lambda batch: self._write(batch, watch),
            self._halves,
            device=self._network.device.type,
            watcher=watcher,
        ):
            found.update(zip(batch.tasks, written, strict=True))
        texts = [[found[task] for task in self._tasks(request)] for request in requests]
        return [
            row * request.n if request.greedy else row
            for request, row in zip(requests, texts, strict=True)
        ]

    def _tasks(self, request: GenerationRequest) -> list[GenerationTask]:
        """One for each text that differs: a greedy request has one."""
        prompt, _ = self._encoder.encode_pair(request.prompt, ())
        room = self._window - len(prompt)
        if room < 1:
            raise InvalidInput(
                f"The prompt that ends in {request.prompt[-40:]!r} has {len(prompt):,} tokens, and "
                f"{self._name} takes at most {self._window:,} with the answer: use fewer "
                "demonstrations or shorter text."
            )
        if request.greedy:
            request = replace(request, n=1, top_p=1.0, seed=0)
        return [
            GenerationTask(prompt, replace(request, n=1), number, min(request.max_new_tokens, room))
            for number in range(request.n)
        ]

    def _write(self, batch: Batch, watch: "_Watch") -> list[Generation]:
        import torch

        with torch.inference_mode():
            found: dict[GenerationTask, Generation] = {}
            for part in self._trusted(batch):
                found |= self._written(part, watch)
            return [found[task] for task in batch.tasks]

    def _written(self, batch: Batch, watch: "_Watch") -> dict[GenerationTask, Generation]:
        rows = {
            task: Continuation(
                prompt=task.prompt, request=task.request, number=task.number, encoder=self._encoder
            )
            for task in batch.tasks
        }
        steps = self._steps(batch)
        logits = steps.first()
        active = list(rows.values())
        while True:
            self._add(active, logits)
            watch.show(batch, rows)
            going = [place for place, row in enumerate(active) if row.ended_by is None]
            if not going:
                watch.finish(batch)
                return {task: row.generation() for task, row in rows.items()}
            watch.watcher.checkpoint(STOPPED)
            if len(going) < len(active):
                steps.keep(going)
                active = [active[place] for place in going]
            logits = steps.next([row.tokens[-1] for row in active])

    def _steps(self, batch: Batch) -> CachedSteps | PlainSteps:
        if not batch.cached:
            return PlainSteps(self._network, batch.prompts[0])
        return CachedSteps(self._network, batch.prompts, batch.shared)

    def _add(self, rows: Sequence[Continuation], logits: Any) -> None:
        """Give every row its next token.

        Args:
            rows: The texts that have not ended.
            logits: A tensor of shape (rows, vocabulary).
        """
        logits = logits.float()
        tokens = logits.argmax(-1).tolist()
        for place, row in enumerate(rows):
            if row.sampler is not None:
                tokens[place] = row.sampler.draw(logits[place].cpu().numpy())
        sums = logits.logsumexp(-1)
        chosen = logits[list(range(len(rows))), tokens]
        values = (chosen - sums).clamp(max=0.0).tolist()
        if not bool(sums.isfinite().all()):
            raise InvalidInput(
                f"The model {self._name!r} puts out no finite numbers in "
                f"{str(self._network.dtype).removeprefix('torch.')}; choose float32, or another "
                "model."
            )
        for row, token, value in zip(rows, tokens, values, strict=True):
            row.add(token, value, self._ends, self._window)

    def _trusted(self, batch: Batch) -> list[Batch]:
        """The batch in parts that the architecture can be trusted with."""
        if not batch.cached or self._sound(batch):
            return [batch]
        rank, _ = batch.kind
        if rank == 0:
            return [replace(batch, cached=False)]
        by_length = groupby(batch.tasks, key=lambda task: len(task.prompt))
        parts = (
            [tuple(group) for _, group in by_length]
            if rank == 2
            else [(task,) for task in batch.tasks]
        )
        smaller = [replace(batch, tasks=part, shared=shared_of(part)) for part in parts]
        return [found for part in smaller for found in self._trusted(part)]

    def _sound(self, batch: Batch) -> bool:
        """Whether batches of its kind come out as each row does alone; tried at the first."""
        if batch.kind not in self._agree:
            prompts, shared = batch.prompts, batch.shared
            if not batch.beyond:
                rank, _ = batch.kind
                prompts = [_PROBE[:1], _PROBE[:1] * 2, _PROBE][rank]
                shared = 2 if rank else 0
            try:
                self._agree[batch.kind] = self._comes_out(prompts, shared)
            except (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError) as e:
                if is_out_of_memory(e):
                    raise  # says nothing about the architecture: the batch is halved
                self._agree[batch.kind] = False
        return self._agree[batch.kind]

    def _comes_out(self, prompts: Sequence[Tokens], shared: int) -> bool:
        """Whether a second step and one after rows have ended are as a plain pass has them."""
        steps = CachedSteps(self._network, prompts, shared)
        tokens = steps.first().argmax(-1).tolist()
        steps.next(tokens)
        last = len(prompts) - 1
        if last:
            steps.keep([last])
        together = steps.next([tokens[last]])
        alone = PlainSteps(self._network, (*prompts[last], tokens[last], tokens[last])).first()
        tolerance = 1e-3 if self._network.dtype.itemsize == 4 else 0.1
        found, expected = (each.float() - each.float().mean() for each in (together, alone))
        return bool((found - expected).norm() <= tolerance * expected.norm())

    def _halves(self, batch: Batch) -> list[Batch]:
        """The batch in two, and less in every later one; memory did not suffice for it."""
        size = len(batch.tasks)
        if size == 1:
            raise InvalidInput(
                f"A prompt of {len(batch.prompts[0]):,} tokens with its answer needs more memory "
                f"than {self._network.device.type} has left for {self._name}; use fewer "
                "demonstrations or a smaller model."
            )
        self._budget = self._budget.halved()
        parts = (batch.tasks[: size // 2], batch.tasks[size // 2 :])
        return [replace(batch, tasks=part, shared=shared_of(part)) for part in parts]


class _Watch:
    """Progress in tokens: a text that ends early counts as the most it could have been."""

    def __init__(self, total: int, watcher: Watcher, on_text: OnText | None) -> None:
        self._total = total
        self._finished = 0
        self.watcher = watcher
        self._on_text = on_text

    def show(self, batch: Batch, rows: dict[GenerationTask, Continuation]) -> None:
        """Report a step of these texts."""
        if self._on_text is not None:
            for task, row in rows.items():
                self._on_text(task.request.prompt, task.number, row.answer())
        done = sum(
            len(row.tokens) if row.ended_by is None else task.most for task, row in rows.items()
        )
        self.watcher.on_progress(self._finished + done, self._total)

    def finish(self, batch: Batch) -> None:
        """Count the texts as finished."""
        self._finished += sum(task.most for task in batch.tasks)


def _ends_of(network: Any) -> frozenset[int]:
    """The ids of the tokens that end a text, as `transformers` generates."""
    settings = getattr(network, "generation_config", None)
    found = getattr(settings, "eos_token_id", None)
    if found is None:
        found = getattr(network.config.get_text_config(), "eos_token_id", None)
    return frozenset(
        found if isinstance(found, list | tuple) else () if found is None else (found,)
    )
