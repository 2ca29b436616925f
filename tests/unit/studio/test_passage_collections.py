"""Collections of passages in a studio: read once a version, embedded where they were left."""

import pytest

from core.errors import Cancelled, InvalidInput
from core.passages.search import SearchBy
from core.passages.splitting import Lengths
from core.programs.primitives import reciprocal_rank
from core.retrieval.embedded_texts import EMBEDDING_CHUNK
from core.store import PassageDraft
from core.studio import Studio
from core.studio.passages import (
    PassagesImportRequest,
    SearchRequest,
    embed,
    first_passages,
    read_upload,
    remove,
    retriever,
    run_import,
    search,
    summaries,
)
from core.watcher import Watcher
from tests.support.hashing_encoder import HashingEncoder

MANY = EMBEDDING_CHUNK + 2


@pytest.fixture
def encoder():
    return HashingEncoder()


@pytest.fixture
def studio(tmp_path, encoder):
    with Studio.open(tmp_path, load_encoder=lambda name=None: encoder) as opened:
        drafts = [PassageDraft(f"number {number}", f"T{number}") for number in range(MANY)]
        opened.store.passages.add("many", drafts)
        yield opened


def test_a_stopped_embedding_goes_on_where_it_was(studio, encoder):
    stopped = Watcher(cancelled=lambda: len(encoder.encoded) >= EMBEDDING_CHUNK)
    with pytest.raises(Cancelled):
        embed(studio, "many", watcher=stopped)
    assert len(encoder.encoded) == EMBEDDING_CHUNK
    found = embed(studio, "many")
    assert (found.reused, found.embedded, found.cut, found.notes) == (EMBEDDING_CHUNK, 2, (), ())
    assert len(encoder.encoded) == MANY


def test_a_collection_is_read_once_a_version(studio):
    request = SearchRequest(collection="many", query="number 7", k=3, by=SearchBy.DENSE)
    first = retriever(studio, request).collected
    assert retriever(studio, request).collected is first
    studio.store.passages.add("many", [PassageDraft("number 7 again")])
    again = retriever(studio, request).collected
    assert (len(first), len(again)) == (MANY, MANY + 1)
    assert [each.id for each in search(studio, request).passages][:1] == [
        each.passage.id for each in retriever(studio, request).search("number 7", 1)
    ]
    assert remove(studio, "many") == MANY + 1
    assert summaries(studio) == []
    with pytest.raises(InvalidInput, match="no collection of passages named 'many'"):
        search(studio, request)


def test_a_collection_under_an_earlier_name_is_another_one(studio):
    request = SearchRequest(collection="many", query="number 7", k=1, by=SearchBy.BM25)
    assert search(studio, request).passages[0].text == "number 7"
    remove(studio, "many")
    studio.store.passages.add("many", [PassageDraft("number 7 of another")])
    assert search(studio, request).passages[0].text == "number 7 of another"


def test_the_fusion_is_chosen_by_name(studio):
    request = SearchRequest(collection="many", query="number 7", k=1, fuse="reciprocal-rank")
    found = search(studio, request)
    assert found.fuse == "reciprocal-rank"
    (best,) = found.passages
    lists = [
        retriever(studio, SearchRequest(collection="many", query="number 7", by=by)).search(
            "number 7", 100
        )
        for by in (SearchBy.DENSE, SearchBy.BM25)
    ]
    assert best.score == reciprocal_rank(lists)[0].score
    with pytest.raises(InvalidInput, match='no fusion "sum": choose one of comb-sum, reciprocal'):
        search(studio, SearchRequest(collection="many", query="x", fuse="sum"))


def test_what_is_shown_of_an_upload_are_the_first_that_are_imported(studio):
    text = b"# One\na b c d e\n# Two\nf\n# Three\ng\n"
    request = PassagesImportRequest(
        source=read_upload("../sly name.md", text), collection="new", lengths=Lengths(3, 1)
    )
    wanted = [("One", "a b c"), ("One", "c d e"), ("Two", "f"), ("Three", "g")]
    assert [(each.title, each.text) for each in first_passages(request, 3)] == wanted[:3]
    assert first_passages(request, 0) == []
    assert "new" not in studio.store.passages.names()
    report = run_import(studio, request)
    assert (report.source, report.documents, report.passages) == ("sly name.md", 3, 4)
    rows = studio.store.passages.snapshot("new")[1]
    assert [(row.title, row.text) for row in rows] == wanted
