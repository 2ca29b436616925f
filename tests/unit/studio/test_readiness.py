"""What a pool needs before it can be used is done beside the pages."""

import gc
import threading
import weakref

import numpy as np
import pytest

import core.studio.session.studio
from core.embedding import DeferredEncoder
from core.store import Change
from core.studio import Setup, Studio
from core.studio.pools import demonstrations
from core.studio.session import readiness
from core.studio.session.studio import _Recent
from core.text import content_hash
from core.types import Draft
from tests.support.hashing_encoder import HashingEncoder

SETUP = Setup("small")


@pytest.fixture
def studio(tmp_path, monkeypatch, hashing_encoder, workspace_with):
    monkeypatch.setattr(core.studio.session.studio, "load_encoder", lambda name: hashing_encoder)
    workspace_with(
        tmp_path / "workspace", "small", [Draft(f"Query {n}?", "Yes") for n in range(12)]
    )
    with Studio.open(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def deferred(studio, monkeypatch, hashing_encoder):
    """The encoder as the bundled one is: it loads when the first text is encoded."""
    encoder = DeferredEncoder("hashing", hashing_encoder.fingerprint, lambda: hashing_encoder)
    monkeypatch.setattr(core.studio.session.studio, "load_encoder", lambda name: encoder)
    return encoder


def test_what_is_embedded_is_there_at_once_and_the_encoder_not_even_loaded(studio, deferred):
    texts = [f"Query {n}?" for n in range(12)]
    rows = HashingEncoder().encode(texts)
    studio.store.embeddings.put(deferred.fingerprint, [content_hash(text) for text in texts], rows)
    found = readiness.make_ready(studio, SETUP)
    assert found.view is not None
    assert np.array_equal(found.view.matrix, rows)
    assert not deferred.ready


def test_the_encoder_is_loaded_beside_the_pages_once_the_model_is_there(
    studio, deferred, tiny_lm_folder
):
    setup = Setup("small", model=str(tiny_lm_folder))
    readiness.make_ready(studio, setup).embedding.wait(60)
    deferred._loaded = None
    loading = readiness.make_ready(studio, setup).loading
    assert not deferred.ready
    assert loading.wait(60)
    readiness.make_ready(studio, setup)
    (job,) = [studio.pool_worker.latest(f"encoder:{deferred.fingerprint}")]
    assert job.wait(60)
    assert deferred.ready


@pytest.mark.usefixtures("deferred")
def test_the_first_page_waits_neither_for_the_encoder_nor_for_the_pool(studio):
    found = readiness.make_ready(studio, SETUP)
    assert found.view is None
    assert found.embedding.wait(60)
    assert studio.has_encoder(None)
    assert studio.has_view(SETUP)
    ready = readiness.make_ready(studio, SETUP)
    assert ready.embedding is None
    assert len(ready.view) == 12


def test_a_change_of_a_small_pool_is_there_at_once(studio):
    studio.encoder()
    assert len(readiness.make_ready(studio, SETUP).view) == 12
    pool = studio.store.pools.get("small")
    studio.store.demonstrations.add(pool.id, [Draft("One more?", "Yes")])
    assert len(readiness.make_ready(studio, SETUP).view) == 13


@pytest.mark.parametrize(("name", "value"), [("LARGE", 11), ("AT_ONCE", 11)])
def test_a_large_pool_is_read_and_many_texts_are_embedded_beside_the_pages(
    studio, monkeypatch, name, value
):
    monkeypatch.setattr(readiness, name, value)
    studio.encoder()
    found = readiness.make_ready(studio, SETUP)
    assert found.view is None
    assert found.embedding.wait(60)
    assert (found.embedding.done, found.embedding.total) == (12, 12)
    assert found.embedding.result == 12
    assert len(readiness.make_ready(studio, SETUP).view) == 12


def test_a_change_of_the_pool_starts_no_second_scoring_beside_the_first(studio, tiny_lm_folder):
    setup, go_on = Setup("small", model=str(tiny_lm_folder)), threading.Event()
    studio.encoder()
    studio.language_model(setup.model)
    studio.model_worker.submit("first", "holds the model", lambda job: go_on.wait(60))
    scoring = readiness.make_ready(studio, setup).quality
    pool = studio.store.pools.get("small").id
    studio.store.demonstrations.add(pool, [Draft("One more?", "Yes")])
    assert readiness.make_ready(studio, setup).quality is scoring
    go_on.set()
    assert scoring.wait(60)
    assert readiness.make_ready(studio, setup).quality is None
    assert studio.view(setup).unscored == 0
    studio.store.demonstrations.add(pool, [Draft("And one more?", "Yes")])
    assert readiness.make_ready(studio, setup).quality.wait(60)
    assert studio.view(setup).unscored == 0


def test_the_arrays_of_an_older_version_are_let_go_and_another_pools_stay(studio):
    other = studio.store.pools.create("other")
    studio.store.demonstrations.add(other.id, [Draft("One?", "Yes")])
    kept = studio.view(Setup("other"))
    older = weakref.ref(studio.view(SETUP))
    studio.store.demonstrations.add(studio.store.pools.get("small").id, [Draft("One more?", "Yes")])
    assert len(studio.view(SETUP)) == 13
    gc.collect()
    assert older() is None
    assert studio.view(Setup("other")) is kept


def test_a_note_or_a_tag_reads_no_embedding_again_and_a_text_does(studio, monkeypatch):
    view, fetched, get = studio.view(SETUP), [], studio.store.embeddings.get

    def counted(encoder, hashes):
        fetched.append(len(hashes))
        return get(encoder, hashes)

    monkeypatch.setattr(studio.store.embeddings, "get", counted)

    def change(**values):
        (row,) = studio.store.demonstrations.by_ids(view.ids[:1].tolist())
        changes = [Change(row.id, row.revision, **values)]
        return studio.store.demonstrations.change(changes, what="edit")

    for values in ({"note": "looked up"}, {"tags": ("t",)}):
        studio.store.history.undo(change(**values))
        change(**values)
        assert readiness.make_ready(studio, SETUP).view is view
        assert studio.has_view(SETUP)
    assert fetched == []
    (row,) = demonstrations.table(studio, demonstrations.TableRequest("small", tags=("t",))).rows
    assert (row.id, row.note) == (view.ids[0], "looked up")
    change(answer="No")
    assert not studio.has_view(SETUP)
    again = readiness.make_ready(studio, SETUP).view
    assert (again.answers[0], again.version) == ("No", studio.store.pools.get("small").version)
    assert fetched == [12]


def test_what_is_being_made_keeps_nobody_from_the_rest():
    kept = _Recent(2)
    began, go_on = threading.Event(), threading.Event()

    def slow():
        began.set()
        assert go_on.wait(60)
        return "slow"

    made = []
    makers = [
        threading.Thread(target=lambda: made.append(kept.get("a", slow))),
        threading.Thread(target=lambda: made.append(kept.get("a", lambda: "twice"))),
    ]
    makers[0].start()
    assert began.wait(60)
    makers[1].start()
    assert kept.get("b", lambda: "quick") == "quick"
    assert kept.peek("a") is None
    go_on.set()
    for maker in makers:
        maker.join(60)
    assert made == ["slow", "slow"]
    assert kept.get("c", lambda: "third") == "third"
    assert kept.peek("b") is None, "only the two used last are kept"
