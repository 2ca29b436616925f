"""A request that comes in the middle of a callback waits for its end."""

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from pages.common.streamlit_workarounds.callbacks import uninterrupted


def unsafe(state):
    """Makes any look into the session end the run."""

    def another_request():
        raise RerunException(RerunData())

    object.__setattr__(state, "_yield_callback", another_request)


def test_a_session_is_read_and_written_to_the_end_and_gives_way_after():
    def page():
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx
        from tests.pages.test_callbacks_are_done_to_their_end import cut_short, kept_whole

        before = get_script_run_ctx().session_state._yield_callback
        found = kept_whole(), cut_short()
        object.__setattr__(get_script_run_ctx().session_state, "_yield_callback", before)
        st.session_state["found"] = found

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["found"] == ([1, 2], [])


def _write_twice(written):
    st.session_state["one"] = 1
    written.append(1)
    st.session_state["two"] = 2
    written.append(2)


def kept_whole():
    """What a callback wrote while a request waits."""
    unsafe(get_script_run_ctx().session_state)
    written = []
    uninterrupted(_write_twice)(written)
    return written


def cut_short():
    """The same callback as Streamlit runs it: the request is there still."""
    written = []
    with pytest.raises(RerunException):
        _write_twice(written)
    return written


def test_a_fault_gives_way_again():
    def page():
        from tests.pages.test_callbacks_are_done_to_their_end import after_a_fault

        after_a_fault()

    assert not AppTest.from_function(page).run().exception


def after_a_fault():
    """Afterwards the session gives way as before."""
    state = get_script_run_ctx().session_state
    before = state._yield_callback

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        uninterrupted(fail)()
    assert state._yield_callback is before


def test_outside_of_a_run_it_is_the_callback():
    written = []
    uninterrupted(written.append)(3)
    assert written == [3]
