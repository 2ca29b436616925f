"""Training: a seeded curriculum, checkpoints to resume from, and a log."""

import json
import math
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from core.errors import InvalidInput
from core.language_model.folder import quiet

from ..episodes import Part
from .batches import NOTHING, WEIGHTS, encode
from .curriculum import draw_texts
from .network import SIZES, build_network
from .tokenizer import build_tokenizer

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINT = "checkpoint.pt"
LOG = "training.jsonl"
LOG_EVERY = 50
"""Steps between two lines of it."""

_QUERY_SHARE = 0.4
"""Share of a query's tokens that are trained on: enough to read it, cheap to compute."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Everything that decides the weights, up to the machine's rounding.

    Attributes:
        seed: Of the first weights and of every text.
        steps: Optimiser steps of the curriculum.
        polish: Steps after it, on the curriculum's hardest texts, with a schedule of their own.
        spelling: Steps after those, on names that are spelled out, likewise.
        tokens: Tokens a step, roughly.
        rate: Highest learning rate; after a warm-up it falls along a cosine to 3 % of it.
        polish_rate: The same for the polish.
        warm_up: Steps of each warm-up.
        size: A key of `SIZES`.
    """

    seed: int = 0
    steps: int = 3600
    polish: int = 1000
    spelling: int = 600
    tokens: int = 2500
    rate: float = 4e-3
    polish_rate: float = 1.5e-3
    warm_up: int = 40
    size: str = "small"

    @property
    def all_steps(self) -> int:
        """Steps of all three parts."""
        return self.steps + self.polish + self.spelling

    def place(self, step: int) -> tuple[int, float]:
        """The part (0, 1, 2) that a step belongs to, and the share of that part before it."""
        parts = (self.steps, self.polish, self.spelling)
        for number, length in enumerate(parts):
            if step < length:
                return number, step / length
            step -= length
        raise ValueError(f"the plan has {self.all_steps} steps")


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What a training did; `finished` is False when its time ran out before the last step."""

    folder: str
    steps: int
    tokens: int
    seconds: float
    parameters: int
    threads: int
    device: str
    machine: str
    finished: bool
    accuracies: dict[str, float]


def train(
    folder: Path,
    plan: TrainingPlan,
    *,
    device: str = "cpu",
    threads: int = 1,
    minutes: float | None = None,
    save_every: int = 100,
    report: Callable[[str], None] = lambda line: None,
) -> TrainingReport:
    """Train the practice model, or go on where an earlier run of the same plan stopped.

    Args:
        folder: Gets the model in transformers' format, `checkpoint.pt` and `training.jsonl`.
        plan: What to train. A step's texts depend on seed and step alone, so that a resumed
            training sees what an uninterrupted one would have seen.
        device: `cpu` or `cuda`.
        threads: Of torch; one is fastest at the small size.
        minutes: Stop with a checkpoint after this many; None goes to the last step.
        save_every: Steps between checkpoints.
        report: Called with each line of the log.

    Raises:
        InvalidInput: The folder contains a checkpoint of another plan, or there is no such device.
    """
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidInput("The device 'cuda' is not on this machine; train on the cpu.")
    with torch_for_training(threads):
        return _train(folder, plan, device, threads, minutes, save_every, report)


@contextmanager
def torch_for_training(threads: int) -> Iterator[None]:
    """Set torch up for training, and restore its settings afterwards.

    Numbers too small to be normal count as zero: they slow the processor down many times.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


def _train(
    folder: Path,
    plan: TrainingPlan,
    device: str,
    threads: int,
    minutes: float | None,
    save_every: int,
    report: Callable[[str], None],
) -> TrainingReport:
    import torch

    torch.manual_seed(plan.seed)
    tokenizer = build_tokenizer()
    network = build_network(tokenizer, SIZES[plan.size]).to(device)
    state = _State(network, _optimisers(network, plan))
    folder.mkdir(parents=True, exist_ok=True)
    state.restore(folder, plan)
    begun, earlier = time.monotonic(), state.seconds
    tally = _Tally()
    finished = True
    for step in range(state.step, plan.all_steps):
        _one_step(state, tokenizer, plan, step, tally)
        state.step, state.seconds = step + 1, earlier + time.monotonic() - begun
        late = minutes is not None and time.monotonic() - begun > 60 * minutes
        if state.step % LOG_EVERY == 0:
            state.accuracies = tally.accuracies()
            _log(folder, state, tally, report)
            tally = _Tally()
        if late or state.step % save_every == 0 or state.step == plan.all_steps:
            state.save(folder, plan)
            _export(folder, network, tokenizer)
        if late and state.step < plan.all_steps:
            finished = False
            break
    return TrainingReport(
        folder=str(folder), steps=state.step, tokens=state.tokens,
        seconds=round(state.seconds, 1), parameters=network.num_parameters(), threads=threads,
        device=device, machine=platform.processor() or platform.machine(), finished=finished,
        accuracies=state.accuracies,
    )  # fmt: skip


