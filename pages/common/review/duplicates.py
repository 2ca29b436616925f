"""Which demonstration of a group of duplicates stays: by a rule for all, by a click for one."""

from collections.abc import Sequence

import streamlit as st

from core.curation.findings.checks.duplicate import RULE
from core.curation.findings.finding import Finding
from core.demonstration.demonstration import Demonstration
from core.studio import Studio
from core.studio.pools.findings import PoolFindings
from core.studio.pools.mending import Stays, in_order, merge
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.one_demonstration.card import show_card
from pages.common.review.marks import marked_texts
from pages.common.review.queues import PAGE
from pages.common.state.readers import one_of
from pages.common.state.segments import choose_segment
from pages.common.state.state import last_value, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted

KIND, STAYS = "duplicate", "stays"
_LABELS = {
    Stays.BEST_SPELLED.value: "Best spelled",
    Stays.FIRST.value: "First",
    Stays.LAST.value: "Last",
}
_ONES = "review_stays_in_group"


def choose_stays() -> None:
    """Draw by which rule one of each group stays."""
    chosen = choose_segment(
        PAGE,
        STAYS,
        "Which of each group stays",
        _LABELS,
        Stays.BEST_SPELLED.value,
        help="For all groups of the list; first and last are by the place in the pool. Below the "
        "list another one of a group can be chosen.",
    )
    if chosen == Stays.BEST_SPELLED:
        st.caption(plain(RULE))


def linked_stays() -> str | None:
    """The rule that is kept, else that of the link, if any."""
    stays: str | None = remembered(PAGE, STAYS, None, one_of(*_LABELS))
    return stays


def ordered(found: PoolFindings, finding: Finding) -> tuple[int, ...]:
    """The ids of a finding; of duplicates the one that stays first."""
    if finding.check != KIND:
        return finding.ids
    ids = in_order(found, finding, Stays(last_value(PAGE, STAYS) or Stays.BEST_SPELLED))
    chosen = st.session_state.get(_ONES, {}).get(finding.key)
    return ids if chosen not in ids else (chosen, *(id for id in ids if id != chosen))


def merge_as_shown(found: PoolFindings, studio: Studio, findings: Sequence[Finding]) -> int:
    """Merge each group into the one that stays."""
    return merge(studio, [ordered(found, each) for each in findings])


def show_group(frame: Frame, finding: Finding, rows: Sequence[Demonstration]) -> None:
    """The one that stays and the others, with what differs marked and a button to change it.

    Args:
        frame: The page's.
        finding: The finding.
        rows: Two of its demonstrations or more, the one that stays first.
    """
    first, *others = rows
    st.caption("This one stays:")
    show_card(frame, PAGE, first, texts=marked_texts(first, others[0]))
    for row in others:
        st.button(
            "Let this one stay instead",
            key=f"review_stays_{row.id}",
            on_click=_choose_one,
            args=(finding.key, row.id),
        )
        show_card(frame, PAGE, row, texts=marked_texts(row, first))


@uninterrupted
def _choose_one(key: str, id: int) -> None:
    st.session_state[_ONES] = {**st.session_state.get(_ONES, {}), key: id}
