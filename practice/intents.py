"""What people ask the service desk for: fourteen intents, their slots and their wordings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that a request may mention.

    Attributes:
        kind: The kind of value, a key of `VALUES`.
        place: `head`: the value is in the head of the query; `before`: right before the head's
            noun; `after`: after it.
        phrases: Ways to word it; `{}` is the value. None for the head.
    """

    kind: str
    place: str
    phrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of request; the first slot is the head and always mentioned.

    Attributes:
        openers: How such a query may begin.
        heads: Its noun; `{}` is the head's value and `{before}` the slots before it.
        slots: By name.
    """

    openers: tuple[str, ...]
    heads: tuple[str, ...]
    slots: dict[str, Slot]


def _openers(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|"))


def _after(kind: str, *phrases: str) -> Slot:
    return Slot(kind, "after", phrases)


def _before(kind: str) -> Slot:
    return Slot(kind, "before", ("{}",))


def _head(kind: str) -> Slot:
    return Slot(kind, "head")


_DAY = ("on {}", "for {}", "this {}")
_CITY = ("in {}", "around {}", "near {}", "somewhere in {}")
_TIME = ("at {}", "around {}", "starting at {}")
_PEOPLE = ("for {} people", "for a group of {}", "for {} of us", "for {}")
_PRICE = (
    "under {} dollars", "for at most {} dollars", "below {} dollars", "for less than {} dollars",
    "costing no more than {} dollars",
)  # fmt: skip

INTENTS: dict[str, Intent] = {
    "shop": Intent(
        _openers(
            "find | show me | I need | I am looking for | can you find | search for"
            " | I want to buy | get me | do you have"
        ),
        ("{before} {}", "some {before} {}", "new {before} {}"),
        {
            "item": _head("item"),
            "colour": _before("colour"),
            "material": _before("material"),
            "size": _after("size", "in size {}", "size {}", "to fit size {}"),
            "price": _after("price", *_PRICE),
            "day": _after("day", "delivered by {}", "arriving {}", "to get here by {}"),
        },
    ),
    "flight": Intent(
        _openers(
            "book | find me | I need | search for | can you get me | reserve"
            " | I am looking for | get me"
        ),
        ("a flight to {}", "a plane ticket to {}", "flights to {}", "a seat on a plane to {}"),
        {
            "city": _head("city"),
            "day": _after("day", "leaving {}", "on {}", "departing {}", "leaving on {}"),
            "cabin": _after("cabin", "in {} class", "flying {}", "in the {} cabin"),
            "count": _after("count", "for {} passengers", "for {} people", "with {} seats"),
            "price": _after("price", *_PRICE),
        },
    ),
    "restaurant": Intent(
        _openers(
            "book | find | reserve | I want | get me | can we have | we would like"
            " | is there"
        ),
        (
            "a table at a {} restaurant", "a {} restaurant",
            "a {} place to eat", "a table in a {} place",
        ),
        {
            "cuisine": _head("cuisine"),
            "city": _after("city", *_CITY),
            "count": _after("count", *_PEOPLE),
            "day": _after("day", *_DAY),
            "time": _after("time", *_TIME),
        },
    ),
    "music": Intent(
        _openers(
            "play | put on | I want to hear | queue | start | let me listen to"
            " | I would like to hear"
        ),
        (
            "some {before} {} music", "{before} {} songs",
            "a {before} {} playlist", "{before} {} tracks",
        ),
        {
            "genre": _head("genre"),
            "mood": _before("mood"),
            "decade": _after("decade", "from the {}", "of the {}", "recorded in the {}"),
            "minutes": _after("minutes", "for {} minutes", "lasting {} minutes"),
        },
    ),
    "hotel": Intent(
        _openers("book | find | I need | reserve | look for | get me | we are looking for"),
        (
            "a {before} hotel in {}", "a {before} room in {}",
            "a {before} place to stay in {}", "a {before} hotel room in {}",
        ),
        {
            "city": _head("city"),
            "comfort": _before("comfort"),
            "nights": _after("nights", "for {} nights", "staying {} nights"),
            "count": _after("count", "for {} guests", "with {} guests", "that sleeps {}"),
            "meal": _after("meal", "with {}", "including {}", "that serves {}"),
            "price": _after("price", "below {} dollars a night", "under {} dollars per night"),
        },
    ),
    "remind": Intent(
        _openers(
            "remind me about | set a reminder for | do not let me forget"
            " | make a note of | ping me about | tell me in time about"
        ),
        ("the {}", "my {}"),
        {
            "errand": _head("errand"),
            "day": _after("day", *_DAY),
            "time": _after("time", *_TIME),
            "person": _after("person", "with {}", "together with {}"),
        },
    ),
    "weather": Intent(
        _openers("what is | tell me | give me | show | check | I want to know | can you look up"),
        ("the {} forecast", "the {} outlook", "the expected {}", "the forecast of {}"),
        {
            "measure": _head("measure"),
            "city": _after("city", "in {}", "for {}", "around {}"),
            "day": _after("day", "on {}", "for {}"),
            "unit": _after("unit", "in {}", "using {}", "given in {}"),
        },
    ),
    "car": Intent(
        _openers(
            "rent | I want to rent | hire | get me | book | reserve | can I rent"
            " | we need to hire"
        ),
        ("a {before} {}", "one {before} {}", "a {before} {} to drive"),
        {
            "car": _head("car"),
            "colour": _before("colour"),
            "city": _after("city", *_CITY),
            "nights": _after("nights", "for {} days", "during {} days"),
            "gearbox": _after("gearbox", "with {} gearbox", "with {} transmission"),
            "price": _after("price", "under {} dollars a day", "below {} dollars per day"),
        },
    ),
    "movie": Intent(
        _openers("get | buy | I want | reserve | book | can you get me | we need"),
        (
            "tickets for a {} film", "seats for a {} movie",
            "cinema tickets for a {}", "tickets to see a {}",
        ),
        {
            "film": _head("film"),
            "day": _after("day", *_DAY),
            "time": _after("time", *_TIME),
            "count": _after("count", "for {} people", "with {} seats", "for {} of us"),
            "city": _after("city", *_CITY),
        },
    ),
    "recipe": Intent(
        _openers(
            "give me a recipe for | how do I cook | I want to cook"
            " | show me how to make | find a recipe for | what is a good recipe for"
        ),
        ("{before} {}", "a {before} {}", "some {before} {}"),
        {
            "dish": _head("dish"),
            "diet": _before("diet"),
            "ingredient": _after("ingredient", "with {}", "using {}", "made with {}"),
            "minutes": _after("minutes", "in {} minutes", "ready in {} minutes"),
            "count": _after("count", "for {} people", "serving {}", "that feeds {}"),
        },
    ),
    "transfer": Intent(
        _openers("send | transfer | pay | wire | move | I would like to transfer | kindly send"),
        ("{} dollars", "an amount of {} dollars"),
        {
            "price": _head("price"),
            "person": _after("person", "to {}", "to my friend {}"),
            "account": _after("account", "from my {} account", "out of the {} account"),
            "day": _after("day", "on {}", "by {}", "not later than {}"),
        },
    ),
    "support": Intent(
        _openers(
            "help with | open a ticket for | I have a problem with | repair | report"
            " | can someone fix | I need support for"
        ),
        ("my {before} {}", "the {before} {}", "a {before} {}"),
        {
            "product": _head("product"),
            "fault": _before("fault"),
            "urgency": _after("urgency", "with {} priority", "priority {}", "of {} priority"),
            "channel": _after("channel", "reply by {}", "contact me by {}", "answer me by {}"),
            "day": _after("day", "before {}", "by {}"),
        },
    ),
    "book": Intent(
        _openers(
            "find | order | I want | recommend | lend me | can you suggest"
            " | I would like to read"
        ),
        ("a book about {}", "something to read on {}", "a {} book", "a good book on {}"),
        {
            "subject": _head("subject"),
            "language": _after("language", "in {}", "written in {}", "translated into {}"),
            "format": _after("format", "as {}", "in {} format", "in a {} edition"),
            "price": _after("price", *_PRICE),
        },
    ),
    "lesson": Intent(
        _openers(
            "sign me up for | join | find | I want to take | book"
            " | I would like to start | put me down for"
        ),
        ("a {before} {} class", "{before} {} lessons", "a {before} {} course"),
        {
            "sport": _head("sport"),
            "level": _before("level"),
            "day": _after("day", *_DAY),
            "time": _after("time", *_TIME),
            "city": _after("city", *_CITY),
        },
    ),
}  # fmt: skip
"""By name; the order is fixed, seeds depend on it."""
