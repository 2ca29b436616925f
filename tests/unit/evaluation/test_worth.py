"""What each demonstration is worth: what changes where it is excluded, checked by excluding it."""

import hashlib
import json

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.results.run_figures import End
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.runs.running import RunOptions
from core.evaluation.runs.worth import Worth, worth
from core.interval import Sign
from core.metrics import METRICS
from core.metrics.bounds.intervals import paired_difference
from core.retrieval.knobs import Knobs
from core.store.records import Change
from core.text import normalised
from core.watcher import NOBODY, Watcher
from tests.support.gated import gated
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel, ScriptedLanguageModel


class Untied(HashingEncoder):
    """Different texts never tie but by rounding, which would resolve them by the pool's size."""

    def _counts(self, text):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        return super()._counts(text) + np.random.default_rng(seed).normal(0, 0.05, self.dimensions)


def found(bench, knobs, *, examples=None, watcher=NOBODY, **options):
    return worth(
        bench.store,
        bench.view(),
        bench.engine(),
        bench.examples() if examples is None else examples,
        bench.encoder,
        knobs,
        options=RunOptions(**options),
        watcher=watcher,
    )


def evaluated(bench, knobs, examples, **options):
    """The outcomes of the examples by their query, as the pool is now."""
    result = evaluate(
        bench.store,
        bench.view(),
        bench.engine(),
        examples,
        bench.encoder,
        {"it": knobs},
        options=EvaluationOptions(**options),
    )
    outcomes = result.methods["it"].outcomes
    return {each.query: outcome for each, outcome in zip(result.examples, outcomes, strict=True)}


def set_status(store, id, status):
    (row,) = store.demonstrations.by_ids([id])
    store.demonstrations.change([Change(id, row.revision, status=status)], what="a test")


@pytest.mark.parametrize(
    "knobs",
    gated(
        [
            Knobs("rel+div", 3, lambda_d=0.75),
            Knobs("rel", 2, one_per_query=True),
            Knobs("rel", 1),
            Knobs("rel", 3),
            Knobs("rel+div", 3, lambda_d=0.0),
            Knobs("rel+div+bias", 3, lambda_d=0.75, lambda_b=0.5),
            Knobs("vrsd", 3),
        ],
        first=2,
    ),
    ids=str,
)
def test_it_is_what_changes_where_the_demonstration_is_excluded(bench, knobs):
    bench.encoder = Untied(name="untied")
    bench.score_quality()
    examples = bench.examples()
    summary = found(bench, knobs, examples=examples).summary()
    whole = evaluated(bench, knobs, examples)
    metric = METRICS[summary.metric]
    rows = bench.demonstrations()
    used = {id for outcome in whole.values() for id in outcome.ids}
    assert {each.id for each in summary.demonstrations} == used
    assert summary.unused == len(rows) - len(used)
    for each in summary.demonstrations:
        set_status(bench.store, each.id, Status.EXCLUDED)
        without = evaluated(bench, knobs, examples)
        asked = [query for query, outcome in whole.items() if each.id in outcome.ids]
        wanted = paired_difference(
            metric,
            [whole[query].scores for query in asked],
            [without[query].scores for query in asked],
        )
        assert each.worth.mean == pytest.approx(wanted.mean, abs=1e-9)
        assert each.worth.n == wanted.n <= len(asked)
        set_status(bench.store, each.id, Status.INCLUDED)


@pytest.fixture
def by_hand(store, bench):
    """Three queries, at k = 1: the next best for each is known, and what each context gains."""
    bench.pool = "hand"
    store.demonstrations.add(
        store.pools.create("hand").id,
        [
            Draft("the red house", "right", incorrect_answers(("wrong",))),
            Draft("the red house now", "good", incorrect_answers(("bad",))),
            Draft("a blue moon", "fine", incorrect_answers(("poor",))),
        ],
    )
    alone = {"right": -2.0, "wrong": -2.0, "good": -2.0, "bad": -2.0, "fine": -2.0, "poor": -2.0}
    gain = {"right": 1.0, "wrong": 0.0, "good": 0.0, "bad": 0.0, "fine": 0.0, "poor": 0.0}
    bench.model = ScriptedLanguageModel(alone, gain)
    return bench


