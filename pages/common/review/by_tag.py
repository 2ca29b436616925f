"""How the quality bias and the lengths are distributed over the tags of a pool."""

import numpy as np
import streamlit as st

from core.curation.coverage import MOST
from core.demonstration.criteria import LENGTH, QUALITY, QUERY_LENGTH
from core.reporting.figures.distributions import by_tag_figure
from core.studio.pools import demonstrations
from pages.common.frame.look import draw_figure
from pages.common.frame.page import Frame
from pages.common.review.queues import PAGE
from pages.common.state.segments import choose_segment

MEASURES = {
    QUALITY: "Quality bias",
    LENGTH: "Length of the answer",
    QUERY_LENGTH: "Length of the query",
}
UNITS = {
    QUALITY: "quality bias, nats (right is likelier to the model; surprise is its negative)",
    LENGTH: "characters of the answer",
    QUERY_LENGTH: "characters of the query",
}
NO_TAG = "no tag"


def show_by_tag(frame: Frame) -> None:
    """Draw the distribution of the chosen measure, a box for each tag."""
    measure = choose_segment(PAGE, "measured", "Measure", MEASURES, QUALITY, labelled=False)
    found = demonstrations.by_tag_of(frame.studio, frame.setup, frame.readiness.view, measure)
    if not found:
        st.info(
            "No quality bias is scored yet: choose a language model in the side bar."
            if measure == QUALITY
            else "The pool has no included demonstration."
        )
        return
    figure = by_tag_figure(
        [f"{each.tag or NO_TAG} ({each.count:,})" for each in found],
        np.stack([each.quantiles for each in found]),
        UNITS[measure],
        f"{MEASURES[measure]} by tag",
    )
    draw_figure(figure, "review_by_tag")
    st.caption(
        "A box is the middle half of the included demonstrations with a median, the whiskers end "
        f"at the 5th and 95th percentile. The {MOST} most frequent tags; those with several tags "
        "count for each."
    )
