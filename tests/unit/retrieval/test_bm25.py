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


def test_equals_the_library_on_pairs_of_han_characters():
    generator = np.random.default_rng(1)
    letters = list("如何重置路由器的密码发票在哪里下载怎样更换打印机的墨盒")
    texts = tuple("".join(generator.choice(letters, size=9)) + "？" for _ in range(60))

    def pairs(text):
        return [text[place : place + 2] for place in range(8)]

    index = bm25s.BM25()
    index.index([pairs(text) for text in texts], show_progress=False)
    for text in texts[:20]:
        np.testing.assert_allclose(bm25_scores(texts, text), index.get_scores(pairs(text)))


LETTERS = ("What is Go?", "What is R?", "What is C++?", "What is C#?", "What is C?", "Who is C?")
CHINESE = (
    "如何重置路由器的密码？",
    "发票在哪里下载？",
    "怎样更换打印机的墨盒？",
    "打印机卡纸怎么办？",
)


@pytest.mark.parametrize("texts", [LETTERS, CHINESE])
def test_each_text_finds_itself_first(texts):
    view = pool(texts)
    for text, id in zip(texts, view.ids.tolist(), strict=True):
        assert choose(view, "bm25", 1, query=text, leave_out=False).ids.tolist() == [id]


def test_chinese_texts_are_ranked_by_what_they_share():
    context = choose(pool(CHINESE), "bm25", 4, query="打印机没有反应？", leave_out=False)
    assert set(context.ids[:2].tolist()) == {12, 13}
    assert (context.values[:2] > 0).all()
    assert context.without_word == (10, 11)


def test_the_library_prints_nothing_of_its_own(caplog, capfd):
    with caplog.at_level("DEBUG"):
        assert bm25_scores(("never seen before", "nor this"), "seen")[0] > 0
    assert [each.message for each in caplog.records if each.name.startswith("bm25s")] == []
    assert capfd.readouterr() == ("", "")


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
