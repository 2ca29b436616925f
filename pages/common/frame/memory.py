"""What is loaded for good is left out of the garbage collection after every run."""

import gc

import streamlit as st


@st.cache_resource(max_entries=1, show_spinner=False)
def set_aside(loaded: tuple[str | None, ...]) -> None:
    """Set aside everything that is in memory now; once, until `loaded` names something else.

    Streamlit collects all garbage after every run of a script, before the browser has its last
    messages. With torch and a model in memory that takes 0.3 s of looking at what never goes away,
    at every move of a slider. What is set aside can still be freed: it is looked at again when
    another model or encoder takes its place.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
