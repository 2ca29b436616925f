"""Reading on Review, one demonstration after the other: every key's act, the queue, its place."""

import pytest

from core.demonstration.demonstration import Draft, IncorrectAnswer, Status
from core.studio.pools import demonstrations
from core.studio.pools.reviewing import begin
from tests.pages.conftest import parameter, press
from tests.support.gated import gated
from tests.support.hashing_encoder import WaitingEncoder

POOL = "to read <b>"
ROWS = (
    Draft("Do bats *see*?", "Yes", (IncorrectAnswer("No, never"),), tags=("animals",)),
    Draft("Do bats *see*?", "They do", note="in a book"),
    Draft("Is glass a liquid?", "No", tags=("physics", "animals")),
    Draft("Ist das schÃ¶n?", "Jawohl"),
)


@pytest.fixture
def read(workspace, workspace_with, open_page, finish, the_studio):
    """The page with the first three of the pool to be read, and the queue's id."""
    workspace_with(workspace, POOL, ROWS)

    def opened(**link):
        finish(open_page("review", pool=POOL))
        queue = begin(the_studio(), POOL, "some", [1, 2, 3])
        return finish(open_page("review", pool=POOL, queue=str(queue.id), **link)), queue.id

    return opened


def row(studio, id):
    return demonstrations.present(studio, [id])[id]


def head(app):
    texts = [each.proto.text.replace("\\", "") for each in app.get("progress")]
    (found,) = [text for text in texts if text.endswith("decided")]
    return found


def words(app):
    parts = [
        *app.subheader,
        *app.markdown,
        *app.caption,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
    ]
    return " ".join(each.value for each in parts).replace("\\", "")


def test_the_first_is_shown_large_with_what_is_known_of_it(read):
    app, _ = read()
    assert head(app) == "some: 1 of 3; 0 decided"
    assert "Do bats *see*?" in words(app)
    assert ":green[Yes]" in words(app)
    assert ":red[No, never]" in words(app)
    assert "1 · included · not reviewed yet · tags: animals" in words(app)
    assert "**Other answers to this query** - They do" in words(app)
    assert "Is glass a liquid?" in words(app)
    assert not app.dataframe, "the findings are not drawn beside it"


def test_every_decision_is_one_button_with_a_key_of_its_own(read):
    app, _ = read()
    keys = {each.label: each.proto.shortcut for each in app.button if each.proto.shortcut}
    assert keys == {
        "Keep": "k", "Exclude": "x", "Edit": "e", "Back": "b", "Next": "n", "Undo": "u",
        "animals": "1", "physics": "2",
    }  # fmt: skip


def test_keep_exclude_and_undo(read, the_studio):
    app, queue = read()
    press(app, "review_key_keep")
    assert head(app) == "some: 2 of 3; 1 decided"
    press(app, "review_key_exclude")
    assert head(app) == "some: 3 of 3; 2 decided"
    studio = the_studio()
    assert (row(studio, 1).status, len(row(studio, 1).reviewed)) == (Status.INCLUDED, 1)
    assert (row(studio, 2).status, len(row(studio, 2).reviewed)) == (Status.EXCLUDED, 1)
    press(app, "review_key_undo")
    assert head(app) == "some: 2 of 3; 1 decided"
    assert (row(studio, 2).status, row(studio, 2).reviewed) == (Status.INCLUDED, ())
    press(app, "review_key_undo")
    assert head(app) == "some: 1 of 3; 0 decided"
    assert app.button(key="review_key_undo").disabled
    assert studio.store.review_queues.get(queue).place == 0


def test_to_the_end_and_back(read):
    app, _ = read()
    assert app.button(key="review_key_back").disabled
    for _ in range(3):
        press(app, "review_key_next")
    assert head(app) == "some: 3 of 3; 0 decided"
    assert "This is the end; 3 were passed without a decision." in words(app)
    off = {each.label for each in app.button if each.disabled}
    assert {"Keep", "Exclude", "Edit", "Next"} <= off
    press(app, "review_key_back")
    assert "Is glass a liquid?" in words(app)
    press(app, "review_key_keep")
    assert "This is the end; 2 were passed without a decision." in words(app)
    press(app, "review_key_left")
    assert head(app) == "some: 1 of 3; 1 decided"
    press(app, "review_key_exclude")
    assert head(app) == "some: 2 of 3; 2 decided"
    for _ in range(2):
        press(app, "review_key_next")
    assert "This is the end; one was passed without a decision." in words(app)
    press(app, "review_key_left")
    press(app, "review_key_keep")
    assert head(app) == "some: 3 of 3; 3 decided"
    assert "All of these are decided." in words(app)


def test_a_digit_puts_the_tag_on_and_takes_it_off(read, the_studio):
    app, _ = read()
    press(app, "review_tag_2")
    assert row(the_studio(), 1).tags == ("animals", "physics")
    assert head(app) == "some: 1 of 3; 0 decided"
    press(app, "review_tag_1")
    assert row(the_studio(), 1).tags == ("physics",)


def test_it_is_mended_in_the_dialog_and_stays_in_its_place(read, the_studio):
    app, _ = read()
    press(app, "review_key_edit")
    (answer,) = [each for each in app.text_area if each.key.startswith("edited_1_answer_")]
    answer.set_value("Yes, well").run()
    press(app, "edited_save")
    assert row(the_studio(), 1).answer == "Yes, well"
    assert ":green[Yes, well]" in words(app)
    assert head(app) == "some: 1 of 3; 0 decided"


