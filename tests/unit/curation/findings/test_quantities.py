"""What the numbers of a text say, and when two of them agree."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation.findings.quantities import ABOUT, NEARLY, Quantity, quantities_of

DAY, YEAR = 86_400.0, 31_557_600.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}), ("no number", {}), ("one of them", {}), ("C3PO and the 1990s", {}),
        ("E-9 and 4x", {}), ("7,000 square miles", {}),
        ("100–106 °F, 3 cubic metres", {"degrees Fahrenheit": [(100, 106), (106, 106)]}),
        ("38 °C", {"degrees Celsius": [(38, 38)]}), ("90°", {"degrees": [(90, 90)]}),
        ("nine lives", {"numbers": [(9, 9)]}), ("sixty-four", {"numbers": [(64, 64)]}),
        ("1,000 people", {"numbers": [(1000, 1000)]}), ("1.5", {"numbers": [(1.5, 1.5)]}),
        ("2,5", {"numbers": [(2.5, 2.5)]}), ("1.000.000", {"numbers": [(1e6, 1e6)]}),
        ("two million", {"numbers": [(2e6, 2e6)]}), ("the 3rd", {"places": [(3, 3)]}),
        ("30 days", {"durations": [(30 * DAY, 30 * DAY)]}),
        ("one week", {"durations": [(7 * DAY, 7 * DAY)]}),
        ("a 5-day trip", {"durations": [(5 * DAY, 5 * DAY)]}),
        ("3 to 5 working days", {"durations": [(3 * DAY, 5 * DAY), (5 * DAY, 5 * DAY)]}),
        ("between 2 and 4 years", {"durations": [(2 * YEAR, 4 * YEAR), (4 * YEAR, 4 * YEAR)]}),
        ("about 200", {"numbers": [(200 * (1 - ABOUT), 200 * (1 + ABOUT))]}),
        ("more than 100", {"numbers": [(100, inf)]}), ("up to 30", {"numbers": [(0, 30)]}),
        ("$1.5 million", {"amounts in dollars": [(1.5e6, 1.5e6)]}),
        ("20 €", {"amounts in euros": [(20, 20)]}), ("5%", {"percentages": [(5, 5)]}),
        ("2 km", {"lengths": [(2000, 2000)]}), ("1954", {"years": [(1954, 1954)]}),
        ("1954 km", {"lengths": [(1_954_000, 1_954_000)]}),
        ("14 March", {"months": [(3, 3)], "days of a month": [(14, 14)]}),
        ("market 5, decision 7", {"numbers": [(5, 5), (7, 7)]}),
    ],
)  # fmt: skip
def test_what_a_text_measures(text, expected):
    found = quantities_of(text)
    assert {
        kind: [(each.low, each.high) for each in quantities] for kind, quantities in found.items()
    } == {kind: [pytest.approx(each) for each in values] for kind, values in expected.items()}


@pytest.mark.parametrize(
    "text", ["2020-05-18", "18 May 2020", "May 18th, 2020", "18th of May 2020"]
)
def test_dates_are_the_same_however_they_are_written(text):
    assert quantities_of(text) == {
        "years": [Quantity(2020, 2020)],
        "months": [Quantity(5, 5)],
        "days of a month": [Quantity(18, 18)],
    }


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("14 days", "two weeks", True), ("30 days", "14 days", False),
        ("30 days", "29 days", False),
        ("30 days", "a month is 1 month", True), ("12 months", "1 year", True),
        ("8,849 m", "29,032 feet", True), ("3 to 5 days", "4 days", True),
        ("3 to 5 days", "5 days", True), ("3 to 5 days", "6 days", False),
        ("about 200", "150", True), ("about 200", "250", True), ("about 200", "251", False),
        ("more than 100", "100", True), ("more than 100", "99", False),
        ("up to 30 days", "30 days", True), ("up to 30 days", "31 days", False),
        ("within 3 days", "1 day", True), ("$5", "$6", False), ("9", "nine", True),
    ],
)  # fmt: skip
def test_when_two_of_a_kind_agree(one, other, agree):
    ((kind, ours),), ((same, theirs),) = (quantities_of(text).items() for text in (one, other))
    assert kind == same
    assert any(a.agrees(b) for a in ours for b in theirs) is agree
    assert any(b.agrees(a) for a in ours for b in theirs) is agree


def test_other_units_agree_up_to_a_share_and_no_further():
    days, month = Quantity(100.0, 100.0, "day"), 100.0 * (1 + NEARLY)
    assert days.agrees(Quantity(month, month, "month"))
    assert not days.agrees(Quantity(month + 0.01, month + 0.01, "month"))
    assert not days.agrees(Quantity(month, month, "day"))


@given(st.integers(0, 10**6))
def test_a_number_agrees_with_itself_alone(value):
    (number,) = (
        quantities_of(f"{value} apples").get("numbers") or quantities_of(f"{value}")["years"]
    )
    assert (number.low, number.high) == (value, value)
    assert not number.agrees(Quantity(value + 1, value + 1))


@given(st.text(max_size=40))
def test_any_text_is_read(text):
    for quantities in quantities_of(text).values():
        assert all(each.low <= each.high and each.agrees(each) for each in quantities)
