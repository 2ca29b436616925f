from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.errors import InvalidInput, StaleRevision
from core.store import Change


def content(store, pool):
    """What a pool says, revisions aside."""
    return [
        (d.id, d.query, d.answer, d.incorrect, d.tags, d.best, d.status, d.note)
        for d in store.demonstrations.all(pool.id)
    ]


KINDED = incorrect_answers(["No, they are blind.", "Only by sound."], ["myth", "half true"])
EDITS = {
    "edit": lambda a, b, c: [Change(a, 1, query="Can bats see?", answer="They can.")],
    "tag": lambda a, b, c: [Change(a, 1, tags=("x", "y")), Change(b, 1, tags=())],
    "exclude": lambda a, b, c: [Change(c, 1, status=Status.EXCLUDED)],
    "delete": lambda a, b, c: [Change(b, 1, deleted=True)],
    "best": lambda a, b, c: [Change(a, 1, best=True)],
    "note": lambda a, b, c: [Change(c, 1, note="naïve 🦇 \0")],
    "incorrect": lambda a, b, c: [Change(a, 1, incorrect=incorrect_answers(("1", "2", "3")))],
    "kinds": lambda a, b, c: [Change(a, 1, incorrect=KINDED)],
    "bulk": lambda a, b, c: [Change(one, 1, status=Status.EXCLUDED, note="n") for one in (a, b, c)],
    "delete all": lambda a, b, c: [Change(one, 1, deleted=True) for one in (a, b, c)],
}


@pytest.mark.parametrize("kind", EDITS)
def test_undo_and_redo_restore_every_kind_of_change(store, pool, filled, kind):
    before = content(store, pool)
    action = store.demonstrations.change(EDITS[kind](*(d.id for d in filled)), what=kind)
    after = content(store, pool)
    assert after != before
    undo = store.history.undo(action)
    assert content(store, pool) == before
    redo = store.history.undo(undo, who="ben")
    assert content(store, pool) == after
    store.history.undo(redo)
    assert content(store, pool) == before


def test_an_import_is_undone_by_deleting_and_redone_by_bringing_back(store, pool, filled):
    before = content(store, pool)
    added = store.demonstrations.add(
        pool.id, [Draft(f"q{i}", "a", incorrect_answers(("b",))) for i in range(200)]
    )
    after = content(store, pool)
    undo = store.history.undo(added.action)
    assert content(store, pool) == before
    assert store.pools.summary("myths").demonstrations == 3
    store.history.undo(undo)
    assert content(store, pool) == after


def test_actions_say_what_is_in_effect(store, pool, filled):
    edit = store.demonstrations.change([Change(filled[0].id, 1, note="x")], who="ann", what="note")
    undo = store.history.undo(edit, who="ben")

    def listed():
        return {one.id: (one.what, one.who, one.undone, one.undoes) for one in actions()}

    def actions():
        return store.history.actions(pool.id)

    assert listed()[edit] == ("note", "ann", True, None)
    assert listed()[undo] == ("undo: note", "ben", False, edit)
    redo = store.history.undo(undo)
    assert [listed()[one][2] for one in (edit, undo, redo)] == [False, True, False]
    assert [one.id for one in actions()] == sorted((one.id for one in actions()), reverse=True)
    assert [one.id for one in store.history.actions(pool.id, limit=2)] == [redo, undo]
    assert abs((datetime.now(UTC) - actions()[0].when).total_seconds()) < 600


def test_an_undo_of_an_undo_is_a_redo_and_of_that_an_undo_again(store, pool, filled):
    edit = store.demonstrations.change([Change(filled[0].id, 1, note="x")], what="note")
    undo = store.history.undo(edit)
    redo = store.history.undo(undo)
    store.history.undo(redo)
    again = store.history.undo(edit := store.history.actions(pool.id)[0].id)
    named = [one.what for one in store.history.actions(pool.id)[:5]]
    assert named == ["redo: note", "undo: note", "redo: note", "undo: note", "note"]
    assert store.history.actions(pool.id)[0].id == again > edit
    assert [step.what for step in store.history.of(filled[0].id)][-2:] == [
        "undo: note",
        "redo: note",
    ]


