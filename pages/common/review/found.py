"""The findings of the pool: found in the background, and shown until newer ones are there."""

from dataclasses import dataclass

import streamlit as st

from core.curation.findings.finding import Finding
from core.retrieval.near_queries import LEAST
from core.settings import THRESHOLD
from core.studio.pools.findings import (
    CheckRequest,
    PoolFindings,
    find_in_background,
    findings_now,
)
from core.studio.pools.mending import dismissed_keys
from core.text import counted
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.review.queues import PAGE
from pages.common.state.knobs import kept_key, kept_knobs
from pages.common.state.readers import within
from pages.common.state.state import remember, remembered

EMBEDDED = "The pool is being embedded; the side bar shows how far it is."
BEFORE = (
    "The pool is being prepared and will then be checked again; until that is done, these are the "
    "findings of before."
)
_LATEST = "review_latest"


@dataclass(frozen=True)
class ShownFindings:
    """The findings of a pool, kind by kind, and which of them are dismissed."""

    pool: PoolFindings
    dismissed: frozenset[str]

    def of(self, kind: str, *, dismissed: bool = False) -> list[Finding]:
        """Those of a kind that are dismissed, or that are not, the gravest first."""
        findings = self.pool.findings[kind]
        return [each for each in findings if (each.key in self.dismissed) is dismissed]


def show_found(frame: Frame) -> tuple[ShownFindings | None, float]:
    """Draw what was checked; the findings, None until there are any, and the threshold.

    While the pool as it is now is being checked, the findings are those of before.
    """
    checked, choice = st.columns([2, 1], gap="medium", vertical_alignment="center")
    with choice:
        threshold = _choose_threshold()
    if frame.readiness.view is not None:
        _check(frame, threshold)
    latest = latest_findings(frame)
    if frame.readiness.view is None:
        st.info(EMBEDDED if latest is None else BEFORE)
    if latest is None:
        return None, threshold
    checked.markdown(plain(_what_was_checked(latest)))
    return ShownFindings(latest, dismissed_keys(frame.studio, frame.setup.pool)), threshold


def _check(frame: Frame, threshold: float) -> None:
    """Take the findings of the pool as it is now; where there are none, look for them."""
    request = CheckRequest(frame.setup, kept_knobs(), threshold)
    with shown_errors():
        now = findings_now(frame.studio, request)
        if now.found is not None:
            st.session_state[_LATEST] = now.found
        if not now.current:
            job = now.job or find_in_background(frame.studio, request)
            watch(frame.studio, job, "Check again")


def latest_findings(frame: Frame) -> PoolFindings | None:
    """The findings of the pool that were seen last in this window; None before there were any."""
    latest: PoolFindings | None = st.session_state.get(_LATEST)
    of_pool = latest is not None and latest.request.setup.pool == frame.setup.pool
    return latest if of_pool else None


def linked_threshold() -> float:
    """The threshold of before, else of the link, else the default."""
    return float(remembered(PAGE, "threshold", THRESHOLD, within(LEAST, 1.0)))


def _choose_threshold() -> float:
    key = kept_key(PAGE, "threshold", THRESHOLD, within(LEAST, 1.0))
    threshold = st.slider(
        "Similarity threshold",
        LEAST,
        1.0,
        step=0.01,
        format="%.2f",
        key=key,
        help="Two texts are much the same from this similarity on, by their words or their "
        f"embeddings. {LEAST:g} finds more pairs, 1 only the same words.",
    )
    remember(PAGE, "threshold", threshold)
    return float(threshold)


def _queries(count: int) -> str:
    return "one query" if count == 1 else f"{count:,} different queries"


def _what_was_checked(found: PoolFindings) -> str:
    asked = None if found.retrieved is None else found.retrieved.asked
    knobs = found.request.knobs
    retrieval = (
        ""
        if asked is None
        else f" Retrieval is counted over {asked:,} of these queries ({knobs.method}, k {knobs.k})."
    )
    return (
        f"{counted(len(found.rows), 'included demonstration')} with {_queries(found.queries)} "
        f"{'was' if len(found.rows) == 1 else 'were'} checked."
        f"{retrieval} {found.note}"
    ).strip()
