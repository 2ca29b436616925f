"""Programs: let one write demonstrations of queries with known answers, and keep the good ones."""

import streamlit as st

from core.studio.programs import bootstrap
from core.studio.programs.choices import CHOICES
from pages.common.frame.notice import show_notice
from pages.common.frame.page import open_page, show_caution, shown_errors
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import plain
from pages.common.programs.attempts import PAGE, draw_attempts
from pages.common.programs.choosing import read_request
from pages.common.programs.watching import TRIED, watch
from pages.common.runs.progress import show_end
from pages.common.runs.run import running

frame = open_page("Programs", "Let a program write demonstrations of queries with known answers.")
show_caution(frame)
with shown_errors():
    request = read_request(frame)
    job = bootstrap.job_of(frame.studio, frame.setup.pool)
    busy = running(job)
    lacks = CHOICES[request.program].searches and request.passages is None
    action, words = st.columns([1, 5], vertical_alignment="center")
    if action.button("Try them", type="primary", disabled=busy or lacks, width="stretch"):
        bootstrap.start(frame.studio, request)
        st.rerun()
    words.caption("Every attempt is kept as it comes; what the model wrote before costs nothing.")
    show_notice(frame.studio, PAGE, frame.setup.pool)
    if job is not None and busy:
        watch(job)
    else:
        show_end(job, TRIED)
        found = bootstrap.latest(frame.studio, frame.setup.pool)
        if found is None:
            st.write(
                "Nothing was tried with this pool yet. The button lets the model answer each query "
                "after demonstrations of the pool. Where it comes out right, the attempt can be "
                "kept as a demonstration, with what the program wrote on the way."
            )
        else:
            if not found.finished and job is None:
                message = (
                    f"This run of {found.settings.queries:,} queries was cut off when the studio "
                    "ended. Its attempts are kept."
                )
                st.info(plain(message))
                if st.button("Go on with it"):
                    again = bootstrap.resumed(frame.setup, found.settings)
                    bootstrap.start(frame.studio, again)
                    st.rerun()
            draw_attempts(frame, found)
mark_run()
