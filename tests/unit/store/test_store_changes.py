import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import InvalidInput, StaleRevision
from core.store import Change


def state(store, pool):
    return store.demonstrations.all(pool.id), store.history.actions(pool.id)


def test_every_field_changes_and_the_revision_grows(store, pool, filled):
    third = filled[2]
    store.demonstrations.change(
        [
            Change(
                third.id,
                1,
                query=" Is ice a liquid? ",
                answer=" Never. ",
                incorrect=incorrect_answers(("x ", "", "x", " \n")),
                tags=("ice",),
                best=True,
                status=Status.EXCLUDED,
                note="n",
            )
        ],
        what="edit",
    )
    (d,) = store.demonstrations.by_ids([third.id])
    assert (d.query, d.answer, d.incorrect, d.tags) == (
        " Is ice a liquid? ",
        " Never. ",
        incorrect_answers(["x "]),
        ("ice",),
    )
    assert (d.best, d.status, d.note, d.revision) == (True, Status.EXCLUDED, "n", 2)
    assert store.demonstrations.all(pool.id)[:2] == filled[:2]


def test_a_change_of_what_is_no_field_is_a_mistake_of_the_program():
    with pytest.raises(TypeError, match="^A demonstration has no colour, shape.$"):
        Change(1, 1, shape="round", colour="red", note="n")
    assert Change(1, 1, note="", best=None).values == {"note": ""}


def test_lists_and_notes_can_be_emptied(store, pool, filled):
    changes = [Change(filled[0].id, 1, incorrect=(), tags=()), Change(filled[2].id, 1, note="")]
    store.demonstrations.change(changes, what="empty")
    first, third = store.demonstrations.by_ids([filled[0].id, filled[2].id])
    assert (first.incorrect, first.tags, third.note) == ((), (), "")


def test_a_row_without_a_new_value_is_left_alone(store, pool, filled):
    a, b, _ = filled
    action = store.demonstrations.change(
        [Change(a.id, 1, answer=a.answer, tags=a.tags), Change(b.id, 1, note="new")], what="edit"
    )
    assert [d.revision for d in store.demonstrations.all(pool.id)] == [1, 2, 1]
    assert store.history.actions(pool.id)[0].id == action
    assert store.history.actions(pool.id)[0].changes == 1


@pytest.mark.parametrize("revision", [0, 2, 99])
def test_a_late_writer_is_told_and_nothing_is_written(store, pool, filled, revision):
    before = state(store, pool)
    changes = [Change(filled[0].id, 1, note="x"), Change(filled[1].id, revision, note="y")]
    with pytest.raises(StaleRevision, match=f"Demonstration {filled[1].id} .*nothing was written"):
        store.demonstrations.change(changes, what="edit")
    assert state(store, pool) == before


def test_the_second_of_two_writers_loses_nothing_silently(store, pool, filled):
    store.demonstrations.change([Change(filled[0].id, 1, note="first")], what="edit")
    with pytest.raises(StaleRevision):
        store.demonstrations.change([Change(filled[0].id, 1, deleted=True)], what="delete")
    (d,) = store.demonstrations.by_ids([filled[0].id])
    assert (d.note, d.revision) == ("first", 2)


def bad_changes(filled, stranger):
    a, b, _ = (d.id for d in filled)
    return {
        "is empty": [Change(a, 1, query=" ")],
        "answer of Demonstration": [Change(a, 1, answer="")],
        "at least one": [],
        "named twice": [Change(a, 1, note="x"), Change(a, 1, note="y")],
        "no demonstration with the id 999": [Change(a, 1, note="x"), Change(999, 1, note="x")],
        "several pools": [Change(a, 1, note="x"), Change(stranger, 1, note="x")],
        f"answer of demonstration {b}": [Change(a, 1, answer=" Bats can see. ")],
        "named best": [
            Change(a, 1, best=True),
            Change(b, 1, best=False),
            Change(b + 1, 1, best=True, query="Do bats see?"),
        ],
        "half a character": [Change(a, 1, answer="\ud800")],
    }


