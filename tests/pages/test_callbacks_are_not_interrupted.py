"""A request that comes in the middle of a callback waits for its end."""

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from pages.common.streamlit_workarounds.callbacks import uninterrupted


def another_request():
    """The browser asks for a run, as by a click that leaves the page."""
    get_script_run_ctx().script_requests.request_rerun(RerunData())


def write_twice():
    another_request()
    st.session_state["one"] = 1
    st.session_state["two"] = 2


@uninterrupted
def fail():
    another_request()
    st.session_state["one"] = 1
    raise ValueError("no")


def pressed(callback):
    """The session after a button with this callback was pressed, and the runs that were begun."""

    def page(callback):
        import streamlit as st

        runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        st.button("Go", on_click=callback)
        st.session_state["ended"] = [*st.session_state.get("ended", []), runs]

    app = AppTest.from_function(page, args=(callback,)).run()
    app.button[0].click().run()
    assert not app.exception
    found = app.session_state
    return {name: found[name] for name in ("one", "two") if name in found}, found["ended"]


def test_a_callback_is_finished_and_the_request_is_answered_after_it():
    written, ended = pressed(uninterrupted(write_twice))
    assert written == {"one": 1, "two": 2}
    assert ended == [1, 2]


def test_streamlit_itself_interrupts_a_callback():
    written, _ = pressed(write_twice)
    assert written == {}, "callbacks.py can go"


def test_a_fault_gives_way_again():
    """After the fault the session is read as before: the request that waits ends the run."""

    def page():
        import streamlit as st

        from tests.pages.test_callbacks_are_not_interrupted import fail

        runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        if runs == 1:
            try:
                fail()
            except ValueError as fault:
                st.session_state["fault"] = str(fault)
        st.text(f"Run {runs}")

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["one"] == 1
    assert "fault" not in app.session_state
    assert [text.value for text in app.text] == ["Run 2"]


def test_outside_of_a_run_it_is_the_callback():
    written = []
    uninterrupted(written.append)(3)
    assert written == [3]
