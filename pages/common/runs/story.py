"""One example of a comparison: what each row chose and what that did to the model."""

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.reporting.tables.comparison import answers_in, context_in, generated_in, methods_in
from core.reporting.tables.runs import text_table
from core.studio import Studio
from core.studio.runs.stories import Stories
from pages.common.frame.page import Frame
from pages.common.frame.text import plain

MOST = 8
"""Runs whose stories are in memory: a comparison over several models has one per model."""


def stories_of(frame: Frame, comparison: Comparison) -> Stories:
    """The stories of a finished run, read once."""
    return _read(frame.studio, comparison, str(frame.studio.workspace), comparison.run)


@st.cache_resource(max_entries=MOST, show_spinner=False)
def _read(_studio: Studio, _comparison: Comparison, workspace: str, run: int) -> Stories:
    return Stories(_studio, _comparison)


def draw_story(stories: Stories, key: str = "") -> None:
    """Choose an example; its metrics, its answers, and one row's context.

    `key` ends the keys of the widgets, where there are several models.
    """
    st.subheader("Each example's own story")
    queries = stories.queries()
    if not queries:
        st.write("Every example was longer than the model's window.")
        return
    query = st.selectbox(
        "Example",
        queries,
        key=f"compare_example{key}",
        persist_state="session",
        help="Those on which the rows differ most come first.",
    )
    story = stories.story(query)
    st.caption(
        "What each context did to the correct answers against the incorrect ones (nats per triple)"
        if story.has_triples
        else "What each context did: a gain above 0 makes the correct answers more probable (nats)"
    )
    st.html(text_table(methods_in(story)))
    st.caption("Log-probability of each answer, alone and after each context (nats)")
    st.html(text_table(answers_in(story)))
    if story.generated:
        st.caption(
            "What the model itself answers after each context (its most probable token each time)"
        )
        st.html(text_table(generated_in(story)))
    methods = [line.method for line in story.methods]
    method = st.segmented_control(
        "Context chosen by",
        methods,
        default=methods[-1],
        format_func=plain,
        required=True,
        key=f"compare_context{key}",
    )
    line = next(line for line in story.methods if line.method == method)
    if not line.ids:
        st.write(plain(f"{line.method} shows the query alone."))
        return
    st.html(text_table(context_in(line)))
    if line.left_out:
        st.caption(f"{line.left_out} more did not fit the model's window and were left out.")
