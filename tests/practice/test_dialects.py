"""Names: what a dialect calls things, and what is kept out of training."""

from random import Random

import pytest

from practice.dialects import (
    BUNDLED_DIALECT,
    HELD_OUT_SEEDS,
    NameStyle,
    draw_dialect,
    draw_name,
    held_out_dialect,
    held_out_names,
)
from practice.intents import INTENTS
from practice.training.curriculum import draw_texts
from practice.words import FIRST_PARTS, SECOND_PARTS, VALUES


def parts(name):
    first, _, second = name.partition("_")
    return first, f"_{second}"


def test_the_bundled_dialect_names_every_function_and_field_once():
    assert set(BUNDLED_DIALECT.functions) == set(INTENTS)
    for intent, described in INTENTS.items():
        assert list(BUNDLED_DIALECT.fields[intent]) == list(described.slots)
    fields = sum(len(names) for names in BUNDLED_DIALECT.fields.values())
    assert len(BUNDLED_DIALECT.names) == fields + len(INTENTS) == 82


def test_held_out_names_are_pairs_of_parts_that_training_knows():
    assert held_out_names() >= BUNDLED_DIALECT.names
    for name in held_out_names():
        first, second = parts(name)
        assert first in FIRST_PARTS, name
        assert second in SECOND_PARTS, name


def test_no_name_is_a_value():
    values = {value for values in VALUES.values() for value in values}
    assert values.isdisjoint(FIRST_PARTS)


def test_training_never_sees_a_held_out_name():
    written = set()
    for step in range(0, 400):
        for text in draw_texts(Random(step), step / 160, 1500):
            written.update(text.text.replace(",", " ").split())
    assert written.isdisjoint(held_out_names())
    assert len(written) > 2000


def test_a_seed_gives_one_dialect_and_another_seed_another():
    first, second = (held_out_dialect(seed) for seed in HELD_OUT_SEEDS[:2])
    again = draw_dialect(Random(f"dialect {HELD_OUT_SEEDS[0]}"), NameStyle())
    assert first == again
    assert len(first.names & second.names) < 5
    assert len(first.names) == 82


def test_a_dialect_avoids_what_it_is_told_to():
    avoid = frozenset(FIRST_PARTS[:-90])
    dialect = draw_dialect(Random(1), NameStyle(two_parts=0.0), avoid=avoid)
    assert dialect.names <= set(FIRST_PARTS[-90:])


@pytest.mark.parametrize(("shared", "fewest"), [(0.0, 82), (1.0, 14 + 35)])
def test_shared_names_go_by_kind(shared, fewest):
    dialect = draw_dialect(Random(2), NameStyle(shared=shared))
    kinds = {slot.kind for intent in INTENTS.values() for slot in intent.slots.values()}
    assert len(dialect.names) == (82 if shared == 0.0 else len(INTENTS) + len(kinds))
    assert (dialect.fields["movie"]["city"] == dialect.fields["lesson"]["city"]) == bool(shared)
    assert len(dialect.names) >= fewest - 3


@pytest.mark.parametrize(("two_parts", "dashes"), [(0.0, 0), (1.0, 50)])
def test_the_second_part_at_both_ends(two_parts, dashes):
    names = [draw_name(Random(seed), NameStyle(two_parts=two_parts)) for seed in range(50)]
    assert sum("_" in name for name in names) == dashes


@pytest.mark.parametrize(("invented", "known"), [(0.0, True), (1.0, False)])
def test_invented_names_at_both_ends(invented, known):
    names = [draw_name(Random(seed), NameStyle(0.0, invented)) for seed in range(50)]
    share = sum(name in FIRST_PARTS for name in names) / len(names)
    assert share == 1.0 if known else share < 0.1  # "memo" is two syllables too


def test_spelled_names_are_as_people_may_type_them():
    style = NameStyle(spelled=1.0)
    names = [draw_name(Random(seed), style) for seed in range(300)]
    assert all(name.replace("_", "").isalnum() for name in names)
    assert len(set(names)) > 280
    assert sum("_" in name for name in names) > 50
    assert sum(any(letter.isupper() for letter in name[1:]) for name in names) > 50