def test_without_a_next_one_the_context_is_empty(by_hand):
    """Each gain counts once for each demonstration: with one the answer gains 1, with none 0."""
    examples = [each for each in by_hand.examples() if each.query == "the red house"]
    rows = {row.query: row for row in by_hand.demonstrations()}
    set_status(by_hand.store, rows["a blue moon"].id, Status.EXCLUDED)
    (only,) = found(by_hand, Knobs("rel", 1), examples=examples).summary().demonstrations
    assert only.id == rows["the red house now"].id
    assert only.worth.n == 1
    # log sigmoid(1) less log sigmoid(0).
    assert only.worth.mean == pytest.approx(-0.313262 + 0.693147, abs=1e-6)
    assert (only.worth.low, only.worth.high) == (None, None)
    assert only.worth.needed > 1


def test_with_one_that_does_as_well_it_is_worth_nothing(by_hand):
    examples = [each for each in by_hand.examples() if each.query == "the red house"]
    (only,) = found(by_hand, Knobs("rel", 1), examples=examples).summary().demonstrations
    assert only.worth.mean == 0.0


@pytest.mark.parametrize("k", [0, 1, 13, 14, 30])
def test_at_both_ends_of_k(bench, k):
    summary = found(bench, Knobs("rel", k)).summary()
    rows = bench.demonstrations()
    assert summary.unused == (len(rows) if k == 0 else len(rows) - len(summary.demonstrations))
    means = [each.worth.mean for each in summary.demonstrations]
    known = [mean for mean in means if mean is not None]
    assert means == [*sorted(known), *[None] * (len(means) - len(known))]
    if k >= len(rows):  # all but the example's own
        contexts = {each.id: each.worth.n for each in summary.demonstrations}
        comparable = [each for each in bench.examples() if each.incorrect]
        for row in rows:
            own = sum(normalised(each.query) == normalised(row.query) for each in comparable)
            assert contexts[row.id] == len(comparable) - own


def test_pinned_demonstrations_are_judged_as_well(bench):
    first = bench.demonstrations()[0]
    set_status(bench.store, first.id, Status.PINNED)
    summary = found(bench, Knobs("rel", 2)).summary()
    pinned = next(each for each in summary.demonstrations if each.id == first.id)
    assert pinned.worth.n > 1


def test_it_is_recorded_and_read_again_and_nothing_is_scored_twice(bench):
    scored = found(bench, Knobs("rel", 2), limit=5, seed=3)
    summary = scored.summary()
    stored = bench.store.runs.get(summary.run)
    assert (stored.kind, stored.state) == ("worth", "finished")
    assert Worth.from_json(json.loads(json.dumps(stored.result))) == summary
    assert summary.end is End.ALL
    assert summary.settings.request.k == 2
    assert bench.store.runs.rows(summary.run)
    asked = len(bench.model.asked)
    again = found(bench, Knobs("rel", 2), limit=5, seed=3).summary()
    assert again.demonstrations == summary.demonstrations
    assert again.language_model_calls == 0
    assert len(bench.model.asked) == asked


def test_one_that_is_stopped_keeps_what_was_scored(bench):
    seen = []
    watcher = Watcher(on_partial=seen.append, cancelled=lambda: len(seen) >= 2)
    with pytest.raises(Cancelled):
        found(bench, Knobs("rel", 2), watcher=watcher)
    pool = bench.store.pools.get("small").id
    kept = Worth.from_json(bench.store.runs.latest_to_show("worth", pool).result)
    assert kept.end is End.STOPPED
    assert kept.examples == seen[-1].summary().examples


def test_a_window_without_room_judges_only_what_is_in_the_prompt(bench):
    bench.model = FakeLanguageModel(window=20)
    scored = found(bench, Knobs("rel", 6))
    outcomes = [each.by_key[0] for each in scored.outcomes]
    assert any(each.left_out for each in outcomes)
    used = {id for each in outcomes for id in each.ids}
    assert {each.id for each in scored.summary().demonstrations} == used


def test_signs_are_counted(bench):
    summary = found(bench, Knobs("rel", 3)).summary()
    assert sum(map(summary.of_sign, Sign)) == len(summary.demonstrations)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(bench, limit):
    with pytest.raises(InvalidInput, match="limit"):
        found(bench, Knobs("rel", 2), limit=limit)


def test_without_examples_nothing_can_be_judged(bench):
    with pytest.raises(InvalidInput, match="no queries"):
        found(bench, Knobs("rel", 2), examples=[])


def test_a_method_that_chooses_nothing_is_refused(bench):
    with pytest.raises(InvalidInput, match="'none' chooses no demonstrations"):
        found(bench, Knobs("none", 2))
