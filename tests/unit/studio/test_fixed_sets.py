"""Searching for a fixed set: scored on the rest, judged on what was held out, kept in the store."""

import math

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.runs.crossvalidation import FixedSets, HeldOut, Payoff, ranked_sets
from core.language_model import Abilities
from core.reporting.tables.worth import fixed_grounds, fixed_headline, sets_table
from core.studio import Setup
from core.studio.pools.demonstrations import fixed, name_fixed
from core.studio.runs.adaptive import RUNS, FixedRequest, contexts_about, find_fixed, resumed
from core.types import LogProb
from core.watcher import NOBODY, Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

N = 24
SETUP = Setup("small", None, "fake")
GOOD = "Answer 7"


class LikesSeven(FakeLanguageModel):
    """A model that finds any correct answer more likely, the more of the prompt is about seven."""

    abilities = Abilities()

    def log_prob(self, prompt, answer):
        right = 1.0 if GOOD in prompt else 0.0
        total = right - 3.0 if answer.strip().startswith("Answer") else -2.5
        return LogProb(total, 1, (total,))


@pytest.fixture
def load_model():
    model = LikesSeven()
    return lambda name: model


@pytest.fixture
def pool_drafts():
    wrong = incorrect_answers(("Never",))
    return [Draft(f"Question {n}?", f"Answer {n}", wrong) for n in range(N)]


def search(studio, watcher=NOBODY, **options):
    return find_fixed(studio, FixedRequest(setup=SETUP, **options), watcher)


def triple(delta):
    return -math.log1p(math.exp(-delta))


def test_the_best_set_has_the_demonstration_that_helps(studio):
    found = search(studio, sets=20, k=3)
    view = studio.view(SETUP)
    answers = {int(id): answer for id, answer in zip(view.ids, view.answers, strict=True)}
    having = [GOOD in [answers[id] for id in each.ids] for each in found.sets]
    assert any(having)
    assert having == sorted(having, reverse=True)
    for each, has in zip(found.sets, having, strict=True):
        assert len(set(each.ids)) == 3
        assert each.value.n == found.choosing - 3
        assert each.value.mean == pytest.approx(triple(1.0 if has else 0.0))
    assert found.choosing + found.held_out == N
    assert found.set_aside == 0
    assert found.value.mean == pytest.approx(triple(1.0))
    assert found.mean == pytest.approx(np.mean([each.value.mean for each in found.sets]))
    assert list(found.present) == [row.id for row in fixed(studio, "small")][:3]
    assert found.metric == "dpo_per_triple"
    assert FixedSets.from_json(found.to_json()) == found


def test_against_the_present_set(studio):
    view = studio.view(SETUP)
    by_answer = {answer: int(id) for id, answer in zip(view.ids, view.answers, strict=True)}
    without = [by_answer[f"Answer {n}"] for n in (0, 1, 2)]
    name_fixed(studio, "small", without)
    found = search(studio, sets=20, k=3)
    assert found.present == tuple(without)
    assert found.present_value.mean == pytest.approx(triple(0.0))
    assert found.gain.mean == pytest.approx(triple(1.0) - triple(0.0))
    name_fixed(studio, "small", list(found.best.ids))
    assert [row.id for row in fixed(studio, "small")] == list(found.best.ids)
    again = search(studio, sets=20, k=3)
    assert again.worth is Payoff.SAME
    assert fixed_headline(again) == "The best set does what the present one does."


def test_no_held_out_query_is_in_a_set_and_nothing_is_scored_twice(studio):
    found = search(studio, sets=6, k=2)
    model = studio.language_model("fake")
    asked = len(model.asked)
    assert asked
    assert search(studio, sets=6, k=2) == found
    assert len(model.asked) == asked
    drawn = {id for each in found.sets for id in each.ids}
    assert len(drawn) <= found.choosing
    assert search(studio, sets=6, k=2, seed=1).sets != found.sets
    more = search(studio, sets=8, k=2)  # the first six are the same
    assert {each.ids for each in found.sets} <= {each.ids for each in more.sets}