def test_what_older_workspaces_call_an_undo_of_an_undo_is_a_redo(store, pool, filled):
    names = ["undo: undo: note", "undo: undo: undo: note", "undo: undo: undo: undo: note"]
    for revision, name in enumerate(names, start=1):
        store.demonstrations.change([Change(filled[0].id, revision, note=name)], what=name)
    found = [one.what for one in store.history.actions(pool.id)[:3]]
    assert found == ["redo: note", "undo: note", "redo: note"]


def test_an_action_tells_what_it_changed_row_by_row_as_it_left_them(store, pool, filled):
    a, b, c = (d.id for d in filled)
    edit = store.demonstrations.change(
        [Change(a, 1, query="Can bats see?", tags=("x",)), Change(b, 1, note="1")], what="edit"
    )
    gone = store.demonstrations.change([Change(b, 2, deleted=True)], what="delete")
    store.demonstrations.change([Change(a, 2, query="Later?", note="later")], what="later")

    def found(action, limit=9):
        return [
            (one.id, one.query, one.before, one.after)
            for one in store.history.changes(action, limit=limit)
        ]

    was = filled[0]
    first = (
        a,
        "Can bats see?",
        {"query": was.query, "tags": list(was.tags)},
        {"query": "Can bats see?", "tags": ["x"]},
    )
    second = (b, filled[1].query, {"note": ""}, {"note": "1"})
    assert found(edit) == [first, second]
    assert found(edit, limit=1) == [first]
    ((number, query, before, after),) = found(gone)
    assert (number, query, after) == (b, filled[1].query, {})
    assert (before["answer"], before["note"], "deleted" in before) == (filled[1].answer, "1", False)
    ((_, _, before, after),) = found(store.history.undo(gone))
    assert (before, after["note"]) == ({}, "1")
    added = store.history.actions(pool.id)[-1].id
    assert [(one[0], one[1], one[2]) for one in found(added)] == [
        (d.id, d.query, {}) for d in filled
    ]
    assert [one[3]["note"] for one in found(added)] == [d.note for d in filled]
    assert found(added + 1_000) == []
    assert c == found(added)[-1][0]


def test_an_undone_action_cannot_be_undone_again_but_a_redone_one_can(store, pool, filled):
    edit = store.demonstrations.change([Change(filled[0].id, 1, note="x")], what="note")
    undo = store.history.undo(edit)
    with pytest.raises(InvalidInput, match=f"undone already: undo the action {undo} to redo"):
        store.history.undo(edit)
    store.history.undo(undo)
    again = store.history.undo(edit)
    assert store.demonstrations.by_ids([filled[0].id])[0].note == ""
    with pytest.raises(InvalidInput, match=f"undo the action {again} to redo"):
        store.history.undo(edit)


def test_a_later_change_stands_in_the_way_of_an_undo(store, pool, filled):
    a, b, _ = (d.id for d in filled)
    first = store.demonstrations.change(
        [Change(a, 1, note="1"), Change(b, 1, note="1")], what="first"
    )
    second = store.demonstrations.change([Change(b, 2, note="2", tags=("t",))], what="second")
    before = content(store, pool), store.history.actions(pool.id)
    with pytest.raises(StaleRevision, match="undo the later change first"):
        store.history.undo(first)
    assert (content(store, pool), store.history.actions(pool.id)) == before
    store.history.undo(second)
    store.history.undo(first)  # the row is again as the first action left it
    assert content(store, pool)[0][7] == content(store, pool)[1][7] == ""


def test_a_later_change_of_another_field_stays_when_the_first_is_undone(store, pool, filled):
    a = filled[0].id
    first = store.demonstrations.change([Change(a, 1, answer="Mine.")], what="first")
    store.demonstrations.change([Change(a, 2, note="checked", tags=("t",))], what="second")
    undone = store.history.undo(first)
    (row,) = store.demonstrations.by_ids([a])
    assert (row.answer, row.note, row.tags) == (filled[0].answer, "checked", ("t",))
    store.history.undo(undone)
    (row,) = store.demonstrations.by_ids([a])
    assert (row.answer, row.note) == ("Mine.", "checked")


def test_an_import_whose_rows_were_edited_is_not_undone(store, pool, filled):
    brought = store.history.actions(pool.id)[0].id
    store.demonstrations.change([Change(filled[0].id, 1, note="checked")], what="edit")
    with pytest.raises(StaleRevision, match="undo the later change first"):
        store.history.undo(brought)


