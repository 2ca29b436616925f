"""Comparing texts most of which were compared before: as from nothing, looking only at others."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.curation.findings import near
from core.curation.findings.near import NOTHING, Nearest, find_nearest, near_texts
from core.errors import Cancelled
from core.watcher import Watcher

N = 60
WORDS = ["harbour", "harbuor", "master", "box", "blue", "keeps", "seldom", "today"]


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def drawn(seed):
    """Texts of few words, with slips among them, and embeddings of which many are near."""
    draw = np.random.default_rng(seed)
    texts = [
        f"{' '.join(draw.choice(WORDS, 5))} {chr(97 + n % 26) * (3 + n // 26)}" for n in range(N)
    ]
    centres = draw.normal(size=(12, 8))
    rows = centres[draw.integers(0, 12, N)] + 0.3 * draw.normal(size=(N, 8))
    return texts, unit(rows)


def best_of(rows, most):
    """The cosines of the `most` nearest of each row, the largest first."""
    return -np.sort(-(rows @ rows.T), axis=1)[:, :most]


@given(
    some.integers(0, 9),
    some.sets(some.integers(0, N - 1)),
    some.sets(some.integers(0, N - 1)),
    some.sampled_from([1, 3, 20]),
)
def test_it_is_what_is_found_from_nothing(seed, before, after, most):
    texts, rows = drawn(seed)
    with patch.object(near, "NEAREST", most), patch.object(near, "BLOCK", 7):
        then, now = sorted(before), sorted(after)
        known = near_texts([texts[n] for n in then], rows[then]).compared
        ours = [texts[n] for n in now]
        found = near_texts(ours, rows[now], known=known)
        anew = near_texts(ours, rows[now])
    assert found.pairs.tolist() == anew.pairs.tolist()
    for name in ("words", "in_order", "cosines", "nearest"):
        assert getattr(found, name) == pytest.approx(getattr(anew, name), abs=1e-6), name
    assert found.compared.texts == tuple(ours)
    if now:
        kept = found.compared.nearest
        width = min(most + 1, len(now))
        assert kept.cosines == pytest.approx(best_of(rows[now], width), abs=1e-6)
        there = np.take_along_axis(rows[now] @ rows[now].T, kept.others.astype(np.int64), axis=1)
        assert there == pytest.approx(kept.cosines, abs=1e-6)
        assert all(len(set(row)) == width for row in kept.others.tolist()), "each once"


def looked_at(monkeypatch, places, rows, known):
    """How many texts were compared with how many, call by call."""
    calls = []
    really = near._knn

    def noting(some_rows, others, most):
        calls.append((len(some_rows), len(others)))
        return really(some_rows, others, most)

    monkeypatch.setattr(near, "_knn", noting)
    find_nearest(rows, known, np.array(places))
    return calls


def test_only_the_new_ones_and_those_that_lost_one_are_compared_with_all(monkeypatch):
    monkeypatch.setattr(near, "NEAREST", 2)
    angles = np.deg2rad([0, 1, 2, 40, 41, 42, 80, 81, 82])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    known = find_nearest(rows, Nearest.none(), np.full(9, -1))
    assert looked_at(monkeypatch, range(9), rows, known) == []
    without = np.delete(np.arange(9), 4)
    assert looked_at(monkeypatch, without, rows[without], known) == [(2, 8)]
    eight = find_nearest(rows[without], known, without)
    again = [*range(4), -1, *range(4, 8)]
    assert looked_at(monkeypatch, again, rows, eight) == [(8, 1), (1, 9)]


def test_sketches_of_known_texts_are_not_made_again(monkeypatch):
    texts, rows = drawn(1)
    known = near_texts(texts[1:], rows[1:]).compared
    made = []
    really = near.Wording.of
    monkeypatch.setattr(near.Wording, "of", lambda text: made.append(text) or really(text))
    monkeypatch.setattr(near, "LEAST", 2.0)  # no pair is looked at by its words
    monkeypatch.setattr(near, "_share_trigrams", lambda sketches, watcher: [])
    found = near_texts(texts, rows, known=known)
    assert made == texts[:1]
    assert found.compared.sketches[1:] == known.sketches


def test_what_is_unchanged_can_be_stopped_too():
    texts, rows = drawn(2)
    known = near_texts(texts, rows).compared
    with pytest.raises(Cancelled):
        near_texts(texts, rows, known=known, watcher=Watcher(cancelled=lambda: True))


def test_nothing_is_known_of_no_text():
    assert (NOTHING.texts, NOTHING.sketches, NOTHING.nearest.others.shape) == ((), (), (0, 0))
