"""Dialects: what a service calls its functions and fields, and the names kept out of training."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from .intents import INTENTS
from .requests import invented_word, spelled_word
from .words import FIRST_PARTS, SECOND_PARTS

HELD_OUT_SEEDS = tuple(range(100, 112))
"""Their dialects, with the bundled one, are never seen in training; fixed beforehand."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Names of functions by intent, and of fields by intent and slot."""

    functions: Mapping[str, str]
    fields: Mapping[str, Mapping[str, str]]

    @property
    def names(self) -> set[str]:
        """Every name of the dialect."""
        return {*self.functions.values()}.union(*(names.values() for names in self.fields.values()))


@dataclass(frozen=True, slots=True)
class NameStyle:
    """How names are drawn.

    Attributes:
        two_parts: Chance of a second part: 0 one word always, 1 always a pair.
        invented: Chance of an invented word in place of a known one.
        shared: Chance that a dialect has one field name for one kind of value in all functions.
        spelled: Chance of a name that is spelled out, as people may type any.
    """

    two_parts: float = 1.0
    invented: float = 0.0
    shared: float = 0.0
    spelled: float = 0.0


def _service(function: str, **fields: str) -> tuple[str, dict[str, str]]:
    return function, fields


_BUNDLED = {
    "shop": _service("find_goods", item="article_name", colour="tint_code", material="fabric_type",
                     size="fit_size", price="price_cap", day="arrive_by"),
    "flight": _service("plan_trip", city="landing_place", day="leave_date", cabin="cabin_class",
                       count="seat_count", price="fare_limit"),
    "restaurant": _service("book_table", cuisine="kitchen_style", city="town_name",
                           count="party_size", day="table_date", time="table_time"),
    "music": _service("play_music", genre="music_style", mood="vibe_tag", decade="era_key",
                      minutes="play_len"),
    "hotel": _service("reserve_room", city="stay_place", comfort="room_class", nights="stay_nights",
                      count="guest_count", meal="board_type", price="rate_max"),
    "remind": _service("set_event", errand="memo_topic", day="memo_day", time="memo_time",
                       person="partner_name"),
    "weather": _service("get_weather", measure="sky_item", city="forecast_loc",
                        day="forecast_day", unit="scale_unit"),
    "car": _service("hire_car", car="vehicle_type", colour="paint_colour", city="pick_town",
                    nights="hire_len", gearbox="gear_kind", price="cost_cap"),
    "movie": _service("order_seats", film="film_kind", day="show_date", time="show_time",
                      count="ticket_count", city="cinema_town"),
    "recipe": _service("find_recipe", dish="main_name", diet="eating_rule", ingredient="base_item",
                       minutes="prep_time", count="plate_count"),
    "transfer": _service("send_money", price="sum_usd", person="payee_name", account="source_ref",
                         day="due_date"),
    "support": _service("open_issue", product="device_model", fault="defect_kind",
                        urgency="rank_level", channel="reply_by", day="fix_by"),
    "book": _service("order_book", subject="theme_topic", language="tongue_iso",
                     format="cover_format", price="bill_max"),
    "lesson": _service("join_lesson", sport="gym_type", level="skill_level", day="class_day",
                       time="class_time", city="gym_place"),
}  # fmt: skip

BUNDLED_DIALECT = Dialect(
    {intent: function for intent, (function, _) in _BUNDLED.items()},
    {intent: fields for intent, (_, fields) in _BUNDLED.items()},
)
"""The dialect of the bundled pools, readable to a person and never trained on."""


def draw_dialect(
    rng: Random,
    style: NameStyle,
    *,
    intents: Iterable[str] = tuple(INTENTS),
    avoid: frozenset[str] = frozenset(),
) -> Dialect:
    """A dialect for some intents; no two of its names are equal unless fields share theirs.

    Args:
        rng: Source of every choice.
        style: How names are drawn.
        intents: Keys of `INTENTS`.
        avoid: Names that are never given.
    """
    taken = set(avoid)
    by_kind: dict[str, str] | None = {} if rng.random() < style.shared else None
    functions: dict[str, str] = {}
    fields: dict[str, dict[str, str]] = {}
    for intent in intents:
        fields[intent] = {}
        for slot, described in INTENTS[intent].slots.items():
            if by_kind is None:
                fields[intent][slot] = _new_name(rng, style, taken)
                continue
            if described.kind not in by_kind:
                by_kind[described.kind] = _new_name(rng, style, taken)
            fields[intent][slot] = by_kind[described.kind]
        functions[intent] = _new_name(rng, style, taken)
    return Dialect(functions, fields)


def _new_name(rng: Random, style: NameStyle, taken: set[str]) -> str:
    while True:
        name = draw_name(rng, style)
        if name not in taken:
            taken.add(name)
            return name


def draw_name(rng: Random, style: NameStyle) -> str:
    """A name, as a function or a field may have it."""
    if style.spelled and rng.random() < style.spelled:
        return _spelled_name(rng)
    name = invented_word(rng) if rng.random() < style.invented else rng.choice(FIRST_PARTS)
    return name + rng.choice(SECOND_PARTS) if rng.random() < style.two_parts else name


def _spelled_name(rng: Random) -> str:
    """One to two words, joined by a dash or by a capital."""
    first = spelled_word(rng) if rng.random() < 0.8 else rng.choice(FIRST_PARTS)
    joined = rng.random()
    if joined < 0.35:
        return first
    second = spelled_word(rng) if rng.random() < 0.5 else rng.choice(FIRST_PARTS)
    return first + (f"_{second}" if joined < 0.75 else second.capitalize())


@cache
def held_out_dialect(seed: int) -> Dialect:
    """The dialect of a seed; those of `HELD_OUT_SEEDS` are never trained on."""
    return draw_dialect(Random(f"dialect {seed}"), NameStyle())


@cache
def held_out_names() -> frozenset[str]:
    """Every name that training never sees: whole names, of two parts each.

    Their parts are met in other names: were a word kept out, the model could never write it, and
    were a word met only with other second parts, it would learn to avoid the held-out ones.
    """
    return frozenset(
        BUNDLED_DIALECT.names.union(*(held_out_dialect(seed).names for seed in HELD_OUT_SEEDS))
    )
