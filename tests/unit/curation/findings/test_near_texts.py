"""Pairs of texts that are much the same: against every pair, and law by law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.curation.findings import near
from core.curation.findings.near import near_texts
from core.errors import Cancelled
from core.retrieval.near_queries import LEAST
from core.retrieval.wording import Wording, same_words
from core.watcher import Watcher

LONG = "what does the old harbour master keep in the blue box behind his door"


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def apart(n):
    """Embeddings that are all at right angles, so that words alone decide."""
    return np.eye(n, dtype=np.float32)


def same(one, other):
    return same_words(Wording.of(one), Wording.of(other))


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("What is the capital of France?", "WHAT is the capital of FRANCE", 1.0),
        ("What is the capital of France?", "the capital of France is what?", 1.0),
        ("What is the capital of France?", "What is the capitol of France?", 0.95),
        ("What is the capital of France?", "What is the captial of France?", 0.95),
        ("What is the capital of France?", "What is the captial of Frence now?", 0.85),
        ("Chapter 3", "3, chapter", 1.0),
        ("a well-known – or not – case", "a well known - or not - case!", 1.0),
        ("", "", 1.0),
    ],
)
def test_case_order_and_slips_of_letters_are_much_the_same(one, other, least):
    assert least <= same(one, other) == same(other, one) <= 1.0


@pytest.mark.parametrize(
    ("one", "other", "most"),
    [
        ("Who won in 1987?", "Who won in 1988?", 0.0),
        ("Chapter 3", "Chapter three", 0.0),
        ("What is the capital of France?", "What is the capital of Peru?", 0.92),
        ("What is the capital of France?", "Was ist die Hauptstadt von Frankreich?", 0.7),
        ("What day was it on Thursday", "What day is it today", 0.7),
        ("May I go with him to the harbour", "May I go with her to the harbour", 0.4),
        ("What is the capital city of Iran", "What is the capital city of Iraq", 0.75),
        ("cat", "", 0.0),
        ("Solve 3x + 2 for x", "Solve 3x - 2 for x", 0.0),
        ("p -> q", "p <- q", 0.0),
        ("a loss of -5", "a loss of 5", 0.0),
        ("costs 5 %", "costs 5 $", 0.0),
    ],
)
def test_numbers_and_other_words_are_not(one, other, most):
    assert same(one, other) <= most


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # Two letters of 2 x 16, s and m, are not common.
        ("blue whale songs", "blue whale songm", 1 - 2 / 32),
        # In words of four letters a letter makes another word; "son" is common to both.
        ("blue whale song", "blue whale sonm", 6 / 8),
        # Without "the" and "of", which only one of them has, nothing is different.
        ("the song of whales", "song whales", 1.0),
        # "calls" and "songs" have only their s in common, each has 5 letters.
        ("the songs of whales", "the calls of whales", 2 / 10),
        # Sorted, both are blue, song, whale.
        ("song blue whale", "blue song whale", 1.0),
    ],
)
def test_similarity_by_hand(one, other, expected):
    assert same(one, other) == pytest.approx(expected)


def test_in_their_order_moved_words_are_not_the_same():
    one, other = Wording.of("song blue whale"), Wording.of("blue song whale")
    # The longest common subsequence, "blue whale" or "song whale" with its spaces, has 10 of 15.
    assert same_words(one, other, in_order=True) == pytest.approx(20 / 30)
    assert same_words(one, one, in_order=True) == 1.0


@given(some.text(), some.text())
def test_similarity_of_words_is_symmetric_and_within_its_range(one, other):
    assert same(one, other) == same(other, one)
    assert 0.0 <= same(one, other) <= same(one, one) == 1.0


@given(some.lists(some.sampled_from("abcdefgh"), min_size=1, max_size=12), some.integers(0, 99))
def test_the_order_of_words_does_not_matter(words, seed):
    shuffled = np.random.default_rng(seed).permutation(words).tolist()
    assert same(" ".join(words), " ".join(shuffled)) == 1.0


def test_pairs_are_those_of_every_pair(monkeypatch):
    monkeypatch.setattr(near, "BLOCK", 7)
    generator = np.random.default_rng(3)
    centres = generator.normal(size=(9, 12))
    rows = unit(np.repeat(centres, 4, axis=0) + 0.25 * generator.normal(size=(36, 12)))
    letters = list("abcdefghijklmnopqrstuvwxyz")
    texts = ["".join(generator.choice(letters, 12)) for _ in range(36)]
    wordings = list(map(Wording.of, texts))
    expected = {
        (i, j): (same_words(wordings[i], wordings[j]), float(rows[i] @ rows[j]))
        for i in range(36)
        for j in range(i + 1, 36)
    }
    expected = {pair: both for pair, both in expected.items() if max(both) >= LEAST}
    found = near_texts(texts, rows)
    assert found.pairs.tolist() == [list(pair) for pair in expected]
    assert found.words == pytest.approx([words for words, _ in expected.values()])
    ordered = [same_words(wordings[i], wordings[j], in_order=True) for i, j in expected]
    assert found.in_order == pytest.approx(ordered)
    assert found.cosines == pytest.approx([cosine for _, cosine in expected.values()], abs=1e-6)
    assert found.similarity == pytest.approx([max(both) for both in expected.values()], abs=1e-6)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -1.0)
    assert found.nearest == pytest.approx(cosines.max(axis=1), abs=1e-6)


def test_a_slip_is_found_where_the_embeddings_are_far_apart():
    texts = [LONG, "nothing of the kind", LONG.replace("harbour", "harbuor"), LONG + " now"]
    found = near_texts(texts, apart(4))
    assert found.pairs.tolist() == [[0, 2], [0, 3], [2, 3]]
    assert found.cosines.tolist() == [0.0, 0.0, 0.0]
    assert found.words.min() > LEAST


def test_the_same_meaning_is_found_where_no_word_is_the_same():
    texts = ["one thing", "quite another matter", "third"]
    rows = unit(np.array([[1.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 0.0, 1.0]]))
    found = near_texts(texts, rows)
    assert found.pairs.tolist() == [[0, 1]]
    assert found.cosines == pytest.approx([1 / np.sqrt(1.04)])
    assert found.nearest == pytest.approx([1 / np.sqrt(1.04), 1 / np.sqrt(1.04), 0.0], abs=1e-7)


def test_embeddings_of_what_the_encoder_cuts_do_not_count():
    """Two long texts that begin alike, and two slips of another one."""
    texts = [LONG, "In other words", LONG.replace("harbour", "harbuor"), "Quite another matter"]
    rows, asked = unit(np.ones((4, 3))), []

    def is_cut(some):
        asked.extend(some)
        return np.array([text in texts[2:] for text in some])

    found = near_texts(texts, rows, is_cut)
    assert found.pairs.tolist() == [[0, 1], [0, 2]]
    assert found.cosines.tolist() == pytest.approx([1.0, 0.0])
    assert sorted(asked) == sorted(texts)
    assert found.nearest == pytest.approx(np.ones(4))


def test_texts_with_other_numbers_are_no_pair_however_near_their_embeddings():
    rows = unit(np.ones((3, 2)))
    assert near_texts(["page 1", "page 2", "1 page"], rows).pairs.tolist() == [[0, 2]]


@pytest.mark.parametrize("n", [0, 1])
def test_without_a_second_text_there_is_no_pair(n):
    found = near_texts(["only one"][:n], apart(1)[:n])
    assert found.pairs.shape == (0, 2)
    assert found.similarity.shape == (0,)
    assert found.nearest.tolist() == [1.0] * n


def test_progress_counts_every_text(monkeypatch):
    monkeypatch.setattr(near, "BLOCK", 2)
    seen = []
    near_texts([f"text {'abcde'[i]}" for i in range(5)], apart(5),
               watcher=Watcher(on_progress=lambda *both: seen.append(both)))  # fmt: skip
    assert seen == [(2, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("after", [0, 1, 3])
def test_it_can_be_stopped_at_every_block(after, monkeypatch):
    monkeypatch.setattr(near, "BLOCK", 2)
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > after

    with pytest.raises(Cancelled):
        near_texts(
            [f"text {'abcde'[i]}" for i in range(5)], apart(5), watcher=Watcher(cancelled=cancelled)
        )
    assert len(asked) == after + 1
