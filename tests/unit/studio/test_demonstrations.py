"""Demonstrations as a service: what is edited, ticked, undone and fixed hits the right rows."""

import pytest

import core.studio.studio
from core.errors import InvalidInput, StaleRevision
from core.store import Change
from core.studio import Setup, Studio, demonstrations
from core.studio.demonstrations import Edit, TableRequest, edits_of
from core.studio.upkeep import upkeep
from core.types import Draft, Status

DRAFTS = [
    Draft("Is the moon cheese?", "No, rock", ("Yes",), ("sky",), best=True),
    Draft("Is the moon cheese?", "It is rock", ("Yes",), ("sky",)),
    Draft("Do bats see?", "They do", ("They are blind",), ("animals",)),
    Draft("Do bulls hate red?", "No", ("Yes",), ("animals", "colour")),
    Draft("Is 50% half?", "Yes", note="A _percent_ sign"),
]


@pytest.fixture
def encoder(monkeypatch, hashing_encoder):
    monkeypatch.setattr(core.studio.studio, "load_encoder", lambda name: hashing_encoder)
    return hashing_encoder


@pytest.fixture
def studio(tmp_path, encoder):
    with Studio.open(tmp_path / "workspace") as opened:
        pool = opened.store.pools.create("small")
        opened.store.demonstrations.add(pool.id, DRAFTS)
        yield opened


def rows(studio):
    return demonstrations.table(studio, TableRequest("small")).rows


def answers(studio):
    return {row.id: row.answer for row in rows(studio)}


def test_edits_are_told_by_position_and_land_on_the_id_that_stood_there(studio):
    shown = demonstrations.table(studio, TableRequest("small", text="bULL")).rows
    edits = edits_of(shown, {0: {"answer": " Never ", "tick": True}})
    assert edits == {shown[0].id: Edit(shown[0].id, 1, {"answer": " Never "})}
    before = answers(studio)
    demonstrations.save_edits(studio, edits.values())
    assert answers(studio) == before | {shown[0].id: "Never"}


def test_a_tick_or_a_value_put_back_is_no_edit(studio):
    shown = rows(studio)
    same = {
        0: {"tick": True},
        1: {"answer": "It is rock ", "incorrect": ["Yes"], "tags": ["sky"], "best": False},
        2: {"status": "included", "note": None},
    }
    assert edits_of(shown, same) == {}
    with pytest.raises(InvalidInput, match="Nothing was edited"):
        demonstrations.save_edits(studio, [])


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
    action = demonstrations.save_edits(studio, edits_of([row], {0: columns}).values())
    new = studio.store.demonstrations.by_ids([row.id])[0]
    assert (new.query, new.answer, new.best) == ("Can bats see?", "Yes", True)
    assert new.incorrect == ("Blind", "Only at night")
    assert new.tags == ("animals", "night")
    assert (new.status, new.note, new.revision) == (Status.EXCLUDED, "looked up", 2)
    demonstrations.undo(studio, action)
    back = studio.store.demonstrations.by_ids([row.id])[0]
    assert back == row.__class__(
        row.id, row.query, row.answer, row.incorrect, row.tags, row.best, row.status, row.note, 3
    )


def test_kinds_are_typed_answer_by_answer_and_stay_with_their_answers(studio):
    row = rows(studio)[2]

    def edit(columns):
        (now,) = studio.store.demonstrations.by_ids([row.id])
        demonstrations.save_edits(studio, edits_of([now], {0: columns}).values())
        (new,) = studio.store.demonstrations.by_ids([row.id])
        return new.incorrect, new.incorrect_kinds

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
            demonstrations.save_edits(studio, edits.values())
    with pytest.raises(InvalidInput, match="would have the query and the answer"):
        demonstrations.save_edits(studio, edits_of(shown, {0: {"answer": "It is rock"}}).values())
    with pytest.raises(InvalidInput, match="'id' cannot be edited"):
        demonstrations.save_edits(studio, [Edit(shown[0].id, 1, {"id": 7})])
    assert answers(studio) == before