def test_what_came_since_stands_in_the_way_of_bringing_back_a_double(store, pool, filled):
    gone = store.demonstrations.change([Change(filled[2].id, 1, deleted=True)], what="delete")
    store.demonstrations.add(pool.id, [Draft("Is glass a liquid? ", "No.")])
    before = content(store, pool)
    with pytest.raises(InvalidInput, match="would have the query and the answer"):
        store.history.undo(gone)
    assert content(store, pool) == before


def test_nothing_to_undo(store, pool, filled):
    with pytest.raises(InvalidInput, match="no action with the id 999"):
        store.history.undo(999)
    nothing = store.demonstrations.change([Change(filled[0].id, 1, note="")], what="nothing")
    with pytest.raises(InvalidInput, match="nothing to undo"):
        store.history.undo(nothing)


def test_the_life_of_a_demonstration_is_told_in_full(store, pool, filled):
    a = filled[0]
    birth = store.history.actions(pool.id)[0].id
    edit = store.demonstrations.change(
        [Change(a.id, 1, answer="They do.", tags=("x",))], who="ann", what="edit"
    )
    gone = store.demonstrations.change([Change(a.id, 2, deleted=True)], who="ben", what="delete")
    back = store.history.undo(gone)
    steps = store.history.of(a.id)
    assert [(s.action_id, s.revision, s.who, s.what) for s in steps] == [
        (birth, 1, "you", "import"),
        (edit, 2, "ann", "edit"),
        (gone, 3, "ben", "delete"),
        (back, 4, "you", "undo: delete"),
    ]
    assert steps[0].before == {}
    assert steps[0].after == {
        "query": "Do bats see?",
        "answer": "Yes.",
        "incorrect": ["No, they are blind.", "Only by sound."],
        "incorrect_kinds": [],
        "tags": ["animals"],
        "best": False,
        "status": "included",
        "note": "",
        "rationale": "",
        "passages_shown": [],
        "written_by": "",
        "dismissed": [],
        "reviewed": [],
        "deleted": False,
    }
    assert steps[1].before == {"answer": "Yes.", "tags": ["animals"]}
    assert steps[1].after == {"answer": "They do.", "tags": ["x"]}
    assert (steps[2].before, steps[2].after) == ({"deleted": False}, {"deleted": True})
    assert (steps[3].before, steps[3].after) == ({"deleted": True}, {"deleted": False})
    with pytest.raises(InvalidInput, match="no demonstration with the id 999"):
        store.history.of(999)


def test_answers_and_kinds_are_restored_together(store, pool, filled):
    a = filled[0].id
    versions = [
        incorrect_answers(["No, they are blind.", "Only by sound."]),
        incorrect_answers(["No, they are blind.", "Only by sound."], ["myth", ""]),
        incorrect_answers(["Only by sound.", "New.", "No, they are blind."], ["", "", "myth"]),
        incorrect_answers(["Other."], ["myth"]),
        incorrect_answers(["Another."], ["myth"]),  # the kinds stay as they were
        incorrect_answers(["Another."]),
    ]
    states, actions = [content(store, pool)[0]], []
    for revision, answers in enumerate(versions[1:], start=1):
        change = Change(a, revision, incorrect=answers)
        actions.append(store.demonstrations.change([change], what="edit"))
        states.append(content(store, pool)[0])
    assert [state[3] for state in states] == versions
    for action, state in zip(reversed(actions), reversed(states[:-1]), strict=True):
        store.history.undo(action)
        assert content(store, pool)[0] == state


def test_taking_best_away_is_part_of_the_action(store, pool, filled):
    a, b, _ = filled
    action = store.demonstrations.change([Change(a.id, 1, best=True)], what="best")
    assert store.history.actions(pool.id)[0].changes == 2
    assert store.history.of(b.id)[-1].after == {"best": False}
    store.history.undo(action)
    assert [d.best for d in store.demonstrations.all(pool.id)] == [False, True, False]


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["note", "best", "deleted", "status", "tags", "answer", "query"]),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=6,
)


def value_of(field, number):
    return {
        "note": "n" * number,
        "best": number > 0,
        "deleted": number > 0,
        "status": list(Status)[number % 2],
        "tags": ("t",) * (number > 0) + ("u",) * (number > 1),
        "answer": f"answer {number}",
        "query": ["one", "two", "three"][number],
    }[field]


