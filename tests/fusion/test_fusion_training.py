"""Fine-tuning a reader: seeded, going on where it was stopped, ended by its validation."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from core.errors import Cancelled, InvalidInput
from core.watcher import Watcher
from fusion.episode import Episode
from fusion.reader import FusionReader
from fusion.training import FineTuning, train
from tests.support.gated import gated
from tests.support.tiny_t5 import build_tiny_t5

COLOURS = ("red", "blue", "green")
EPISODES = tuple(
    Episode(
        f"colour of the {thing}?",
        tuple(f"the {other} is {colour}." for other in ("cat", "dog", thing)),
        colour,
        COLOURS,
    )
    for thing in ("house", "story", "moon")
    for colour in COLOURS
)
PLAN = FineTuning(steps=6, learning_rate=1e-3, batch=2, check_every=2, patience=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny T5 that leaves something out in training, so that what it leaves out must agree."""
    return build_tiny_t5(tmp_path_factory.mktemp("t5") / "with-dropout", dropout=0.2)


@pytest.fixture
def fresh(folder):
    return lambda: FusionReader.load(folder, device="cpu")


def weights(folder):
    return load_file(folder / "model.safetensors")


def same(one, other):
    first, second = weights(one), weights(other)
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


def stopping_after(steps):
    """Answers as somebody who stops a training before the step after so many."""
    asked = iter(range(steps + 1))
    return lambda: next(asked) == steps


def test_a_seed_gives_the_same_weights_and_another_seed_others(fresh, tmp_path):
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    report = train(fresh(), EPISODES, PLAN, folder=one)
    train(fresh(), EPISODES, PLAN, folder=two)
    train(fresh(), EPISODES, replace(PLAN, seed=1), folder=other)
    assert (report.steps, report.stopped_early, report.checks) == (6, False, ())
    assert same(one, two)
    assert not same(one, other)


@pytest.mark.parametrize("after", gated([3, 0, 1, 5]))
@pytest.mark.parametrize("validation", [(), EPISODES[:3]], ids=["unchecked", "checked"])
def test_a_training_that_was_stopped_goes_on_bit_for_bit(fresh, tmp_path, after, validation):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    uninterrupted = train(fresh(), EPISODES, PLAN, folder=whole, validation=validation)
    stop = stopping_after(after)
    with pytest.raises(Cancelled):
        train(
            fresh(),
            EPISODES,
            PLAN,
            folder=parts,
            validation=validation,
            watcher=Watcher(cancelled=stop),
        )
    resumed = train(fresh(), EPISODES, PLAN, folder=parts, validation=validation)
    assert same(whole, parts)
    assert (resumed.steps, resumed.checks) == (6, uninterrupted.checks)


def test_a_finished_training_has_nothing_left_to_do(fresh, tmp_path):
    first = train(fresh(), EPISODES, PLAN, folder=tmp_path, validation=EPISODES[:2])
    before = weights(tmp_path)
    steps = []
    again = train(
        fresh(), EPISODES, PLAN, folder=tmp_path, validation=EPISODES[:2],
        watcher=Watcher(on_progress=lambda done, total: steps.append(done)),
    )  # fmt: skip
    assert (again, steps) == (first, [])
    after = weights(tmp_path)
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_progress_is_reported_after_every_step(fresh, tmp_path):
    steps = []
    train(
        fresh(), EPISODES, PLAN, folder=tmp_path,
        watcher=Watcher(on_progress=lambda done, total: steps.append((done, total))),
    )  # fmt: skip
    assert steps == [(step, 6) for step in range(1, 7)]


@pytest.mark.parametrize(("batch", "accumulation"), [(2, 2), (1, 4)])
def test_accumulation_equals_a_larger_batch(tmp_path, batch, accumulation):
    """Without dropout, which draws for each batch; the answers have unequal numbers of tokens."""
    plain = build_tiny_t5(tmp_path / "plain")
    found = []
    for name, plan in {
        "at once": replace(PLAN, steps=3, batch=4),
        "in parts": replace(PLAN, steps=3, batch=batch, accumulation=accumulation),
    }.items():
        reader = FusionReader.load(plain, device="cpu")
        train(reader, EPISODES, plan, folder=tmp_path / name)
        found.append(weights(tmp_path / name))
    at_once, in_parts = found
    for name, value in at_once.items():
        assert torch.allclose(value, in_parts[name], atol=1e-5), name


def test_training_learns_and_keeps_the_best_check(tmp_path):
    """Nine episodes are learned by heart; the reader in memory and in the folder are the same."""
    reader = FusionReader.load(build_tiny_t5(tmp_path / "plain"), device="cpu")
    plan = FineTuning(steps=60, learning_rate=5e-3, batch=9, check_every=15, patience=2)
    report = train(reader, EPISODES, plan, folder=tmp_path / "out", validation=EPISODES)
    accuracies = [check.accuracy for check in report.checks]
    assert max(accuracies) > 0.7 > 1 / 3
    assert report.stopped_early or report.steps == 60
    share = sum(reader.is_right(episode) for episode in EPISODES) / len(EPISODES)
    assert share == max(accuracies)
    saved = FusionReader.load(tmp_path / "out", device="cpu")
    query, evidence = EPISODES[0].query, EPISODES[0].evidence
    assert saved.log_probs(query, evidence, COLOURS) == reader.log_probs(query, evidence, COLOURS)


