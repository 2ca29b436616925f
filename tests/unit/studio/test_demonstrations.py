"""Demonstrations as a service: what is edited, ticked, undone and fixed hits the right rows."""

import pytest

from core.demonstration.criteria import TagCriterion, Words
from core.demonstration.demonstration import Draft, Status, incorrect_answers, to_columns
from core.errors import InvalidInput, StaleRevision
from core.store import Change, SearchOrder
from core.studio import Setup
from core.studio.pools import demonstrations, edits
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.edits import Edit, RefusedEdit, edits_of, save_each, save_edits, save_over
from core.studio.session.readiness import make_ready

DRAFTS = [
    Draft("Is the moon cheese?", "No, rock", incorrect_answers(("Yes",)), ("sky",), best=True),
    Draft("Is the moon cheese?", "It is rock", incorrect_answers(("Yes",)), ("sky",)),
    Draft("Do bats see?", "They do", incorrect_answers(("They are blind",)), ("animals",)),
    Draft("Do bulls hate red?", "No", incorrect_answers(("Yes",)), ("animals", "colour")),
    Draft("Is 50% half?", "Yes", note="A _percent_ sign"),
]


@pytest.fixture
def pool_drafts():
    return DRAFTS


def rows(studio):
    return demonstrations.table(studio, TableRequest("small")).rows


def answers(studio):
    return {row.id: row.answer for row in rows(studio)}


def test_edits_are_told_by_position_and_land_on_the_id_that_stood_there(studio):
    shown = demonstrations.table(studio, TableRequest("small", (Words("bULL"),))).rows
    edits = edits_of(shown, {0: {"answer": " Never ", "tick": True}})
    assert edits == {shown[0].id: Edit(shown[0], {"answer": " Never "})}
    before = answers(studio)
    save_edits(studio, edits.values())
    assert answers(studio) == before | {shown[0].id: " Never "}


def test_a_tick_or_a_value_put_back_is_no_edit(studio):
    shown = rows(studio)
    same = {
        0: {"tick": True},
        1: {
            "answer": "It is rock",
            "incorrect": ["Yes", " ", "Yes\n"],
            "tags": ["sky"],
            "best": False,
        },
        2: {"status": "included", "note": None},
    }
    assert edits_of(shown, same) == {}
    with pytest.raises(InvalidInput, match="Nothing was edited"):
        save_edits(studio, [])


def test_every_column_that_can_be_edited_is_written(studio):
    row = rows(studio)[2]
    columns = {
        "query": "Can bats see?",
        "answer": "Yes",
        "incorrect": ["Blind ", "", "Blind", "Only at night"],
        "tags": ["animals", "night"],
        "best": True,
        "status": "excluded",
        "note": "looked up",
    }
    action = save_edits(studio, edits_of([row], {0: columns}).values())
    new = studio.store.demonstrations.by_ids([row.id])[0]
    assert (new.query, new.answer, new.best) == ("Can bats see?", "Yes", True)
    assert new.incorrect == incorrect_answers(["Blind ", "Only at night"])
    assert new.tags == ("animals", "night")
    assert (new.status, new.note, new.revision) == (Status.EXCLUDED, "looked up", 2)
    demonstrations.undo(studio, action)
    back = studio.store.demonstrations.by_ids([row.id])[0]
    assert back == row.__class__(
        row.query,
        row.answer,
        row.incorrect,
        row.tags,
        row.best,
        row.status,
        row.note,
        id=row.id,
        revision=3,
    )


def test_kinds_are_typed_answer_by_answer_and_stay_with_their_answers(studio):
    row = rows(studio)[2]

    def edit(columns):
        (now,) = studio.store.demonstrations.by_ids([row.id])
        save_edits(studio, edits_of([now], {0: columns}).values())
        (new,) = studio.store.demonstrations.by_ids([row.id])
        return tuple(map(tuple, to_columns(new.incorrect).values()))

    typed = {"incorrect": ["Blind", "Only at night", "Deaf"], "incorrect_kinds": ["myth", " myth "]}
    assert edit(typed) == (("Blind", "Only at night", "Deaf"), ("myth", "myth", ""))
    assert edit({"incorrect": ["Deaf", "Blind"]}) == (("Deaf", "Blind"), ("", "myth"))
    (now,) = studio.store.demonstrations.by_ids([row.id])
    assert edits_of([now], {0: {"incorrect_kinds": ["", "myth "]}}) == {}
    with pytest.raises(InvalidInput, match="answers: 2, kinds of them: 3"):
        edit({"incorrect_kinds": ["a", "b", "c"]})
    assert edit({"incorrect_kinds": []}) == (("Deaf", "Blind"), ())


