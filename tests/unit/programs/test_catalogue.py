"""The programs by name: their knobs are their arguments, and what an ablation changes is a knob."""

import inspect

import pytest

from core.programs.paper import CATALOGUE


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_numbers_are_the_programs_own(name):
    program = CATALOGUE[name]
    arguments = inspect.signature(program.run).parameters
    assert {knob: arguments[knob].default for knob in program.knobs} == program.knobs
    assert set(program.demonstrating) <= set(program.knobs)
    if program.demonstrate is not None:
        taken = set(inspect.signature(program.demonstrate).parameters) - {"run", "example"}
        assert taken == set(program.demonstrating)
    for changed in program.without.values():
        assert set(changed) <= set(program.knobs)


def test_the_programs_that_search_and_converse():
    assert [name for name, each in CATALOGUE.items() if not each.searches] == ["vanilla"]
    assert [name for name, each in CATALOGUE.items() if each.converses] == ["conversational"]
