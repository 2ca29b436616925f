"""Callbacks that are done to their end."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def to_the_end(act: Callable[P, None]) -> Callable[P, None]:
    """The callback, which a request of the browser that comes meanwhile no longer cuts short.

    When another request has come, Streamlit ends a run the next time it reads the session, even in
    the middle of a callback. What was typed right before leaving a page could then be marked as
    saved without being saved. With this, the other request is answered right after the callback.
    """

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