def test_one_wrong_edit_keeps_all_from_being_written(studio):
    shown = rows(studio)
    before = answers(studio)
    for wrong in (None, "  "):
        edits = edits_of(shown, {0: {"answer": "New"}, 3: {"answer": wrong}})
        with pytest.raises(InvalidInput, match=r"answer of .*bulls.* is empty"):
            save_edits(studio, edits.values())
    with pytest.raises(InvalidInput, match="would have the query and the answer"):
        save_edits(studio, edits_of(shown, {0: {"answer": "It is rock"}}).values())
    with pytest.raises(InvalidInput, match="'id' cannot be edited"):
        save_edits(studio, [Edit(shown[0], {"id": 7})])
    assert answers(studio) == before


def test_a_late_writer_is_told_and_takes_nothing_from_the_other(studio):
    first, second, third, fourth = rows(studio)[:4]
    typed = edits_of(
        [first, second, third, fourth],
        {
            0: {"answer": "Mine"},
            1: {"note": "mine"},
            2: {"note": "x"},
            3: {"answer": "Mine too", "status": "excluded"},
        },
    )
    theirs = [Change(first.id, 1, note="theirs"), Change(fourth.id, 1, answer="Theirs")]
    studio.store.demonstrations.change(theirs, what="elsewhere")
    studio.store.demonstrations.change([Change(third.id, 1, deleted=True)], what="elsewhere")
    with pytest.raises(StaleRevision, match="changed by someone else"):
        save_edits(studio, typed.values())
    assert answers(studio)[first.id] == "No, rock"
    saved = save_each(studio, typed.values())
    assert saved.cells == [(first.id, "answer"), (second.id, "note"), (fourth.id, "status")]
    assert saved.late == [
        f"Somebody else changed demonstration {first.id} meanwhile (note); that is kept beside "
        "your edit.",
        f"Somebody else changed demonstration {fourth.id} meanwhile (answer); that is kept beside "
        "your edit.",
    ]
    assert saved.refused == {
        (third.id, "note"): RefusedEdit(
            "x",
            f"Demonstration {third.id} was deleted meanwhile, so your edit of it is not saved: "
            "undo the deletion in the history to edit it.",
        ),
        (fourth.id, "answer"): RefusedEdit(
            "Mine too",
            f"Somebody else changed the answer of demonstration {fourth.id} meanwhile, to "
            "'Theirs': yours is still here, not saved.",
            late=True,
        ),
    }
    now = studio.store.demonstrations.by_ids([first.id, second.id, fourth.id])
    assert [(row.answer, row.note) for row in now] == [
        ("Mine", "theirs"),
        ("It is rock", "mine"),
        ("Theirs", ""),
    ]
    again = save_over(studio, saved.refused)
    assert again.cells == [(fourth.id, "answer")]
    assert again.refused.keys() == {(third.id, "note")}
    assert answers(studio)[fourth.id] == "Mine too"


def test_what_is_allowed_is_saved_and_what_is_not_is_refused_cell_by_cell(studio):
    shown = rows(studio)
    saved = save_each(
        studio,
        edits_of(
            shown,
            {0: {"answer": "It is rock", "note": "a double"}, 3: {"answer": " "}, 4: {"note": "z"}},
        ).values(),
    )
    assert saved.cells == [(shown[0].id, "note"), (shown[4].id, "note")]
    assert saved.what == "edited 2 demonstrations"
    assert list(saved.refused) == [(shown[0].id, "answer"), (shown[3].id, "answer")]
    double, empty = saved.refused.values()
    assert f"would have the query and the answer of demonstration {shown[1].id}" in double.why
    assert "is empty: write one" in empty.why
    assert answers(studio) == {row.id: row.answer for row in shown}
    for action in reversed(saved.actions):
        demonstrations.undo(studio, action)
    assert [row.note for row in rows(studio)] == [row.note for row in shown]


def test_edits_that_go_together_are_one_action_with_its_words(studio):
    shown = rows(studio)
    saved = save_each(studio, edits_of(shown, {1: {"note": "n", "tags": ["t"]}}).values())
    assert saved.what == f"edited the note and tags of demonstration {shown[1].id}"
    (last,) = demonstrations.history(studio, "small", limit=1)
    assert ([last.id], last.what) == (saved.actions, saved.what)
    assert edits.save_each(studio, []) == edits.SavedEdits()


