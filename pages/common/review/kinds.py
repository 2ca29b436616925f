"""The kinds of findings, the worst first, each with how many there are."""

import streamlit as st

from core.curation.findings.registry import CHECKS
from pages.common.review.found import ShownFindings
from pages.common.review.queues import PAGE
from pages.common.state.knobs import kept_key
from pages.common.state.readers import one_of
from pages.common.state.state import remember, remembered


def choose_kind(found: ShownFindings) -> str:
    """The chosen kind; the worst that has findings where none was chosen."""
    counts = {name: len(found.of(name)) for name in CHECKS}
    first = next((name for name, count in counts.items() if count), next(iter(CHECKS)))
    key = kept_key(PAGE, "finding", first, one_of(*CHECKS))
    kept = st.session_state[key]
    # Kinds that have only dismissed findings can be chosen: that is where those are restored.
    offered = [name for name in CHECKS if found.pool.findings[name] or name == kept]
    kind = st.pills(
        "Findings",
        offered,
        format_func=lambda name: f"{CHECKS[name].label} {counts[name]:,}",
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    if len(offered) < len(CHECKS):
        others = (CHECKS[name].label for name in CHECKS if name not in offered)
        st.caption(f"Checked, and none found: {', '.join(others)}.")
    chosen = str(kind or first)
    remember(PAGE, "finding", chosen)
    return chosen


def linked_kind() -> str | None:
    """The kind to open with once there are findings: that of before, else of the link, if any."""
    kind: str | None = remembered(PAGE, "finding", None, one_of(*CHECKS))
    return kind
