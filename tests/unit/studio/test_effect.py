"""The effect of a context on a model, over lambda_d as well, and how the latest one is kept."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from core.background import Job
from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import InvalidInput
from core.language_model import AnswerRequest
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.explore.effect import (
    diversity_curve,
    effect_of,
    pieces_of,
    query_curve,
)
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.latest import LatestResults
from core.studio.explore.slots import EffectNow
from core.watcher import Watcher
from tests.unit.studio.exploring import QUERY, ROWS, Asked, drafts, wait_for


class WithoutTokens(Asked):
    """A language model whose tokens the last answer has none of."""

    def without_tokens(self, prompt, answers):
        return answers[-1:]


@pytest.fixture
def model(request, load_once, tiny_lm_folder):
    """The tiny language model as one of these kinds."""
    return getattr(request, "param", Asked)(load_once(str(tiny_lm_folder)))


@pytest.fixture
def studio(tmp_path, encoder, model, workspace_with):
    workspace_with(tmp_path / "workspace", "small", drafts())
    with Studio.open(
        tmp_path / "workspace",
        load_encoder=lambda name: encoder,
        load_model=lambda name: model,
    ) as opened:
        yield opened


@pytest.fixture
def setup(studio, tiny_lm_folder):
    chosen = Setup("small", None, str(tiny_lm_folder))
    studio.language_model(chosen.model)
    return chosen


@pytest.fixture
def latest(studio):
    return LatestResults(studio, pause=0.0)


@pytest.fixture
def asked(setup):
    _, answers, incorrect = ROWS[0]
    return ExploreRequest(
        setup,
        QUERY,
        Knobs(method="rel+div", k=2),
        leave_out=True,
        answers=answers,
        incorrect=incorrect_answers(incorrect),
    )


def effect_in(studio, request):
    """The effect of the request's own context, by the model."""
    prompt = explore(resolve(studio, request)).prompt
    return effect_of(request, studio.engine(request.setup), prompt)


def known_effect(resolved, prompt):
    """The same as the store has it; None where it does not."""
    return resolved.if_stored(lambda engine: effect_of(resolved.request, engine, prompt))


def log_sigmoid(x):
    return -math.log1p(math.exp(-x))


def run_curve(studio, request):
    """The finished curve and everything that was published on the way."""
    seen = []

    def work(job):
        publish = job.publish
        job.publish = lambda partial: (seen.append(partial), publish(partial))
        engine = studio.engine(request.setup)
        return query_curve(resolve(studio, request), engine, job.watcher())

    job = studio.model_worker.submit("test", "", work)
    assert job.wait(60)
    assert job.state == "finished", job.error
    return job.result, seen


def test_the_figures_are_those_of_the_definition(studio, setup, asked):
    prompt = explore(resolve(studio, asked)).prompt
    effect = effect_of(asked, studio.engine(asked.setup), prompt)
    model = studio.language_model(setup.model)
    texts = [f" {text}" for text in asked.example.texts]
    (alone,), (after,) = (
        model.log_probs([AnswerRequest(p, tuple(texts))]) for p in (f"Q: {QUERY}\nA:", prompt)
    )
    assert [row.text for row in effect.rows] == list(asked.example.texts)
    assert [row.correct for row in effect.rows] == [True, True, False, False]
    for row, a, b in zip(effect.rows, alone, after, strict=True):
        assert row.alone.tokens == pytest.approx(a.tokens, abs=1e-4)
        assert row.with_context.tokens == pytest.approx(b.tokens, abs=1e-4)
        assert row.change == pytest.approx(b.total - a.total, abs=1e-3)
    changes = [row.change for row in effect.rows]
    deltas = [changes[a] - changes[b] for a in (0, 1) for b in (2, 3)]
    dpo = sum(log_sigmoid(x) for x in deltas)
    assert effect.triples == 4
    assert effect.delta == pytest.approx(sum(deltas) / 4)
    assert effect.dpo == pytest.approx(dpo)
    assert effect.dpo_per_triple == pytest.approx(dpo / 4)
    assert effect.dpo_correct_only is None


def test_dpo_by_kind_is_told_over_the_answers_of_that_kind(studio, asked):
    request = replace(asked, incorrect=incorrect_answers(ROWS[0][2], ["flat", "myth"]))
    effect = effect_in(studio, request)
    assert [row.kind for row in effect.rows] == ["", "", "flat", "myth"]
    first, second, flat, myth = (row.change for row in effect.rows)
    for kind, change in (("flat", flat), ("myth", myth)):
        expected = (log_sigmoid(first - change) + log_sigmoid(second - change)) / 2
        assert effect.by_kind[kind] == pytest.approx(expected)
    assert sum(effect.by_kind.values()) / 2 == pytest.approx(effect.dpo_per_triple)
    unnamed = effect_in(studio, asked)
    assert unnamed.by_kind == {}


