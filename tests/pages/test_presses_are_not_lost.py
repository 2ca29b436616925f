"""A press outlives the run that another request ends, and no run that comes to its end."""

import pytest
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from core.demonstration.demonstration import Status
from core.studio.pools import demonstrations
from tests.pages.conftest import press, shown, type_into


def another_request():
    """The browser asks for a run, as by a click somewhere else."""
    get_script_run_ctx().script_requests.request_rerun(RerunData())


def page(kept, drawn):
    """Counts its presses. The run that a press begins is ended before it reaches the button."""
    import streamlit as st

    from pages.common.frame.run_mark import mark_end
    from pages.common.streamlit_workarounds.presses import draw_button, was_pressed
    from tests.pages.test_presses_are_not_lost import another_request

    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    if runs == 2:
        another_request()
    st.text(f"Run {runs}")
    if runs in drawn:
        if kept:
            draw_button("Go", key="go", help="Goes.")
            pressed = was_pressed("go")
        else:
            pressed = st.button("Go", key="go")
        st.session_state["presses"] = st.session_state.get("presses", 0) + pressed
    mark_end()


def presses(*, kept, drawn=(1, 2, 3, 4, 5, 6)):
    """How often a button was pressed, by what the page knows after each run."""
    app = AppTest.from_function(page, args=(kept, drawn)).run()
    app.button[0].click().run()
    assert not app.exception
    assert app.session_state["runs"] == 3, "the second run was ended"
    seen = [app.session_state["presses"]]
    for _ in range(2):
        app.run()
        seen.append(app.session_state["presses"])
    return seen


def test_a_press_is_acted_on_once_in_the_run_that_reaches_the_button():
    assert presses(kept=True) == [1, 1, 1]


def test_streamlit_itself_loses_a_press():
    assert presses(kept=False) == [0, 0, 0], "presses.py can go"


@pytest.mark.parametrize("again", [4, 5])
def test_a_press_of_what_is_not_drawn_any_more_is_forgotten(again):
    """Nothing is done later, when the button comes back, which nobody expects any more."""
    assert presses(kept=True, drawn=(1, again)) == [0, 0, 0]


def test_what_is_done_to_a_pool_is_done_though_something_else_is_pressed(
    small_pool, open_page, the_studio, monkeypatch
):
    app = open_page("demonstrations")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    count, requests = demonstrations.summary, []

    def counted(*arguments):
        if requests:
            requests.pop()()
        return count(*arguments)

    monkeypatch.setattr(demonstrations, "summary", counted)
    for key, status in (
        ("demonstrations_bulk_Exclude", {Status.EXCLUDED}),
        ("demonstrations_notice_undo", {Status.INCLUDED}),
        ("demonstrations_notice_undo", {Status.EXCLUDED}),
    ):
        requests.append(another_request)
        press(app, key)
        assert not requests
        assert {row.status for row in shown(the_studio(), small_pool).values()} == status


def test_undo_is_for_the_notice_that_was_shown_and_not_for_a_cell_saved_just_after(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(app, "demonstrations_bulk_Exclude")
    app.button(key="demonstrations_notice_undo").click()
    type_into(app, 0, answer="Rock")

    def statuses_and_answer():
        rows = list(shown(the_studio(), small_pool).values())
        return {row.status for row in rows}, rows[0].answer

    assert statuses_and_answer() == ({Status.EXCLUDED}, "Rock")
    assert "edited the answer" in app.success[0].value
    press(app, "demonstrations_notice_undo")
    assert statuses_and_answer() == ({Status.EXCLUDED}, "No, says the book (0)")


def test_the_bar_does_not_act_on_what_a_filter_typed_just_before_leaves(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    app.text_input(key="demonstrations_search").set_value("bats")
    press(app, "demonstrations_bulk_Exclude")
    (warned,) = [each.value for each in app.warning]
    assert "would act on all 2 that match the filters" in warned
    assert {row.status for row in shown(the_studio(), small_pool).values()} == {Status.INCLUDED}
    press(app, "demonstrations_bulk_Exclude")
    excluded = [
        row.query
        for row in shown(the_studio(), small_pool).values()
        if row.status is Status.EXCLUDED
    ]
    assert excluded == ["Do bats see well?"] * 2
    assert not app.warning


def test_a_button_that_cannot_be_pressed_any_more_does_nothing():
    def page(disabled_from):
        import streamlit as st

        from pages.common.frame.run_mark import mark_end
        from pages.common.streamlit_workarounds.presses import button

        runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        if button("Go", key="go", disabled=runs >= disabled_from):
            st.text("Gone")
        mark_end()

    for disabled_from, shown_texts in ((3, ["Gone"]), (2, [])):
        app = AppTest.from_function(page, args=(disabled_from,)).run()
        app.button[0].click().run()
        assert [each.value for each in app.text] == shown_texts
