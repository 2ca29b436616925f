"""Searching passages: against numpy, bm25s by itself, and values worked out by hand."""

from math import exp

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.passages.search import PassageArrays, PassageSearch, SearchBy, load_collected
from core.programs import Passage, Run
from core.programs.primitives import (
    comb_sum,
    fused_retrieval,
    rank,
    reciprocal_rank,
    retrieve,
)
from core.store import PassageDraft
from core.watcher import Watcher
from tests.support.scripted_model import ScriptedModel

TEXTS = (
    ("Bats", "bats fly in dark caves"),
    ("", "glass melts in fire"),
    ("Fire", "fire burns dark wood"),
    ("Caves", "caves are dark"),
)
PASSAGES = tuple(Passage(10 + at, text, title) for at, (title, text) in enumerate(TEXTS))
ANGLES = {"east": 0.0, "north": 90.0, "between": 30.0}
AT = (60.0, 0.0, 90.0, 30.0)
"""The direction of each passage, in degrees."""


def unit(degrees):
    radians = np.radians(np.asarray(degrees, np.float64))
    return np.column_stack([np.cos(radians), np.sin(radians)]).astype(np.float32)


def encode(texts):
    known = ANGLES | {each.shown: at for each, at in zip(PASSAGES, AT, strict=True)}
    return unit([known.get(text, 45.0) for text in texts])


COLLECTED = PassageArrays("small", 1, PASSAGES, unit(AT), encode)


def search(by=SearchBy.DENSE, fuse=comb_sum, collected=COLLECTED):
    return PassageSearch(collected, by, fuse=fuse)


def ids_of(found):
    return [each.passage.id for each in found]


def softmax(values, temperature):
    powers = [exp(value / temperature) for value in values]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize(
    ("k", "ids"), [(0, []), (1, [11]), (4, [11, 13, 10, 12]), (5, [11, 13, 10, 12])]
)
def test_dense_is_the_order_of_cosines(k, ids):
    found = search().search("east", k)
    assert ids_of(found) == ids
    cosines = [1.0, np.sqrt(3) / 2, 0.5, 0.0][:k]
    assert [each.score for each in found] == pytest.approx(cosines, abs=1e-6)
    assert [each.probability for each in found] == pytest.approx(softmax(cosines, 0.05), abs=1e-6)


def by_itself(query):
    """The scores of the library, which gets words that are split here by hand."""
    index = bm25s.BM25()
    words = [
        ["bats", "bats", "fly", "dark", "caves"],
        ["glass", "melts", "fire"],
        ["fire", "fire", "burns", "dark", "wood"],
        ["caves", "caves", "dark"],
    ]
    index.index(words, show_progress=False)
    return index.get_scores(query)


def test_bm25_is_that_of_the_library():
    scores = by_itself(["dark", "caves"])
    found = search(SearchBy.BM25).search("In dark CAVES, unknown", 9)
    assert ids_of(found) == [13, 10, 12]
    expected = [scores[3], scores[0], scores[2]]
    assert [each.score for each in found] == pytest.approx(expected)
    assert [each.probability for each in found] == pytest.approx(softmax(expected, 1.0))
    assert search(SearchBy.BM25).search("dark caves", 0) == ()
    assert ids_of(search(SearchBy.BM25).search("dark caves", 1)) == [13]
    assert search(SearchBy.BM25).search("dark caves", 9) == search(SearchBy.BM25).search(
        "dark caves", 3
    )
    assert search(SearchBy.BM25).search("nothing shared", 3) == ()


def test_bm25_by_hand():
    # The library's default, of Lucene: log(1 + (n - df + 0.5) / (df + 0.5)), k1 = 1.5, b = 0.75.
    (found,) = search(SearchBy.BM25).search("glass", 4)
    idf = np.log(1 + (4 - 1 + 0.5) / 1.5)
    mean_length = (5 + 3 + 5 + 3) / 4
    expected = idf * 1 / (1 + 1.5 * (0.25 + 0.75 * 3 / mean_length))
    assert (found.passage.id, found.score) == (11, pytest.approx(expected, rel=1e-6))


def test_fused_is_the_sum_of_the_probabilities_of_both_lists():
    found = search(SearchBy.FUSED).search("fire", 9)
    scores = by_itself(["fire"])
    shares = softmax([np.cos(np.radians(a - 45)) for a in AT], 0.05)
    dense = dict(zip((10, 11, 12, 13), shares, strict=True))
    words = dict(zip((12, 11), softmax([scores[2], scores[1]], 1.0), strict=True))
    expected = {id: dense[id] + words.get(id, 0.0) for id in dense}
    assert {each.passage.id: each.score for each in found} == pytest.approx(expected, abs=1e-5)
    assert ids_of(found) == sorted(expected, key=lambda id: -expected[id])
    assert [each.probability for each in found] == pytest.approx([e.score / 2 for e in found])


def test_fused_by_rank():
    found = search(SearchBy.FUSED, reciprocal_rank).search("dark caves", 9)
    # By cosine with 45 degrees: 10 and 13, equal, then 11 and 12, equal; by words 13, 10, 12.
    expected = {13: 1 / 62 + 1 / 61, 10: 1 / 61 + 1 / 62, 11: 1 / 63, 12: 1 / 64 + 1 / 63}
    assert {each.passage.id: each.score for each in found} == pytest.approx(expected)
    assert ids_of(found) == [10, 13, 12, 11]
    assert sum(each.probability for each in found) == pytest.approx(1.0)


def test_what_only_one_list_finds_is_fused_from_it_alone():
    dense = search().search("east", 100)
    found = search(SearchBy.FUSED).search("east", 100)
    assert [(e.passage, e.score) for e in found] == [(e.passage, e.probability) for e in dense]


