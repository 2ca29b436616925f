"""Training the practice reader: three stages, each a fine-tuning of what the one before gave."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.language_model.folder import quiet
from core.watcher import NOBODY, Watcher
from fusion.episode import Episode
from fusion.reader import FusionReader
from fusion.training import FineTuning, FineTuningReport, train

from ..dialects import NameStyle
from ..episodes import EpisodeStyle
from ..reader_episodes import READ_STYLE, draw_blocks, episode_of
from .reader_network import build_reader_network, build_reader_tokenizer

BATCH = 16
RATE = 2e-3
VALIDATION = 100
"""Episodes of the checks, in new dialects that are not held out."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Episodes of one style, and the share of all steps that is spent on them."""

    share: float
    style: EpisodeStyle


STAGES = (
    # Copying a function and fields from one or two demonstrations of the same intent.
    Stage(
        0.08,
        EpisodeStyle((1, 2), (1,), least=1, most=2, random_order=0.3, names=NameStyle(0.0)),
    ),
    # Distinguishing fields and functions by what is beside them.
    Stage(
        0.22,
        EpisodeStyle(
            (2, 3), (1, 2), least=1, most=3, random_order=0.3, kin=0.2,
            names=NameStyle(0.4, 0.0, 0.25),
        ),
    ),
    Stage(0.7, READ_STYLE),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReaderPlan:
    """Everything that decides the reader's weights, up to the machine's rounding.

    Attributes:
        seed: Of the first weights, of every episode and of their order.
        steps: Of all stages together, of 16 episodes each.
    """

    seed: int = 0
    steps: int = 2400


def train_reader(
    folder: Path, plan: ReaderPlan, *, watcher: Watcher = NOBODY
) -> list[FineTuningReport]:
    """Train the practice reader, or go on where an earlier run of the same plan stopped.

    Args:
        folder: Gets the reader, and below `stages` what each stage gave, with its checkpoint.
        plan: What to train.
        watcher: Gets the steps done of each stage, a phase named `stage 1` and so on; asked before
            every step.

    Returns:
        The report of each stage.

    Raises:
        InvalidInput: The folder contains a training of another plan.
        Cancelled: The watcher asked to stop; the same plan goes on from there.
    """
    previous = folder / "stages" / "0"
    _save_untrained(previous, plan.seed)
    reports = []
    for number, stage in enumerate(STAGES, start=1):
        watcher.on_phase(f"stage {number}")
        steps = max(1, round(stage.share * plan.steps))
        episodes = _episodes(f"reader {plan.seed} {number}", stage.style, steps * BATCH)
        last = number == len(STAGES)
        validation = _episodes(f"reader checks {plan.seed}", stage.style, VALIDATION if last else 0)
        reader = FusionReader.load(previous, device="cpu")
        previous = folder / "stages" / str(number)
        report = train(
            reader, episodes,
            FineTuning(
                steps=steps, learning_rate=RATE, batch=BATCH, seed=plan.seed, patience=0,
                check_every=max(1, steps // 4),
            ),
            folder=previous, validation=validation, watcher=watcher
        )  # fmt: skip
        reports.append(report)
    for path in previous.iterdir():
        if not path.name.startswith("checkpoint"):
            shutil.copy(path, folder / path.name)
    return reports


def _save_untrained(folder: Path, seed: int) -> None:
    import torch

    tokenizer = build_reader_tokenizer()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build_reader_network(tokenizer)
    folder.mkdir(parents=True, exist_ok=True)
    with quiet():
        network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _episodes(name: str, style: EpisodeStyle, count: int) -> list[Episode]:
    rng = Random(name)
    return [episode_of(draw_blocks(rng, style)) for _ in range(count)]
