"""What Explore does to a demonstration of a context that has no cockpit; the dialog that edits."""

import pytest

from core.demonstration.demonstration import Status, incorrect_answers
from core.store import Change
from core.studio.pools import demonstrations
from tests.pages.conftest import press
from tests.pages.test_cockpit import sent

K = 3


@pytest.fixture
def explored(visited_pool, language_model, open_page, finish):
    app = finish(open_page("explore", method="rel", k=str(K)))
    assert sent(app) == []
    return app


def context(app):
    """The ids of the context, in the order chosen."""
    return list(app.selectbox("explore_act_on").options)


def chosen(app):
    return app.selectbox("explore_act_on").value


def row(studio, id):
    return demonstrations.present(studio, [id])[id]


def place(app, name):
    """The place of a field in the dialog."""
    (found,) = [
        each
        for kind in (app.text_area, app.multiselect, app.checkbox)
        for each in kind
        if each.key.startswith(f"edited_{chosen(app)}_{name}_")
    ]
    return found


def is_open(app):
    return any(each.key == "edited_save" for each in app.button)


def notes(app):
    return [each.value.replace("\\", "") for each in app.success]


def test_one_is_excluded_the_next_moves_up_and_undo_brings_it_back(explored, finish, the_studio):
    before, first = context(explored), chosen(explored)
    press(explored, "explore_act_exclude")
    finish(explored)
    after = context(explored)
    assert [each.partition(": ")[2] for each in after[: K - 1]] == [
        each.partition(": ")[2] for each in before[1:]
    ]
    assert len(after) == K
    assert row(the_studio(), first).status is Status.EXCLUDED
    assert notes(explored) == ["Excluded 1 demonstration."]
    press(explored, "explore_notice_undo")
    finish(explored)
    assert context(explored) == before
    assert row(the_studio(), first).status is Status.INCLUDED


def test_one_is_pinned_and_unpinned(explored, finish, the_studio):
    explored.selectbox("explore_act_on").select_index(K - 1).run()
    id = chosen(explored)
    press(explored, "explore_act_pin")
    finish(explored)
    assert row(the_studio(), id).status is Status.PINNED
    assert chosen(explored) == id
    assert context(explored)[0].startswith("1: ")
    (pin,) = [each for each in explored.button if each.key == "explore_act_pin"]
    assert pin.label == "Unpin"
    press(explored, "explore_act_pin")
    finish(explored)
    assert row(the_studio(), id).status is Status.INCLUDED


def test_its_fields_are_edited_and_saved_together(explored, finish, the_studio):
    id = chosen(explored)
    was = row(the_studio(), id)
    press(explored, "explore_act_edit")
    assert place(explored, "query").value == was.query
    assert place(explored, "incorrect").value.splitlines() == ["Of course", "Nobody knows"]
    assert place(explored, "tags").value == []
    assert place(explored, "note").value == ""
    place(explored, "answer").set_value("No, it is rock")
    place(explored, "incorrect").set_value("Of course\n\n It is cheese \nOf course")
    place(explored, "note").set_value("seen")
    place(explored, "best").set_value(True)
    press(explored, "edited_save")
    finish(explored)
    now = row(the_studio(), id)
    assert (now.query, now.answer, now.note, now.best) == (
        was.query,
        "No, it is rock",
        "seen",
        True,
    )
    assert now.incorrect == incorrect_answers(["Of course", "It is cheese"])
    assert now.revision == was.revision + 1
    assert not is_open(explored)
    (saved,) = notes(explored)
    assert saved.startswith("Saved: edited the ")
    press(explored, "explore_notice_undo")
    finish(explored)
    assert row(the_studio(), id).answer == was.answer


def test_what_was_typed_stays_until_it_is_saved_or_discarded(explored, finish, the_studio):
    was = row(the_studio(), chosen(explored))
    press(explored, "explore_act_edit")
    place(explored, "answer").set_value("half a")
    explored.run()
    assert is_open(explored)
    assert place(explored, "answer").value == "half a"
    press(explored, "edited_close")
    assert is_open(explored)
    press(explored, "edited_discard")
    assert not is_open(explored)
    press(explored, "explore_act_edit")
    assert place(explored, "answer").value == was.answer
    assert row(the_studio(), was.id) == was


def test_a_refused_value_stays_with_the_reason(explored, finish, the_studio):
    was = row(the_studio(), chosen(explored))
    press(explored, "explore_act_edit")
    place(explored, "answer").set_value("  ")
    press(explored, "edited_save")
    assert is_open(explored)
    assert [each.value for each in explored.error]
    assert place(explored, "answer").value == "  "
    assert row(the_studio(), was.id) == was


def test_a_value_of_somebody_else_is_overwritten_only_when_saved_again(
    explored, finish, the_studio
):
    studio, id = the_studio(), chosen(explored)
    press(explored, "explore_act_edit")
    place(explored, "answer").set_value("Mine")
    was = row(studio, id)
    theirs = Change(id, was.revision, answer="Theirs", note="by them")
    studio.store.demonstrations.change([theirs], what="edited elsewhere")
    press(explored, "edited_save")
    assert row(studio, id).answer == "Theirs"
    words = " ".join(each.value for each in explored.error).replace("\\", "")
    assert "Somebody else changed the answer" in words
    assert "Save again to overwrite theirs" in words
    press(explored, "edited_save")
    finish(explored)
    assert (row(studio, id).answer, row(studio, id).note) == ("Mine", "by them")


def test_a_row_that_is_gone_is_one_sentence(explored, finish, the_studio):
    id = chosen(explored)
    demonstrations.delete(the_studio(), [id])
    press(explored, "explore_act_edit")
    finish(explored)
    assert not is_open(explored)
    assert notes(explored) == [f"Demonstration {id} was deleted meanwhile, so it cannot be edited."]
