"""Requests to the service desk, and how people word them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from string import ascii_lowercase

from .intents import INTENTS
from .words import FIRST_PARTS, SYLLABLES, VALUES

_GREETINGS = ("", "", "", "", "", "hello,", "hi,", "hey,", "please", "good morning,", "hi there,")
_CLOSINGS = ("", "", "", "", "", "please", "thanks", "if possible", "thank you", "when you can")

_PIECES = sorted({word for words in VALUES.values() for word in words} | set(FIRST_PARTS))
"""Words whose beginnings are used to make other words."""

_QUESTIONS = ("can", "what is", "how do", "do you have", "is there")


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody wants: an intent and the value of each slot that was mentioned.

    `values` is in the intent's order of slots, whatever the order of the wording.
    """

    intent: str
    values: Mapping[str, str]

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for requests that ask for the same thing."""
        return (self.intent, *(f"{slot}={value}" for slot, value in self.values.items()))


@dataclass(frozen=True, slots=True)
class Worded:
    """A query, and the slots in the order in which it mentions them."""

    query: str
    mentioned: tuple[str, ...]


def draw_request(
    rng: Random,
    intent: str,
    *,
    least: int = 2,
    most: int = 4,
    weights: Mapping[str, float] | None = None,
    new_values: float = 0.0,
    new_word: Callable[[Random], str] | None = None,
) -> Request:
    """A request with `least` to `most` slots, the head among them.

    Args:
        rng: Source of every choice.
        intent: A key of `INTENTS`.
        least: Fewest slots.
        most: Most slots; cut to those that the intent has.
        weights: How popular each slot is; None for all equal.
        new_values: Chance that a value is an invented word: 0 never, 1 always.
        new_word: What invents it; None for `invented_word`.
    """
    head, *others = INTENTS[intent].slots
    extra = rng.randint(least, min(most, len(others) + 1)) - 1
    chosen = {head}
    for _ in range(extra):
        left = [slot for slot in others if slot not in chosen]
        popularity = [weights[slot] if weights else 1.0 for slot in left]
        chosen.add(rng.choices(left, popularity)[0])
    invent = new_word or invented_word
    values = {
        slot: draw_value(rng, intent, slot) if rng.random() >= new_values else invent(rng)
        for slot in INTENTS[intent].slots
        if slot in chosen
    }
    return Request(intent, values)


def vary(rng: Random, request: Request, *, least: int = 2, most: int = 4) -> Request:
    """A near double: another value for one slot, or a slot more, less, or in another's place."""
    head, *others = INTENTS[request.intent].slots
    used = [slot for slot in request.values if slot != head]
    unused = [slot for slot in others if slot not in used]
    changes = ["value"]
    changes += ["less"] if len(request.values) > max(least, 1) else []
    changes += ["more"] if unused and len(request.values) < most else []
    changes += ["other"] if unused and used else []
    change = rng.choice(changes)
    values = dict(request.values)
    if change == "value":
        slot = rng.choice(list(values))
        values[slot] = draw_value(rng, request.intent, slot, other_than=values[slot])
    if change in ("less", "other"):
        del values[rng.choice(used)]
    if change in ("more", "other"):
        slot = rng.choice(unused)
        values[slot] = draw_value(rng, request.intent, slot)
    in_order = {slot: values[slot] for slot in (head, *others) if slot in values}
    return Request(request.intent, in_order)


def draw_value(rng: Random, intent: str, slot: str, *, other_than: str = "") -> str:
    """A value of the slot's kind, never the one to avoid."""
    kind = INTENTS[intent].slots[slot].kind
    return rng.choice([value for value in VALUES[kind] if value != other_than])


def invented_word(rng: Random) -> str:
    """Two to four syllables that are no word."""
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))


def spelled_word(rng: Random) -> str:
    """A word as anybody may type one, of letters that make no syllables and of pieces of words."""
    text = ""
    while len(text) < rng.randint(2, 8):
        piece = rng.choice(_PIECES)
        text += rng.choice(ascii_lowercase) if rng.random() < 0.4 else piece[: rng.randint(2, 5)]
    style = rng.random()
    return text.capitalize() if style < 0.2 else text.upper() if style < 0.3 else text


def word(rng: Random, request: Request) -> Worded:
    """One way to word the request; only its values distinguish it from other requests."""
    intent = INTENTS[request.intent]
    by_place: dict[str, list[tuple[str, str]]] = {"before": [], "after": []}
    head = next(iter(intent.slots))
    for slot, value in request.values.items():
        if slot != head:
            described = intent.slots[slot]
            phrase = rng.choice(described.phrases).replace("{}", value)
            by_place[described.place].append((slot, phrase))
    for phrases in by_place.values():
        rng.shuffle(phrases)
    noun = rng.choice(intent.heads)
    noun = noun.replace("{before}", " ".join(phrase for _, phrase in by_place["before"]))
    noun = noun.replace("{}", request.values[head])
    parts = [rng.choice(_GREETINGS), rng.choice(intent.openers), noun]
    parts += [phrase for _, phrase in by_place["after"]]
    query = " ".join(" ".join([*parts, rng.choice(_CLOSINGS)]).split())
    query = re.sub(r"\ba (?=[aeiouAEIOU])", "an ", query)
    query = re.sub(r"\b(?:on|this) (?=today|tomorrow)", "", query)
    query = query.removesuffix(" please") if query.startswith("please") else query
    mentioned = (
        *(slot for slot, _ in by_place["before"]), head, *(slot for slot, _ in by_place["after"]),
    )  # fmt: skip
    return Worded(_punctuated(rng, query), mentioned)


def _punctuated(rng: Random, query: str) -> str:
    """As people type: half of them without capitals and stops."""
    if rng.random() < 0.5:
        return query
    asks = any(f" {start} " in f" {query}" for start in _QUESTIONS)
    return query[0].upper() + query[1:] + ("?" if asks else ".")
