"""The step at a lambda, the step into a neighbour, and both in words and drawn."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.reporting.html.drawings import change_sentence, range_sentence, range_text, strip
from core.reporting.results.query import PathStep, StepsAround, inside, sets_of, steps_around
from core.text import lambda_text

A, B, C, D = ("a", "1"), ("b", "2"), ("c", "3"), ("<b>d</b>", "4")
FIRST = PathStep(0.0, 0.25, ids=(1, 2))
OTHER_ORDER = PathStep(0.25, 0.5, ids=(2, 1))
CHANGED = PathStep(0.5, 0.6204, enters=(C,), leaves=(A,), ids=(2, 3))
LAST = PathStep(0.6204, 1.0, enters=(D,), leaves=(B,), ids=(3, 4))
STEPS = (FIRST, OTHER_ORDER, CHANGED, LAST)


def test_steps_of_one_set_are_one_context():
    joined = sets_of(STEPS)
    assert [(step.low, step.high) for step in joined] == [(0, 0.5), (0.5, 0.6204), (0.6204, 1)]
    assert [(step.enters, step.leaves) for step in joined] == [((), ()), ((C,), (A,)), ((D,), (B,))]
    assert sets_of(()) == ()


def test_standing_names_the_neighbours():
    assert steps_around(STEPS, 0.55, (2, 3)) == StepsAround(CHANGED, OTHER_ORDER, LAST)
    assert steps_around(STEPS, 0.0, (1, 2)) == StepsAround(FIRST, None, OTHER_ORDER)
    assert steps_around(STEPS, 1.0, (3, 4)) == StepsAround(LAST, CHANGED, None)


def test_at_a_breakpoint_what_was_chosen_tells_the_side():
    assert steps_around(STEPS, 0.6204, (2, 3)).here is CHANGED
    assert steps_around(STEPS, 0.6204, (3, 4)).here is LAST
    assert steps_around(STEPS, 0.6204, (1, 4)) == StepsAround(None, CHANGED, LAST)


def test_a_context_that_lost_some_to_the_window_is_still_found():
    assert steps_around(STEPS, 0.55, (3,)).here is CHANGED


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_middle_of_a_step_lies_inside_it_with_few_decimals(one, other):
    low, high = sorted((one, other))
    assume(high - low > 1e-12)
    value = inside(PathStep(low, high))
    assert low < value < high
    if high - low > 0.03:
        assert value == round(value, 2)


def test_a_narrow_step_is_reached_with_more_decimals():
    assert inside(PathStep(0.5, 0.6204)) == 0.56
    assert inside(PathStep(0.70421, 0.70464)) == 0.7044
    assert lambda_text(inside(PathStep(0.70421, 0.70464))) == "0.7044"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (1.0, "1.00"), (0.7, "0.70"), (0.7044, "0.7044"), (0.1 + 0.2, "0.30")],
)
def test_a_lambda_has_two_decimals_and_more_where_it_needs_them(value, text):
    assert lambda_text(value) == text


def test_the_ends_of_a_step_differ():
    assert range_text(PathStep(0.62, 0.71)) == "from 0.62 to 0.71"
    assert range_text(PathStep(0.7042, 0.7046)) == "from 0.7042 to 0.7046"


def test_for_which_lambdas_a_context_is_chosen_in_words():
    contexts = sets_of(STEPS)
    where = steps_around(contexts, 0.55, (2, 3))
    assert range_sentence("lambda_d", 0.55, where, CHANGED) == (
        "This context is chosen for lambda_d from 0.50 to 0.62."
    )
    where = steps_around(contexts, 0.3, (1, 2))
    assert range_sentence("lambda_d", 0.3, where, OTHER_ORDER) == (
        "This context is chosen for lambda_d from 0.00 to 0.50, in this order from 0.25 to 0.50."
    )
    narrow, wide = PathStep(0.418, 0.422, ids=(1, 2)), PathStep(0.412, 0.4231, ids=(2, 1))
    assert range_sentence("lambda_d", 0.42, StepsAround(wide, None, None), narrow) == (
        "This context is chosen for lambda_d from 0.412 to 0.423, "
        "in this order from 0.418 to 0.422."
    )
    alone = StepsAround(PathStep(0.0, 1.0, ids=(1,)), None, None)
    assert range_sentence("lambda_b", 0.3, alone) == "This context is chosen for every lambda_b."
    tie = StepsAround(None, FIRST, CHANGED)
    assert range_sentence("lambda_d", 0.5, tie) == (
        "At lambda_d 0.50 several contexts tie, and this one is chosen."
    )


def test_what_a_step_changes_depends_on_its_direction():
    assert change_sentence(CHANGED, upwards=True) == "Enters: c / 3. Leaves: a / 1."
    assert change_sentence(CHANGED, upwards=False) == "Enters: a / 1. Leaves: c / 3."
    assert change_sentence(OTHER_ORDER, upwards=True) == "The same set, chosen in another order."


def test_the_strip_shows_every_step_and_marks_the_present_one():
    drawn = strip("lambda_d", STEPS, 0.55, CHANGED)
    shown = re.findall(r'left:([\d.]+)%;width:([\d.]+)%" data-low="([\d.]+)"', drawn)
    assert [(float(left), float(low)) for left, _, low in shown] == [
        (0.0, 0.0), (25.0, 0.25), (50.0, 0.5), (62.04, 0.6204),
    ]  # fmt: skip
    assert sum(float(width) for _, width, _ in shown) == pytest.approx(100)
    assert drawn.count("class=here") == 1
    assert 'data-low="0.5" data-high="0.6204" class=here' in drawn
    assert '<b style="left:55.0000%"' in drawn
    assert "4 contexts over lambda_d" in drawn
