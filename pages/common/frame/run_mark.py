"""What a page's document shows of its runs: how many have finished, and whether work is waiting.

A browser sees when a run of a page ends, but not which of its requests the run answered, nor
whether another run comes by itself because work in the background goes on. Both are in the
document, hidden, so that whatever drives a browser waits for a state instead of for a time.
"""

import streamlit as st

from pages.common.state.address import is_line_old
from pages.common.streamlit_workarounds.presses import forget_presses

_RUNS = "finished_runs"


def mark_run() -> None:
    """Draw how many runs this visitor's pages have finished; the last thing that a run draws.

    A run that another one replaces does not get so far, and does not count.
    """
    st.session_state[_RUNS] = finished_runs() + 1
    st.html(f'<i data-runs="{st.session_state[_RUNS]}"></i>')


def mark_end() -> None:
    """`mark_run` at the end of a page: what was pressed and is not drawn any more is forgotten.

    What of its address the page ignores is known only now, and drawn at its top in another run.
    """
    forget_presses()
    if is_line_old():
        st.rerun()
    mark_run()


def finished_runs() -> int:
    """How many runs this visitor's pages have finished."""
    runs: int = st.session_state.get(_RUNS, 0)
    return runs


def mark_waiting() -> None:
    """Mark a part of the page that redraws itself until the work that it shows is done."""
    st.html("<i data-waiting></i>")
