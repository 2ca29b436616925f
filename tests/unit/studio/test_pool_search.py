"""A search of a pool: meanings, measured values, and what is not computed yet; saved searches."""

import pytest

from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.retrieval.retrieved import RetrievalCounts
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.retrieved import count_in_background
from core.studio.pools.searching import (
    NEAREST,
    ComputedMeasures,
    forget,
    in_one_line,
    save,
    saved,
    sought,
)

SETUP = Setup("small", None, None)


@pytest.fixture
def pool_drafts():
    return [
        Draft("Do bats see at night?", "Yes"),
        Draft("Do bats see at night?", "They do"),
        Draft("Do moles see at night?", "Hardly", status=Status.EXCLUDED),
        Draft("Is glass a liquid?", "No"),
        Draft("How deep is the sea at night?", "Deep"),
    ]


@pytest.fixture
def find(studio):
    """The ids that a line finds, with the view and the counts that are given."""
    view = studio.view(SETUP)

    def found(text, computed=None, view=view):
        asked = sought(studio, SETUP, view, computed or ComputedMeasures(), text)
        return demonstrations.matching_ids(studio, TableRequest("small", asked.criteria))

    return found


def test_a_blank_line_finds_everything_and_words_what_has_them(find):
    assert find("") == [1, 2, 3, 4, 5]
    assert find("night -bats", view=None) == [3, 5]


def test_a_choice_of_tags_and_of_a_status_is_written_into_the_line(studio, find):
    demonstrations.add_tag(studio, [1, 3, 4], "bird life")
    demonstrations.add_tag(studio, [5], "sea")
    assert in_one_line(" night ", (), None) == "night"
    line = in_one_line("night", ("bird life", "sea"), Status.EXCLUDED)
    assert line == 'night tag:"bird life|sea" status:excluded'
    assert find(line, view=None) == [3]
    assert find(in_one_line("", ("sea",), None), view=None) == [5]


def test_a_meaning_finds_the_nearest_included_ones_and_how_near_they_are(studio, find):
    view = studio.view(SETUP)
    for line, query in ((f'like:"{text}"', text) for text in ("Do bats see?", "glass at night")):
        relevance = view.relevance(studio.query_vector(SETUP.encoder, query))
        asked = sought(studio, SETUP, view, ComputedMeasures(), line)
        assert asked.similarity == pytest.approx(
            dict(zip(view.ids.tolist(), relevance.tolist(), strict=True))
        )
        ranked = sorted(view.ids.tolist(), key=lambda id: (-asked.similarity[id], id))
        assert list(asked.similarity) == ranked
    assert NEAREST > 4
    assert find('like:"Do bats see?"') == [1, 2, 4, 5]
    assert find('-like:"Do bats see?"') == [3]
    of_text = sought(studio, SETUP, view, ComputedMeasures(), 'like:"Is glass a liquid?"')
    assert sought(studio, SETUP, view, ComputedMeasures(), "like:4") == of_text
    assert list(sought(studio, SETUP, view, ComputedMeasures(), "like:3").similarity)[:2] == [1, 2]


def test_the_nearest_are_so_many_unless_a_similarity_is_given(studio, find, monkeypatch):
    monkeypatch.setattr("core.studio.pools.searching.NEAREST", 2)
    asked = sought(studio, SETUP, studio.view(SETUP), ComputedMeasures(), "like:1")
    assert find("like:1") == sorted(list(asked.similarity)[:2]) == [1, 2]
    assert find("like:1 similarity:-1..1") == [1, 2, 4, 5]
    least = asked.similarity[5]
    above = [id for id, value in asked.similarity.items() if value > least]
    assert find(f"like:1 similarity:>{least!r}") == sorted(above)
    assert find(f"like:1 -similarity:>{least!r} status:included") == [
        id for id in (1, 2, 4, 5) if id not in above
    ]


def test_a_share_of_contexts_finds_by_what_is_counted(studio, find):
    job = count_in_background(studio, SETUP, Knobs("rel", 1))
    job.wait(60)
    counted = job.result
    assert isinstance(counted, RetrievalCounts)
    never = [id for id, share in counted.shares.items() if not share]
    assert find("retrieved:no", ComputedMeasures(counted.shares)) == sorted(never)
    assert find("retrieved:yes", ComputedMeasures(counted.shares)) == sorted(
        set(counted.shares) - set(never)
    )


def test_by_worth(find):
    computed = ComputedMeasures(worth={1: -0.5, 2: 0.0, 5: 0.25})
    assert find("worth:<0", computed) == [1]
    assert find("worth:0..1", computed) == [2, 5]
    assert find("-worth:<0", computed) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("worth:<0", "is not judged yet: judge it on Review"),
        ("quality:<0", "No quality bias is scored yet: choose a language model"),
        ("-quality:<0", "No quality bias is scored yet"),
        ("retrieved:0", "How often each is retrieved is not counted yet"),
        ("similarity:>0.5", "similarity: needs a meaning"),
        ("like:1 like:2", "Two like: are given"),
        ("like:99", "There is no demonstration 99 in this pool"),
        ("status:x", "is no status"),
        ("-answer:/[/", "cannot be read"),
        ("/a/ \udcff", "half a character"),
    ],
)
def test_what_cannot_be_answered_says_why(find, text, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        find(text)


def test_a_demonstration_of_another_pool_is_none_to_search_by(studio, find):
    other = studio.store.pools.create("other")
    (strange,) = studio.store.demonstrations.add(other.id, [Draft("Elsewhere?", "Yes.")]).ids
    with pytest.raises(InvalidInput, match=f"no demonstration {strange} in this pool"):
        find(f"like:{strange}")


def test_a_meaning_waits_for_the_embeddings(find):
    with pytest.raises(InvalidInput, match="is being embedded"):
        find("like:1", view=None)


def test_searches_are_saved_by_name_replaced_and_removed(studio):
    assert saved(studio, "small") == {}
    save(studio, "small", " to  shorten ", "length:>200 ")
    save(studio, "small", "Bats", "bats")
    save(studio, "small", "to shorten", "length:>300")
    assert saved(studio, "small") == {"Bats": "bats", "to shorten": "length:>300"}
    assert list(saved(studio, "small")) == ["Bats", "to shorten"]
    for _ in range(2):  # removed already is no error
        forget(studio, "small", "Bats")
    assert saved(studio, "small") == {"to shorten": "length:>300"}
    for name, text, sentence in (
        (" ", "bats", "has no name"),
        ("x", " ", "nothing to save"),
        ("x", "status:x", "is no status"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            save(studio, "small", name, text)
    with pytest.raises(InvalidInput, match="pool"):
        save(studio, "other", "x", "bats")
    assert saved(studio, "small") == {"to shorten": "length:>300"}
    studio.store.pools.delete("small")
    studio.store.pools.create("small")
    assert saved(studio, "small") == {}