def test_what_another_window_changed_is_shown_before_it_is_decided(read, the_studio):
    app, _ = read()
    demonstrations.set_status(the_studio(), [1], Status.EXCLUDED)
    press(app, "review_key_keep")
    assert "changed" in words(app)
    assert "1 · excluded" in words(app)
    assert (row(the_studio(), 1).status, row(the_studio(), 1).reviewed) == (
        Status.EXCLUDED,
        (),
    )
    assert head(app) == "some: 1 of 3; 0 decided"
    press(app, "review_key_keep")
    assert row(the_studio(), 1).status is Status.INCLUDED
    demonstrations.delete(the_studio(), [2])
    app.run()
    assert "This demonstration was deleted meanwhile." in words(app)
    assert head(app) == "some: 2 of 3; 2 decided"


def test_leaving_keeps_the_place_and_offers_to_go_on(read, finish):
    app, queue = read()
    press(app, "review_key_keep")
    finish(press(app, "review_leave"))
    assert "queue" not in app.query_params
    go_on = app.button(key=f"review_go_on_{queue}")
    assert go_on.label.replace("\\", "") == "Continue: some, 2 of 3 left"
    press(app, f"review_go_on_{queue}")
    assert head(app) == "some: 2 of 3; 1 decided"
    assert parameter(app, "queue") == str(queue)


def test_what_nobody_has_reviewed_can_be_read(read, finish):
    app, queue = read()
    press(app, "review_key_keep")
    finish(press(app, "review_leave"))
    press(app, "review_rest")
    assert head(app) == "not reviewed yet: 1 of 3; 0 decided"
    assert "Do bats *see*?" in words(app)
    assert "2 · included · not reviewed yet" in words(app)


def test_the_findings_of_a_kind_can_be_read(read, finish, open_page):
    read()
    app = finish(open_page("review", pool=POOL, finding="encoding"))
    press(app, "review_one_by_one")
    assert head(app) == "Damaged letters: 1 of 1; 0 decided"
    assert "Findings: Damaged letters" in words(app)


def test_keeping_all_of_a_finding_settles_it_and_its_partner_is_beside(
    workspace, workspace_with, open_page, finish
):
    rows = [Draft("Do bats *see*?", "They do"), Draft("Do bats *see* ?", "They do!"), *ROWS[2:3]]
    workspace_with(workspace, POOL, rows)
    app = finish(open_page("review", pool=POOL, finding="duplicate"))
    press(app, "review_one_by_one")
    assert "They do:orange-background[!]" in words(app)
    press(press(app, "review_key_keep"), "review_key_keep")
    assert "All of these are decided." in words(app)
    finish(press(app, "review_leave"))
    (kinds,) = [each for each in app.button_group if each.key == "review_finding"]
    assert "Duplicates 0" in kinds.options
    assert app.button_group(key="review_dismissed_duplicate").options == ["Open 0", "Dismissed 1"]


@pytest.mark.parametrize("queue", ["9999", "x"])
def test_a_link_to_a_queue_that_is_not_there_shows_the_findings(read, finish, open_page, queue):
    read()
    app = finish(open_page("review", pool=POOL, queue=queue))
    assert app.dataframe
    assert "queue" not in app.query_params


def test_a_queue_of_another_pool_is_left(read, open_page, finish, the_studio):
    _, queue = read()
    studio = the_studio()
    studio.store.demonstrations.add(studio.store.pools.create("other").id, list(ROWS))
    app = finish(open_page("review", pool="other", queue=str(queue)))
    assert "queue" not in app.query_params
    assert app.dataframe


def test_a_pool_that_is_deleted_meanwhile_is_left(read, the_studio):
    app, _ = read()
    the_studio().store.pools.delete(POOL)
    press(app, "review_key_next")
    assert not app.exception
    assert not [each for each in app.get("progress") if each.proto.text.endswith("decided")]


@pytest.mark.parametrize("page", gated(["demonstrations", "map"]))
def test_what_is_selected_on_a_page_is_read_on_review(page, read, open_app, finish):
    read()
    app = finish(open_app(page))
    if page == "map":
        app.text_input(key="map_search").set_value("id:2-3").run()
    else:
        app.text_input(key="demonstrations_search").set_value("glass").run()
        app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(app, f"{page}_bulk_read")
    app = press(app.switch_page("pages/review.py").run(), "review_key_next")
    name = {"demonstrations": "found by glass: 1 of 1", "map": "selected on the Map: 2 of 2"}
    assert head(app) == f"{name[page]}; 0 decided"


def test_neighbours_come_when_the_pool_is_embedded_and_it_is_read_before(
    workspace, workspace_with, every_studio, load_once, presence, open_page, finish, the_studio
):
    encoder = WaitingEncoder()
    encoder.may.clear()
    every_studio(load_encoder=lambda name: encoder, load_model=load_once, presence=presence)
    many = [Draft(f"Where is room {number}?", "Upstairs") for number in range(70)]
    workspace_with(workspace, POOL, [*ROWS, *many])
    app = press(open_page("review", pool=POOL), "review_rest")
    waits = "Neighbours come when the pool is embedded; the side bar shows how far it is."
    assert waits in words(app)
    press(app, "review_key_keep")
    assert "They do" in words(app)
    encoder.may.set()
    finish(app)
    assert waits not in words(app)
    assert "**Nearest other queries**" in words(app)