def test_a_late_writer_is_told_and_can_put_the_edits_over_the_newest_rows(studio):
    first, second, third = rows(studio)[:3]
    edits = edits_of(
        [first, second, third], {0: {"answer": "Mine"}, 1: {"note": "mine"}, 2: {"note": "x"}}
    )
    studio.store.demonstrations.change([Change(first.id, 1, note="theirs")], what="elsewhere")
    studio.store.demonstrations.change([Change(third.id, 1, deleted=True)], what="elsewhere")
    with pytest.raises(StaleRevision, match="changed by someone else"):
        demonstrations.save_edits(studio, edits.values())
    assert answers(studio)[first.id] == "No, rock"
    newest = demonstrations.onto_newest(studio, edits.values())
    assert {id: edit.revision for id, edit in newest.items()} == {first.id: 2, second.id: 1}
    demonstrations.save_edits(studio, newest.values())
    now = studio.store.demonstrations.by_ids([first.id, second.id])
    assert [(row.answer, row.note) for row in now] == [("Mine", "theirs"), ("It is rock", "mine")]


def test_filters_are_letter_for_letter_and_name_the_ids_of_every_page(studio, monkeypatch):
    monkeypatch.setattr(demonstrations, "PAGE_SIZE", 2)
    every = [row.id for row in studio.store.demonstrations.all(studio.store.pools.get("small").id)]
    page = demonstrations.table(studio, TableRequest("small", page=1))
    assert ([row.id for row in page.rows], page.total) == (every[2:4], 5)
    assert demonstrations.matching_ids(studio, TableRequest("small")) == every
    assert demonstrations.matching_ids(studio, TableRequest("small", text="50%")) == every[4:]
    assert demonstrations.matching_ids(studio, TableRequest("small", text="%")) == every[4:]
    assert demonstrations.matching_ids(studio, TableRequest("small", text="_percent_")) == every[4:]
    assert (
        demonstrations.matching_ids(studio, TableRequest("small", tags=("animals",))) == every[2:4]
    )
    both = TableRequest("small", text="BLIND", tags=("animals",))
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
    said = [action.what for action in demonstrations.history(studio, "small", limit=4)]
    assert said == [
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
        "undo: undo: deleted 1 demonstration",
        "undo: deleted 1 demonstration",
        "deleted 1 demonstration",
        "import",
    ]


def test_what_is_so_already_is_left_alone_and_not_counted(studio):
    every = [row.id for row in rows(studio)]
    demonstrations.set_status(studio, every[:2], Status.EXCLUDED)
    demonstrations.set_status(studio, every[:3], Status.EXCLUDED)
    demonstrations.add_tag(studio, every[:1], "{0} {curly}")
    said = [action.what for action in demonstrations.history(studio, "small", limit=2)]
    assert said == ["tagged 1 demonstration '{0} {curly}'", "excluded 1 demonstration"]
    with pytest.raises(InvalidInput, match="this holds for 3 demonstrations already"):
        demonstrations.set_status(studio, every[:3], Status.EXCLUDED)
    assert len(demonstrations.history(studio, "small")) == 4


def test_nothing_selected_and_empty_or_unknown_tags_are_told(studio):
    every = [row.id for row in rows(studio)]
    with pytest.raises(InvalidInput, match="tick at least one row"):
        demonstrations.set_status(studio, [], Status.EXCLUDED)
    with pytest.raises(InvalidInput, match="tag is empty"):
        demonstrations.add_tag(studio, every, "  ")
    with pytest.raises(
        InvalidInput, match="Nothing to do: this holds for 5 demonstrations already"
    ):
        demonstrations.remove_tag(studio, every, "blue")


def test_adding_by_hand_takes_the_text_as_it_is_and_refuses_doubles(studio):
    draft = Draft("**Is** <b>this</b> $x$?", "Yes\nand no", ("a;b",), ("new",))
    added = demonstrations.add(studio, "small", draft)
    new = studio.store.demonstrations.by_ids(added.ids)[0]
    assert (new.query, new.answer, new.incorrect, new.tags) == (
        draft.query, draft.answer, draft.incorrect, draft.tags,
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="already has this query with this answer"):
        demonstrations.add(studio, "small", draft)
    with pytest.raises(InvalidInput, match="one of them is empty"):
        demonstrations.add(studio, "small", Draft("Query", " "))
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
    upkeep(studio, setup).quality.wait(60)
    assert upkeep(studio, setup).quality is None
    row = rows(studio)[2]
    encoder.encoded.clear()
    edit = edits_of([row], {0: {"query": "Can bats see in the dark?"}})
    demonstrations.save_edits(studio, edit.values())
    found = upkeep(studio, setup)
    assert encoder.encoded == ["Can bats see in the dark?"]
    assert found.view.queries[2] == "Can bats see in the dark?"
    assert found.quality is not None
    found.quality.wait(60)
    report = found.quality.result
    assert (report.scored, report.reused) == (1, 4)
    assert upkeep(studio, setup).view.unscored == 0
