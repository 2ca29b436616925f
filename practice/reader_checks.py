"""What the practice reader learned: whether it answers from its evidence, and only from it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from core.metrics.bounds.quantiles import clopper_pearson
from core.settings import data_folder
from core.watcher import NOBODY, Watcher
from fusion.episode import Episode
from fusion.reader import FusionReader

from .calls import call_of
from .dialects import BUNDLED_DIALECT, HELD_OUT_SEEDS, Dialect, held_out_dialect
from .episodes import Block
from .reader_episodes import READ_STYLE, draw_blocks, evidence_of, labelled_episode

KINDS = ("with", "without", "another")
"""Of evidence: the episode's, none, and the same demonstrations with the names of another dialect.

The last shows that a reader which answers with the names of its evidence has read them.
"""


def practice_reader_folder() -> Path:
    """The folder of the bundled practice reader."""
    return data_folder() / "practice-reader"


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the episodes were answered correctly, with the exact 95 % interval."""

    right: int
    episodes: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, right: Sequence[bool]) -> "Share":
        """The share of what is true."""
        low, high = clopper_pearson(sum(right), len(right), 0.05)
        return cls(sum(right), len(right), sum(right) / len(right), low, high)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of showing evidence, on the same episodes.

    Attributes:
        chosen: The correct call is the most probable of its labels: itself and its mistakes.
        written: The call that the reader writes is the correct one, token by token.
    """

    chosen: Share
    written: Share


@dataclass(frozen=True, slots=True)
class ReaderCheck:
    """What the reader does in dialects that were held out of its training.

    Attributes:
        episodes: Of each group of dialects.
        chance: What a guess among the labels would score.
        groups: By group (`bundled`, `held_out`), then by kind of evidence (`KINDS`).
    """

    episodes: int
    chance: float
    groups: dict[str, dict[str, Reading]]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)


def check_reader(
    folder: Path, *, episodes: int = 200, seed: int = 0, watcher: Watcher = NOBODY
) -> ReaderCheck:
    """Accuracy with evidence against without, in the bundled dialect and the other held-out ones.

    Args:
        folder: The reader.
        episodes: Episodes a group, each with three or four pieces of evidence.
        seed: Of the episodes; no held-out name was trained on.
        watcher: Gets the episodes done after each; asked before every one.

    Raises:
        Cancelled: The watcher asked to stop.
    """
    reader = FusionReader.load(folder, device="cpu")
    rng = Random(f"check reader {seed}")
    held_out = [held_out_dialect(number) for number in HELD_OUT_SEEDS]
    dialects = {"bundled": [BUNDLED_DIALECT], "held_out": held_out}
    groups, labels, done = {}, [], 0
    for name, group in dialects.items():
        chosen: dict[str, list[bool]] = {kind: [] for kind in KINDS}
        written: dict[str, list[bool]] = {kind: [] for kind in KINDS}
        for number in range(episodes):
            watcher.checkpoint("The check was stopped.")
            dialect = group[number % len(group)]
            other = held_out[number % len(held_out) - 1]
            for kind, episode in _ways(rng, dialect, other).items():
                chosen[kind].append(reader.is_right(episode))
                written[kind].append(reader.is_right(replace(episode, labels=())))
            labels.append(len(episode.labels))
            done += 1
            watcher.on_progress(done, episodes * len(dialects))
        groups[name] = {
            kind: Reading(Share.of(chosen[kind]), Share.of(written[kind])) for kind in KINDS
        }
    return ReaderCheck(episodes, sum(1 / count for count in labels) / len(labels), groups)


def _ways(rng: Random, dialect: Dialect, other: Dialect) -> dict[str, Episode]:
    """One episode with its evidence, without any, and with the same calls in another dialect."""
    blocks = draw_blocks(rng, READ_STYLE, dialect)
    episode = labelled_episode(rng, blocks, dialect)
    foreign = [
        replace(block, call=call_of(other, block.request, _order(block))) for block in blocks[:-1]
    ]
    return {
        "with": episode,
        "without": replace(episode, evidence=()),
        "another": replace(episode, evidence=tuple(map(evidence_of, foreign))),
    }


def _order(block: Block) -> list[str]:
    """The slots in the order of the call's arguments."""
    slots = {value: slot for slot, value in block.request.values.items()}
    return [slots[value] for value, _ in block.call.arguments]