@pytest.mark.parametrize("by", SearchBy)
def test_a_smaller_k_is_the_beginning_of_a_larger_one(by):
    all_of_them = search(by).search("dark fire", 9)
    for k in range(5):
        assert ids_of(search(by).search("dark fire", k)) == ids_of(all_of_them)[:k]


@pytest.mark.parametrize("by", SearchBy)
def test_blank_queries_and_empty_collections_find_nothing(by):
    assert search(by).search(" \u200b\n", 3) == ()
    assert search(by).scores("", PASSAGES[:2]) == [0.0, 0.0]
    empty = PassageArrays("empty", 1, (), np.empty((0, 2), np.float32), encode)
    assert search(by, collected=empty).search("dark", 3) == ()
    with pytest.raises(InvalidInput, match="-1"):
        search(by).search("dark", -1)


def test_equal_passages_are_in_the_order_of_ids():
    passages = tuple(Passage(id, "same") for id in (3, 5, 8, 9))
    rows = unit([20.0] * 4)
    same = PassageArrays("same", 1, passages, rows, lambda texts: unit([0.0] * len(texts)))
    for by in SearchBy:
        assert ids_of(search(by, collected=same).search("same", 3)) == [3, 5, 8]


@given(st.integers(1, 40), st.integers(0, 45), st.integers(0, 10))
def test_dense_is_numpy(n, k, seed):
    draw = np.random.default_rng(seed)
    rows = draw.integers(-2, 3, (n, 3)).astype(np.float64) + [0.0, 0.0, 0.5]
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    vector = rows[draw.integers(n)]
    passages = tuple(Passage(id, f"text {id}") for id in range(n))
    collected = PassageArrays("any", 1, passages, rows, lambda texts: vector[np.newaxis])
    found = search(collected=collected).search("query", k)
    cosines = [float(np.dot(row.astype(np.float64), vector.astype(np.float64))) for row in rows]
    expected = sorted(range(n), key=lambda at: (-round(cosines[at], 12), at))[:k]
    assert ids_of(found) == expected
    assert [each.score for each in found] == pytest.approx([cosines[at] for at in expected])


def test_scores_of_given_passages():
    given = [PASSAGES[2], PASSAGES[0], PASSAGES[2]]
    assert search().scores("east", given) == pytest.approx([0.0, 0.5, 0.0], abs=1e-6)
    assert search().scores("east", [Passage(99, "elsewhere")]) == pytest.approx([np.sqrt(0.5)])
    scores = by_itself(["dark", "caves"])
    assert search(SearchBy.BM25).scores("dark caves", given) == pytest.approx(
        [scores[2], scores[0], scores[2]]
    )
    dense = softmax([np.cos(np.radians(a - 45)) for a in (AT[2], AT[0])], 0.05)
    words = softmax([scores[2], scores[0]], 1.0)
    third, first = dense[0] + words[0], dense[1] + words[1]
    assert search(SearchBy.FUSED).scores("dark caves", given) == pytest.approx(
        [third, first, third], abs=1e-5
    )
    assert search(SearchBy.FUSED).scores("dark caves", []) == []
    for by in (SearchBy.BM25, SearchBy.FUSED):
        with pytest.raises(InvalidInput, match="Passage 99 is not in the collection 'small'"):
            search(by).scores("dark", [Passage(99, "elsewhere")])


def test_without_embeddings_only_words_are_searched():
    bare = PassageArrays("bare", 1, PASSAGES)
    assert ids_of(search(SearchBy.BM25, collected=bare).search("glass", 2)) == [11]
    for by in (SearchBy.DENSE, SearchBy.FUSED):
        with pytest.raises(InvalidInput, match="read without an encoder: search them by bm25"):
            search(by, collected=bare)


def test_programs_retrieve_from_it():
    run = Run(ScriptedModel({}), search(SearchBy.FUSED))
    assert retrieve(run, "fire", 2) == search(SearchBy.FUSED).search("fire", 2)
    assert rank(run, "dark", PASSAGES[:2]) == tuple(
        search(SearchBy.FUSED).scores("dark", PASSAGES[:2])
    )
    dense = Run(ScriptedModel({}), search())
    both = fused_retrieval(dense, ["east", "north"], 2)
    lists = [search().search(query, 6) for query in ("east", "north")]
    assert both == comb_sum(lists)[:2]


def test_passages_of_the_store_are_embedded_once_with_their_titles(store, hashing_encoder):
    drafts = [PassageDraft(text, title) for title, text in TEXTS]
    store.passages.add("small", drafts)
    counted = []
    before = len(hashing_encoder.encoded)
    collected = load_collected(
        store,
        "small",
        hashing_encoder,
        watcher=Watcher(on_progress=lambda *done: counted.append(done)),
    )
    shown = ["Bats | bats fly in dark caves", "glass melts in fire"]
    assert hashing_encoder.encoded[before:][:2] == shown
    assert counted == [(0, 4), (4, 4)]
    assert collected.passages == tuple(
        Passage(id, text, title) for id, (title, text) in enumerate(TEXTS, start=1)
    )
    np.testing.assert_array_equal(
        collected.embeddings, hashing_encoder.encode([each.shown for each in PASSAGES])
    )
    again = len(hashing_encoder.encoded)
    load_collected(store, "small", hashing_encoder)
    store.passages.remove("small")
    store.passages.add("other", drafts[::-1])
    load_collected(store, "other", hashing_encoder)
    assert len(hashing_encoder.encoded) == again, "nothing is embedded twice"
