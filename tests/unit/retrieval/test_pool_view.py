from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status
from core.errors import Cancelled, InvalidInput
from core.retrieval.embedded_texts import EMBEDDING_CHUNK, embed_texts, token_vectors
from core.retrieval.pool_view import (
    QualityKey,
    demonstration_hash,
    load_pool_view,
    with_quality,
)
from core.settings import Embed
from core.store import Change
from core.watcher import Watcher


class CountingEncoder:
    """Passes on to the fake encoder and remembers what it was asked."""

    def __init__(self, encoder):
        self.encoder = encoder
        self.name, self.fingerprint = encoder.name, encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.asked, self.asked_tokens = [], []

    def encode(self, texts, **options):
        self.asked += texts
        return self.encoder.encode(texts, **options)

    def cut(self, texts):
        return self.encoder.cut(texts)

    def encode_tokens(self, texts, **options):
        self.asked_tokens.append(list(texts))
        return self.encoder.encode_tokens(texts, **options)


def test_the_same_normalised_query_is_one_group_and_each_text_one_row(view):
    assert view.groups.tolist()[:6] == [0, 0, 0, 0, 1, 1]
    assert view.rows.tolist()[:6] == [0, 0, 1, 1, 2, 2]
    assert view.embeddings.shape == (8, 64)
    assert len(view) == 16


def test_relevance_is_the_cosine_and_bit_equal_for_equal_texts(view, hashing_encoder):
    (query,) = hashing_encoder.encode(["Can cats see at night?"])
    relevance = view.relevance(query)
    reference = [
        float(np.dot(hashing_encoder.encode([text])[0].astype(np.float64), query))
        for text in view.queries
    ]
    assert relevance == pytest.approx(reference, abs=1e-6)
    assert relevance[0] == relevance[1]


def test_leaving_out_means_the_same_query_after_normalisation(view):
    left_out = view.same_query("WHAT happens if you swallow gum?")
    assert np.flatnonzero(left_out).tolist() == [0, 1, 2, 3]
    assert not view.same_query("Something else").any()


def test_the_distinct_queries_are_the_different_texts(store, hashing_encoder):
    queries = ["What is Co?", "What is CO?", " What is Co?\n", "What is 3²?", "What is 32?", "Why?"]
    pool = store.pools.create("alike")
    store.demonstrations.add(pool.id, [Draft(query, f"of {query}") for query in queries])
    view = load_pool_view(store, "alike", hashing_encoder)
    assert view.distinct_queries == (
        "What is Co?", "What is CO?", "What is 3²?", "What is 32?", "Why?",
    )  # fmt: skip
    assert view.find_query("What is CO? ") == "What is CO?"
    assert view.find_query("What is Co?\n") == "What is Co?"
    assert view.find_query("what is co?") == "What is Co?"
    assert view.find_query("What is coal?") is None
    # What reads alike is left out together all the same.
    assert np.flatnonzero(view.same_query("What is CO?")).tolist() == [0, 1, 2]
    assert np.flatnonzero(view.same_query("What is 32?")).tolist() == [3, 4]


def test_only_new_text_is_embedded(store, pool, hashing_encoder):
    encoder = CountingEncoder(hashing_encoder)
    load_pool_view(store, "small", encoder)
    assert len(encoder.asked) == 8
    first = store.demonstrations.all(pool.id)[0]
    store.demonstrations.change([Change(first.id, first.revision, query="New text?")], what="edit")
    load_pool_view(store, "small", encoder)
    assert encoder.asked[8:] == ["New text?"]


def test_cancelling_keeps_the_chunks_before(store, hashing_encoder):
    texts = [f"text {number}" for number in range(EMBEDDING_CHUNK + 5)]
    done = []
    with pytest.raises(Cancelled):
        embed_texts(
            store,
            hashing_encoder,
            texts,
            watcher=Watcher(
                on_progress=lambda *step: done.append(step), cancelled=lambda: len(done) == 2
            ),
        )
    assert done == [(0, len(texts)), (EMBEDDING_CHUNK, len(texts))]
    done.clear()
    rows, embedded = embed_texts(
        store, hashing_encoder, texts, watcher=Watcher(on_progress=lambda *step: done.append(step))
    )
    assert embedded == 5
    # What was there before counts as done.
    assert done == [(EMBEDDING_CHUNK, len(texts)), (len(texts), len(texts))]
    assert rows == pytest.approx(hashing_encoder.encode(texts))


def test_tokens_are_computed_when_asked_for_and_once_for_each_text(store, pool, hashing_encoder):
    encoder = CountingEncoder(hashing_encoder)
    view = load_pool_view(store, "small", encoder)
    assert encoder.asked_tokens == []
    texts = ["gum is", "Is glass a liquid?", "gum is"]
    first = view.services.tokens(texts)
    assert encoder.asked_tokens == [["gum is", "Is glass a liquid?"]]
    assert [rows.shape for rows in first] == [(2, 64), (4, 64), (2, 64)]
    for rows, expected in zip(first, hashing_encoder.encode_tokens(texts), strict=True):
        np.testing.assert_allclose(rows, expected, atol=1e-3)
    again = load_pool_view(store, "small", encoder).services.tokens([*texts, "new"])
    assert encoder.asked_tokens[1:] == [["new"]]
    # The same bits, whether they were computed or read.
    assert all(np.array_equal(*pair) for pair in zip(first, again, strict=False))
    assert view.services.tokens([]) == []


