"""VRSD as a method: the picks of `vrsd` over the rows that are allowed."""

import numpy as np

from core.demonstration.demonstration import Draft
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.selection.vrsd import vrsd
from core.settings import Embed
from tests.contracts.test_method_contract import choose, pool, query_vector


def test_it_chooses_what_vrsd_chooses_among_the_other_queries():
    view = pool()
    allowed = np.flatnonzero(~view.same_query("Alpha?"))
    expected = vrsd(query_vector(), view.matrix[allowed], 4)
    context = choose(view, "vrsd", 4)
    assert context.indices.tolist() == allowed[expected.indices].tolist()
    np.testing.assert_allclose(context.values, expected.values, atol=1e-12)


def test_its_value_is_the_cosine_of_the_sum_so_far():
    view = pool([f"query {i}" for i in range(12)])
    context = choose(view, "vrsd", 5, query="another")
    sums = np.cumsum(context.embeddings.astype(np.float64), axis=0)
    cosines = sums @ query_vector() / np.linalg.norm(sums, axis=1)
    np.testing.assert_allclose(context.values, cosines, atol=1e-6)
    np.testing.assert_allclose(context.cos_sum, context.values[-1], atol=1e-6)


def two_answers(store, encoder, embed):
    """A pool with two answers of one query, and the query's vector."""
    pairs = [("Is glass a liquid?", "No."), ("Is glass a liquid?", "It is a solid."), ("Who?", "I")]
    store.demonstrations.add(store.pools.create("pool").id, [Draft(*pair) for pair in pairs])
    view = load_pool_view(store, "pool", encoder, embed=embed)
    return view, encoder.encode(["Is glass a liquid?"])[0]


def test_both_answers_of_a_query_may_be_chosen(store, hashing_encoder):
    view, vector = two_answers(store, hashing_encoder, Embed.QUERY)
    context = choose_context(view, "another", vector, Knobs("vrsd", 2), leave_out=False)
    assert context.indices.tolist() == [0, 1]
    np.testing.assert_allclose(context.relevance, 1, atol=1e-6)
    np.testing.assert_allclose(context.redundancy, [np.nan, 1], atol=1e-6)
    knobs = Knobs("vrsd", 2, one_per_query=True)
    once = choose_context(view, "another", vector, knobs, leave_out=False)
    assert once.indices.tolist() == [0, 2]


def test_with_their_answers_embedded_they_are_not_the_same(store, hashing_encoder):
    view, vector = two_answers(store, hashing_encoder, Embed.QUERY_AND_ANSWER)
    assert view.texts[:2] == ("Is glass a liquid? No.", "Is glass a liquid? It is a solid.")
    assert view.matrix[0] @ view.matrix[1] < 0.95
    knobs = Knobs("vrsd", 2, embed=Embed.QUERY_AND_ANSWER)
    context = choose_context(view, "another", vector, knobs, leave_out=False)
    assert context.redundancy[1] < 0.95
    assert sorted(context.indices.tolist()) == [0, 1]
