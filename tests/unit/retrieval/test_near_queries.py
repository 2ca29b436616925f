"""Which queries of a pool ask much the same as another one: by their words and their embeddings."""

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.retrieval.near_queries import LEAST, LOOKED_AT, NearQueries, nothing_cut
from core.retrieval.pool_view import load_pool_view
from core.retrieval.wording import Wording, same_words
from core.settings import THRESHOLD, Embed

ASKED = "Which harbour has the largest number of cranes?"
SLIP = ASKED.replace("harbour", "harbuor")
ORDER = "The largest number of cranes has which harbour?"
OTHER = ASKED.replace("cranes", "gulls")
MEANT = "Where do most cranes work at a quay?"
NUMBERED = ASKED.replace("largest", "3 largest")


def near(queries, cosines, *, is_cut=nothing_cut, groups=None):
    """Positions of the queries that are much the same as ASKED."""
    numbers = np.arange(len(queries)) if groups is None else np.array(groups)
    index = NearQueries(queries, numbers)
    found = index.of(ASKED, np.array(cosines, dtype=np.float64), is_cut)
    assert found.shape == (len(queries),)
    return np.flatnonzero(found).tolist()


def test_words_or_embeddings_make_queries_much_the_same():
    queries = [ASKED, SLIP, ORDER, OTHER, MEANT, NUMBERED, "Quite another matter"]
    assert same_words(Wording.of(ASKED), Wording.of(SLIP)) >= THRESHOLD
    assert near(queries, [1.0, 0.86, 0.86, 0.94, 0.96, 0.99, 0.1]) == [0, 1, 2, 4]
    assert near(queries, [1.0, 0.86, 0.86, 0.96, 0.94, 0.99, 0.1]) == [0, 1, 2, 3]
    assert near(queries, [1.0, 0.84, LEAST, 0.1, THRESHOLD, 0.1, 0.1]) == [0, 2, 4]


def test_embeddings_of_what_the_encoder_cuts_say_nothing_of_its_end():
    def is_cut(texts):
        return np.array([text == MEANT for text in texts])

    assert near([MEANT, OTHER, SLIP], [0.99, 0.97, 0.99], is_cut=is_cut) == [1, 2]


def test_where_other_texts_are_embedded_words_alone_decide_among_the_nearest():
    queries = [f"Nothing of the kind, {'x' * n}" for n in range(1, LOOKED_AT)] + [SLIP, ORDER]
    cosines = np.linspace(0.99, 0.2, len(queries))
    assert near(queries, cosines, is_cut=None) == [LOOKED_AT - 1]
    assert near([MEANT, SLIP], [0.99, 0.3], is_cut=None) == [1]


def test_every_demonstration_of_a_query_that_is_much_the_same_is_found():
    queries = [OTHER, SLIP, SLIP.upper(), OTHER]
    assert near(queries, [0.9, 0.99, 0.86, 0.9], groups=[0, 1, 1, 0]) == [1, 2]


@pytest.mark.parametrize("is_cut", [nothing_cut, None])
def test_an_empty_pool_has_none(is_cut):
    assert near([], [], is_cut=is_cut) == []


@pytest.mark.parametrize("embed", Embed)
def test_a_leak_has_another_query_that_is_much_the_same(store, hashing_encoder, embed):
    pool = store.pools.create("near", seed=1)
    pairs = [(ASKED, "Rotterdam"), (ASKED.upper(), "It is Rotterdam"), (SLIP, "Genoa")]
    drafts = [Draft(*pair) for pair in [*pairs, (OTHER, "Dover"), ("And where?", "rotterdam")]]
    store.demonstrations.add(pool.id, drafts)
    view = load_pool_view(store, "near", hashing_encoder, embed=embed)
    vector = hashing_encoder.encode([ASKED])[0]
    cosines = view.relevance(vector)
    if embed is Embed.QUERY:
        assert cosines[2] >= LEAST, "the encoder of this test finds the slip near"
    leaks = view.leaks(ASKED, ("Rotterdam", "It is Rotterdam"), vector)
    assert np.flatnonzero(leaks).tolist() == [2, 4]
