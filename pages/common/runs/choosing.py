"""Whether it pays to choose a setting for each query, by the scores of a finished comparison."""

import streamlit as st

from core.errors import InvalidInput
from core.evaluation.results.comparison import Comparison
from core.evaluation.runs.crossvalidation import ChoicePerQuery
from core.reporting.tables.runs import text_table
from core.reporting.tables.worth import (
    SETTINGS_TITLE,
    settings_table,
    worth_grounds,
    worth_headline,
)
from core.studio import Setup, Studio
from core.studio.runs.adaptive import NEIGHBOURS, NeighboursRequest, worth_of_choosing
from pages.common.frame.page import Frame
from pages.common.frame.text import plain

MOST = 8
"""Answers that are in memory."""


def has_choice(frame: Frame, comparison: Comparison) -> bool:
    """Whether there are settings to choose among, by this encoder and a model that means it."""
    encoder = frame.studio.encoder(frame.setup.encoder).fingerprint
    few = len(comparison.methods) < 2 or comparison.examples < 2
    return not (few or comparison.settings.encoder != encoder or comparison.settings.by_a_toy)


def draw_choosing(frame: Frame, comparison: Comparison, key: str = "") -> None:
    """What choosing per query gains over one setting for all, and which settings it chooses.

    Args:
        frame: The page's.
        comparison: Of one model, finished.
        key: Ends the keys of the widgets, where there are several models.
    """
    st.markdown("**Does it pay to choose a setting for each query?**")
    place, words = st.columns([1, 4])
    most, own = comparison.examples - 1, f"compare_nearest{key}"
    if st.session_state.get(own, 0) > most:  # of a run with more examples
        st.session_state[own] = most
    nearest = place.number_input(
        f"Nearest examples (of {most:,})",
        min_value=1,
        max_value=most,
        value=min(NEIGHBOURS, most),
        key=own,
        persist_state="session",
        help="A query gets the setting that did best on so many of the evaluation examples that "
        "are most similar to it: at 1 on the nearest, with all of them every query gets the one "
        "best setting. The method neighbours chooses so; no model is asked.",
    )
    try:
        found = _worth(
            frame.studio,
            frame.setup,
            str(frame.studio.workspace),
            comparison.settings.pool,
            comparison.run,
            int(nearest),
        )
    except InvalidInput as error:
        words.caption(plain(str(error)))
        return
    words.markdown(plain(worth_headline(found)))
    words.caption(plain(" ".join(worth_grounds(found))))
    with st.expander(SETTINGS_TITLE):
        st.html(text_table(settings_table(found)))


@st.cache_resource(max_entries=MOST, show_spinner=False)
def _worth(
    _studio: Studio, _setup: Setup, workspace: str, pool: str, run: int, nearest: int
) -> ChoicePerQuery:
    return worth_of_choosing(_studio, NeighboursRequest(_setup, run, nearest))