def test_without_a_context_there_is_no_effect(studio, asked):
    request = asked.with_knobs(method="none")
    effect = effect_in(studio, request)
    assert [row.change for row in effect.rows] == [0.0] * 4
    assert effect.delta == 0.0
    assert effect.dpo == pytest.approx(-4 * math.log(2))
    assert effect.dpo_per_triple == pytest.approx(-math.log(2))


def test_without_incorrect_answers_only_the_correct_ones_count(studio, asked):
    request = replace(asked, incorrect=())
    effect = effect_in(studio, request)
    expected = sum(log_sigmoid(row.change) for row in effect.rows)
    assert effect.dpo_correct_only == pytest.approx(expected)
    assert (effect.triples, effect.dpo, effect.dpo_per_triple, effect.delta) == (
        0,
        None,
        None,
        None,
    )
    change = sum(row.change for row in effect.rows)
    assert effect.gain_per_answer == pytest.approx(change / len(effect.rows))
    assert effect.gain_per_token == pytest.approx(
        change / sum(row.alone.n_tokens for row in effect.rows)
    )


def test_answers_are_needed(studio, asked):
    with pytest.raises(InvalidInput, match="no correct answer"):
        effect_of(replace(asked, answers=()), studio.engine(asked.setup), "Q:")


def test_what_is_known_needs_no_model(studio, asked, model):
    prompt = explore(resolve(studio, asked)).prompt
    assert known_effect(resolve(studio, asked), prompt) is None
    effect = effect_of(asked, studio.engine(asked.setup), prompt)
    model.pairs.clear()
    assert known_effect(resolve(studio, asked), prompt) == effect
    assert known_effect(resolve(studio, replace(asked, setup=Setup("small"))), prompt) is None
    assert model.pairs == []


def test_tokens_have_their_text(studio, asked):
    prompt = explore(resolve(studio, asked)).prompt
    effect = effect_of(asked, studio.engine(asked.setup), prompt)
    for row in effect.rows:
        pieces = pieces_of(resolve(studio, asked), prompt, row.text)
        assert "".join(pieces) == f" {row.text}"
        assert len(pieces) == row.with_context.n_tokens
    assert pieces_of(resolve(studio, replace(asked, setup=Setup("small"))), prompt, "No") == ()


def test_the_curve_is_that_of_each_lambda_d(studio, asked):
    """Against `explore` at 201 values of lambda_d, which knows nothing of pieces."""
    curve, seen = run_curve(studio, asked)
    pieces = curve.pieces
    assert (pieces[0].low, pieces[-1].high) == (0.0, 1.0)
    assert [piece.high for piece in pieces[:-1]] == [piece.low for piece in pieces[1:]]
    for at in range(201):
        lambda_d = at / 200
        if any(abs(lambda_d - piece.low) < 1e-6 for piece in pieces):
            continue
        piece = next(each for each in reversed(pieces) if each.low <= lambda_d)
        request = asked.with_knobs(lambda_d=lambda_d)
        found = explore(resolve(studio, request))
        effect = known_effect(resolve(studio, request), found.prompt)
        assert effect is not None
        assert piece.ids == tuple(pick.id for pick in found.picks)
        assert piece.diversity == pytest.approx(found.diversity)
        for name in ("dpo", "dpo_per_triple", "delta"):
            assert getattr(piece, name) == pytest.approx(getattr(effect, name))
        assert piece.dpo_correct_only is None
    sets = {frozenset(piece.ids) for piece in pieces}
    assert curve.distinct_sets == curve.total_sets == len(sets) > 2
    # It fills in: nothing first, then one distinct set more each time, the widest first.
    assert [each.distinct_sets for each in seen] == list(range(len(sets) + 1))
    known = [sum(p.high - p.low for p in each.pieces if p.dpo is not None) for each in seen]
    assert (known[0], known[-1]) == (0.0, pytest.approx(1.0))
    widths = [after - before for before, after in pairwise(known)]
    assert widths == sorted(widths, reverse=True)
    assert all(len(each.pieces) == len(pieces) for each in seen)


def test_a_method_that_holds_lambda_d_has_one_piece(studio, asked):
    curve, _ = run_curve(studio, asked.with_knobs(method="rel"))
    found = explore(resolve(studio, asked.with_knobs(method="rel")))
    (piece,) = curve.pieces
    assert (piece.low, piece.high) == (0.0, 1.0)
    assert piece.ids == tuple(pick.id for pick in found.picks)


def test_each_distinct_set_is_scored_once(studio, asked, model):
    curve, _ = run_curve(studio, asked)
    pairs = list(model.pairs)
    assert len(pairs) == len(set(pairs)) == 4 * (curve.total_sets + 1)
    run_curve(studio, asked)
    assert model.pairs == pairs


