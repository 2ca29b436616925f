"""The knobs: one list of them, passed to the command line and kept with every run."""

import json
import re
from dataclasses import fields

import pytest

from core.commands.flags import knobs_of
from core.commands.parser import argument_parser
from core.errors import InvalidInput
from core.evaluation.results.run_figures import RecordedRequest
from core.retrieval.choosing import METHODS, knobs_from_json
from core.retrieval.knobs import KNOBS, BiasScale, Knobs, PromptOrder

CHANGED = Knobs(
    "rel+div+bias", 4, 0.3, lambda_b=0.6, bias_scale=BiasScale.RANK,
    order=PromptOrder.AS_CHOSEN, index="flat", candidates=30, seed=7, one_per_query=True,
)  # fmt: skip


def names_of(knob):
    """What may be chosen; the names of methods are in their registry."""
    return tuple(METHODS) if knob.name == "method" else knob.names


def test_every_knob_is_told():
    assert [each.name for each in fields(Knobs)] == [*KNOBS, "own_values"]
    for name, knob in KNOBS.items():
        assert knob.name == name
        assert knob.label
        assert knob.explanation.endswith(".")
        assert bool(knob.at_low) == bool(knob.at_high)
        assert bool(names_of(knob)) == knob.is_choice
        if knob.is_choice and knob.default is not None:
            assert knob.default in names_of(knob)
        if not knob.is_choice:
            assert knob.low <= knob.default <= knob.high
        assert getattr(CHANGED, name) == getattr(Knobs(), name) or name != "method"


def test_knobs_come_back_from_json():
    assert knobs_from_json(json.loads(json.dumps(CHANGED.to_json()))) == CHANGED
    assert knobs_from_json(Knobs().to_json()) == Knobs()


def test_a_switch_that_is_off_is_recorded_nowhere():
    assert CHANGED.to_json()["one_per_query"] is True
    assert "one_per_query" not in Knobs().to_json()
    on = RecordedRequest.of(CHANGED)
    assert RecordedRequest.from_json(on.to_json()) == on
    assert on.to_json()["one_per_query"] is True
    assert "one_per_query" not in RecordedRequest.of(Knobs()).to_json()


def test_a_run_of_before_some_knobs_existed_is_read():
    row = {
        "method": "rel+div", "k": 3, "lambda_d": 0.5, "lambda_b": 1.0, "seed": 2,
        "bias_scale": "z-score",
    }  # fmt: skip
    read = Knobs("rel+div", 3, 0.5, lambda_b=1.0, bias_scale=BiasScale.Z_SCORE, seed=2)
    assert knobs_from_json(row) == read
    assert row.items() <= read.to_json().items()


def test_the_command_line_turns_the_knobs():
    flags = (
        "retrieve --pool p --query q --method rel+div+bias -k 4 --lambda-d 0.3 --lambda-b 0.6 "
        "--bias-scale rank --index flat --candidates 30 --seed 7 --one-per-query"
    )
    options = argument_parser().parse_args(flags.split())
    assert knobs_of(options) == knobs_from_json(CHANGED.to_json() | {"order": None})
    bare = argument_parser().parse_args(["path", "--pool", "p", "--query", "q"])
    assert knobs_of(bare) == Knobs()


def test_the_help_says_what_is_known_of_each_knob(capsys):
    with pytest.raises(SystemExit):
        argument_parser().parse_args(["retrieve", "--help"])
    help_text = re.sub(r"\s+", " ", capsys.readouterr().out)
    for knob in KNOBS.values():
        if not knob.flag:
            continue
        for name in names_of(knob):
            assert name in help_text
        assert (knob.ends if knob.is_weight else knob.explanation.rstrip(".")[1:]) in help_text
        silent = knob.is_choice or knob.is_switch
        assert silent or f"(default {knob.default})" in help_text


@pytest.mark.parametrize("name", ["lambda_d", "lambda_b"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_weight_out_of_its_range_is_refused(name, value):
    with pytest.raises(InvalidInput, match=f"{name} is .*; it must be a number from 0 to 1"):
        Knobs(**{name: value})


def test_a_choice_that_is_given_as_a_text_is_that_choice():
    found = Knobs("rel+bias", bias_scale="z-score", embed="query+answer", order="as chosen")
    assert (found.bias_scale, found.order) == (BiasScale.Z_SCORE, PromptOrder.AS_CHOSEN)
    assert isinstance(found.embed, type(KNOBS["embed"].default))
    with pytest.raises(InvalidInput, match="bias_scale is 'z'; it must be one of raw, z-score"):
        Knobs(bias_scale="z")
