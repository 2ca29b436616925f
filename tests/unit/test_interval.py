"""A figure with its interval: its sign, its text, what JSON says of it, and that nothing is NaN."""

import json
import math

import numpy as np
import pytest

from core.interval import CLEAR, UNDEFINED, Interval, Sign
from core.text import number, three_decimals


@pytest.mark.parametrize(
    ("interval", "sign"),
    [
        (Interval(0.3, 0.1, 0.5), Sign.POSITIVE),
        (Interval(-0.3, -0.5, -0.1), Sign.NEGATIVE),
        (Interval(0.3, -0.1, 0.5), Sign.UNCLEAR),
        (Interval(0.3, 0.0, 0.5), Sign.UNCLEAR),
        (Interval(-0.3, -0.5, 0.0), Sign.UNCLEAR),
        (Interval(0.3, None, None, 40), Sign.UNBOUNDED),
        (Interval(0.3, None, None, 5, 20), Sign.TOO_FEW),
        (Interval(0.3, -1.0, 1.0, 25, 40), Sign.TOO_FEW),
        (Interval(None, None, None, 0, 20), Sign.UNDEFINED),
        (UNDEFINED, Sign.UNDEFINED),
    ],
)
def test_the_sign_is_what_the_interval_shows(interval, sign):
    assert interval.sign is sign
    assert (interval.sign in CLEAR) == (sign in (Sign.POSITIVE, Sign.NEGATIVE))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_undefined_or_infinite_is_none(value):
    assert Interval(value, value, value, 3) == Interval(None, None, None, 3)


def test_numbers_of_numpy_are_written_as_any_other():
    found = Interval(np.float64(0.5), np.float32(0.25), np.float64(1.0), 40)
    assert json.dumps(found.to_json()) == (
        '{"mean": 0.5, "low": 0.25, "high": 1.0, "n": 40, "needed": 0}'
    )
    assert Interval.from_json(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(
    ("interval", "ends"),
    [
        (Interval(0.5, 0.4, 0.6), "[0.400, 0.600]"),
        (Interval(-0.0001, -0.0004, 0.0003), "[0.000, 0.000]"),
        (Interval(0.5, None, 0.6), "-"),
        (UNDEFINED, "-"),
    ],
)
def test_the_interval_alone_is_text(interval, ends):
    assert interval.ends == ends


def test_the_ends_can_be_taken_off():
    assert Interval(0.5, 0.4, 0.6, 12).without_ends(30) == Interval(0.5, None, None, 12, 30)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.5, 0.4, 0.6), "0.500 [0.400, 0.600]"),
        (Interval(-0.0001, -0.0004, 0.0003), "0.000 [0.000, 0.000]"),
        (Interval(3.29e21, 0.11, 9.9e21), "3.3e+21 [0.110, 9.9e+21]"),
        (Interval(0.5, None, None), "0.500"),
        (UNDEFINED, "-"),
    ],
)
def test_the_text_has_three_decimals(interval, text):
    assert str(interval) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "+0.000"), (-0.0, "+0.000"), (1.5, "+1.500"), (-2e6, "-2.0e+06")]
)
def test_a_sign_can_be_asked_for(value, text):
    assert three_decimals(value, sign="+") == text


@pytest.mark.parametrize(
    ("value", "places", "sign", "text"),
    [
        (None, 3, "", "-"),
        (1234, 3, "+", "1,234"),
        (-0.0004, 3, "", "0.000"),
        (0.125, 1, "+", "+0.1"),
        (123456.789, 2, "", "123456.79"),
    ],
)
def test_a_number_is_written_in_one_way(value, places, sign, text):
    assert number(value, places, sign=sign) == text
