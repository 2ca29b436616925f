"""Whose queries are the evaluation examples: the pool's own, or those of another pool."""

import streamlit as st

from core.studio import Studio
from core.studio.pools.pools import summaries
from pages.common.state.knobs import kept_key
from pages.common.state.readers import one_of

OWN = "this pool's own queries"


def choose_pool_of_examples(studio: Studio, pool: str, page: str) -> str:
    """The name of the other pool; "" for the pool itself."""
    pools = [summary.name for summary in summaries(studio)]
    others = [name for name in pools if name != pool]
    source = kept_key(page, "examples", "", one_of("", *pools))
    if st.session_state[source] not in others:
        st.session_state[source] = ""
    return str(
        st.selectbox(
            "Evaluation examples from",
            ["", *others],
            format_func=lambda name: name or OWN,
            key=source,
            help="Their contexts are chosen from the pool in the side bar. An example's own "
            "demonstrations are never in its context.",
        )
    )
