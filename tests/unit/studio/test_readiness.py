"""What a pool needs before it can be used is done beside the pages."""

import gc
import threading
import weakref

import numpy as np
import pytest

from core.curation.findings import near
from core.demonstration.criteria import TagCriterion
from core.demonstration.demonstration import Draft, Status
from core.embedding import DeferredEncoder
from core.recent import Recent
from core.retrieval.knobs import Knobs
from core.store import Change
from core.studio import Setup
from core.studio.pools import demonstrations, findings
from core.studio.pools.findings import CheckRequest, find_in_background
from core.studio.session import readiness
from core.text import content_hash
from tests.support.hashing_encoder import HashingEncoder

SETUP = Setup("small")
QUERIES = [f"Query {n}?" for n in range(12)]


@pytest.fixture
def pool_drafts():
    return [Draft(query, "Yes") for query in QUERIES]


@pytest.fixture
def encoder(request, hashing_encoder):
    """An encoder, or one that is as the bundled one: it loads when the first text is encoded."""
    if getattr(request, "param", None) == "deferred":
        return DeferredEncoder("hashing", hashing_encoder.fingerprint, HashingEncoder)
    return hashing_encoder


DEFERRED = pytest.mark.parametrize("encoder", ["deferred"], indirect=True)


def embed_all(studio, encoder):
    """Put the embeddings of the pool's queries into the store, as if made before; their rows."""
    rows = HashingEncoder().encode(QUERIES)
    hashes = [content_hash(query) for query in QUERIES]
    studio.store.embeddings.put(encoder.fingerprint, hashes, rows)
    return rows


@DEFERRED
def test_what_is_embedded_is_there_at_once_and_the_encoder_not_even_loaded(studio, encoder):
    rows = embed_all(studio, encoder)
    found = readiness.make_ready(studio, SETUP)
    assert found.view is not None
    assert np.array_equal(found.view.matrix, rows)
    assert not encoder.ready


@DEFERRED
def test_the_encoder_is_loaded_beside_the_pages_once_the_model_is_there(
    studio, encoder, tiny_lm_folder
):
    setup = Setup("small", model=str(tiny_lm_folder))
    embed_all(studio, encoder)
    loading = readiness.make_ready(studio, setup).loading
    assert loading.wait(60)
    assert not encoder.ready
    readiness.make_ready(studio, setup)
    (job,) = [studio.pool_worker.latest(f"encoder:{encoder.fingerprint}")]
    assert job.wait(60)
    assert encoder.ready


@DEFERRED
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


def check_that_all_is_embedded_beside_the_page(studio, count):
    studio.encoder()
    found = readiness.make_ready(studio, SETUP)
    assert found.view is None
    assert found.embedding.wait(60)
    assert (found.embedding.done, found.embedding.total) == (count, count)
    assert found.embedding.result == count
    assert len(readiness.make_ready(studio, SETUP).view) == count


def test_a_large_pool_is_read_beside_the_pages(studio, monkeypatch):
    monkeypatch.setattr(readiness, "LARGE_POOL", 11)  # ten thousand take seconds to make
    check_that_all_is_embedded_beside_the_page(studio, 12)


def test_a_large_pool_is_read_in_the_breaks_of_its_check(studio, monkeypatch):
    """Someone who changes the pool meanwhile need not wait for the check to end."""
    monkeypatch.setattr(readiness, "LARGE_POOL", 11)
    monkeypatch.setattr(near, "BLOCK", 4)
    studio.view(SETUP)
    may_compare, compares = threading.Event(), threading.Event()
    really = near.find_nearest

    def waiting(*arguments, **options):
        compares.set()
        assert may_compare.wait(60)
        return really(*arguments, **options)

    monkeypatch.setattr(near, "find_nearest", waiting)
    check = find_in_background(studio, CheckRequest(SETUP, Knobs("rel", 2)))
    assert compares.wait(60)
    demonstrations.set_status(studio, [1], Status.EXCLUDED)
    preparing = readiness.make_ready(studio, SETUP).embedding
    was_over = []
    monkeypatch.setattr(findings, "find_all", lambda checked: was_over.append(preparing.state))
    may_compare.set()
    assert check.wait(60)
    assert was_over == ["finished"]


def test_many_texts_are_embedded_beside_the_pages(studio):
    more = [Draft(f"More {n}?", "Yes") for n in range(readiness.AT_ONCE - 11)]
    studio.store.demonstrations.add(studio.store.pools.get("small").id, more)
    check_that_all_is_embedded_beside_the_page(studio, readiness.AT_ONCE + 1)


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
    go_on = threading.Event()
    studio.model_worker.submit("test", "Holds the model", lambda job: go_on.wait(60))
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
    (row,) = demonstrations.table(
        studio, demonstrations.TableRequest("small", (TagCriterion(("t",)),))
    ).rows
    assert (row.id, row.note) == (view.ids[0], "looked up")
    change(answer="No")
    assert not studio.has_view(SETUP)
    again = readiness.make_ready(studio, SETUP).view
    assert (again.answers[0], again.version) == ("No", studio.store.pools.get("small").version)
    assert fetched == [12]
    go_on.set()


def test_a_renewed_value_is_made_of_the_one_before():
    kept = Recent(1)
    assert kept.renew("a", lambda before: [before]) == [None]
    assert kept.renew("a", lambda before: [before]) == [[None]]
    with pytest.raises(ZeroDivisionError):
        kept.renew("a", lambda before: 1 / 0)
    assert kept.get("a", lambda: "not asked") == [[None]], "what fails leaves what was there"
    kept.get("b", lambda: "another")
    assert kept.renew("a", lambda before: before) is None, "there was no more room for it"


def test_work_that_lets_other_work_about_the_same_run_does_not_wait_for_itself():
    kept = Recent(1)
    assert kept.get("a", lambda: (kept.get("a", lambda: "inner"), "outer")) == ("inner", "outer")


def test_what_is_being_made_keeps_nobody_from_the_rest():
    kept = Recent(2)
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
