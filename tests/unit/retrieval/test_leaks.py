"""What gives an answer away under another query: found by brute force, and left out of choices.

What has a query that is much the same does so, too: `test_near_queries.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import Draft
from core.retrieval.candidates import choose_from_candidates
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.knobs import Knobs
from core.retrieval.lambda_path import context_path
from core.retrieval.near_queries import LABEL_LEAST, LABEL_QUERIES, LABEL_SHARE, AnswerIndex
from core.retrieval.pool_view import QualityKey, load_pool_view, with_quality
from core.text import normalised
from tests.contracts.test_method_contract import two_settings, undecided_after_low_ids
from tests.unit.retrieval.test_candidates import made_up_view


def brute_force(pairs, query, answers):
    """Positions of the leaks among (query, answer) pairs, as docs/evaluation.md gives the rule."""
    wanted = {normalised(answer) for answer in answers}
    every_query = {normalised(q) for q, _ in pairs}

    def is_label(answer):
        sharing = {normalised(q) for q, a in pairs if normalised(a) == normalised(answer)}
        share = len(sharing) / len(every_query)
        return len(sharing) >= 10 or (len(sharing) >= 3 and share >= 0.1)

    return [
        place
        for place, (q, a) in enumerate(pairs)
        if normalised(q) != normalised(query) and normalised(a) in wanted and not is_label(a)
    ]


QUERY = st.sampled_from([f"query {i}" for i in range(14)] + ["QUERY  3", "query\u200b 4"])
ANSWER = st.sampled_from(["yes", "Yes", "no", "in\u00adk", "ink", "a b", "a  b", "x", "y", "z"])


@given(st.lists(st.tuples(QUERY, ANSWER), min_size=1, max_size=60), QUERY, st.sets(ANSWER))
def test_leaks_are_those_of_the_stated_rule(pairs, query, answers):
    numbers = {}
    groups = np.array([numbers.setdefault(normalised(q), len(numbers)) for q, _ in pairs])
    index = AnswerIndex([answer for _, answer in pairs], groups)
    own = np.equal(groups, numbers.get(normalised(query), -1))
    found = np.flatnonzero(index.same_answer(sorted(answers)) & ~own).tolist()
    assert found == brute_force(pairs, query, answers)


@pytest.mark.parametrize(
    ("sharing", "queries", "leaks"),
    [(2, 2, True), (2, 5, True), (3, 30, False), (3, 31, True), (9, 1000, True), (10, 1000, False)],
)
def test_an_answer_of_many_queries_is_a_label(sharing, queries, leaks):
    assert (LABEL_QUERIES, LABEL_SHARE, LABEL_LEAST) == (10, 0.1, 3)
    answers = [f"answer {i}" if i >= sharing else "Shared " for i in range(queries)]
    index = AnswerIndex(answers, np.arange(queries))
    assert index.same_answer(["shared"]).sum() == (sharing if leaks else 0)
    assert index.same_answer([answers[-1]])[-1] == (queries > sharing or leaks)


def test_a_pool_of_labels_has_no_leaks():
    answers = ["yes", "no"] * 20
    index = AnswerIndex(answers, np.arange(40))
    assert not index.same_answer(["yes", "no"]).any()


def test_an_empty_pool_has_none():
    assert AnswerIndex([], np.empty(0, dtype=np.int64)).same_answer(["x"]).tolist() == []


PAIRS = [
    ("What is the capital of France?", "Paris"),
    ("Which city is France's capital?", "paris\u200b"),
    ("Where is the Louvre?", "Paris"),
    ("What is the capital of France?", "It is Paris"),
    *((f"What is the capital of land {i}?", f"City {i}") for i in range(40)),
]
FRANCE = PAIRS[0][0], ("Paris", "It is Paris")


@pytest.fixture
def leaky(store, hashing_encoder):
    """A pool in which two other queries give France's answer away; its view, with quality."""
    pool = store.pools.create("leaky", seed=1)
    store.demonstrations.add(pool.id, [Draft(*pair) for pair in PAIRS])
    view = load_pool_view(store, "leaky", hashing_encoder)
    bias = -1.0 - np.arange(len(view)) / 10
    return view.with_bias(bias).with_services(ask=undecided_after_low_ids, scores=two_settings)


@pytest.fixture
def leaks_of(hashing_encoder):
    """The leaks of a view for a query and its answers."""

    def leaks(view, query, answers):
        return view.leaks(query, answers, hashing_encoder.encode([query])[0])

    return leaks


def test_the_view_knows_its_leaks_also_after_scoring(store, leaky, leaks_of):
    scored = with_quality(store, leaky, QualityKey("a model", "a template"))
    for view in (leaky, scored):
        assert np.flatnonzero(leaks_of(view, *FRANCE)).tolist() == [1, 2]
    moon = "Where is the moon?"
    assert not leaks_of(leaky, moon, ["In the sky"]).any()
    assert np.flatnonzero(leaks_of(leaky, moon, ["PARIS"])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", sorted(name for name, each in METHODS.items() if not each.reads))
def test_what_is_left_out_is_left_out_before_the_choice(leaky, hashing_encoder, method):
    vector = hashing_encoder.encode([FRANCE[0]])[0]
    leaks = leaky.leaks(*FRANCE, vector)
    everything = Knobs(method, len(PAIRS), 0.6, lambda_b=0.9)
    keep = {"leave_out": True, "also_excluded": leaks}
    context = choose_context(leaky, FRANCE[0], vector, everything, **keep)
    forbidden = set(leaky.ids[leaks].tolist()) | {leaky.ids[0], leaky.ids[3]}
    if method not in ("none", "fix"):  # these choose by other means than a ranking of the pool
        assert set(context.ids.tolist()) == set(leaky.ids.tolist()) - forbidden
    assert not forbidden & set(context.ids.tolist())
    six = replace(everything, k=6)
    chosen = choose_context(leaky, FRANCE[0], vector, six, **keep)
    assert len(chosen) == {"none": 0, "fix": len(set(leaky.ids[leaky.fixed]) - forbidden)}.get(
        method, 6
    )
    if METHODS[method].chooses_by_mmr:
        assert chosen.ids.tolist() == context.ids.tolist()[:6]
        for over in ("lambda_d", "lambda_b"):
            for piece in context_path(leaky, FRANCE[0], vector, settled(six), over=over, **keep):
                assert not forbidden & set(piece.value.ids.tolist())
                at = replace(six, **{over: (piece.low + piece.high) / 2})
                again = choose_context(leaky, FRANCE[0], vector, at, **keep)
                assert set(piece.value.ids.tolist()) == set(again.ids.tolist())


def test_candidates_leave_the_same_out_and_stay_certified(tmp_path):
    view, vector = made_up_view(5)
    view = replace(view, answers=tuple(f"answer {i % 60}" for i in range(len(view))))
    query = view.queries[7]
    leaks = view.leaks(query, [view.answers[7]], vector)
    assert np.flatnonzero(leaks).tolist() == [67]
    request = Knobs("rel+div+bias", 6, 0.8, lambda_b=0.9, index="flat", candidates=30)
    whole = choose_context(view, query, vector, request, leave_out=True, also_excluded=leaks)
    fetched = choose_from_candidates(
        view,
        vector,
        settled(request),
        tmp_path,
        excluded=view.same_query(query) | leaks,
    )
    assert fetched.ids.tolist() == whole.ids.tolist()
    assert not leaks[fetched.indices].any()
    assert fetched.certainty.kind in ("certified", "exact")
