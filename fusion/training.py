"""Fine-tuning a reader: seeded, stopped early by validation, resumed where it was stopped."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from core.errors import Cancelled, InvalidInput
from core.language_model.local.memory import is_out_of_memory
from core.text import content_hash
from core.watcher import NOBODY, Watcher

from .checkpoint import Check, Progress, restore_checkpoint, save_checkpoint
from .episode import Episode

if TYPE_CHECKING:
    from torch import Tensor

    from .reader import FusionReader

WARM_UP = 0.05
"""The share of the steps over which the learning rate rises; then it falls to 0 along a line."""

LARGEST_GRADIENT = 1.0
"""The norm that a step's gradient is cut to."""

SAVE_EVERY = 200
"""Steps between two checkpoints, at most."""


@dataclass(frozen=True, slots=True)
class FineTuning:
    """What decides the weights besides model and episodes, up to the machine's rounding.

    The defaults are of PGRA, section 3.1: 5,000 steps of AdamW, learning rates from 1e-5 to 1e-4,
    batches of 4 or 8.

    Attributes:
        steps: Optimiser steps, at most.
        learning_rate: The highest, above 0.
        batch: Episodes computed at once.
        accumulation: Batches a step; a step of 4 batches of 2 is one of 8 episodes, in less memory.
        seed: Of the episodes' order and of dropout.
        patience: Checks without a gain after which the training ends; 0 never ends early.
        check_every: Steps between two checks on the validation episodes.
    """

    steps: int = 5000
    learning_rate: float = 5e-5
    batch: int = 4
    accumulation: int = 1
    seed: int = 0
    patience: int = 5
    check_every: int = 250

    def __post_init__(self) -> None:
        """Refuse what cannot be computed."""
        for name in ("steps", "batch", "accumulation", "check_every"):
            if getattr(self, name) < 1:
                raise InvalidInput(
                    f"The {name.replace('_', ' ')} {getattr(self, name)} was given; it must be a "
                    "whole number from 1."
                )
        if self.patience < 0:
            raise InvalidInput(f"The patience {self.patience} was given; it must be 0 or more.")
        if not 0.0 < self.learning_rate < 1.0:
            raise InvalidInput(
                f"The learning rate {self.learning_rate:g} was given; it must be above 0 and "
                "below 1, such as 5e-5."
            )

    def rate(self, step: int) -> float:
        """The learning rate of a step, the first being 0."""
        warm_up = max(1, round(WARM_UP * self.steps))
        rising = (step + 1) / warm_up
        falling = (self.steps - step) / max(1, self.steps - warm_up)
        return self.learning_rate * min(1.0, rising, falling)


@dataclass(frozen=True, slots=True)
class FineTuningReport:
    """What a training did.

    Attributes:
        folder: Contains the reader of the best check, or the last one where there were no checks.
        steps: Steps done.
        stopped_early: Whether the patience ended it before its last step.
        seconds: How long it computed, over all its runs.
        episodes: Episodes trained on.
        validation: Episodes of each check.
        checks: Every check.
    """

    folder: str
    steps: int
    stopped_early: bool
    seconds: float
    episodes: int
    validation: int
    checks: tuple[Check, ...]


def train(
    reader: "FusionReader",
    episodes: Sequence[Episode],
    plan: FineTuning,
    *,
    folder: Path,
    validation: Sequence[Episode] = (),
    watcher: Watcher = NOBODY,
) -> FineTuningReport:
    """Fine-tune a reader on episodes, or go on where an earlier run of the same was stopped.

    Afterwards the reader has the weights that the folder has: those of the best check, or the last
    ones where there is no validation. Which episodes a step takes, in which order, and what
    dropout leaves out depend on seed and step alone, so a training that was stopped gives the
    weights of one that was not.

    Args:
        reader: Its network is trained in place.
        episodes: What to train on; each is met once before any is met again.
        plan: How.
        folder: Gets the reader, as `FusionReader.load` reads it, and the checkpoint.
        validation: What the checks are made on; with none the training runs to its last step.
        watcher: Gets the steps done and their number after every step; asked before every step, and
            where it stops the training a checkpoint is written.

    Raises:
        InvalidInput: There is no episode, a text does not fit, the folder contains another
            training, the weights grow beyond all bounds, or a step needs more memory than there is.
        Cancelled: The watcher asked to stop.

    Source: PGRA, section 3.1 (AdamW, steps, rates, batches).
    """
    import torch

    if not episodes:
        raise InvalidInput("There is no episode to train on; give at least one.")
    reader.check([*episodes, *validation])
    folder.mkdir(parents=True, exist_ok=True)
    network = reader.network
    optimiser = torch.optim.AdamW(network.parameters(), lr=plan.learning_rate)
    belongs_to = {
        **asdict(plan), "model": reader.fingerprint, "episodes": _hash(episodes),
        "validation": _hash(validation),
    }  # fmt: skip
    progress = restore_checkpoint(folder, network, optimiser, belongs_to)
    begun, earlier = time.monotonic(), progress.seconds

    def save() -> None:
        progress.seconds = earlier + time.monotonic() - begun
        save_checkpoint(folder, network, optimiser, progress, belongs_to)

    with _training(network):
        while progress.step < plan.steps and not _stops_early(plan, progress):
            if watcher.cancelled():
                save()
                raise Cancelled("The training was stopped; it goes on from its checkpoint.")
            _one_step(reader, optimiser, episodes, plan, progress.step)
            progress.step += 1
            due = progress.step % plan.check_every == 0 or progress.step == plan.steps
            if due and validation:
                _check(reader, validation, progress, folder)
            if due or progress.step % SAVE_EVERY == 0:
                save()
            watcher.on_progress(progress.step, plan.steps)
    if validation:
        _take_best(reader, folder)
    else:
        reader.save(folder)
    return FineTuningReport(
        folder=str(folder), steps=progress.step, stopped_early=progress.step < plan.steps,
        seconds=round(progress.seconds, 1), episodes=len(episodes), validation=len(validation),
        checks=tuple(progress.checks),
    )  # fmt: skip


