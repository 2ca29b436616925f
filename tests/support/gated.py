"""Parameters of which the gate runs the first; `make test-thorough` runs them all."""

from collections.abc import Iterable

import pytest


def gated(values: Iterable, *, first: int = 1) -> list:
    """The values as parameters of a test, those after the first ones marked thorough.

    A value is what `pytest.mark.parametrize` takes: a tuple where there are several arguments.
    """
    return [
        value if place < first else _param(value, pytest.mark.thorough)
        for place, value in enumerate(values)
    ]


def _param(value, mark):
    several = value if isinstance(value, tuple) else (value,)
    return pytest.param(*several, marks=mark)