@pytest.mark.parametrize(
    ("by", "ascending", "descending"),
    [
        ("id", [0, 1, 2, 3, 4], [4, 3, 2, 1, 0]),
        ("query", [2, 3, 4, 0, 1], [0, 1, 4, 3, 2]),
        ("answer", [1, 3, 0, 2, 4], [4, 2, 0, 3, 1]),
        ("incorrect", [4, 0, 1, 2, 3], [0, 1, 2, 3, 4]),
        ("tags", [2, 3, 0, 1, 4], [0, 1, 3, 2, 4]),
        ("status", [3, 0, 1, 2, 4], [0, 1, 2, 4, 3]),
        ("best", [0, 1, 2, 3, 4], [1, 2, 3, 4, 0]),
        ("note", [4, 0, 1, 2, 3], [4, 0, 1, 2, 3]),
        ("quality_bias", [3, 1, 0, 2, 4], [1, 3, 0, 2, 4]),
        ("changed", [0, 1, 2, 4, 3], [3, 0, 1, 2, 4]),
    ],
)
def test_an_order_sorts_the_whole_pool_before_the_page_is_cut(studio, by, ascending, descending):
    every = [row.id for row in rows(studio)]
    demonstrations.set_status(studio, [every[3]], Status.EXCLUDED)
    quality = {every[1]: -0.5, every[3]: -2.0}
    for down, wanted in ((False, ascending), (True, descending)):
        found = [
            row.id
            for page in (0, 1)
            for row in demonstrations.table(
                studio,
                TableRequest("small", order=SearchOrder(by, down), page=page, size=3),
                quality,
            ).rows
        ]
        assert [every.index(id) for id in found] == wanted


def test_filters_are_letter_for_letter_and_name_the_ids_of_every_page(studio):
    every = [row.id for row in studio.store.demonstrations.all(studio.store.pools.get("small").id)]
    page = demonstrations.table(studio, TableRequest("small", page=1, size=2))
    assert ([row.id for row in page.rows], page.total) == (every[2:4], 5)
    assert demonstrations.matching_ids(studio, TableRequest("small", size=2)) == every
    assert demonstrations.matching_ids(studio, TableRequest("small", (Words("50%"),))) == every[4:]
    assert demonstrations.matching_ids(studio, TableRequest("small", (Words("%"),))) == every[4:]
    assert (
        demonstrations.matching_ids(studio, TableRequest("small", (Words("_percent_"),)))
        == every[4:]
    )
    assert (
        demonstrations.matching_ids(studio, TableRequest("small", (TagCriterion(("animals",)),)))
        == every[2:4]
    )
    both = TableRequest("small", (Words("BLIND"), TagCriterion(("animals",))))
    assert demonstrations.matching_ids(studio, both) == every[2:3]


def test_bulk_actions_hit_exactly_the_named_rows_and_each_can_be_undone(studio):
    every = [row.id for row in rows(studio)]
    original = {row.id: (row.tags, row.status) for row in rows(studio)}
    chosen = [every[1], every[3]]
    actions = [
        demonstrations.add_tag(studio, chosen, " checked "),
        demonstrations.set_status(studio, chosen, Status.EXCLUDED),
        demonstrations.remove_tag(studio, every, "animals"),
        demonstrations.delete(studio, [every[0]]),
    ]
    now = {row.id: (row.tags, row.status) for row in rows(studio)}
    assert now == {
        every[1]: (("sky", "checked"), Status.EXCLUDED),
        every[2]: ((), Status.INCLUDED),
        every[3]: (("colour", "checked"), Status.EXCLUDED),
        every[4]: ((), Status.INCLUDED),
    }
    done = [action.what for action in demonstrations.history(studio, "small", limit=4)]
    assert done == [
        "deleted 1 demonstration",
        "took tag 'animals' from 2 demonstrations",
        "excluded 2 demonstrations",
        "tagged 2 demonstrations 'checked'",
    ]
    for action in reversed(actions):
        demonstrations.undo(studio, action)
    assert {row.id: (row.tags, row.status) for row in rows(studio)} == original


def test_an_undo_of_an_undo_is_the_redo(studio):
    target = rows(studio)[0].id
    gone = demonstrations.delete(studio, [target])
    back = demonstrations.undo(studio, gone)
    assert target in answers(studio)
    demonstrations.undo(studio, back)
    assert target not in answers(studio)
    in_effect = {a.id: not a.undone for a in demonstrations.history(studio, "small")}
    assert (in_effect[gone], in_effect[back]) == (True, False)
    steps = demonstrations.life(studio, target)
    assert [step.what for step in steps] == [
        "redo: deleted 1 demonstration",
        "undo: deleted 1 demonstration",
        "deleted 1 demonstration",
        "import",
    ]


