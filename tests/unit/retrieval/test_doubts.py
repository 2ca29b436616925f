"""What a context's ranking cannot distinguish is found, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reporting.results.query import Pick
from core.reporting.words.cautions import cut_sentence, doubt_sentences, unread_sentence
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.context import Doubt
from core.retrieval.doubts import SAME, Doubts, PoolReading, doubts_of
from core.retrieval.knobs import Knobs
from tests.contracts.test_method_contract import pool, query_vector


class Reader:
    """An encoder that reads ten letters, and no Greek; nothing may be embedded."""

    def cut(self, texts):
        return np.array([len(text) > 10 for text in texts], dtype=bool)

    def unknown(self, texts):
        greek = [sum("Α" <= letter <= "ω" for letter in text) for text in texts]
        return np.array([count / len(text) for count, text in zip(greek, texts, strict=True)])


def doubts(view, method, k, *, query="Zeta?", vector=None, leave_out=False, **knobs):
    vector, request = query_vector() if vector is None else vector, Knobs(method, k, **knobs)
    context = choose_context(view, query, vector, request, leave_out=leave_out)
    excluded = view.same_query(query) if leave_out else None
    found = doubts_of(view, query, vector, settled(request), context, Reader(), excluded=excluded)
    return context, found


def texts(n):
    return [f"text {number}" for number in range(n)]


def test_nothing_is_said_of_distinct_short_texts():
    view = pool(texts(9))
    for method in (name for name, each in METHODS.items() if not each.reads):
        if method not in ("none", "fix", "bm25"):
            assert doubts(view, method, 4)[1] == Doubts(asked=4, chosen=4)
    assert doubts(view, "none", 4)[1] == Doubts(asked=0, chosen=0)
    assert doubts(view, "fix", 4)[1] == Doubts(asked=4, chosen=4)
    assert doubt_sentences(Doubts(asked=4, chosen=4)) == []


def test_cut_texts_are_named():
    view = pool([*texts(3), "a text of more letters", "and another one of them"])
    context, found = doubts(view, "rel", 5, query="a query of more letters")
    assert set(found.cut) == set(view.ids[3:].tolist()) <= set(context.ids.tolist())
    assert (found.query_cut, found.kinds) == (True, {Doubt.CUT})
    assert doubt_sentences(found) == [
        "The query is longer than the encoder's window: only its beginning counts.",
        "The queries of 2 of these are longer than the encoder's window: only their beginnings "
        "count.",
    ]
    _, one = doubts(view, "random", 5, query="Zeta?")
    assert (one.query_cut, len(one.cut)) == (False, 2)


def alike(view, rows):
    """The view in which these rows of the embeddings are the first of them."""
    embeddings = view.embeddings.copy()
    embeddings[rows] = embeddings[rows[0]]
    return replace(view, embeddings=embeddings)


@pytest.mark.parametrize("method", ["rel", "rel+div", "rel+bias", "vrsd"])
def test_equal_embeddings_of_different_texts(method):
    view = alike(pool(texts(8)), [2, 5, 6])
    _, found = doubts(view, method, 8, lambda_d=0.6, lambda_b=0.9)
    assert sorted(found.same_embedding) == view.ids[[2, 5, 6]].tolist()
    assert found.kinds == {Doubt.SAME_EMBEDDING}
    assert doubt_sentences(found) == [
        "3 of these have the same embedding as another text, so relevance cannot distinguish them; "
        "their order is by id."
    ]


@pytest.mark.parametrize("method", ["bias", "bm25", "random", "fix"])
def test_methods_that_compare_no_embeddings_have_no_such_doubt(method):
    view = alike(pool(texts(8)), [2, 5, 6])
    assert doubts(view, method, 8)[1].same_embedding == ()


def test_one_that_might_as_well_have_been_chosen_counts_and_an_excluded_one_does_not():
    view = alike(pool(texts(6)), [1, 4])
    vector = view.embeddings[1]
    context, found = doubts(view, "rel", 1, vector=vector)
    # The query has the same embedding, too, and is another text.
    assert (context.ids.tolist(), found.same_embedding) == ([11], (11,))
    _, named = doubts(view, "rel", 1, query="text 1", vector=vector)
    assert named.same_embedding == (11,)
    left, alone = doubts(view, "rel", 1, query="text 4", vector=vector, leave_out=True)
    assert (left.ids.tolist(), alone.same_embedding) == ([11], (11,))
    apart = pool(texts(6))
    _, itself = doubts(apart, "rel", 1, query="TEXT  1", vector=apart.embeddings[1])
    assert itself == Doubts(asked=1, chosen=1)


@given(seed=st.integers(0, 10_000), k=st.integers(0, 7), method=st.sampled_from(["rel", "vrsd"]))
def test_equals_looking_at_every_pair(seed, k, method):
    generator = np.random.default_rng(seed)
    queries = [f"text {number}" for number in generator.integers(0, 9, size=12)]
    view = pool(queries, seed)
    embeddings = view.embeddings.copy()
    for row in generator.integers(0, len(embeddings), size=(3, 2)):
        embeddings[row[0]] = embeddings[row[1]] + generator.choice([0, 1e-4, 3e-3])
    embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
    view = replace(view, embeddings=embeddings)
    context, found = doubts(view, method, k, query="text 3", vector=embeddings[0])
    rows = view.matrix.astype(np.float64)
    expected = [
        view.ids[i]
        for i in context.indices.tolist()
        if any(
            rows[i] @ rows[j] >= SAME and view.groups[i] != view.groups[j] for j in range(len(view))
        )
        or (rows[i] @ embeddings[0] >= SAME and queries[i] != "text 3")
    ]
    assert list(found.same_embedding) == expected


def test_no_shared_word():
    view = pool(["red door", "blue door", "green wall"])
    _, none = doubts(view, "bm25", 3, query="What?")
    assert (none.without_word, none.kinds) == ((10, 11, 12), {Doubt.WITHOUT_WORD})
    assert doubt_sentences(none) == [
        "No demonstration shares a word with the query; their order is by id."
    ]
    _, some = doubts(view, "bm25", 3, query="a wall")
    assert (some.without_word, some.kinds) == ((10, 11), frozenset())
    assert doubt_sentences(some) == [
        "2 of these share no word with the query; their order is by id."
    ]
    assert doubts(view, "bm25", 2, query="door")[1] == Doubts(asked=2, chosen=2)


def test_fewer_than_asked_and_a_query_with_many_answers():
    view = pool(["door", "Door", "wall", "door "])
    _, found = doubts(view, "rel", 6)
    assert (found.chosen, found.asked, found.kinds) == (4, 6, {Doubt.TOO_FEW})
    assert found.same_query == 3
    assert doubt_sentences(found) == [
        "4 of 6: there are no more that may be chosen.",
        "3 of 4 answer the same query.",
    ]
    assert doubts(view, "rel", 6, query="door", leave_out=True)[1].chosen == 1


def test_a_query_in_unknown_letters():
    view = pool(texts(3))
    _, found = doubts(view, "rel", 3, query="Πού;")
    assert found.kinds == {Doubt.UNREAD}
    assert doubt_sentences(found)[0].startswith("The encoder has no letters for a quarter of")
    assert doubts(view, "bm25", 3, query="Πού;")[1].kinds == {Doubt.WITHOUT_WORD}
    assert doubts(view, "rel", 3, query="naïve ones")[1].kinds == frozenset()


def test_demonstrations_are_named_by_rank_where_not_all_are_meant():
    picks = [
        Pick(
            rank=rank,
            id=id,
            query="q",
            answer="a",
            relevance=0.5,
            quality_bias=None,
            redundancy=None,
            value=None,
        )
        for rank, id in ((1, 30), (2, 10))
    ]
    picks.append(
        Pick(
            rank=3,
            id=20,
            query="q",
            answer="a",
            relevance=0.5,
            quality_bias=None,
            redundancy=None,
            value=None,
        )
    )
    found = Doubts(asked=3, chosen=3, cut=(20,), same_embedding=(30, 10), without_word=(10, 20, 30))
    assert doubt_sentences(found, picks) == [
        "The query of 1 of these (rank 3) is longer than the encoder's window: only its beginning "
        "counts.",
        "2 of these (ranks 1, 2) have the same embedding as another text, so relevance cannot "
        "distinguish them; their order is by id.",
        "No demonstration shares a word with the query; their order is by id.",
    ]


def test_sentences_about_a_pool():
    assert (cut_sentence([]), unread_sentence(PoolReading(0.04, 0.29))) == ("", "")
    assert cut_sentence(["long " * 20]) == (
        "1 query is longer than the encoder's window, and only its beginning counts: "
        f"{('long ' * 20)[:57] + '...'!r}."
    )
    assert cut_sentence(["a", "b", "c", "d", "e"]).endswith("count: 'a'; 'b'; 'c'; and 2 more.")
    assert unread_sentence(PoolReading(0.62, 0.8, "Georgian letters")) == (
        "This encoder does not read these texts: in 62 % of the queries it has no letters for a "
        "quarter or more, so relevance says little. Choose an encoder for their language "
        "(use-multilingual-v3 is not), or the method bm25, which compares words."
    )
    assert unread_sentence(PoolReading(0.1, 0.93, "German", offered=True), "--encoder ") == (
        "This encoder is for English. Judged by their letters and frequent words, 93 % of the "
        "queries are in another language (most often in German), so relevance says little. Choose "
        "--encoder use-multilingual-v3, an encoder for sixteen languages, or the method bm25, "
        "which compares words."
    )