def test_diversity_alone_needs_no_model(studio, asked):
    curve, _ = run_curve(studio, asked)
    shape = diversity_curve(resolve(studio, replace(asked, setup=Setup("small"), answers=())))
    assert [p.diversity for p in shape.pieces] == [p.diversity for p in curve.pieces]
    assert [p.ids for p in shape.pieces] == [p.ids for p in curve.pieces]
    assert {p.dpo for p in shape.pieces} == {None}
    assert (shape.distinct_sets, shape.total_sets) == (0, curve.total_sets)


def test_the_stored_curve_is_the_same_and_needs_no_model(studio, asked, model):
    resolved = resolve(studio, asked)
    assert resolved.if_stored(lambda engine: query_curve(resolved, engine)) is None
    curve, _ = run_curve(studio, asked)
    model.pairs.clear()
    stored, seen = replace(resolved, now=replace(resolved.now, model=None)), []
    watcher = Watcher(on_partial=seen.append)
    found = stored.if_stored(lambda engine: query_curve(stored, engine, watcher))
    assert found == curve
    assert [each.distinct_sets for each in seen] == [0, curve.total_sets], "read at once"
    longer = replace(asked, answers=(*asked.answers, "another"))
    other = resolve(studio, longer)
    assert other.if_stored(lambda engine: query_curve(other, engine)) is None
    assert model.pairs == []


def test_a_cancelled_curve_keeps_what_was_scored(studio, asked):
    def work(job: Job):
        publish = job.publish

        def stop_after_two(partial):
            publish(partial)
            if partial.distinct_sets == 2:
                job.cancel()

        job.publish = stop_after_two
        engine = studio.engine(asked.setup)
        return query_curve(resolve(studio, asked), engine, job.watcher())

    job = studio.model_worker.submit("test", "", work)
    assert job.wait(60)
    assert (job.state, job.partial.distinct_sets) == ("cancelled", 2)
    last = [p for p in job.partial.pieces if p.dpo is not None][-1]
    request = asked.with_knobs(lambda_d=(last.low + last.high) / 2)
    assert (
        known_effect(resolve(studio, request), explore(resolve(studio, request)).prompt) is not None
    )


def test_a_query_longer_than_the_window_fails_with_a_sentence(studio, asked, latest):
    long = replace(asked, answers=("very long " * 200,))
    now = wait_for(lambda: (now := latest.curve(resolve(studio, long))).complete and now)
    assert now.job.state == "failed"
    assert "window of 256 tokens" in now.job.error


@pytest.mark.parametrize("model", [WithoutTokens], indirect=True)
def test_an_answer_without_tokens_fails_with_a_sentence(studio, asked, model, latest):
    now = wait_for(lambda: (now := latest.curve(resolve(studio, asked))).complete and now)
    assert now.job.state == "failed"
    assert (
        f"The answer {asked.incorrect[-1].text!r} has no tokens for {model.name}" in now.job.error
    )


def test_moving_lambda_d_does_not_restart_the_curve(studio, asked, latest):
    first = latest.curve(resolve(studio, asked))
    assert latest.curve(resolve(studio, asked.with_knobs(lambda_d=0.1))).job.id == first.job.id
    done = wait_for(lambda: (now := latest.curve(resolve(studio, asked))).complete and now)
    assert done.job.state == "finished"
    assert done.curve == run_curve(studio, asked)[0]
    assert latest.curve(resolve(studio, asked.with_knobs(lambda_d=0.9))).curve is done.curve
    assert latest.steps(resolve(studio, asked.with_knobs(lambda_d=0.9))) is latest.steps(
        resolve(studio, asked)
    )


@pytest.mark.parametrize(
    "change", [{"knobs": Knobs("rel+div", 3)}, {"query": ROWS[2][0]}, {"knobs": Knobs(k=2)}]
)
def test_anything_else_starts_it_anew(studio, asked, change, latest):
    first = latest.curve(resolve(studio, asked))
    changed = replace(asked, **change)
    assert latest.curve(resolve(studio, changed)).job.id != first.job.id
    done = wait_for(lambda: (now := latest.curve(resolve(studio, changed))).complete and now)
    assert done.job.state == "finished"


def test_a_changed_pool_starts_it_anew(studio, asked, latest):
    first = latest.curve(resolve(studio, asked))
    studio.store.demonstrations.add(studio.store.pools.get("small").id, [Draft("New?", "Yes")])
    assert latest.curve(resolve(studio, asked)).job.id != first.job.id


