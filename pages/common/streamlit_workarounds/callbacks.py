"""Callbacks that a request of the browser that comes meanwhile does not interrupt.

What Streamlit does: when another request has come, it ends a run the next time that the run reads
or writes the session, even in the middle of a callback. The callback is not run again. What was
typed right before leaving a page could then be marked as saved without being saved.
`runner.fastReruns` does not change that, and a thread of its own would wait for ever for the lock
that Streamlit keeps while callbacks run.

- Issue: https://github.com/streamlit/streamlit/issues/10578 (open); a remedy is specified in
  https://github.com/streamlit/streamlit/pull/16763.
- Made for: Streamlit 1.67.
- It can go when `tests/pages/test_callbacks_are_not_interrupted.py` fails in
  `test_streamlit_itself_interrupts_a_callback`.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def uninterrupted(act: Callable[P, None]) -> Callable[P, None]:
    """The callback; a request that comes while it runs is answered right after it."""

    @wraps(act)
    def done(*args: P.args, **kwargs: P.kwargs) -> None:
        context = get_script_run_ctx()
        if context is None:
            act(*args, **kwargs)
            return
        state = context.session_state
        give_way = state._yield_callback
        object.__setattr__(state, "_yield_callback", _go_on)
        try:
            act(*args, **kwargs)
        finally:
            object.__setattr__(state, "_yield_callback", give_way)

    return done


def _go_on() -> None:
    """Do not look whether another request has come."""
