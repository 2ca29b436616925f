"""The line that finds demonstrations: words, patterns, filters by name, and searches by name."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demonstration.criteria import OPERATORS, Criterion, IdCriterion, OfStatus, TagCriterion
from core.demonstration.demonstration import Status
from core.errors import ShotlistError
from core.retrieval.retrieved import RetrievalCounts
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.searching import (
    ComputedMeasures,
    SearchCriteria,
    forget,
    in_one_line,
    save,
    saved,
    sought,
)
from core.studio.runs.worth import worths
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, show_error
from pages.common.frame.text import plain
from pages.common.state.address import Link
from pages.common.state.knobs import kept_key
from pages.common.state.only_these import link_of, only_these, show_all
from pages.common.state.readers import one_of, some_of
from pages.common.state.state import SHARED, keeper, remember
from pages.common.streamlit_workarounds.callbacks import uninterrupted

TABLE, ANY = "demonstrations", "any"
"""The page with the table, which has the selections of tags and of a status beside the line."""
HELP = "\n".join(
    (
        "All that is given must apply; what is no filter is a word that occurs in any text, in "
        'upper or lower case. "Two words" is a phrase, /^No[, ]/ a regular expression, and a minus '
        "before anything asks for the opposite.\n",
        *(f"- `{each.example}` {each.about}" for each in OPERATORS.values()),
    )
)


@dataclass(frozen=True)
class Filters:
    """What is looked for: the line, and on the table the selections beside it."""

    text: str
    tags: tuple[str, ...] = ()
    status: Status | None = None
    ids: tuple[int, ...] | None = None

    @property
    def as_text(self) -> str:
        """The line and the selections as one line, without the ids."""
        return in_one_line(self.text, self.tags, self.status)

    @property
    def link(self) -> Link:
        """The same for the address."""
        return {
            "search": self.text,
            "tags": "|".join(self.tags),
            "status": self.status,
            "ids": link_of(self.ids),
        }

    def asks(self, measure: str) -> bool:
        """Whether the line names the measure."""
        return f"{measure}:" in self.text

    def criteria(self, found: SearchCriteria | None) -> tuple[Criterion, ...]:
        """What all of it asks for; nothing meets a line that is refused."""
        asked: list[Criterion] = [IdCriterion(())] if found is None else list(found.criteria)
        if self.tags:
            asked.append(TagCriterion(self.tags))
        if self.status is not None:
            asked.append(OfStatus(self.status))
        if self.ids is not None:
            asked.append(IdCriterion(self.ids))
        return tuple(asked)


def find_line(page: str) -> str:
    """The text that is looked for; the table and the map have one and the same."""
    key = kept_key(page, "search", "", owner=SHARED)
    text = st.text_input(
        "Find",
        key=key,
        on_change=keeper(key, SHARED, "search"),
        placeholder="words, or a filter such as length:>200",
        help=HELP,
    )
    remember(SHARED, "search", text)
    return str(text)


def find_in_table(frame: Frame) -> tuple[Filters, DeltaGenerator]:
    """The line with the selections beside it, and their row, in which more has room."""
    named = only_these(frame.setup.pool)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = find_line(TABLE)
        saved_place = st.container(width="content")
    row = st.container(horizontal=True, vertical_alignment="bottom")
    known = demonstrations.tags(frame.studio, frame.setup.pool)
    tags_key = kept_key(TABLE, "tags", [], some_of(known, "|"))
    st.session_state[tags_key] = [tag for tag in st.session_state[tags_key] if tag in known]
    tags = row.multiselect(
        "Tags",
        list(known),
        key=tags_key,
        format_func=lambda tag: f"{tag} ({known[tag]:,})",
        placeholder="any",
        help="Those that carry at least one of these.",
        width=160,
    )
    status = row.selectbox(
        "Status",
        [ANY, *Status],
        key=kept_key(TABLE, "status", ANY, one_of(ANY, *Status)),
        width=105,
    )
    remember(TABLE, "tags", tags)
    remember(TABLE, "status", str(status))
    found = Filters(text, tuple(tags), None if status == ANY else Status(status), named)
    with saved_place:
        saved_searches(frame, TABLE, found.as_text)
    return found, row


def what_is_sought(
    frame: Frame, text: str, retrieved: RetrievalCounts | None
) -> SearchCriteria | None:
    """What the text asks for; None, with the reason shown, where it cannot be read or answered."""
    shares = None if retrieved is None else retrieved.shares
    computed = ComputedMeasures(shares, worths(frame.studio, frame.setup.pool))
    try:
        return sought(frame.studio, frame.setup, frame.readiness.view, computed, text)
    except ShotlistError as error:
        show_error(str(error))
        return None


def saved_searches(frame: Frame, page: str, text: str) -> None:
    """A menu of the pool's searches by name: to look for one again, to save or to remove one."""
    pool = frame.setup.pool
    with st.popover("Searches", help="Searches of this pool, kept by name."):
        found = saved(frame.studio, pool)
        for number, (name, kept) in enumerate(found.items()):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    plain(name),
                    key=f"{page}_saved_{number}",
                    help=plain(kept),
                    on_click=look_for,
                    args=(page, kept),
                )
                st.button(
                    "Remove",
                    key=f"{page}_forget_{number}",
                    on_click=_forget,
                    args=(frame.studio, pool, name),
                )
        if not found:
            st.caption("None is kept yet.")
        key = f"{page}_save_as"
        st.text_input("Name", key=key, placeholder="such as: to shorten", persist_state="session")
        st.button(
            "Keep this search",
            key=f"{page}_save",
            disabled=not text.strip(),
            on_click=_save,
            args=(frame.studio, page, pool, text),
        )


@uninterrupted
def look_for(page: str, text: str) -> None:
    """Find this alone on the page, the table's or the map's, from its next run on."""
    remember(SHARED, "search", text)
    remember(TABLE, "tags", [])
    remember(TABLE, "status", ANY)
    show_all()
    st.session_state[f"{page}_search"] = text
    if page == TABLE:
        st.session_state[f"{TABLE}_tags"] = []
        st.session_state[f"{TABLE}_status"] = ANY


@uninterrupted
def _save(studio: Studio, page: str, pool: str, text: str) -> None:
    name = st.session_state[f"{page}_save_as"]
    try:
        save(studio, pool, name, text)
        note(page, pool, f"Kept the search {name.strip()!r}.")
        st.session_state[f"{page}_save_as"] = ""
    except ShotlistError as error:
        note(page, pool, str(error))


@uninterrupted
def _forget(studio: Studio, pool: str, name: str) -> None:
    forget(studio, pool, name)