def test_both_ends(studio):
    one = search(studio, sets=1, k=1)
    assert len(one.sets) == 1
    most = search(studio, sets=2, k=one.choosing - 2)
    assert {each.value.n for each in most.sets} == {2}
    with pytest.raises(InvalidInput, match="could choose among sets of"):
        search(studio, sets=2, k=one.choosing - 1)
    for share in (0.0, 1.0):
        with pytest.raises(InvalidInput, match="held-out share is"):
            search(studio, held_out=share)
    with pytest.raises(InvalidInput, match="n is 0"):
        search(studio, sets=0, k=1)
    with pytest.raises(InvalidInput, match="could judge"):
        search(studio, limit=2, k=1)


def test_one_of_each_group_and_only_what_can_be_judged(studio):
    pool = studio.store.pools.get("small").id
    studio.store.demonstrations.add(
        pool,
        [
            Draft("QUESTION 3?", "Answer 100", incorrect_answers(("Never",))),
            Draft("Another question?", "answer 5", incorrect_answers(("Never",))),
            Draft("Without a wrong one?", "Answer 200"),
        ],
    )
    found = search(studio, sets=2, k=1)
    assert found.set_aside == 3
    assert found.choosing + found.held_out == N
    assert "3 examples were not used" in fixed_grounds(found)[-1]


def test_in_the_background_and_stopped(studio):
    job = RUNS.start(studio, FixedRequest(setup=SETUP, sets=3, k=2))
    assert RUNS.job(studio, "small") is job
    assert job.wait(60)
    assert job.snapshot().result == search(studio, sets=3, k=2)
    seen = []
    search(studio, Watcher(on_progress=lambda done, total: seen.append((done, total))), sets=3, k=2)
    assert seen[-1][0] == seen[-1][1]
    with pytest.raises(Cancelled):
        search(studio, Watcher(cancelled=lambda: True), sets=3, k=2)


def test_a_search_is_recorded_and_goes_on_after_a_kill(studio):
    request = FixedRequest(setup=SETUP, sets=3, k=2, limit=9, held_out=0.4, seed=3)
    found = find_fixed(studio, request, Watcher())
    assert RUNS.latest(studio, "small") == found
    (run,) = studio.store.runs.latest(RUNS.name, studio.store.pools.get("small").id)
    assert run.state == "finished"
    assert RUNS.unfinished(studio, "small") is None
    studio.store.runs.set_state(run.id, "running")
    settings = RUNS.unfinished(studio, "small")
    assert (settings.size, settings.model) == (9, "fake")
    assert resumed(SETUP, settings) == request
    assert contexts_about(studio, request) == round(9 * (0.6 * 3 + 0.4 * 2))


def test_the_words_say_that_the_best_of_many_looks_too_good(studio):
    found = search(studio, sets=20, k=3)
    winner = fixed_grounds(found)[1]
    assert "the best of 20 on the very examples that chose it" in winner
    assert "winner's curse" in winner
    table = sets_table(found)
    assert table.values("rank") == tuple(range(1, 21))
    assert table.values("demonstrations")[0] == ", ".join(map(str, found.best.ids))


def test_ranks_and_ties_by_hand():
    table = np.array([[np.nan, -2.0, -1.0], [-1.0, np.nan, -2.0], [0.0, -1.0, np.nan]])
    ranked = ranked_sets([[1], [2], [3]], table)
    assert [each.ids for each in ranked] == [(3,), (1,), (2,)]
    assert [each.value.mean for each in ranked] == [-0.5, -1.5, -1.5]


def test_what_the_held_out_examples_show():
    better = np.linspace(-2.0, -1.0, 40)
    noise = np.random.default_rng(0).normal(scale=0.05, size=40)
    assert HeldOut(better, better - 0.5 + noise).worth is Payoff.GAINS
    assert HeldOut(better - 0.5 + noise, better).worth is Payoff.LOSES
    assert HeldOut(better, better + noise).worth is Payoff.UNCLEAR
    assert HeldOut(better, better).worth is Payoff.SAME
    assert HeldOut.of([-1.0, -2.0], [-2.0, -2.0]).worth is Payoff.TOO_FEW
