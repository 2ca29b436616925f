"""A pool with planted faults: each is found by its check, and no text that only looks like one."""

import random
from collections import Counter

import pytest

from core.curation.findings.registry import find_all
from core.demonstration.demonstration import Draft
from tests.support.messy_pool import planted

PLACES = (
    "attic", "bakery", "cellar", "dairy", "eyrie", "ferry", "garden", "harbour", "inn", "jetty",
    "kitchen", "library", "market", "nursery", "orchard", "parlour", "quarry", "river", "stable",
    "tower", "university", "vault", "windmill", "yard",
)  # fmt: skip
ASKED = (
    ("Is the {} open today?", "Yes, the {} is open"),
    ("How many doors has the {}?", "The {} has {n} doors"),
    ("Who owns the {}?", "The {} belongs to the town"),
    ("What colour is the {}?", "The {} is painted {c}"),
    ("Can guests smoke in the {}?", "No, guests are told to go outside the {}"),
)
COLOURS = ("red", "green", "blue", "white", "black", "grey")
ROWS = [
    (query.format(place), answer.format(place, n=2 + number % 7, c=COLOURS[number % 6]))
    for number, place in enumerate(PLACES)
    for query, answer in ASKED
]
NEW = ("disagreement", "placeholder", "repeated-query", "escaped", "personal-data")


@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_planted_is_found_and_nothing_else(checked, seed):
    made = planted(ROWS, 6, random.Random(seed))
    counts = Counter(each.kind for each in made)
    assert counts == {
        "denied": 6, "negated": 6, "other number": 6, "number in words": 6, "in a sentence": 6,
        "placeholder": 6, "asked for": 6, "repeated": 6, "turned": 6, "tags": 6, "brackets": 6,
        "personal data": 6, "numbers": 6,
    }  # fmt: skip
    pool = checked(*(Draft(*row) for row in ROWS), *(each.draft for each in made))
    by_id = {row.id: (row.query, row.answer) for row in pool.rows}
    found = find_all(pool)
    for check in NEW:
        wanted = {
            (each.draft.query, each.draft.answer)
            for each in made
            if each.check == check and each.is_fault
        }
        members = {by_id[id] for each in found[check] for id in each.ids}
        assert members - set(ROWS) == wanted
        rows = {each.row for each in made if each.check == check and each.is_fault}
        assert members & set(ROWS) == (rows if check == "disagreement" else set())