def test_tokens_of_one_encoder_are_not_anothers(store, pool, hashing_encoder):
    other = type(hashing_encoder)(8)
    sizes = [token_vectors(store, each, ["a b"])[0].shape for each in (hashing_encoder, other)]
    assert sizes == [(2, 64), (2, 8)]


def test_tokens_are_kept_chunk_by_chunk(store, hashing_encoder):
    texts = [f"text {number}" for number in range(EMBEDDING_CHUNK + 5)]

    class Failing(CountingEncoder):
        def encode_tokens(self, texts, **options):
            if self.asked_tokens:
                raise Cancelled("enough")
            return super().encode_tokens(texts, **options)

    with pytest.raises(Cancelled):
        token_vectors(store, Failing(hashing_encoder), texts)
    assert store.token_vectors.count(hashing_encoder.fingerprint) == EMBEDDING_CHUNK
    encoder = CountingEncoder(hashing_encoder)
    assert [len(rows) for rows in token_vectors(store, encoder, texts)] == [2] * len(texts)
    assert encoder.asked_tokens == [texts[EMBEDDING_CHUNK:]]


def test_excluded_demonstrations_are_not_in_the_view(store, pool, hashing_encoder):
    first = store.demonstrations.all(pool.id)[0]
    store.demonstrations.change(
        [Change(first.id, first.revision, status=Status.EXCLUDED)], what="exclude"
    )
    view = load_pool_view(store, "small", hashing_encoder)
    assert first.id not in view.ids.tolist()
    assert len(view) == 15


def test_quality_bias_is_looked_up_by_text(store, view):
    key = QualityKey("model", "template")
    hashes = [demonstration_hash(view.queries[i], view.answers[i]) for i in (0, 5)]
    store.quality.put("model", "template", hashes, [-1.5, -0.5])
    scored = with_quality(store, view, key)
    assert scored.quality_bias[[0, 5]].tolist() == [-1.5, -0.5]
    assert scored.unscored == 14
    assert view.unscored == 16


def test_rescored_views_share_what_their_texts_and_embeddings_give(store, view, hashing_encoder):
    both = load_pool_view(store, "small", hashing_encoder, embed=Embed.QUERY_AND_ANSWER)
    beside = view.beside(both)
    first, second = (beside.with_bias(np.full(len(view), bias)) for bias in (-1.0, -2.0))
    asked = second.with_services(ask=lambda *asked: None)
    assert asked.quality_bias.tolist() == [-2.0] * len(view)
    for name in ("gram", "matrix", "content", "near_queries", "answer_index", "pair_hashes"):
        made = getattr(first, name)  # by a later view than the one that was loaded
        assert all(getattr(each, name) is made for each in (view, beside, second, asked))
    other = second.embedded_by(Embed.QUERY_AND_ANSWER)
    assert other.gram is both.gram is asked.siblings[0].gram is not first.gram
    assert replace(view, embeddings=-view.embeddings).matrix is not view.matrix


def test_six_distinct_queries_are_drawn_once_and_stored(store, pool, view):
    fixed = store.pools.fixed_ids(pool.id)
    assert view.ids[view.fixed].tolist() == fixed
    assert len(set(view.groups[view.fixed].tolist())) == 6
    by_id = {d.id: d for d in store.demonstrations.all(pool.id)}
    assert all(by_id[id].best for id in fixed)


def test_drawing_the_fixed_ones_is_no_change_of_the_pool(store, pool, hashing_encoder):
    before = store.pools.get("small").version
    view = load_pool_view(store, "small", hashing_encoder)
    assert (view.version, store.pools.get("small").version) == (before, before)
    assert len(store.pools.fixed_ids(pool.id)) == 6


def test_a_late_draw_does_not_take_the_place_of_what_was_named(store, pool, hashing_encoder):
    first = store.pools.get("small")
    ids = [d.id for d in store.demonstrations.all(pool.id)]
    store.pools.set_fixed_ids(pool.id, ids[:2])
    named = store.pools.get("small")
    for late in (first, named):
        store.pools.keep_drawn_ids(late, ids[3:5])
        assert store.pools.fixed_ids(pool.id) == ids[:2]
    store.pools.set_fixed_ids(pool.id, [])
    store.pools.keep_drawn_ids(named, ids[3:5])
    assert store.pools.fixed_ids(pool.id) == []
    store.pools.keep_drawn_ids(store.pools.get("small"), ids[3:5])
    assert store.pools.fixed_ids(pool.id) == ids[3:5]


def test_an_empty_pool_has_an_empty_view(store, hashing_encoder):
    store.pools.create("empty")
    view = load_pool_view(store, "empty", hashing_encoder)
    assert (len(view), view.embeddings.shape, view.matrix.shape) == (0, (0, 64), (0, 64))


def test_an_unknown_pool_is_named_with_those_that_there_are(store, pool, hashing_encoder):
    with pytest.raises(InvalidInput, match="small"):
        load_pool_view(store, "smal", hashing_encoder)
