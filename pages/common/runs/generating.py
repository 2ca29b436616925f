"""The choice whether the model of a comparison also answers each example itself."""

import streamlit as st

from core.generation import MAX_NEW_TOKENS
from pages.common.state.knobs import kept_key
from pages.common.state.readers import switch
from pages.common.state.state import remember

YES = "yes"
"""The value in a link where it does."""


def choose_generate() -> bool:
    """Whether the model also answers each example itself."""
    generate = st.toggle(
        "Also generate answers",
        key=kept_key("compare", "generate", False, switch(on=YES, off="")),
        help="The model also answers each example itself after every row's context, with its most "
        "probable token at every step, and the text is compared with the correct answers. That is "
        f"one text an example and row, each of at most {MAX_NEW_TOKENS} tokens, so it takes much "
        "longer than judging alone; what was written before costs nothing.",
    )
    remember("compare", "generate", generate)
    return generate


def link_of_generate(generate: bool) -> str | None:
    """The same for the address."""
    return YES if generate else None