def _one_step(
    reader: "FusionReader",
    optimiser: Any,
    episodes: Sequence[Episode],
    plan: FineTuning,
    step: int,
) -> None:
    """One step of the optimiser; the loss is the mean over all tokens of all its batches."""
    import torch

    chosen = _of_step(episodes, plan, step)
    tokens, total = 0, 0.0
    torch.manual_seed(Random(f"dropout {plan.seed} {step}").getrandbits(60))
    try:
        for begin in range(0, len(chosen), plan.batch):
            log_probs, counts = reader.losses(chosen[begin : begin + plan.batch])
            loss: Any = -log_probs.sum()
            loss.backward()
            tokens, total = tokens + int(counts.sum()), total + float(loss.detach())
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise InvalidInput(
            f"A batch of {plan.batch} episodes needs more memory than {reader.device} has; choose "
            "a smaller batch and more accumulation, or less evidence."
        ) from error
    parameters = list(reader.network.parameters())
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad /= tokens
    norm = float(torch.nn.utils.clip_grad_norm_(parameters, LARGEST_GRADIENT))
    if not (abs(total) < float("inf") and norm < float("inf")):
        raise InvalidInput(
            f"The loss is no finite number any more at step {step + 1}; start over with a learning "
            f"rate below {plan.learning_rate:g}."
        )
    for group in optimiser.param_groups:
        group["lr"] = plan.rate(step)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)


def _of_step(episodes: Sequence[Episode], plan: FineTuning, step: int) -> list[Episode]:
    """The episodes of a step: all of them in a seeded order, then all in another."""
    size = plan.batch * plan.accumulation
    found = []
    for place in range(step * size, (step + 1) * size):
        epoch, within = divmod(place, len(episodes))
        found.append(episodes[_order(plan.seed, epoch, len(episodes))[within]])
    return found


@lru_cache(maxsize=4)
def _order(seed: int, epoch: int, count: int) -> tuple[int, ...]:
    return tuple(Random(f"episodes {seed} {epoch}").sample(range(count), count))


def _stops_early(plan: FineTuning, progress: Progress) -> bool:
    return 0 < plan.patience <= progress.without_gain


def _check(
    reader: "FusionReader", validation: Sequence[Episode], progress: Progress, folder: Path
) -> None:
    right = sum(reader.is_right(episode) for episode in validation)
    progress.checks.append(Check(progress.step, right / len(validation)))
    if progress.without_gain == 0:
        reader.save(folder)


def _take_best(reader: "FusionReader", folder: Path) -> None:
    """Give the reader the weights of its best check, which are those in the folder."""
    import torch
    from safetensors.torch import load_file

    from core.language_model.folder import weight_files

    saved: dict[str, Tensor] = {}
    for file in weight_files(str(folder), folder):
        saved |= load_file(file)
    with torch.no_grad():
        for name, value in reader.network.named_parameters():
            value.copy_(saved[name])


@contextmanager
def _training(network: Any) -> Iterator[None]:
    """With dropout where the network has any; the process's random numbers are as before after."""
    import torch

    devices = [network.device] if network.device.type == "cuda" else []
    network.train()
    try:
        with torch.random.fork_rng(devices=devices):
            yield
    finally:
        network.eval()


def _hash(episodes: Sequence[Episode]) -> str:
    parts: list[str] = []
    for each in episodes:
        parts += [each.query, each.answer, str(len(each.evidence)), *each.evidence]
        parts += [str(len(each.labels)), *each.labels]
    return content_hash(*parts)
