"""What is trained when: first one intent and short names, then many of everything."""

from random import Random

from ..dialects import NameStyle
from ..episodes import EpisodeStyle, MarkedText, draw_episode, marked_text
from .prose import draw_prose

PROSE_SHARE = 0.05
"""Share of the texts that are general text, from the second stage on."""

STAGES: tuple[tuple[float, EpisodeStyle], ...] = (
    # Copying from one intent, without the shortcut of a fixed order of arguments.
    (
        0.14,
        EpisodeStyle((4, 5, 6), (1,), least=1, most=3, random_order=1.0, names=NameStyle(0.0)),
    ),
    (
        0.24,
        EpisodeStyle(
            (4, 5, 6), (1, 1, 2), least=1, most=3, random_order=0.6, repeats=0.05,
            names=NameStyle(0.4, 0.0, 0.25),
        ),
    ),
    (
        0.40,
        EpisodeStyle(
            (4, 5, 6, 7), (1, 2, 2, 3), random_order=0.4, repeats=0.1, kin=0.1, new_values=0.01,
            names=NameStyle(0.5, 0.04, 0.25),
        ),
    ),
    # The real thing: up to twelve demonstrations before the last, and many intents, since finding
    # the right function among several is what a small model learns last.
    (
        1.0,
        EpisodeStyle(
            (4, 7, 7, 8, 10, 13), (1, 2, 3, 4, 5, 6, 8), random_order=0.3, repeats=0.2, kin=0.15,
            new_values=0.02, names=NameStyle(0.6, 0.1, 0.2),
        ),
    ),
)  # fmt: skip
"""Stages by the share of training at which each ends."""

POLISH = EpisodeStyle(
    (7, 10, 13, 13), (2, 4, 6, 8), random_order=0.3, repeats=0.15, kin=0.15, new_values=0.02,
    names=NameStyle(0.7, 0.1, 0.1),
)  # fmt: skip
"""What follows the last stage: long contexts of many intents, names of two parts."""

SPELLING = EpisodeStyle(
    (3, 5, 7, 10), (1, 2, 4, 6), random_order=0.3, repeats=0.15, kin=0.15, new_values=0.08,
    names=NameStyle(0.8, 0.05, 0.1, 0.45),
)  # fmt: skip
"""What comes last: names and values spelled out, so that those which a person types are copied."""

_TOKENS_A_BLOCK = 36


def stage_at(progress: float) -> EpisodeStyle:
    """The stage after such a share of the curriculum; from 1 on the polish, from 2 the spelling."""
    if progress >= 2.0:
        return SPELLING
    return next((style for end, style in STAGES if progress < end), POLISH)


def draw_texts(rng: Random, progress: float, tokens: int) -> list[MarkedText]:
    """Texts for one step, about so many tokens together, of about equal length."""
    style = stage_at(progress)
    blocks = rng.choice(style.blocks)
    rows = max(2, round(tokens / (_TOKENS_A_BLOCK * blocks)))
    prose = PROSE_SHARE if progress >= STAGES[0][0] else 0.0
    return [
        draw_prose(rng, blocks)
        if rng.random() < prose
        else marked_text(draw_episode(rng, style, blocks=blocks))
        for _ in range(rows)
    ]
