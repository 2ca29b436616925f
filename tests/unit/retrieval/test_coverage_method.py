"""Coverage as a method: the picks of `coverage` over the tokens of the candidates."""

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.retrieval.choosing import METHODS, choose_context
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.selection.baselines.coverage import coverage
from core.settings import Embed
from tests.contracts.test_method_contract import choose, pool, query_vector, tokens


def test_it_chooses_what_coverage_chooses_among_the_other_queries():
    view = pool([f"query {i} of {i % 3}" for i in range(12)])
    query = "query 3 of 0"
    allowed = np.flatnonzero(~view.same_query(query))
    lists = tokens([view.queries[index] for index in allowed])
    expected = coverage(tokens([query])[0], lists, 5, relevance=np.zeros(len(allowed)))
    context = choose(view, "coverage", 5, query=query)
    assert context.indices.tolist() == allowed[expected.indices].tolist()
    np.testing.assert_allclose(context.values, expected.values, atol=1e-12)


def test_it_covers_every_word_of_the_query():
    axes = ("green", "red", "blue", "apples", "plums", "pears", "again")

    def by_word(texts):
        return [np.eye(len(axes))[[axes.index(word) for word in text.split()]] for text in texts]

    view = pool(["green apples", "red plums", "blue pears", "red apples again"])
    view = view.with_services(tokens=by_word)
    context = choose(view, "coverage", 2, query="blue apples", leave_out=False)
    assert [view.queries[index] for index in context.indices] == ["green apples", "blue pears"]
    assert context.values.tolist() == [0.5, 1.0]


def asking(view):
    """The view, and the list of all texts whose tokens it is asked for."""
    asked = []

    def remembered(texts):
        asked.extend(texts)
        return view.services.tokens(texts)

    return view.with_services(tokens=remembered), asked


@pytest.mark.parametrize(
    ("changed", "candidates"), [({}, 50), ({"candidates": 7}, 7), ({"index": "flat"}, 50)]
)
def test_only_the_nearest_are_candidates_and_only_their_tokens_are_asked_for(changed, candidates):
    assert METHODS["coverage"].candidates == 50
    view, asked = asking(pool([f"query {i}" for i in range(80)]))
    context = choose(view, "coverage", 50, query="another query", **changed)
    nearest = np.argsort(-view.relevance(query_vector()), kind="stable")[:candidates]
    assert set(context.indices.tolist()) == set(nearest.tolist())
    assert set(asked) == {"another query", *(view.queries[index] for index in nearest)}


def test_no_demonstration_asked_for_asks_for_no_tokens():
    view, asked = asking(pool())
    assert len(choose(view, "coverage", 0)) == 0
    assert asked == []


def test_the_text_that_is_embedded_is_the_one_that_covers(store, hashing_encoder):
    created = store.pools.create("fruit")
    rows = [("Which one?", "a pear"), ("What else?", "an apple"), ("Any pear?", "none")]
    store.demonstrations.add(created.id, [Draft(*row) for row in rows])
    (vector,) = hashing_encoder.encode(["an apple"])
    first = {}
    for embed in Embed:
        view = load_pool_view(store, "fruit", hashing_encoder, embed=embed)
        context = choose_context(
            view, "an apple", vector, Knobs("coverage", 1, embed=embed), leave_out=False
        )
        first[embed] = view.answers[context.indices[0]], float(context.values[0])
    assert first[Embed.QUERY_AND_ANSWER][0] == "an apple"
    assert first[Embed.QUERY_AND_ANSWER][1] == pytest.approx(1.0, abs=1e-3)
    assert first[Embed.QUERY][1] < 0.9
    assert hashing_encoder.encoded_tokens[-3:] == [f"{query} {answer}" for query, answer in rows]