@pytest.mark.thorough
def test_patience_ends_a_training_without_a_gain(fresh, tmp_path):
    """A single label is always right, so that no later check is better than the first."""
    easy = [replace(each, labels=(each.answer,)) for each in EPISODES]
    plan = replace(PLAN, steps=20, check_every=1, patience=3)
    report = train(fresh(), EPISODES, plan, folder=tmp_path / "early", validation=easy)
    assert (report.steps, report.stopped_early) == (4, True)
    assert [check.accuracy for check in report.checks] == [1.0] * 4
    only_first = train(
        fresh(), EPISODES, replace(plan, patience=0), folder=tmp_path / "late", validation=easy
    )
    assert (only_first.steps, only_first.stopped_early) == (20, False)


def test_the_rate_rises_and_falls_to_its_last_step():
    plan = FineTuning(steps=100, learning_rate=1e-3)
    rates = [plan.rate(step) for step in range(100)]
    assert rates[:6] == pytest.approx([2e-4, 4e-4, 6e-4, 8e-4, 1e-3, 1e-3])
    assert rates[5:] == sorted(rates[5:], reverse=True)
    assert rates[99] == pytest.approx(1e-3 / 95)
    assert FineTuning(steps=1, learning_rate=1e-3).rate(0) == 1e-3


def test_each_episode_is_met_before_any_again(fresh, tmp_path):
    """Two passes over nine episodes in six steps of three, each pass in an order of its own."""
    asked = []

    class Counting(FusionReader):
        def losses(self, episodes):
            asked.extend(each.query + each.answer for each in episodes)
            return super().losses(episodes)

    plain = fresh()
    reader = Counting(
        plain.network, plain.tokenizer, name="counting", fingerprint="0" * 32, window=128
    )
    train(reader, EPISODES, replace(PLAN, steps=6, batch=3), folder=tmp_path)
    every = sorted(each.query + each.answer for each in EPISODES)
    assert sorted(asked[:9]) == sorted(asked[9:]) == every
    assert asked[:9] != asked[9:]


def test_the_checkpoint_is_safetensors_and_says_where_it_is(fresh, tmp_path):
    with pytest.raises(Cancelled):
        train(
            fresh(), EPISODES, PLAN, folder=tmp_path, watcher=Watcher(cancelled=stopping_after(4))
        )
    with safe_open(tmp_path / "checkpoint.safetensors", framework="pt") as file:
        about = json.loads(file.metadata()["training"])
        names = set(file.keys())
    assert about["progress"]["step"] == 4
    assert about["belongs_to"]["learning_rate"] == 1e-3
    assert {"network.shared.weight", "optimiser.0.exp_avg", "optimiser.0.step"} <= names


def test_another_training_does_not_go_on_from_a_checkpoint(fresh, tmp_path):
    train(fresh(), EPISODES, PLAN, folder=tmp_path)
    with pytest.raises(InvalidInput, match="contains a training with another learning_rate"):
        train(fresh(), EPISODES, replace(PLAN, learning_rate=1e-4), folder=tmp_path)
    with pytest.raises(InvalidInput, match="contains a training with another episodes"):
        train(fresh(), EPISODES[1:], PLAN, folder=tmp_path)
    with pytest.raises(InvalidInput, match="contains a training with another validation"):
        train(fresh(), EPISODES, PLAN, folder=tmp_path, validation=EPISODES[:1])


@pytest.mark.parametrize("damage", [b"", b"\x00" * 64])
def test_a_damaged_checkpoint(fresh, tmp_path, damage):
    (tmp_path / "checkpoint.safetensors").write_bytes(damage)
    with pytest.raises(InvalidInput, match="is damaged; remove it to start over"):
        train(fresh(), EPISODES, PLAN, folder=tmp_path)


def test_what_cannot_be_trained_on_is_refused_before_anything_is_written(fresh, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(InvalidInput, match="There is no episode to train on"):
        train(fresh(), (), PLAN, folder=out)
    long = Episode("Where is it?", ("nobody knows " * 90,), "Paris")
    with pytest.raises(InvalidInput, match="The evidence 'nobody knows .* window is 128"):
        train(fresh(), [*EPISODES, long], PLAN, folder=out)
    with pytest.raises(InvalidInput, match="The evidence 'nobody knows .* window is 128"):
        train(fresh(), EPISODES, PLAN, folder=out, validation=[long])
    assert not out.exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": 0}, "The steps 0 was given; it must be a whole number from 1"),
        ({"batch": 0}, "The batch 0 was given"),
        ({"accumulation": -1}, "The accumulation -1 was given"),
        ({"check_every": 0}, "The check every 0 was given"),
        ({"patience": -1}, "The patience -1 was given; it must be 0 or more"),
        ({"learning_rate": 0.0}, "The learning rate 0 was given; it must be above 0"),
        ({"learning_rate": float("nan")}, "The learning rate nan was given"),
        ({"learning_rate": 1.0}, "The learning rate 1 was given"),
    ],
)
def test_knobs_out_of_range(given, message):
    with pytest.raises(InvalidInput, match=message):
        FineTuning(**given)


def test_random_numbers_of_the_process_are_as_before(fresh, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(fresh(), EPISODES, replace(PLAN, steps=1), folder=tmp_path)
    assert torch.equal(torch.rand(3), expected)
