"""Dataclasses as JSON: their fields, what is left out by default, and what is damaged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import pytest

from core.interval import Interval
from core.recorded import Recorded, read, record_to_json, same, write


class Colour(StrEnum):
    RED = "red"


class Place(NamedTuple):
    row: int
    at: float


@dataclass(frozen=True)
class Thing(Recorded):
    OPTIONAL = ("size", "own")
    name: str
    colour: Colour | None
    place: Place
    sizes: Mapping[str, tuple[Interval, ...]]
    size: int = 0
    own: Mapping[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Turned(Recorded):
    """One that JSON has in another shape."""

    value: float

    @classmethod
    def from_json(cls, row):
        return super().from_json({"value": -row["minus"]})

    def to_json(self):
        return {"minus": -super().to_json()["value"]}


@dataclass(frozen=True)
class Pair(Recorded):
    both: tuple[Turned, Turned]


HALF = Interval(0.5, 0.25, None, 3, 20)
THING = Thing("a", Colour.RED, Place(1, 0.5), {"x": (HALF,)})
ROW = {
    "name": "a",
    "colour": "red",
    "place": {"row": 1, "at": 0.5},
    "sizes": {"x": [{"mean": 0.5, "low": 0.25, "high": None, "n": 3, "needed": 20}]},
}


def test_fields_are_written_and_optional_ones_left_out_by_default():
    assert THING.to_json() == ROW
    assert type(THING.to_json()["colour"]) is str
    assert Thing.from_json(ROW) == THING
    more = Thing("a", None, Place(1, 0.5), {}, 3, {"k": 1, "task": "x", "share": 0.5})
    row = {"name": "a", "colour": None, "place": ROW["place"], "sizes": {}, "size": 3}
    assert more.to_json() == row | {"own": {"k": 1, "task": "x", "share": 0.5}}
    assert Thing.from_json(more.to_json()) == more


def test_a_shape_of_its_own_counts_inside_of_others():
    pair = Pair((Turned(1.0), Turned(2.0)))
    assert pair.to_json() == {"both": [{"minus": -1.0}, {"minus": -2.0}]}
    assert Pair.from_json(pair.to_json()) == pair
    assert read(dict[str, Turned], {"a": {"minus": 4.0}}) == {"a": Turned(-4.0)}
    assert write({"a": Turned(-4.0), "b": None}) == {"a": {"minus": 4.0}, "b": None}


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        ({"name": "a"}, KeyError, "'colour'"),
        (ROW | {"colour": "blue"}, ValueError, "'blue' is not a valid Colour"),
        (ROW | {"place": {"row": 1}}, KeyError, "'at'"),
        (ROW | {"sizes": {"x": [{"mean": 0.5}]}}, KeyError, "'low'"),
    ],
)
def test_what_is_damaged_is_named_in_one_line(row, error, words):
    with pytest.raises(error) as caught:
        Thing.from_json(row)
    assert str(caught.value) == words


@dataclass(frozen=True)
class Flat(Recorded):
    """One whose JSON has other keys than its fields, in another order."""

    OPTIONAL = ("note",)
    KEYS = {
        "mean": "value.mean", "low": "value.low", "high": "value.high", "label": "name",
        **same("twice", "note"),
    }  # fmt: skip
    name: str
    value: Interval
    note: str | None = None

    @property
    def twice(self):
        return 2 * self.value.mean


def test_keys_name_fields_of_fields_and_properties_in_their_order():
    flat = Flat("a", Interval(1.0, 0.5, None))
    row = flat.to_json()
    assert list(row.items()) == [
        ("mean", 1.0), ("low", 0.5), ("high", None), ("label", "a"), ("twice", 2.0),
    ]  # fmt: skip
    assert Flat.from_json(row) == flat
    noted = Flat("a", Interval(1.0, 0.5, None), "n")
    assert noted.to_json() == row | {"note": "n"}
    assert Flat.from_json(noted.to_json()) == noted


def test_keys_of_a_record_of_another_class():
    thing = Flat("a", Interval(1.0, 0.5, None))
    assert record_to_json(thing, {"of": "name", "interval": "value"}) == {
        "of": "a",
        "interval": {"mean": 1.0, "low": 0.5, "high": None, "n": 0, "needed": 0},
    }
