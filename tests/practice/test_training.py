"""Training: the same from a seed, resumable at any step, and standard in what it writes."""

import functools
import json
from dataclasses import replace

import pytest
import torch

from core.errors import InvalidInput
from core.language_model import AnswerRequest, load
from practice.training import training
from practice.training.network import SIZES, Size, build_network
from practice.training.tokenizer import build_tokenizer
from practice.training.training import TrainingPlan, train

PLAN = TrainingPlan(steps=3, polish=2, spelling=1, tokens=300, warm_up=1, size="tiny")


tokenizer_once = functools.cache(build_tokenizer)
"""Building it takes most of a short training."""


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    monkeypatch.setitem(SIZES, "tiny", Size(96, 1, 64))
    monkeypatch.setattr(training, "build_tokenizer", tokenizer_once)


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


@pytest.mark.thorough
def test_a_seed_gives_the_same_weights(tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    report = train(one, PLAN)
    assert (report.finished, report.steps) == (True, 6)
    assert report.tokens > 0
    with monkeypatch.context() as patch:
        patch.setattr(training, "build_tokenizer", build_tokenizer)
        train(two, PLAN)
    other = tmp_path / "other"
    train(other, replace(PLAN, seed=1))
    first, second, third = weights(one), weights(two), weights(other)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], third[name]) for name in first)


def test_a_training_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(whole, PLAN)

    class KilledError(Exception):
        pass

    step = training._one_step

    def until_the_fourth(state, tokenizer, plan, number, tally):
        if number == 4:
            raise KilledError
        step(state, tokenizer, plan, number, tally)

    monkeypatch.setattr(training, "_one_step", until_the_fourth)
    with pytest.raises(KilledError):
        train(parts, PLAN, save_every=3)
    monkeypatch.setattr(training, "_one_step", step)
    report = train(parts, PLAN, save_every=3)
    assert report.steps == 6
    first, second = weights(whole), weights(parts)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_rate_falls_once_in_each_part():
    plan = TrainingPlan(steps=100, polish=50, spelling=50, rate=4.0, polish_rate=1.0, warm_up=10)
    rates = [training._rate(plan, step) for step in range(200)]
    assert max(rates[:100]) == pytest.approx(4.0, rel=0.03)
    assert rates[0] == pytest.approx(0.4)
    assert rates[99] == pytest.approx(0.12, rel=0.02)
    assert rates[150:] == pytest.approx(rates[100:150])
    assert max(rates[100:]) == pytest.approx(1.0, rel=0.1)
    assert rates[100] == pytest.approx(0.1)
    assert rates[149] == pytest.approx(0.03, rel=0.05)


def test_a_step_belongs_to_a_part():
    plan = TrainingPlan(steps=4, polish=2, spelling=1)
    places = [plan.place(step) for step in range(plan.all_steps)]
    assert places == [(0, 0.0), (0, 0.25), (0, 0.5), (0, 0.75), (1, 0.0), (1, 0.5), (2, 0.0)]
    with pytest.raises(ValueError, match="the plan has 7 steps"):
        plan.place(7)


def test_time_that_runs_out_leaves_a_checkpoint(tmp_path):
    report = train(tmp_path, PLAN, minutes=0.0)
    assert (report.finished, report.steps) == (False, 1)
    assert train(tmp_path, PLAN).finished


def test_another_plan_does_not_go_on_from_a_checkpoint(tmp_path):
    train(tmp_path, PLAN)
    with pytest.raises(InvalidInput, match="go on with these values or choose another folder"):
        train(tmp_path, replace(PLAN, steps=7))


def test_the_log_says_what_is_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "LOG_EVERY", 12)
    lines = []
    train(tmp_path, replace(PLAN, steps=12, polish=0, spelling=0, tokens=150), report=lines.append)
    (line,) = (tmp_path / "training.jsonl").read_text().splitlines()
    assert lines == [line]
    logged = json.loads(line)
    assert logged["step"] == 12
    assert 0.0 <= logged["accuracy"]["field_shown"] <= 1.0
    assert logged["nats"]["frame"] < 7.0


def test_the_project_loads_what_training_writes(tmp_path):
    train(tmp_path, PLAN)
    model = load(tmp_path, device="cpu")
    assert model.window == 1024
    ((scored,),) = model.log_probs([AnswerRequest("Q: déjà vu\nA:", (" f { a as b }",))])
    assert scored.total < 0.0


@pytest.mark.parametrize("head", [0, 1, 2])
def test_three_heads_start_by_looking_back(head):
    torch.manual_seed(0)
    tokenizer = tokenizer_once()
    network = build_network(tokenizer, SIZES["small"])
    network.set_attn_implementation("eager")
    ids = torch.randint(300, len(tokenizer), (1, 40))
    with torch.no_grad():
        attention = network(ids, output_attentions=True).attentions[0][0, head]  # (t, t)
    back = attention.diagonal(-(head + 1))
    assert back.mean() > 0.8


def test_training_leaves_the_settings_of_the_process_as_they_were(tmp_path):
    threads = torch.get_num_threads()
    train(tmp_path / "model", PLAN)
    tiny = torch.full((8,), 1e-310, dtype=torch.float64)
    assert (tiny * 1.0 > 0).all()
    assert torch.get_num_threads() == threads
