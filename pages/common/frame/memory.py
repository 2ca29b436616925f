"""What is loaded for good is left out of garbage collection."""

import gc

import streamlit as st


@st.cache_resource(max_entries=1, show_spinner=False)
def freeze_gc(loaded: tuple[str | None, ...]) -> None:
    """Set aside everything that is in memory now; once, until `loaded` names something else.

    With torch and a model in memory a full collection takes 0.3 s to look at what never goes away,
    while a page waits; and Python puts it off until a quarter of that much is garbage. What is set
    aside can still be freed: it is looked at again when another model or encoder takes its place.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