@given(sequence=CHANGES)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_undoing_all_and_redoing_all_pass_every_state(store, sequence):
    # Each example has a pool of its own in the one workspace.
    drafts = [Draft(q, a, best=a == "x") for q in ("one", "two") for a in ("x", "y")]
    pool, added = store.demonstrations.add_to_named(f"p{len(store.pools.all())}", drafts)
    ids = added.ids
    states, actions = [content(store, pool)], []
    for row, field, number in sequence:
        (now,) = store.demonstrations.by_ids([ids[row]], deleted=True)
        change = Change(now.id, now.revision, **{field: value_of(field, number)})
        try:
            action = store.demonstrations.change([change], what=field)
        except InvalidInput:
            assert content(store, pool) == states[-1]
            continue
        if store.history.actions(pool.id)[0].changes:
            actions.append(action)
            states.append(content(store, pool))
    for d in states[-1]:
        same_query = [other[5] for other in states[-1] if other[1] == d[1]]
        assert sum(same_query) <= 1
    undone = []
    for action, state in zip(reversed(actions), reversed(states[:-1]), strict=True):
        undone.append(store.history.undo(action))
        assert content(store, pool) == state
    for undo, state in zip(reversed(undone), states[1:], strict=True):
        store.history.undo(undo)
        assert content(store, pool) == state


def now(store):
    """The pool's version, and a moment at which it has it."""
    return store.pools.get("myths").version, datetime.now(UTC)


def exclude(store, row, what="exclude"):
    (row,) = store.demonstrations.by_ids([row.id])
    change = Change(row.id, row.revision, status=Status.EXCLUDED)
    return store.demonstrations.change([change], what=what)


def test_an_edit_that_is_undone_is_none_and_one_that_is_redone_is_one(store, pool, filled):
    earlier = exclude(store, filled[2])
    judged = now(store)

    def edits():
        return store.history.edits_since(pool.id, *judged)

    assert edits() == 0
    first = exclude(store, filled[0])
    assert edits() == 1
    store.history.undo(first)
    assert edits() == 0
    store.history.undo(first + 1)
    assert edits() == 1, "it is redone"
    exclude(store, filled[1])
    assert edits() == 2
    undo = store.history.undo(earlier)
    assert edits() == 3, "what is undone here was there when it was judged"
    store.history.undo(undo)
    assert edits() == 2
    assert store.history.edits_since(pool.id, *now(store)) == 0


def test_notes_tags_and_other_pools_change_no_figure_and_the_fixed_ones_are_one_edit(
    store, pool, filled
):
    judged = now(store)
    store.demonstrations.change([Change(filled[0].id, 1, note="read", tags=("x",))], what="note")
    store.demonstrations.add(store.pools.create("others").id, [Draft("A?", "B.")])
    assert store.history.edits_since(pool.id, *judged) == 0
    store.pools.set_fixed_ids(pool.id, [filled[0].id])
    store.pools.set_fixed_ids(pool.id, [filled[1].id])
    assert store.history.edits_since(pool.id, *judged) == 1
    store.demonstrations.add(pool.id, [Draft("Do bulls see red?", "Hardly.")])
    assert store.history.edits_since(pool.id, *judged) == 2


def test_edits_are_counted_by_the_time_where_the_version_is_not_known(store, pool, filled):
    _, moment = now(store)
    exclude(store, filled[0])
    assert store.history.edits_since(pool.id, None, moment) == 1
    assert store.history.edits_since(pool.id, None, datetime.now(UTC)) == 0


def test_texts_that_are_as_they_were_have_not_changed(store, pool, filled):
    ids = [row.id for row in filled]
    judged = now(store)

    def changed():
        return store.history.texts_changed(pool.id, ids, *judged)

    assert changed() == set()
    edit = store.demonstrations.change([Change(ids[0], 1, answer="Not at all.")], what="edit")
    exclude(store, filled[1])
    assert changed() == {ids[0]}
    assert store.history.texts_changed(pool.id, ids[1:], *judged) == set(), "it was not asked for"
    store.demonstrations.change([Change(ids[0], 2, query="Do bats hear?")], what="edit")
    assert changed() == {ids[0]}
    store.demonstrations.change([Change(ids[0], 3, query=filled[0].query)], what="by hand")
    store.history.undo(edit)
    assert changed() == set()
    assert store.history.texts_changed(pool.id, ids, *now(store)) == set()
