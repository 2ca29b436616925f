"""Below the cockpit one view of the context at a time, chosen by the visitor and in the link."""

import streamlit as st

from pages.common.state.address import Link
from pages.common.state.readers import one_of
from pages.common.state.state import keeper, remembered

CURVE, CONTEXT, ANSWERS = "curve", "context", "answers"
OWN_ANSWERS, TOKENS, PROMPT, WHY_NOT = "own", "tokens", "prompt", "why-not"
PATHS = {"path-d": "lambda_d", "path-b": "lambda_b"}
VIEWS = {
    CURVE: "Curve",
    CONTEXT: "Context",
    ANSWERS: "Answers",
    OWN_ANSWERS: "Model's answer",
    TOKENS: "Tokens",
    PROMPT: "Prompt",
    WHY_NOT: "Why not?",
    **{name: f"Path of {knob}" for name, knob in PATHS.items()},
}
"""The name of each in the link, and on the page."""
_PAGE, _NAME = "explore", "view"
_KEY = f"{_PAGE}_{_NAME}"


def choose_view(default: str) -> str:
    """Draw the views to choose from; the chosen one, the default while none was chosen."""
    st.session_state[_KEY] = _kept() or default
    chosen = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        required=True,
        key=_KEY,
        on_change=keeper(_KEY, _PAGE, _NAME),
        label_visibility="collapsed",
    )
    return str(chosen)


def view_link() -> Link:
    """The view for the address, once one was chosen."""
    return {_NAME: _kept()}


def _kept() -> str:
    return str(remembered(_PAGE, _NAME, "", one_of(*VIEWS)))
