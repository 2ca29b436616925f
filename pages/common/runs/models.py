"""The part of a comparison that is drawn where rows name several models."""

import streamlit as st

from core.evaluation.results.comparison import Comparison
from core.reporting.tables.comparison import RANKS_TITLE, TITLE, orders_table, ranks_table
from core.reporting.tables.runs import text_table
from core.reporting.words.provenance import order_sentences
from pages.common.frame.text import plain


def draw_orders(comparison: Comparison, metric: str | None = None) -> None:
    """Whether what is best for one model is best for another.

    Nothing for one model, and while the run goes on. `metric` is what the settings are ordered by
    in the sentences, None the one that leads.
    """
    if not comparison.earlier or comparison.end is None:
        return
    st.subheader("Model by model")
    st.markdown(f"**{TITLE}**")
    sentences = order_sentences(comparison, metric)
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in sentences))
    st.html(text_table(orders_table(comparison)))
    st.markdown(f"**{RANKS_TITLE}**")
    st.html(text_table(ranks_table(comparison, metric)))