def test_the_curve_of_diversity_is_there_before_any_scoring(studio, asked, latest):
    without = latest.curve(resolve(studio, replace(asked, answers=())))
    assert (without.job, without.complete) == (None, True)
    assert without.curve == diversity_curve(resolve(studio, asked))
    assert latest.curve(resolve(studio, replace(asked, setup=Setup("small")))).job is None


def test_the_effect_comes_from_the_store_once_it_is_known(studio, asked, model, latest):
    prompt = explore(resolve(studio, asked)).prompt
    model.may_answer.clear()
    first = latest.effect(resolve(studio, asked), prompt)
    assert first.effect is None
    assert first.job is not None
    model.may_answer.set()
    now = wait_for(lambda: (now := latest.effect(resolve(studio, asked), prompt)).effect and now)
    assert now.effect == effect_of(asked, studio.engine(asked.setup), prompt)
    assert LatestResults(studio).effect(resolve(studio, asked), prompt).job is None
    nothing = latest.effect(resolve(studio, replace(asked, answers=())), prompt)
    assert (nothing.effect, nothing.job, nothing.complete) == (None, None, True)


def test_a_known_effect_is_read_once_for_each_prompt(studio, asked, latest):
    other = asked.with_knobs(lambda_d=0.0)
    prompt, second = explore(resolve(studio, asked)).prompt, explore(resolve(studio, other)).prompt
    assert prompt != second
    want = [effect_of(asked, studio.engine(asked.setup), each) for each in (prompt, second)]
    read = []
    for request, text, effect in (
        (asked, prompt, want[0]), (asked, prompt, want[0]), (other, second, want[1]),
        (other, second, want[1]), (asked, prompt, want[0]),
    ):  # fmt: skip
        now = latest.effect(resolve(studio, request), text)
        assert now == EffectNow(effect=effect, job=None)
        if not read or now.effect is not read[-1]:  # each reading makes another object
            read.append(now.effect)
    assert read == [want[0], want[1], want[0]]


def test_the_latest_answers_win(studio, asked, latest):
    prompts = [f"Q: {number}\nA:" for number in range(3)]
    jobs = [latest.effect(resolve(studio, asked), prompt).job for prompt in prompts]
    assert len({job.id for job in jobs}) == 3
    now = wait_for(
        lambda: (now := latest.effect(resolve(studio, asked), prompts[2])).effect and now
    )
    assert now.effect == effect_of(asked, studio.engine(asked.setup), prompts[2])


def test_cancelling_stays_until_it_is_tried_again(studio, asked, model, latest):
    model.may_answer.clear()
    latest.curve(resolve(studio, asked))
    latest.cancel_curve()
    model.may_answer.set()
    stopped = wait_for(lambda: (now := latest.curve(resolve(studio, asked))).complete and now)
    assert stopped.job.state == "cancelled"
    assert {p.dpo for p in stopped.curve.pieces} == {None}
    assert latest.curve(resolve(studio, asked)).job.id == stopped.job.id
    latest.try_again()
    again = wait_for(lambda: (now := latest.curve(resolve(studio, asked))).complete and now)
    assert again.job.state == "finished"


def test_leaving_stops_what_runs_and_what_waits(studio, asked):
    latest = LatestResults(studio, pause=600.0)
    latest.curve(resolve(studio, asked))
    latest.effect(resolve(studio, asked), "Q: x\nA:")
    jobs = studio.model_worker.jobs()
    latest.close()
    assert studio.model_worker.jobs() == []
    assert [job.wait(60) for job in jobs] == [True, True]
    assert [job.state for job in jobs] == ["cancelled", "cancelled"]


def test_two_visits_do_not_cancel_each_other(studio, asked):
    one, other = (LatestResults(studio, pause=0.0) for _ in range(2))
    one.curve(resolve(studio, asked))
    other.curve(resolve(studio, asked.with_knobs(k=3)))
    for latest, request in ((one, asked), (other, asked.with_knobs(k=3))):
        now = wait_for(
            lambda v=latest, r=request: (now := v.curve(resolve(studio, r))).complete and now
        )
        assert now.job.state == "finished"


def test_methods_that_hold_lambda_d_have_no_steps(studio, asked, latest):
    assert latest.steps(resolve(studio, asked.with_knobs(method="rel"))) == ()
    assert latest.steps(resolve(studio, asked.with_knobs(method="random"))) == ()
    assert latest.steps(resolve(studio, asked))[0].low == 0.0


def test_a_job_that_is_overtaken_in_its_pause_ends_there(studio, asked, model):
    latest = LatestResults(studio, pause=600.0)
    latest.effect(resolve(studio, asked), "Q: x\nA:")
    (job,) = studio.model_worker.jobs()
    wait_for(lambda: job.state == "running")
    latest.effect(resolve(studio, asked), "Q: y\nA:")
    assert job.wait(60)
    assert job.state == "cancelled"
    assert model.pairs == []
