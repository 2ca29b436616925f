"""Training episodes: demonstrations in one dialect, as text whose parts are marked."""

from dataclasses import dataclass, field
from enum import IntEnum
from random import Random

from .calls import Call, call_of, draw_order
from .dialects import Dialect, NameStyle, draw_dialect, held_out_names
from .intents import INTENTS
from .requests import Request, Worded, draw_request, spelled_word, vary, word


class Part(IntEnum):
    """What a piece of an episode's text is."""

    QUERY = 0
    FUNCTION_SHOWN = 1
    FUNCTION_NEW = 2
    FIELD_SHOWN = 3
    FIELD_NEW = 4
    VALUE = 5
    FRAME = 6
    PROSE = 7


@dataclass(frozen=True, slots=True)
class EpisodeStyle:
    """How episodes of a stage are drawn.

    Attributes:
        blocks: Numbers of demonstrations to choose from; each is answered after all before it.
        intents: Numbers of intents to choose from.
        least: Fewest slots of a request.
        most: Most slots.
        random_order: Chance that a call's arguments are in random order.
        repeats: Chance that a block repeats an earlier query, answered in an order of its own.
        kin: Chance that a block is a near double of an earlier one.
        new_values: Chance that a value is an invented word.
        names: How names are drawn.
    """

    blocks: tuple[int, ...]
    intents: tuple[int, ...]
    least: int = 2
    most: int = 4
    random_order: float = 0.3
    repeats: float = 0.0
    kin: float = 0.0
    new_values: float = 0.0
    names: NameStyle = field(default_factory=NameStyle)


@dataclass(slots=True)
class MarkedText:
    """A text and what each of its characters belongs to."""

    pieces: list[str] = field(default_factory=list)
    marks: bytearray = field(default_factory=bytearray)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)

    def add(self, piece: str, part: Part) -> None:
        """Append a piece."""
        self.pieces.append(piece)
        self.marks.extend(bytes([part]) * len(piece))


@dataclass(frozen=True, slots=True)
class Block:
    """One demonstration of an episode."""

    request: Request
    worded: Worded
    call: Call


def draw_episode(
    rng: Random, style: EpisodeStyle, *, blocks: int, dialect: Dialect | None = None
) -> list[Block]:
    """Demonstrations in one dialect.

    Args:
        rng: Source of every choice.
        style: How to draw them.
        blocks: How many.
        dialect: The dialect; None draws a new one, of names that are not held out.
    """
    intents = rng.sample(list(INTENTS), rng.choice(style.intents))
    if dialect is None:
        dialect = draw_dialect(rng, style.names, intents=intents, avoid=held_out_names())
    shares = [rng.random() ** 2 + 0.08 for _ in intents]
    drawn: list[Block] = []
    for _ in range(blocks):
        if drawn and rng.random() < style.repeats:
            earlier = rng.choice(drawn)
            request, worded = earlier.request, earlier.worded
        else:
            request = _next_request(rng, style, drawn, rng.choices(intents, shares)[0])
            worded = word(rng, request)
        order = draw_order(rng, request, worded, style.random_order)
        drawn.append(Block(request, worded, call_of(dialect, request, order)))
    return drawn


def _next_request(rng: Random, style: EpisodeStyle, drawn: list[Block], intent: str) -> Request:
    if drawn and rng.random() < style.kin:
        return vary(rng, rng.choice(drawn).request, least=style.least, most=style.most)
    return draw_request(
        rng, intent, least=style.least, most=style.most, new_values=style.new_values,
        new_word=spelled_word if style.names.spelled else None,
    )  # fmt: skip


def marked_text(blocks: list[Block]) -> MarkedText:
    """The blocks in the project's default template, joined by a blank line.

    A name is shown when a block before it has the same field of the same function.
    """
    text = MarkedText()
    shown: set[tuple[str, str]] = set()
    for block in blocks:
        text.add("\n\nQ:" if text.pieces else "Q:", Part.FRAME)
        text.add(f" {block.worded.query}", Part.QUERY)
        text.add("\nA:", Part.QUERY)
        _mark_call(text, block.call, shown)
    text.add("\n\n", Part.FRAME)
    return text


def _mark_call(text: MarkedText, call: Call, shown: set[tuple[str, str]]) -> None:
    function = call.function
    known = (function, "") in shown
    text.add(f" {function}", Part.FUNCTION_SHOWN if known else Part.FUNCTION_NEW)
    text.add(" {", Part.FRAME)
    for number, (value, name) in enumerate(call.arguments):
        text.add("," if number else "", Part.FRAME)
        text.add(f" {value}", Part.VALUE)
        text.add(" as", Part.FRAME)
        text.add(f" {name}", Part.FIELD_SHOWN if (function, name) in shown else Part.FIELD_NEW)
    text.add(" }", Part.FRAME)
    shown.add((function, ""))
    shown.update((function, name) for _, name in call.arguments)
