"""The command `path`: every context as one lambda runs from 0 to 1."""

import pytest

from tests.support.commands import refused


def test_the_path_tiles_the_unit_interval_and_agrees_with_retrieve(run, kept):
    query = ("--pool", kept, "--query", "Is ice a liquid?", "-k", "3", "--lambda-b", "1")
    pieces = run("path", *query)["pieces"]
    assert pieces[0]["lambda_low"] == 0
    assert pieces[-1]["lambda_high"] == 1
    for left, right in zip(pieces, pieces[1:], strict=False):
        assert left["lambda_high"] == right["lambda_low"]
        assert left["ids"] != right["ids"]
    for piece in pieces:
        middle = (piece["lambda_low"] + piece["lambda_high"]) / 2
        found = run("retrieve", *query, "--method", "rel+div", "--lambda-d", middle)
        assert [pick["id"] for pick in found["demonstrations"]] == piece["ids"]


def test_the_path_over_lambda_b_agrees_with_retrieve(run, kept, tiny_lm_folder):
    query = (
        "--pool", kept, "--query", "Is ice a liquid?", "-k", "3", "--model", tiny_lm_folder,
    )  # fmt: skip
    found = run("path", *query, "--over", "lambda_b", "--lambda-d", "0.5")
    assert (found["over"], found["lambda_d"]) == ("lambda_b", 0.5)
    pieces = found["pieces"]
    assert pieces[0]["lambda_low"] == 0
    assert pieces[-1]["lambda_high"] == 1
    assert len(pieces) > 1
    for piece in pieces:
        middle = (piece["lambda_low"] + piece["lambda_high"]) / 2
        chosen = run(
            "retrieve", *query, "--method", "rel+div+bias", "--lambda-d", "0.5",
            "--lambda-b", middle,
        )  # fmt: skip
        assert [pick["id"] for pick in chosen["demonstrations"]] == piece["ids"]


def test_the_path_is_over_lambda_d_unless_told(run, kept):
    query = ("--pool", kept, "--query", "Is ice a liquid?", "--lambda-b", "1")
    assert run("path", *query) == run("path", *query, "--over", "lambda_d")
    assert run("path", *query)["over"] == "lambda_d"


@pytest.mark.parametrize("knob", ["lambda_d", "lambda_b"])
def test_a_path_takes_no_value_for_the_lambda_it_runs_over(capsys, kept, knob):
    option = f"--{knob.replace('_', '-')}"
    line = refused(
        capsys, "path", "--pool", kept, "--query", "Is ice a liquid?", "--over", knob, option, "0.3"
    )
    assert f"whole of {knob}" in line
    assert f"{option} 0.3 was given" in line
