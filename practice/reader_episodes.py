"""Episodes for the practice reader: a request, demonstrations in its dialect, the call."""

from dataclasses import replace
from random import Random

from fusion.episode import Episode

from .calls import call_of
from .dialects import Dialect, NameStyle
from .episodes import Block, EpisodeStyle, draw_episode
from .mistakes import draw_mistakes

READ_STYLE = EpisodeStyle(
    (3, 4), (1, 2, 2, 3), least=2, most=3, random_order=0.3, kin=0.2,
    names=NameStyle(0.7, 0.05, 0.2),
)  # fmt: skip
"""Three or four demonstrations of one to three intents, as the last stage of training has them."""


def draw_blocks(rng: Random, style: EpisodeStyle, dialect: Dialect | None = None) -> list[Block]:
    """Demonstrations that show every name of the last one's call, and that one.

    So the call can be read from them: a function and fields that no demonstration shows could only
    be guessed.

    Args:
        rng: Source of every choice.
        style: How to draw them; `blocks` counts the evidence.
        dialect: The dialect; None draws a new one, of names that are not held out.
    """
    while True:
        *shown, last = draw_episode(
            rng, style, blocks=rng.choice(style.blocks) + 1, dialect=dialect
        )
        names = {(each.call.function, name) for each in shown for _, name in each.call.arguments}
        if all((last.call.function, name) in names for _, name in last.call.arguments):
            return [*shown, last]


def episode_of(blocks: list[Block]) -> Episode:
    """The last block as the query with its answer, those before it as evidence.

    The call has its arguments in the intent's order, so that one answer is correct.
    """
    *shown, last = blocks
    in_order = list(last.request.values.values())
    arguments = tuple(sorted(last.call.arguments, key=lambda each: in_order.index(each[0])))
    call = replace(last.call, arguments=arguments)
    return Episode(last.worded.query, tuple(map(evidence_of, shown)), str(call))


def labelled_episode(rng: Random, blocks: list[Block], dialect: Dialect) -> Episode:
    """The episode of blocks with the call and its mistakes of every kind as labels.

    Args:
        rng: Of the mistakes and of the labels' order.
        blocks: The last of at least two slots.
        dialect: Theirs, with names for all intents.
    """
    request = blocks[-1].request
    right = str(call_of(dialect, request))
    mistakes = [text for text, _ in draw_mistakes(rng, dialect, request) if text != right]
    labels = [right, *dict.fromkeys(mistakes)]
    rng.shuffle(labels)
    return replace(episode_of(blocks), answer=right, labels=tuple(labels))


def evidence_of(block: Block) -> str:
    """A demonstration as a piece of evidence: its query, a space, its answer."""
    return f"{block.worded.query} {block.call}"
