"""What the model learned: to copy names that its context shows, and names it never saw."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from .dialects import (
    BUNDLED_DIALECT,
    HELD_OUT_SEEDS,
    Dialect,
    NameStyle,
    draw_dialect,
    held_out_dialect,
    held_out_names,
)
from .episodes import Block, EpisodeStyle, Part, draw_episode, marked_text
from .training.batches import encode
from .training.curriculum import STAGES
from .words import FIRST_PARTS

TARGET = 0.95
"""The required accuracy of copying field and function names, per token."""

_PARTS = (Part.FUNCTION_SHOWN, Part.FIELD_SHOWN, Part.FUNCTION_NEW, Part.FIELD_NEW, Part.VALUE)
_LONGEST = max(STAGES[-1][1].blocks)
CHECKED_STYLE = EpisodeStyle((_LONGEST,), (1, 2, 3, 4, 6, 8), random_order=0.3, repeats=0.1)
"""As the last stage of training, with as many demonstrations as it ever has, in any dialect."""


@dataclass(frozen=True, slots=True)
class Copying:
    """Share of tokens that the model puts first, by part and number of demonstrations before.

    Attributes:
        accuracy: By part, over all numbers of demonstrations.
        tokens: How many tokens each share is computed from.
        by_demonstrations: By range of demonstrations (`1-3`, `4-6`, `7-12`), then by part.
    """

    accuracy: dict[str, float]
    tokens: dict[str, int]
    by_demonstrations: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class CopyingCheck:
    """How names are copied in each of several groups of dialects.

    `bundled` is the bundled dialect, `held_out` the other ones not trained on; names are those of
    syllables in `invented` and of any letters in `spelled`.
    """

    episodes: int
    groups: dict[str, Copying]

    @property
    def passed(self) -> bool:
        """Whether names in context reach `TARGET` in `bundled` and `held_out`."""
        return all(
            self.groups[name].accuracy[part.name.lower()] >= TARGET
            for name in ("bundled", "held_out")
            for part in (Part.FUNCTION_SHOWN, Part.FIELD_SHOWN)
        )

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, with `chance`: what a guess among the known words would score."""
        return {
            "episodes": self.episodes,
            "chance": round(1 / len(FIRST_PARTS), 4),
            **{name: asdict(copying) for name, copying in self.groups.items()},
            "target": TARGET,
            "passed": self.passed,
        }


def check_copying(folder: Path, *, episodes: int = 100, seed: int = 0) -> CopyingCheck:
    """Copying on the bundled dialect, the other held-out ones, and names as people may type them.

    Args:
        folder: The model.
        episodes: Episodes a kind of dialect, of 13 demonstrations each.
        seed: Of the episodes; none of them was trained on, as no held-out name was.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network: Any = AutoModelForCausalLM.from_pretrained(folder, use_safetensors=True)
    network.eval()
    rng = Random(f"check {seed}")
    dialects = {
        "bundled": [BUNDLED_DIALECT],
        "held_out": [held_out_dialect(number) for number in HELD_OUT_SEEDS],
        "invented": [_typed(rng, NameStyle(0.5, 1.0)) for _ in range(4)],
        "spelled": [_typed(rng, NameStyle(spelled=1.0)) for _ in range(4)],
    }
    groups = {}
    for name, group in dialects.items():
        drawn = [_episode(rng, group[number % len(group)]) for number in range(episodes)]
        groups[name] = measure(network, tokenizer, drawn)
    return CopyingCheck(episodes, groups)


def measure(network: Any, tokenizer: Any, episodes: Sequence[Sequence[Block]]) -> Copying:
    """The model's copying over the episodes; each block is answered after those before it.

    Args:
        network: A causal model of `transformers`, in evaluation mode.
        tokenizer: Its tokenizer.
        episodes: Demonstrations in their order.
    """
    import torch

    hits: Counter[tuple[int, Part]] = Counter()
    tokens: Counter[tuple[int, Part]] = Counter()
    block_end = tokenizer("\n\n", add_special_tokens=False)["input_ids"][0]
    for episode in episodes:
        ids, parts = encode(tokenizer, [marked_text(list(episode))])
        with torch.no_grad():
            first = network(ids[:, :-1]).logits[0].argmax(-1)  # (t - 1,)
        right = (first == ids[0, 1:]).tolist()
        before = (ids[0] == block_end).cumsum(0).tolist()[1:]
        for place, part in enumerate(parts[0, 1:].tolist()):
            tokens[before[place], Part(part)] += 1
            hits[before[place], Part(part)] += right[place]
    return _summary(hits, tokens)


def _summary(hits: Counter[tuple[int, Part]], tokens: Counter[tuple[int, Part]]) -> Copying:
    def share(part: Part, low: int, high: int) -> float | None:
        keys = [key for key in tokens if key[1] == part and low <= key[0] <= high]
        count = sum(tokens[key] for key in keys)
        return round(sum(hits[key] for key in keys) / count, 4) if count else None

    def shares(low: int, high: int) -> dict[str, float]:
        found = {part.name.lower(): share(part, low, high) for part in _PARTS}
        return {name: value for name, value in found.items() if value is not None}

    counts = {
        part.name.lower(): sum(count for (_, each), count in tokens.items() if each == part)
        for part in _PARTS
    }
    ranges = ((1, 3), (4, 6), (7, 12))
    return Copying(
        accuracy=shares(0, _LONGEST),
        tokens={name: count for name, count in counts.items() if count},
        by_demonstrations={f"{low}-{high}": shares(low, high) for low, high in ranges},
    )


def _episode(rng: Random, dialect: Dialect) -> list[Block]:
    return draw_episode(rng, CHECKED_STYLE, blocks=_LONGEST, dialect=dialect)


def _typed(rng: Random, style: NameStyle) -> Dialect:
    """Names of several tokens each, like those that a person types who knows no word list."""
    return draw_dialect(rng, style, avoid=held_out_names())
