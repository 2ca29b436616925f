"""BM25 over the queries of a pool: by hand, and against the library over all texts at once."""

import math

import bm25s
import numpy as np
import pytest

from core.retrieval.methods.bm25 import bm25_scores
from tests.contracts.test_method_contract import choose, pool

TEXTS = (
    "How do cats see in the dark?",
    "Do dogs dream?",
    "Cats, cats and more cats",
    "the",
    "",
    "Who feeds the dogs and the cats of the harbour?",
)


def by_hand(texts, words):
    """Lucene's BM25 as the library's paper writes it, with k1 = 1.5 and b = 0.75."""
    lengths = [len(text) for text in texts]
    scores = []
    for text in texts:
        total = 0.0
        for word in words:
            holders = sum(word in each for each in texts)
            if not holders:
                continue
            rare = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            count = text.count(word)
            norm = 1.5 * (1 - 0.75 + 0.75 * len(text) / (sum(lengths) / len(texts)))
            total += rare * count / (count + norm)
        scores.append(total)
    return scores


WORDS = (
    ["how", "do", "cats", "see", "dark"],
    ["do", "dogs", "dream"],
    ["cats", "cats", "more", "cats"],
    [],
    [],
    ["who", "feeds", "dogs", "cats", "harbour"],
)
"""The texts without the stop words of English."""


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What do cats dream of?", ["what", "do", "cats", "dream"]),
        ("DOGS!", ["dogs"]),
        ("dogs, dogs", ["dogs", "dogs"]),
        ("harbour of the unknown", ["harbour", "unknown"]),
    ],
)
def test_equals_the_formula(query, words):
    np.testing.assert_allclose(bm25_scores(TEXTS, query), by_hand(WORDS, words), rtol=1e-5)


def test_equals_the_library_on_texts_of_its_own():
    generator = np.random.default_rng(0)
    vocabulary = [f"word{n}" for n in range(40)]
    texts = tuple(" ".join(generator.choice(vocabulary, size=8)) for _ in range(200))
    index = bm25s.BM25()
    index.index([text.split() for text in texts], show_progress=False)
    for text in texts[:20]:
        np.testing.assert_allclose(bm25_scores(texts, text), index.get_scores(text.split()))


@pytest.mark.parametrize("texts", [(), ("the", "a"), ("", "!")])
def test_without_a_word_every_score_is_zero(texts):
    assert bm25_scores(texts, "Do cats dream?").tolist() == [0.0] * len(texts)


@pytest.mark.parametrize("query", ["", "the", "unheard"])
def test_a_query_without_a_known_word_scores_nothing(query):
    assert bm25_scores(TEXTS, query).tolist() == [0.0] * len(TEXTS)


def test_the_highest_are_chosen_and_equals_by_id():
    view = pool(TEXTS)
    context = choose(view, "bm25", 4, query="Do dogs see cats?", leave_out=False)
    scores = bm25_scores(TEXTS, "Do dogs see cats?")
    order = sorted(range(len(TEXTS)), key=lambda i: (-scores[i], view.ids[i]))
    assert context.indices.tolist() == order[:4]
    assert context.values.tolist() == scores[order[:4]].tolist()
    nothing = choose(view, "bm25", 3, query="unheard", leave_out=False)
    assert nothing.ids.tolist() == view.ids[:3].tolist()
