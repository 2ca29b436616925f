"""Review: what is wrong with this pool, and what can be done about it."""

import streamlit as st

from pages.common.frame.notice import show_notice
from pages.common.frame.page import open_page
from pages.common.frame.run_mark import mark_end
from pages.common.one_demonstration.acting import after_acting
from pages.common.one_demonstration.editing import edit_dialog
from pages.common.review.by_tag import show_by_tag
from pages.common.review.coverage import show_coverage
from pages.common.review.duplicates import linked_stays
from pages.common.review.finding import show_findings_of
from pages.common.review.found import EMBEDDED, latest_findings, linked_threshold, show_found
from pages.common.review.kinds import choose_kind, linked_kind
from pages.common.review.one_by_one import read_one_by_one
from pages.common.review.queues import PAGE, offer_queues, open_queue
from pages.common.state.address import Link, write_link
from pages.common.state.segments import choose_segment
from pages.common.worth.judging import show_worth

FINDINGS, COVERAGE, BY_TAG, WORTH = "findings", "coverage", "by_tag", "worth"
PARTS = {FINDINGS: "Findings", COVERAGE: "Coverage", BY_TAG: "By tag", WORTH: "Worth"}

frame = open_page(
    "Review",
    "What is wrong with this pool, the worst first: edit, repair, merge or exclude it, or dismiss "
    "what is no fault.",
)
after_acting()
edit_dialog(frame, PAGE)
of_part: Link = {}
part, drawn = FINDINGS, True
threshold, kind = linked_threshold(), linked_kind()
linked_stays()  # before the findings are there to draw it
queue = open_queue(frame)
if queue is not None:  # which has the notice among its keys
    read_one_by_one(frame, queue.id, latest_findings(frame))
else:
    show_notice(frame.studio, PAGE, frame.setup.pool)
    with frame.studio.presence.serving():
        part = choose_segment(PAGE, "part", "Part", PARTS, FINDINGS, labelled=False)
        if part != FINDINGS and frame.readiness.view is None:
            drawn = False  # what the link has of the part is kept until then
            st.info(EMBEDDED)
            offer_queues(frame)
        elif part == COVERAGE:
            of_part = show_coverage(frame)
        elif part == BY_TAG:
            show_by_tag(frame)
        elif part == WORTH:
            of_part = show_worth(frame)
        else:
            found, threshold = show_found(frame)
            offer_queues(frame)
            if found is not None:
                kind = choose_kind(found)
                show_findings_of(frame, found, kind)
if drawn:
    write_link(
        pool=frame.setup.pool,
        encoder=frame.setup.encoder,
        threshold=threshold,
        finding=kind,
        stays=linked_stays(),
        queue=None if queue is None else str(queue.id),
        part=None if part == FINDINGS else part,
        **of_part,
    )
mark_end()