def test_what_is_so_already_is_left_alone_and_not_counted(studio):
    every = [row.id for row in rows(studio)]
    demonstrations.set_status(studio, every[:2], Status.EXCLUDED)
    demonstrations.set_status(studio, every[:3], Status.EXCLUDED)
    demonstrations.add_tag(studio, every[:1], "{0} {curly}")
    done = [action.what for action in demonstrations.history(studio, "small", limit=2)]
    assert done == ["tagged 1 demonstration '{0} {curly}'", "excluded 1 demonstration"]
    with pytest.raises(InvalidInput, match="this already applies to 3 demonstrations"):
        demonstrations.set_status(studio, every[:3], Status.EXCLUDED)
    assert len(demonstrations.history(studio, "small")) == 4


def test_nothing_selected_and_empty_or_unknown_tags_are_told(studio):
    every = [row.id for row in rows(studio)]
    with pytest.raises(InvalidInput, match="tick at least one row"):
        demonstrations.set_status(studio, [], Status.EXCLUDED)
    with pytest.raises(InvalidInput, match="tag is empty"):
        demonstrations.add_tag(studio, every, "  ")
    with pytest.raises(
        InvalidInput, match="Nothing to do: this already applies to 5 demonstrations"
    ):
        demonstrations.remove_tag(studio, every, "blue")


def test_adding_by_hand_takes_the_text_as_it_is_and_refuses_doubles(studio):
    draft = Draft("**Is** <b>this</b> $x$?", "Yes\nand no", incorrect_answers(("a;b",)), ("new",))
    added = demonstrations.add(studio, "small", draft)
    new = studio.store.demonstrations.by_ids(added.ids)[0]
    assert (new.query, new.answer, new.incorrect, new.tags) == (
        draft.query, draft.answer, draft.incorrect, draft.tags,
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="already has this query with this answer"):
        demonstrations.add(studio, "small", draft)
    with pytest.raises(InvalidInput, match="already has this query with this answer"):
        demonstrations.add(studio, "small", Draft(f" {draft.query}\n", f"\u200b{draft.answer}\n"))
    for blank in (" ", "\u200b\n"):
        with pytest.raises(InvalidInput, match="one of them is empty"):
            demonstrations.add(studio, "small", Draft("Query", blank))
    code = Draft("def f(x):\n", "    return x\n", incorrect_answers(("\treturn\n",)))
    (id,) = demonstrations.add(studio, "small", code).ids
    (kept,) = studio.store.demonstrations.by_ids([id])
    assert (kept.query, kept.answer, kept.incorrect) == (code.query, code.answer, code.incorrect)
    demonstrations.undo(studio, added.action)
    assert added.ids[0] not in answers(studio)


def test_the_fixed_ones_are_drawn_once_and_can_be_named(studio):
    drawn = [row.id for row in demonstrations.fixed(studio, "small")]
    assert len(drawn) == 4  # as many as there are distinct queries
    assert [row.id for row in demonstrations.fixed(studio, "small")] == drawn
    assert rows(studio)[1].id not in drawn  # the best answer stands for its query
    named = [rows(studio)[3].id, rows(studio)[1].id]
    demonstrations.name_fixed(studio, "small", named)
    assert [row.id for row in demonstrations.fixed(studio, "small")] == named
    view = studio.view(Setup("small"))
    assert view.ids[view.fixed].tolist() == named
    for wrong in ([named[0], named[0]], [10**6]):
        with pytest.raises(InvalidInput, match="distinct demonstrations of this pool"):
            demonstrations.name_fixed(studio, "small", wrong)
    demonstrations.name_fixed(studio, "small", [])
    assert [row.id for row in demonstrations.fixed(studio, "small")] == drawn


def test_changed_text_alone_is_embedded_again_and_its_quality_scored_again(
    studio, encoder, tiny_lm_folder
):
    setup = Setup("small", None, str(tiny_lm_folder))
    studio.language_model(setup.model)
    studio.encoder()
    make_ready(studio, setup).quality.wait(60)
    assert make_ready(studio, setup).quality is None
    row = rows(studio)[2]
    encoder.encoded.clear()
    edit = edits_of([row], {0: {"query": "Can bats see in the dark?"}})
    save_edits(studio, edit.values())
    found = make_ready(studio, setup)
    assert encoder.encoded == ["Can bats see in the dark?"]
    assert found.view.queries[2] == "Can bats see in the dark?"
    assert found.quality is not None
    found.quality.wait(60)
    report = found.quality.result
    assert (report.scored, report.reused) == (1, 4)
    assert make_ready(studio, setup).view.unscored == 0


def test_what_is_present_is_given_by_id_as_it_is_now(studio):
    first, second = (row.id for row in rows(studio)[:2])
    demonstrations.delete(studio, [first])
    found = demonstrations.present(studio, [first, second, 10**9])
    assert {id: row.answer for id, row in found.items()} == {second: "It is rock"}
