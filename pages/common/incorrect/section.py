"""Incorrect answers on Demonstrations: suggested from two sources, accepted or refused."""

from pages.common.frame.page import Frame
from pages.common.incorrect.near import show_near
from pages.common.incorrect.one_by_one import decide_one_by_one, deciding
from pages.common.incorrect.own import show_own
from pages.common.state.address import Link
from pages.common.state.segments import choose_segment

NEAR, OWN = "near", "own"
SOURCES = {NEAR: "Answers of other queries", OWN: "The model's own answers"}


def suggest_section(frame: Frame) -> Link:
    """Draw the section; returns what of it belongs into the link."""
    decisions = deciding(frame)
    if decisions is not None:
        decide_one_by_one(frame, decisions)
        return {}
    source = choose_segment("suggest", "source", "Suggested from", SOURCES, NEAR)
    if source == NEAR:
        show_near(frame)
        return {}
    return {"source": OWN, **show_own(frame)}