def _one_step(
    state: "_State", tokenizer: Any, plan: TrainingPlan, step: int, tally: "_Tally"
) -> None:
    import torch
    from torch.nn.functional import cross_entropy

    rng = Random(f"train {plan.seed} {step}")
    texts = draw_texts(rng, sum(plan.place(step)), plan.tokens)
    ids, parts = encode(tokenizer, texts)
    following = parts[:, 1:]
    coins = torch.rand(
        following.shape, generator=torch.Generator().manual_seed(rng.getrandbits(60))
    )
    trained = (following > Part.QUERY) | ((following == Part.QUERY) & (coins < _QUERY_SHARE))
    place = state.network.device
    trained_there, ids = trained.to(place), ids.to(place)
    hidden = state.network.model(ids[:, :-1]).last_hidden_state  # (rows, t - 1, width)
    logits = state.network.lm_head(hidden[trained_there])  # (trained, vocabulary)
    wanted, kinds = ids[:, 1:][trained_there], following[trained]
    losses = cross_entropy(logits, wanted, reduction="none")
    weights = torch.tensor([WEIGHTS[part] for part in Part])[kinds].to(place)
    loss: Any = (losses * weights).sum() / weights.sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(state.network.parameters(), 1.0)
    rate = _rate(plan, step)
    for optimiser in state.optimisers:
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    state.tokens += int((parts != NOTHING).sum())
    with torch.no_grad():
        tally.add((logits.argmax(-1) == wanted).cpu(), losses.detach().cpu(), kinds)


def _rate(plan: TrainingPlan, step: int) -> float:
    part, share = plan.place(step)
    highest = plan.polish_rate if part else plan.rate
    within = share * (plan.steps, plan.polish, plan.spelling)[part]
    warm = min(1.0, (within + 1) / plan.warm_up)
    return highest * warm * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * share)))


def _optimisers(network: Any, plan: TrainingPlan) -> list[Any]:
    """Muon for the matrices, AdamW for embeddings, norms and biases.

    AdamW alone learned to copy values with 0.04 accuracy where Muon had 0.63.
    """
    from torch.optim import AdamW, Muon

    named = list(network.named_parameters())
    matrices = [weight for name, weight in named if weight.ndim == 2 and "embed" not in name]
    others = [weight for name, weight in named if weight.ndim != 2 or "embed" in name]
    return [
        Muon(
            matrices, lr=plan.rate, weight_decay=0.01, momentum=0.95,
            adjust_lr_fn="match_rms_adamw",
        ),
        AdamW(others, lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]  # fmt: skip


@dataclass(slots=True)
class _State:
    """A training under way."""

    network: Any
    optimisers: list[Any]
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    accuracies: dict[str, float] = field(default_factory=dict)

    def restore(self, folder: Path, plan: TrainingPlan) -> None:
        """Go on from the folder's checkpoint, if there is one."""
        import torch

        path = folder / CHECKPOINT
        if not path.is_file():
            return
        saved = torch.load(path, weights_only=True, map_location=self.network.device)
        if saved["plan"] != asdict(plan):
            raise InvalidInput(
                f"The folder {str(folder)!r} contains a training with {saved['plan']}; go on with "
                "these values or choose another folder."
            )
        self.network.load_state_dict(saved["network"])
        for optimiser, state in zip(self.optimisers, saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        self.step, self.tokens = saved["step"], saved["tokens"]
        self.seconds, self.accuracies = saved["seconds"], saved["accuracies"]

    def save(self, folder: Path, plan: TrainingPlan) -> None:
        """Write the checkpoint whole or not at all."""
        import torch

        partial = folder / f"{CHECKPOINT}.partial"
        torch.save(
            {
                "plan": asdict(plan), "step": self.step, "tokens": self.tokens,
                "seconds": self.seconds, "accuracies": self.accuracies,
                "network": self.network.state_dict(),
                "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            },
            partial,
        )  # fmt: skip
        partial.replace(folder / CHECKPOINT)


class _Tally:
    """Hits, tokens and losses by part since the last line of the log."""

    def __init__(self) -> None:
        self.hits = dict.fromkeys(Part, 0)
        self.tokens = dict.fromkeys(Part, 0)
        self.losses = dict.fromkeys(Part, 0.0)

    def add(self, right: "Tensor", losses: "Tensor", kinds: "Tensor") -> None:
        """Count one step's trained tokens."""
        for part in Part:
            mine = kinds == part
            self.hits[part] += int(right[mine].sum())
            self.tokens[part] += int(mine.sum())
            self.losses[part] += float(losses[mine].sum())

    def accuracies(self) -> dict[str, float]:
        """Share of tokens predicted first, by part; parts without tokens left out."""
        return {name.lower(): round(self.hits[part] / count, 4) for name, part, count in self}

    def losses_per_token(self) -> dict[str, float]:
        """Nats per token, by part."""
        return {name.lower(): round(self.losses[part] / count, 3) for name, part, count in self}

    def __iter__(self) -> Iterator[tuple[str, Part, int]]:
        """Name, part and number of tokens, of the parts that have any."""
        return ((part.name, part, count) for part, count in self.tokens.items() if count)


def _log(folder: Path, state: _State, tally: _Tally, report: Callable[[str], None]) -> None:
    line = json.dumps(
        {
            "step": state.step, "tokens": state.tokens, "seconds": round(state.seconds, 1),
            "accuracy": state.accuracies, "nats": tally.losses_per_token(),
        }
    )  # fmt: skip
    with (folder / LOG).open("a", encoding="utf-8") as log:
        log.write(line + "\n")
    report(line)


def _export(folder: Path, network: Any, tokenizer: Any) -> None:
    with quiet():
        network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
