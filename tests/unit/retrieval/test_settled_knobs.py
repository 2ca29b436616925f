"""Knobs as a method uses them: what it fixes, what is its own, and what runs record of it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.errors import InvalidInput
from core.retrieval.choosing import METHODS, find_method, knobs_from_json, settled
from core.retrieval.knobs import KNOBS, LAMBDAS, Knobs

FREE = {
    "lambda_d": {"rel+div", "rel+div+bias", "dpp", "msd", "facility-location"},
    "lambda_b": {"rel+bias", "rel+div+bias"},
}
"""The methods that leave a weight to the visitor."""


def values(knob):
    """Values of a knob, both ends among them."""
    if knob.is_switch:
        return some.booleans()
    if knob.is_choice:
        read = [knob.read(name) for name in knob.names]
        return some.sampled_from(read if knob.default is not None else [None, *read])
    numbers = some.floats if isinstance(knob.default, float) else some.integers
    low, high = type(knob.default)(knob.low), type(knob.default)(knob.high)
    return some.sampled_from([low, high]) | numbers(low, high)


@some.composite
def knobs_of_any_method(draw):
    shared = {name: draw(values(knob)) for name, knob in KNOBS.items() if name != "method"}
    method = METHODS[draw(some.sampled_from(list(METHODS)))]
    own = [(knob.name, draw(values(knob))) for knob in method.own if draw(some.booleans())]
    strange = [("no knob of any method", 1)] if draw(some.booleans()) else []
    own_values = tuple(draw(some.permutations([*own, *strange])))
    return Knobs(method.name, **shared, own_values=own_values)


@given(knobs_of_any_method())
def test_settling_is_idempotent_and_changes_nothing_that_the_method_leaves_free(knobs):
    method = find_method(knobs.method)
    once = method.settle(knobs)
    assert method.settle(once) == once == settled(knobs)
    for name in KNOBS:
        if name in LAMBDAS and knobs.method not in FREE[name]:
            fixed = 0.0 if (knobs.method, name) == ("bias", "lambda_b") else 1.0
            assert getattr(once, name) == getattr(method, name) == fixed
        else:
            assert getattr(once, name) == getattr(knobs, name)
    asked = dict(knobs.own_values)
    assert once.own_values == tuple(
        (knob.name, asked.get(knob.name, knob.default)) for knob in method.own
    )
    assert once.needs_bias == (
        knobs.method == "bias" or (knobs.method in FREE["lambda_b"] and knobs.lambda_b < 1.0)
    )
    assert knobs_from_json(json.loads(json.dumps(once.to_json()))) == once


@given(knobs_of_any_method())
def test_what_is_turned_of_a_methods_own_is_all_that_settling_needs(knobs):
    method = find_method(knobs.method)
    changes = method.own_changes(knobs)
    defaults = {knob.name: knob.default for knob in method.own}
    assert all(value != defaults[name] for name, value in changes)
    assert settled(replace(knobs, own_values=changes)) == settled(knobs)


def test_values_that_a_method_cannot_have_are_refused_when_they_are_settled():
    with pytest.raises(InvalidInput, match="sets is '0'; it must be a whole number from 1"):
        settled(Knobs("mdl", own_values=(("sets", 0),)))
    with pytest.raises(InvalidInput, match="There is no method 'mmr'"):
        settled(Knobs("mmr"))
    with pytest.raises(InvalidInput, match="exemplars is '-1'"):
        knobs_from_json({"method": "pgra", "exemplars": -1})
    assert settled(Knobs("rel", own_values=(("sets", 0),))).own_values == ()


def test_knobs_that_are_not_settled_have_no_value_of_a_knob_that_was_not_given():
    with pytest.raises(KeyError, match="sets"):
        Knobs("mdl").own("sets")
    assert settled(Knobs("mdl")).own("sets") == 10
