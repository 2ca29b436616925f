"""Suggested incorrect answers as a service: made in the background, accepted, undone."""

import pytest

from core.demonstration.demonstration import Draft, IncorrectAnswer, incorrect_answers
from core.errors import InvalidInput
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.suggestions import accept, lacking, refuse, suggest, suggested

SMALL = Setup("small")
ROWS = (
    ("When does the shop open on Monday?", ("At nine", "9 o'clock"), ()),
    ("When does the shop open on Sunday?", ("It is closed",), ()),
    ("When does the shop open in May?", ("At ten",), ("Never",)),
    ("Who bakes the bread?", ("A baker",), ()),
)


@pytest.fixture
def pool_drafts():
    return [Draft(q, a, incorrect_answers(wrong)) for q, answers, wrong in ROWS for a in answers]


def rows(studio):
    return studio.store.demonstrations.all(studio.store.pools.get("small").id)


def in_background(studio):
    found, job = suggested(studio, SMALL)
    assert found is None
    assert job.wait(60)
    found, job = suggested(studio, SMALL)
    assert job is None
    return found


def test_queries_without_incorrect_answers_get_those_of_the_queries_with_most_letters_alike(studio):
    assert lacking(studio, "small") == 3
    found = in_background(studio)
    assert (found.queries, found.lacking) == (4, 3)
    monday = [each for each in found.suggestions if each.query == ROWS[0][0]]
    first, second = (row.id for row in rows(studio) if row.query == ROWS[0][0])
    assert {each.ids for each in monday} == {(first, second)}
    assert {each.text for each in monday} == {"It is closed", "At ten", "A baker"}
    assert monday[-1].text == "A baker"
    assert {each.query for each in found.suggestions} == {q for q, _, wrong in ROWS if not wrong}


def test_the_same_pool_is_not_looked_through_twice(studio):
    found = in_background(studio)
    assert suggested(studio, SMALL) == (found, None)


def test_accepting_is_one_action_of_a_kind_of_its_own_and_undo_takes_it_back(studio):
    before = {row.id: row.incorrect for row in rows(studio)}
    found = suggest(studio, SMALL, per_query=1)
    monday = [each for each in found.suggestions if each.query == ROWS[0][0]]
    action = accept(studio, monday)
    (newest, *_) = demonstrations.history(studio, "small")
    assert (newest.id, newest.who, newest.what, newest.changes) == (
        action,
        "you",
        "added 1 incorrect answer from near queries",
        2,
    )
    (text,) = (each.text for each in monday)
    for row in rows(studio):
        assert row.incorrect == (
            (IncorrectAnswer(text, "near query"),) if row.query == ROWS[0][0] else before[row.id]
        )
    assert lacking(studio, "small") == 2
    demonstrations.undo(studio, action)
    assert {row.id: row.incorrect for row in rows(studio)} == before
    assert lacking(studio, "small") == 3


def test_what_was_accepted_is_looked_through_anew(studio):
    before = in_background(studio)
    accept(studio, before.suggestions)
    after = in_background(studio)
    assert after.lacking == 0
    assert after.suggestions == ()
    assert after.version > before.version


def test_what_was_refused_is_looked_through_again_and_once(studio):
    before = in_background(studio)
    (first, *_) = before.suggestions
    refuse(studio, first)
    after = in_background(studio)
    assert after.version == before.version, "it is no new version"
    assert [each.text for each in after.suggestions if each.query == first.query] == [
        each.text for each in before.suggestions if each.query == first.query
    ][1:]
    demonstrations.set_status(studio, list(first.ids), "excluded")
    found = in_background(studio)
    assert suggested(studio, SMALL) == (found, None), "a refusal of an excluded one is known"


def test_excluded_demonstrations_neither_give_nor_get(studio):
    ids = [row.id for row in rows(studio) if row.answer in ("It is closed", "A baker")]
    demonstrations.set_status(studio, ids, "excluded")
    found = suggest(studio, SMALL)
    assert [(each.query, each.text) for each in found.suggestions] == [(ROWS[0][0], "At ten")]
    assert lacking(studio, "small") == 1


def test_nothing_chosen_deleted_or_there_already_is_one_sentence(studio):
    found = suggest(studio, SMALL).suggestions
    with pytest.raises(InvalidInput, match="There is nothing to add"):
        accept(studio, [])
    accept(studio, found)
    with pytest.raises(InvalidInput, match="There is nothing to add"):
        accept(studio, found)
    demonstrations.delete(studio, [row.id for row in rows(studio)])
    with pytest.raises(InvalidInput, match="There is nothing to add"):
        accept(studio, found)


def test_an_empty_pool_has_nothing_to_suggest(studio):
    demonstrations.delete(studio, [row.id for row in rows(studio)])
    found = suggest(studio, SMALL)
    assert (found.queries, found.lacking, found.suggestions) == (0, 0, ())
    assert lacking(studio, "small") == 0


class TestOfLabels:
    """A classification pool."""

    @pytest.fixture
    def pool_drafts(self):
        words = ("dull", "good", "fair")
        return [
            Draft(f"a {word} film of {year}", word) for year in range(1990, 1994) for word in words
        ]

    def test_the_others_are_added_under_a_kind_of_their_own(self, studio):
        found = suggest(studio, SMALL, per_query=1)
        assert (found.lacking, len(found.suggestions)) == (12, 24)
        accept(studio, found.suggestions)
        (newest, *_) = demonstrations.history(studio, "small")
        assert newest.what == "added 24 incorrect answers that are other labels"
        for row in rows(studio):
            others = {"dull", "good", "fair"} - {row.answer}
            assert {wrong.text for wrong in row.incorrect} == others
            assert {wrong.kind for wrong in row.incorrect} == {"other label"}
        assert lacking(studio, "small") == 0
