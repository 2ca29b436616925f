"""The map of a collection: laid out once, later passages placed, equal texts on one point."""

import numpy as np
import pytest

from core.errors import InvalidInput
from core.store import PassageDraft
from core.studio import Studio
from core.studio.map.pool_map import text_keys
from core.studio.passages import map_key, passage_map, place_query
from tests.support.hashing_encoder import HashingEncoder

DRAFTS = [PassageDraft(f"bats in cave {n}", "Bats", "bats.md", 1, n) for n in range(1, 41)]


@pytest.fixture
def encoder():
    return HashingEncoder()


@pytest.fixture
def studio(tmp_path, encoder):
    with Studio.open(tmp_path, load_encoder=lambda name=None: encoder) as opened:
        opened.store.passages.add("bats", DRAFTS)
        yield opened


def mapped(studio):
    found, job = passage_map(studio, "bats")
    if job is not None:
        assert job.wait(300)
        found, job = passage_map(studio, "bats")
    assert job is None
    return found


def test_a_stored_layout_serves_and_a_later_passage_is_placed_beside_it(studio, encoder):
    texts = [f"Bats | {each.text}" for each in DRAFTS]
    points = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
    collection = studio.store.passages.get("bats")
    studio.store.coordinates.put(
        map_key(collection.id, encoder.fingerprint), text_keys(texts), points
    )
    found = mapped(studio)
    np.testing.assert_array_equal(found.layout.points, points)
    assert (found.ids.tolist(), found.layout.placed) == (list(range(1, 41)), 0)
    assert set(found.sources) == {"bats.md"}
    assert mapped(studio) is found
    assert place_query(studio, found, "Bats | bats in cave 7") == pytest.approx(
        points[6].tolist(), abs=1e-3
    )
    studio.store.passages.add("bats", [PassageDraft("bats in cave 41", "Bats")])
    later = mapped(studio)
    assert (later.ids.tolist(), later.layout.placed) == (list(range(1, 42)), 1)
    np.testing.assert_array_equal(later.layout.points[:40], points)


def test_an_unknown_collection_has_no_map(studio):
    with pytest.raises(InvalidInput, match="no collection of passages named 'none'"):
        passage_map(studio, "none")


@pytest.mark.thorough
def test_a_new_collection_is_laid_out_once(studio, encoder):
    found = mapped(studio)
    assert found.coordinates.shape == (40, 2)
    assert np.isfinite(found.coordinates).all()
    assert len(encoder.encoded) == 40
    stored = studio.store.coordinates.get(map_key(1, encoder.fingerprint))
    np.testing.assert_array_equal(stored[1], found.layout.points)
