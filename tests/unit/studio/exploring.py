"""A pool to explore, and how a test waits for the worker; shared by the tests of Explore."""

import time

from core.demonstration.demonstration import Draft
from core.demonstration.incorrect import incorrect_answers

ROWS = (
    ("Is the moon made of cheese?", ("No, it is rock", "It is rock"), ("Yes", "Of cheese")),
    ("Is the sun made of fire?", ("No, of plasma",), ("Yes, of fire",)),
    ("Do bats see well?", ("They do", "Yes"), ("No, they are blind",)),
    ("Do bulls hate the colour red?", ("No, they hardly see it",), ("Yes", "They do")),
    ("Does sugar make children wild?", ("No", "There is no sign of it"), ("Yes",)),
    ("Does the moon make people mad?", ("No",), ("Yes, at full moon",)),
    ("Where is the red house?", ("Nobody knows",), ()),
)
QUERY = ROWS[0][0]


def drafts():
    return [
        Draft(q, answer, incorrect_answers(incorrect))
        for q, answers, incorrect in ROWS
        for answer in answers
    ]


def wait_for(ready, seconds=60.0):
    """Ask until the answer is true; returns it."""
    until = time.monotonic() + seconds
    while not (answer := ready()):
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.01)
    return answer
