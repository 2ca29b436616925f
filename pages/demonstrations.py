"""Demonstrations: load, read, edit, tag, exclude, export."""

from collections.abc import Callable

import streamlit as st

from core.studio.pools import demonstrations
from core.studio.pools.suggestions import lacking
from core.text import counted
from pages.common.demonstrations.fixed import fixed_section
from pages.common.demonstrations.history import history_section
from pages.common.demonstrations.importing.section import import_section
from pages.common.demonstrations.pool import pool_section
from pages.common.demonstrations.table import table_section
from pages.common.demonstrations.task import show_task
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame, open_page
from pages.common.frame.run_mark import mark_end
from pages.common.frame.suitability import show_suitability
from pages.common.incorrect.one_by_one import deciding
from pages.common.incorrect.section import suggest_section
from pages.common.state.address import Link, write_link
from pages.common.state.segments import choose_segment

SECTIONS: dict[str, tuple[str, Callable[[Frame], Link]]] = {
    "table": ("Table", table_section),
    "import": ("Import", import_section),
    "suggest": ("Incorrect answers", suggest_section),
    "history": ("History", history_section),
    "fixed": ("Fixed", fixed_section),
    "pool": ("Manage pool", pool_section),
}


def choose_section(frame: Frame) -> str:
    """The part of the page that is shown; without a pool there is only the import."""
    if not frame.setup.pool:
        return "import"
    labels = {name: label for name, (label, _) in SECTIONS.items()}
    return choose_segment("demonstrations", "section", "Section", labels, "table", labelled=False)


def has_undo(frame: Frame, section: str) -> tuple[str, ...]:
    """Which ways back the section has itself."""
    if section == "history":
        return ("Undo", "Redo")
    return ("Undo",) if section == "suggest" and deciding(frame) is not None else ()


def show_counts(frame: Frame) -> None:
    """How much is in the pool, in one line."""
    counts = demonstrations.summary(frame.studio, frame.setup.pool)
    without = lacking(frame.studio, frame.setup.pool)
    of_them = f", {without:,} of them without incorrect answers" if without else ""
    st.caption(
        f"{counted(counts.demonstrations, 'demonstration')}, {counts.excluded:,} of them excluded; "
        f"{counted(counts.queries, 'query')}{of_them}; {counted(counts.triples, 'triple')} of a "
        "query with a correct and an incorrect answer; "
        f"{demonstrations.version_in_words(frame.studio, frame.setup.pool)}"
    )


frame = open_page(
    "Demonstrations",
    "The pairs of query and answer that may be put before a query: load, read and edit them.",
    needs_pool=False,
)
with frame.studio.presence.serving():
    if frame.setup.pool:
        show_counts(frame)
        show_task(frame)
    section = choose_section(frame)
    if frame.setup.pool and section != "table":  # the table shows it in a place of its own
        show_notice(
            frame.studio, "demonstrations", frame.setup.pool, without=has_undo(frame, section)
        )
    link = SECTIONS[section][1](frame)
    if frame.setup.pool:  # at the foot: the table is what is read
        show_suitability(frame, with_incorrect=False)  # the counts show it
write_link(pool=frame.setup.pool, section=section if section != "table" else None, **link)
mark_end()
