"""Import: what happened to the file, and the choice about what differs from the pool."""

import streamlit as st

from core.curation import ImportReport, Oddity, OnDifference
from core.demonstration.demonstration import Draft, Kind
from core.demonstration.fields import FIELD
from core.reporting.words.importing import (
    how_it_differs,
    how_it_was_read,
    what_became_of_it,
    what_became_of_the_rows,
    what_it_can_show,
)
from core.studio.pools import demonstrations, pools
from core.studio.pools.edits import stored_value
from core.text import counted
from pages.common.demonstrations.importing.encoding import with_sureness
from pages.common.frame.next_steps import show_next_steps
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, show_caution, shown_errors
from pages.common.frame.sidebar import switch_pool
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.state.knobs import apply_knobs
from pages.common.state.only_these import show_only
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.scrolling import show_from_here

REPORT = "import_report"
_NUMBER = "import_number"
ODD = 10
"""How many of the rows behind a warning are shown."""


def _settle_differences(frame: Frame, report: ImportReport) -> None:
    """What differs between the file and the pool, and the choice between the two."""
    sentences = list(map(plain, how_it_differs(report)))
    if not report.differing or report.on_difference is not OnDifference.LEAVE:
        for sentence in sentences:
            st.caption(sentence)
        return
    with st.container(border=True):
        for sentence in sentences:
            st.markdown(sentence)
        st.dataframe(
            [
                {
                    "id": str(one.id),
                    "query": one.current.query,
                    "answer": one.current.answer,
                    "differs in": field,
                    "in the pool": _value(one.current, field),
                    "in the file": _value(one.draft, field),
                }
                for one in report.differing[:ODD]
                for field in one.fields
            ],
            hide_index=True,
            height="content",
        )
        if len(report.differing) > ODD:
            st.caption(f"The first {ODD} of {len(report.differing):,}.")
        st.caption("You can take over the file's values; the pool's history can undo it.")
        with st.container(horizontal=True):
            for label, how in (
                ("Add what is new", OnDifference.ADD),
                ("Replace with the file's", OnDifference.REPLACE),
            ):
                if st.button(label, key=f"import_differing_{how}"):
                    with shown_errors():
                        st.session_state[REPORT] = pools.settle(frame.studio, report, how)
                        st.rerun()


def _value(of: Draft, name: str) -> str:
    """The value of a field in one line."""
    value = stored_value(of, name)
    if isinstance(value, tuple):
        return (", " if FIELD[name].kind is Kind.TEXTS else "; ").join(value)
    return str(value)


def show_report(frame: Frame) -> None:
    """The report of the last import, until it is closed."""
    report: ImportReport | None = st.session_state.get(REPORT)
    if report is None:
        return
    with st.container(border=True):
        were = "was" if report.demonstrations == 1 else "were"
        added = counted(report.demonstrations, "demonstration")
        with st.container(gap=None):
            show_from_here(_number())
            st.markdown(f"**{added} {were} added to {plain(report.pool)}**")
        st.markdown(plain(what_became_of_the_rows(report)))
        for place, (label, count) in zip(
            st.columns(3),
            (
                ("Demonstrations added", report.demonstrations),
                ("Queries in the file", report.queries),
                ("Triples in the file", report.triples),
            ),
            strict=True,
        ):
            place.metric(label, f"{count:,}")
        job = frame.readiness.embedding
        if frame.setup.pool == report.pool and job is not None:
            watch(frame.studio, job, "Go on embedding")
        st.caption(plain(f"Format {report.format}, encoding {with_sureness(report)}."))
        show_what_happened(report)
        _settle_differences(frame, report)
        if frame.setup.pool == report.pool:
            show_caution(frame)
            show_next_steps(frame)
        with st.container(horizontal=True):
            if report.queries_with_incorrect < report.queries:
                st.button(
                    "Suggest incorrect answers",
                    key="import_suggest",
                    help="The answers of near queries, to be looked through before any is added.",
                    on_click=_open_suggestions,
                    args=[report.pool],
                )
            fix = st.button(
                "Use as fixed",
                key="import_fixed",
                help="The method fix shows the same demonstrations for every query. This makes it "
                f"show the file's first {len(report.first_ids)}, in the file's order.",
            )
            if st.button("Close", key="import_close"):
                st.session_state.pop(REPORT)
                st.rerun()
    if fix:
        with shown_errors():
            demonstrations.name_fixed(frame.studio, report.pool, report.first_ids)
            note(
                "demonstrations",
                report.pool,
                f"The method fix now shows the file's first {len(report.first_ids)}.",
            )
            st.rerun()


def next_number() -> int:
    """The number of the import that begins now, from 1: the page scrolls to each once."""
    st.session_state[_NUMBER] = _number() + 1
    return _number()


def _number() -> int:
    number: int = st.session_state.get(_NUMBER, 0)
    return number


def show_what_happened(report: ImportReport) -> None:
    """Everything that happened to the file, the rows that are odd below."""
    happened = (*how_it_was_read(report), *what_became_of_it(report), *what_it_can_show(report))
    for sentence in happened:
        st.caption(plain(sentence))
    named = {oddity.sentence for oddity in report.oddities}
    for warning in report.warnings:
        if warning not in named:
            st.caption(plain(warning))
    for oddity in report.oddities:
        _show_oddity(report, oddity)


def _show_oddity(report: ImportReport, oddity: Oddity) -> None:
    """The rows behind a warning; after the import with a button that shows them in the table."""
    rows = oddity.demonstrations[:ODD]
    with st.container(border=True):
        st.markdown(plain(oddity.sentence))
        st.dataframe(
            [
                {
                    "file's row": ", ".join(map(str, row.rows)),
                    "query": row.query,
                    "correct answer": row.answer,
                    f"{oddity.kind.against} row": ", ".join(map(str, row.against)),
                }
                | ({"id": str(row.id)} if row.id is not None else {})
                for row in rows
            ],
            hide_index=True,
            height="content",
        )
        if len(oddity.demonstrations) > ODD:
            st.caption(f"The first {ODD} of {len(oddity.demonstrations):,}.")
        if oddity.ids:
            these = "this one" if len(oddity.ids) == 1 else f"these {len(oddity.ids):,}"
            st.button(
                f"Show {these} in the table",
                key=f"import_show_{oddity.kind}",
                icon=":material/table_rows:",
                on_click=_open_table,
                args=[report.pool, oddity.ids],
            )


@uninterrupted
def _open_table(pool: str, ids: tuple[int, ...]) -> None:
    """Show the table with these rows alone; for callbacks."""
    show_only(pool, ids)
    apply_knobs(["demonstrations"], section="table")


@uninterrupted
def _open_suggestions(pool: str) -> None:
    """Show the pool's suggestions of incorrect answers; for callbacks."""
    switch_pool(pool)
    apply_knobs(["demonstrations"], section="suggest")