@pytest.mark.parametrize("number", range(9))
def test_a_bad_change_is_explained_and_writes_nothing(store, pool, filled, number):
    other = store.pools.create("other")
    stranger = store.demonstrations.add(other.id, [Draft("q", "a")]).ids[0]
    before = state(store, pool)
    message, changes = list(bad_changes(filled, stranger).items())[number]
    with pytest.raises(InvalidInput, match=message):
        store.demonstrations.change(changes, what="edit")
    assert state(store, pool) == before


def test_doubles_are_judged_by_how_all_rows_end(store, pool, filled):
    a, b, c = filled
    # Exchanging two answers passes through no double: only the end counts.
    store.demonstrations.change(
        [Change(a.id, 1, answer=b.answer), Change(b.id, 1, answer=a.answer)], what="exchange"
    )
    assert [d.answer for d in store.demonstrations.by_ids([a.id, b.id])] == [b.answer, a.answer]
    with pytest.raises(InvalidInput, match="nothing was written"):
        store.demonstrations.change(
            [Change(a.id, 2, answer="same"), Change(b.id, 2, answer="same")], what="edit"
        )
    store.demonstrations.change(
        [Change(a.id, 2, deleted=True), Change(b.id, 2, answer=b.answer)], what="replace"
    )
    with pytest.raises(InvalidInput, match="would have the query and the answer"):
        store.demonstrations.change([Change(a.id, 3, deleted=False)], what="bring back")
    assert [d.id for d in store.demonstrations.all(pool.id)] == [b.id, c.id]


def test_the_same_query_and_answer_in_other_white_space_are_refused(store, pool, filled):
    a, _, c = filled
    store.demonstrations.change([Change(c.id, 1, query="Do bats\u00ad see?  ")], what="edit")
    assert store.pools.summary("myths").queries == 1
    with pytest.raises(InvalidInput, match=f"demonstration {c.id}"):
        store.demonstrations.change([Change(a.id, 1, answer=" No.\n")], what="edit")
    # In other letters it is another answer, and another query.
    store.demonstrations.change([Change(a.id, 1, answer="NO.")], what="edit")
    store.demonstrations.change([Change(c.id, 2, query="DO BATS SEE?")], what="edit")
    assert store.pools.summary("myths").queries == 2


def test_white_space_around_a_text_is_an_edit_like_any_other(store, pool, filled):
    third = filled[2]
    action = store.demonstrations.change([Change(third.id, 1, answer="    No.\n")], what="edit")
    assert store.demonstrations.by_ids([third.id])[0].answer == "    No.\n"
    assert store.history.of(third.id)[1].after == {"answer": "    No.\n"}
    store.history.undo(action)
    assert store.demonstrations.by_ids([third.id])[0].answer == "No."


def best(store, pool):
    return [d.answer for d in store.demonstrations.all(pool.id) if d.best]


def test_naming_a_best_answer_takes_it_from_the_others(store, pool, filled):
    a, b, c = filled
    assert best(store, pool) == ["Bats can see."]
    store.demonstrations.change(
        [Change(a.id, 1, best=True), Change(c.id, 1, best=True)], what="best"
    )
    assert best(store, pool) == ["Yes.", "No."]
    assert [d.revision for d in store.demonstrations.all(pool.id)] == [2, 2, 2]
    with pytest.raises(StaleRevision):
        store.demonstrations.change([Change(b.id, 1, note="x")], what="edit")


def test_a_best_answer_that_moves_or_returns_stays_the_only_one(store, pool, filled):
    a, b, c = filled
    store.demonstrations.change([Change(c.id, 1, best=True)], what="best")
    store.demonstrations.change([Change(c.id, 2, query="Do bats see?")], what="move")
    assert best(store, pool) == ["No."]
    store.demonstrations.change([Change(c.id, 3, deleted=True)], what="delete")
    store.demonstrations.change([Change(a.id, 1, best=True)], what="best")
    store.demonstrations.change([Change(c.id, 4, deleted=False)], what="bring back")
    assert best(store, pool) == ["No."]


def test_other_pools_are_untouched_by_a_new_best(store, pool, filled):
    other = store.pools.create("other")
    store.demonstrations.add(other.id, [Draft("Do bats see?", "Yes.", best=True)])
    store.demonstrations.change([Change(filled[0].id, 1, best=True)], what="best")
    assert best(store, other) == ["Yes."]
