"""What comes before the choice: candidates are cut by cosine, and which text is embedded."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.knobs import Knobs
from core.retrieval.lambda_path import context_path
from core.retrieval.pool_view import QualityKey, load_pool_view, with_quality
from core.settings import Embed
from tests.contracts.test_method_contract import pool, query_vector, unit

N = 14
VIEW = pool([f"query {number}" for number in range(N)])
OTHERS = ("none", "fix", "neighbours")
RANKED = [
    name
    for name, each in METHODS.items()
    if name not in OTHERS and each.takes_candidates and not each.reads
]
WITHOUT_CANDIDATES = ("random", "fix", "bias")
CUT = [0, 1, 3, 5, N - 1, N, N + 1]


def ids(view, *, vector=None, **knobs):
    vector = query_vector() if vector is None else vector
    return choose_context(view, "x", vector, Knobs(**knobs), leave_out=False).ids.tolist()


def only(view, kept):
    """The view without the rows that are not kept, which ascend."""
    part = {name: getattr(view, name)[kept] for name in ("ids", "groups", "rows", "quality_bias")}
    texts = {
        name: tuple(getattr(view, name)[row] for row in kept) for name in ("queries", "answers")
    }
    return replace(view, **part, **texts, fixed=np.arange(len(kept)))


@pytest.mark.parametrize("method", RANKED)
@pytest.mark.parametrize("n", CUT)
def test_the_choice_is_that_of_a_pool_of_the_n_nearest(method, n):
    nearest = np.argsort(-VIEW.relevance(query_vector()), kind="stable")[:n]
    asked = {"method": method, "k": 3, "lambda_d": 0.5, "lambda_b": 0.8}
    if n == 0:
        nearest = nearest if n else np.arange(N)
        if METHODS[method].candidates:
            nearest = np.argsort(-VIEW.relevance(query_vector()), kind="stable")
            nearest = nearest[: METHODS[method].candidates]
    # bm25 counts words over the whole pool, so it is asked of the whole pool and then cut.
    if method == "bm25":
        ranked = [row for row in ids(VIEW, method=method, k=N) if row in VIEW.ids[nearest]]
        assert ids(VIEW, candidates=n, **asked) == ranked[:3]
        return
    small = only(VIEW, np.sort(nearest))
    assert ids(VIEW, candidates=n, **asked) == ids(small, candidates=N, **asked)
    assert len(ids(VIEW, candidates=n, **asked)) == min(3, n or N)


def test_what_does_not_choose_by_similarity_takes_no_candidates():
    assert tuple(sorted(WITHOUT_CANDIDATES)) == tuple(
        sorted(name for name, each in METHODS.items() if not each.takes_candidates)
    )


@pytest.mark.parametrize("method", WITHOUT_CANDIDATES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, N, N + 1])
def test_without_candidates_the_whole_pool_is_chosen_from_whatever_was_asked_for(method, n):
    asked = {"method": method, "k": 3, "lambda_b": 0.8}
    assert len(ids(VIEW, candidates=n, **asked)) == 3
    assert ids(VIEW, candidates=n, **asked) == ids(VIEW, **asked)
    assert METHODS[method].unused_candidates(Knobs(method, candidates=n)) == n
    assert METHODS[method].among(Knobs(method, candidates=n)) == 0
    assert METHODS["rel"].unused_candidates(Knobs("rel", candidates=n)) == 0
    assert METHODS["none"].unused_candidates(Knobs("none", candidates=n)) == 0


def test_equal_cosines_at_the_cut_go_to_the_lowest_index():
    rows = np.array([[1, 0], [0.6, 0.8], [0.6, 0.8], [0.6, 0.8], [0, 1]])
    view = replace(pool([f"query {number}" for number in range(5)]), embeddings=unit(rows))
    vector = unit(np.array([[1.0, 0.0]]))[0]
    assert ids(view, vector=vector, method="rel+div", lambda_d=0.0, k=5, candidates=3) == [
        *view.ids[:3]
    ]


@pytest.mark.parametrize("method", ["rel", "rel+div", "vrsd"])
def test_more_candidates_never_change_the_first_pick(method):
    first = {tuple(ids(VIEW, method=method, k=4, candidates=n)[:1]) for n in range(1, N + 2)}
    assert len(first) == 1


def test_what_is_left_out_is_no_candidate():
    view = pool(["Alpha?"] * 3 + [f"query {number}" for number in range(6)])
    vector = view.embeddings[0]
    request = Knobs("rel", 4, candidates=4)
    context = choose_context(view, "alpha?", vector, request, leave_out=True)
    others = np.argsort(-view.relevance(vector)[3:], kind="stable")[:4] + 3
    assert context.ids.tolist() == view.ids[others].tolist()
    also = np.zeros(len(view), dtype=bool)
    also[others[0]] = True
    context = choose_context(view, "alpha?", vector, request, leave_out=True, also_excluded=also)
    others = [row for row in np.argsort(-view.relevance(vector), kind="stable") if row > 2]
    assert context.ids.tolist() == view.ids[others[1:5]].tolist()


def test_what_the_model_can_never_score_is_no_candidate_where_the_bias_counts():
    nearest = np.argsort(-VIEW.relevance(query_vector()), kind="stable")
    bias = VIEW.quality_bias.copy()
    bias[nearest[0]] = -np.inf
    view = replace(VIEW, quality_bias=bias)
    assert set(ids(view, method="rel+bias", k=2, candidates=2)) == {*view.ids[nearest[1:3]]}
    assert ids(view, method="rel", k=2, candidates=2) == view.ids[nearest[:2]].tolist()


@pytest.mark.parametrize("over", ["lambda_d", "lambda_b"])
def test_paths_run_over_the_candidates_alone(over):
    request = Knobs("rel+div+bias", 4, 0.5, lambda_b=0.5, candidates=7)
    path = context_path(VIEW, "x", query_vector(), settled(request), leave_out=False, over=over)
    assert (path[0].low, path[-1].high) == (0.0, 1.0)
    nearest = set(VIEW.ids[np.argsort(-VIEW.relevance(query_vector()), kind="stable")[:7]])
    for piece in path:
        assert set(piece.value.ids) <= nearest
        at = replace(request, **{over: piece.middle})
        chosen = choose_context(VIEW, "x", query_vector(), at, leave_out=False)
        assert chosen.ids.tolist() == piece.value.ids.tolist()


def test_fewer_than_none_are_refused():
    with pytest.raises(InvalidInput, match="candidates is -1"):
        Knobs("rel", candidates=-1)


@pytest.fixture
def answered(store, hashing_encoder):
    """A pool with two answers of one query; its view by query with that by both beside it."""
    drafts = [
        Draft("Is ice cold?", "Yes, as cold as stone"),
        Draft("Is ice cold?", "It is frozen water"),
        Draft("Is fire hot?", "As hot as the sun"),
        Draft("What is water?", "Melted ice, cold or hot"),
    ]
    store.demonstrations.add(store.pools.create("answered", seed=1).id, drafts)
    view, other = (
        load_pool_view(store, "answered", hashing_encoder, embed=embed) for embed in Embed
    )
    return view.beside(other)


def test_query_and_answer_are_embedded_joined_by_a_space(answered, hashing_encoder):
    both = answered.embedded_by(Embed.QUERY_AND_ANSWER)
    assert both.texts[0] == "Is ice cold? Yes, as cold as stone"
    np.testing.assert_allclose(both.matrix, hashing_encoder.encode(list(both.texts)), atol=1e-6)
    vector = hashing_encoder.encode(["frozen water"])[0]
    request = Knobs("rel", 4, embed=Embed.QUERY_AND_ANSWER)
    context = choose_context(answered, "frozen water", vector, request, leave_out=False)
    by_hand = both.matrix @ vector
    assert context.ids.tolist() == both.ids[np.argsort(-by_hand, kind="stable")].tolist()
    np.testing.assert_allclose(context.relevance, np.sort(by_hand)[::-1], atol=1e-6)


def test_two_answers_of_one_query_are_one_row_by_query_and_two_by_both(answered):
    both = answered.embedded_by(Embed.QUERY_AND_ANSWER)
    assert answered.rows[0] == answered.rows[1]
    assert both.rows[0] != both.rows[1]
    assert float(both.matrix[0] @ both.matrix[1]) < 1.0
    assert answered.content != both.content
    assert answered.groups.tolist() == both.groups.tolist() == [0, 0, 1, 2]


def test_the_quality_bias_reaches_the_view_beside(store, answered):
    scored = with_quality(store, answered, QualityKey("a model", "a template"))
    both = scored.embedded_by(Embed.QUERY_AND_ANSWER)
    np.testing.assert_array_equal(both.quality_bias, scored.quality_bias)


def test_embeddings_that_are_not_there_are_named(answered):
    alone = replace(answered, siblings=())
    with pytest.raises(ValueError, match=r"embedded by query here, not by query\+answer"):
        alone.embedded_by(Embed.QUERY_AND_ANSWER)


def test_bm25_reads_the_same_text(answered, hashing_encoder):
    vector = hashing_encoder.encode(["frozen stone"])[0]
    chosen = {
        embed: choose_context(
            answered, "frozen stone", vector, Knobs("bm25", 2, embed=embed), leave_out=False
        )
        for embed in Embed
    }
    assert chosen[Embed.QUERY].values.tolist() == [0.0, 0.0], "no query has either word"
    both = chosen[Embed.QUERY_AND_ANSWER]
    assert set(both.ids.tolist()) == set(answered.ids[:2].tolist())
    assert (both.values > 0).all()
