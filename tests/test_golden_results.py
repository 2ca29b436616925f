"""Results and their sentences are as they were recorded: figures, keys in their order, text."""

import json

import pytest

from tests.support.gated import gated
from tests.support.golden_results import MADE, OPENS, file_of

TAKEN = {"seconds", "seconds_a_query"}
"""Keys whose values are times."""


def recorded(name):
    return json.loads(file_of(name).read_text(encoding="utf-8"))


def assert_same(found, wanted, at):
    if isinstance(wanted, dict):
        assert list(found) == list(wanted), at
        for key in wanted.keys() - TAKEN:
            assert_same(found[key], wanted[key], f"{at}/{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), at
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_same(one, other, f"{at}/{place}")
    elif isinstance(wanted, float):  # bounds come from sums of float32
        assert found == pytest.approx(wanted, rel=1e-5, abs=1e-6), at
    else:
        assert type(found) is type(wanted), at
        assert found == wanted, at


@pytest.mark.parametrize("name", gated(MADE))
def test_what_is_made_today_is_what_was_recorded(name, tmp_path):
    found = json.loads(json.dumps(MADE[name](tmp_path), allow_nan=False))
    assert_same(found, recorded(name), name)


@pytest.mark.parametrize("name", OPENS)
def test_a_recorded_result_is_written_as_it_was_read(name):
    row = recorded(name)["result"]
    found = OPENS[name].from_json(row)
    assert json.dumps(found.to_json()) == json.dumps(row)
    assert OPENS[name].from_json(found.to_json()) == found
