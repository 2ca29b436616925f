"""Answers of near queries, or other labels, for queries without incorrect answers: a list."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd
import streamlit as st

from core.curation.suggestion import Suggestion, SuggestionKind
from core.studio.pools import suggestions
from core.studio.pools.suggestions import SuggestionList
from pages.common.frame.notice import note_action
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.incorrect.one_by_one import offer_one_by_one
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import button

AT_ONCE = 50
TICK = "add"
SHEET = "suggest_sheet"
UNTICKED = "suggest_unticked"
ABOUT = (
    "Correct answers of near queries: the model may well take one of them for an answer of this "
    "query. Look them through, and untick what is right for both queries."
)
ABOUT_LABELS = (
    "The pool's other labels, that of the nearest query first: each is wrong where a text has one "
    "label. Untick what is right as well."
)
NOTHING = (
    "No near query has an answer that is surely wrong here: those that say the same as a correct "
    "answer, and labels that many queries share, are not suggested."
)

ASK = "The model can still be asked: choose 'The model's own answers' above."
Key: TypeAlias = tuple[int, str]
"""A suggestion, whatever the version of its pool: its first demonstration and its text."""


@dataclass(frozen=True)
class Sheet:
    """The suggestions behind one key of the editor; `unticked` when it got the key."""

    about: tuple[str, int, int]
    generation: int
    rows: tuple[Suggestion, ...]
    unticked: frozenset[Key]

    @property
    def key(self) -> str:
        """The editor's key."""
        return f"suggest_editor_{self.generation}"

    def frame(self) -> pd.DataFrame:
        """What the editor shows."""
        return pd.DataFrame(
            {
                TICK: _key(row) not in self.unticked,
                "query": row.query,
                "correct answer": row.answer,
                "incorrect answer": row.text,
                "from the query": row.source_query,
                "cosine": row.cosine,
            }
            for row in self.rows
        )


def show_near(frame: Frame) -> None:
    """Draw the list with its buttons."""
    if not suggestions.lacking(frame.studio, frame.setup.pool):
        st.info(f"No query of the pool lacks incorrect answers. {ASK}")
        return
    if frame.readiness.view is None:
        st.info("The pool is being embedded; the side bar shows how far it is.")
        return
    with shown_errors():
        found, job = suggestions.suggested(frame.studio, frame.setup)
        if job is not None:
            watch(frame.studio, job, "Look again")
        elif found is not None:
            _show(frame, found)


def _show(frame: Frame, found: SuggestionList) -> None:
    having = len({each.ids[0] for each in found.suggestions})
    st.text(
        f"Queries without incorrect answers: {found.lacking:,} of {found.queries:,}. Suggested: "
        f"{len(found.suggestions):,} for {having:,} of them."
    )
    if not found.suggestions:
        st.info(NOTHING)
        return
    kind = found.suggestions[0].kind
    about = ABOUT_LABELS if kind is SuggestionKind.OTHER_LABEL else ABOUT
    st.caption(
        plain(f"{about} They get the kind '{kind}', so that DPO can be read for them alone.")
    )
    sheet = _sheet(frame, found)
    _editor(frame.setup.pool, sheet)
    _accept(frame, found, sheet)


def _sheet(frame: Frame, found: SuggestionList) -> Sheet:
    """The page of suggestions in sight; a new key for other rows, or when the editor was left."""
    pool, page = frame.setup.pool, _choose_page(frame.setup.pool, found)
    about = (pool, found.version, page)
    sheet: Sheet | None = st.session_state.get(SHEET)
    if sheet is None or sheet.about != about or sheet.key not in st.session_state:
        rows = found.suggestions[page * AT_ONCE : (page + 1) * AT_ONCE]
        generation = 0 if sheet is None else sheet.generation + 1
        sheet = Sheet(about, generation, rows, frozenset(_unticked(pool)))
    st.session_state[SHEET] = sheet
    return sheet


def _choose_page(pool: str, found: SuggestionList) -> int:
    """The page in sight, counted from 0."""
    count = len(found.suggestions)
    pages, key = math.ceil(count / AT_ONCE), f"suggest_page_{pool}_{found.version}"
    if pages == 1:
        return 0
    page = st.session_state.get(key, 1) - 1
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"{page * AT_ONCE + 1:,} to {min(count, (page + 1) * AT_ONCE):,} of {count:,}")
        st.pagination(pages, key=key, width=90 + 44 * min(pages, 7))
    return int(page)


def _editor(pool: str, sheet: Sheet) -> None:
    column = st.column_config
    st.data_editor(
        sheet.frame(),
        key=sheet.key,
        on_change=_keep_ticks,
        args=(pool, sheet),
        hide_index=True,
        height=38 + 35 * min(len(sheet.rows), 14),
        disabled=["query", "correct answer", "incorrect answer", "from the query", "cosine"],
        alt="Suggested incorrect answers, each with a tick",
        column_config={
            TICK: column.CheckboxColumn("", width=40, pinned=True),
            "query": column.TextColumn(width=190),
            "correct answer": column.TextColumn(width=190),
            "incorrect answer": column.TextColumn(width=200),
            "from the query": column.TextColumn(width=190),
            "cosine": column.NumberColumn(
                width=65, format="%.2f", help="Of the two queries; 1 is the same direction."
            ),
        },
    )


@uninterrupted
def _keep_ticks(pool: str, sheet: Sheet) -> None:
    """Keep which ones were unticked; the editor's callback."""
    edited = st.session_state[sheet.key]["edited_rows"]
    unticked = _unticked(pool)
    for place, row in enumerate(sheet.rows):
        ticked = edited.get(place, {}).get(TICK, _key(row) not in sheet.unticked)
        (unticked.discard if ticked else unticked.add)(_key(row))


def _accept(frame: Frame, found: SuggestionList, sheet: Sheet) -> None:
    """The ticked ones in sight, and where there are more pages those of all."""
    unticked = _unticked(frame.setup.pool)
    here = [row for row in sheet.rows if _key(row) not in unticked]
    every = [row for row in found.suggestions if _key(row) not in unticked]
    more = len(found.suggestions) > len(sheet.rows)
    whole = len(here) == len(sheet.rows) and not more
    with st.container(horizontal=True):
        label = f"Accept all {len(here):,}" if whole else f"Accept the {len(here):,} ticked here"
        _button(frame, "suggest_accept_here", label, here)
        if more:
            but = "" if len(every) == len(found.suggestions) else " but the unticked"
            _button(frame, "suggest_accept_all", f"Accept all {len(every):,}{but}", every)
        offer_one_by_one(frame, "answers of near queries", every)


def _button(frame: Frame, key: str, label: str, chosen: Sequence[Suggestion]) -> None:
    if button(label, key=key, disabled=not chosen):
        with shown_errors():
            _accept_these(frame, chosen)
            st.rerun()


@uninterrupted
def _accept_these(frame: Frame, chosen: Sequence[Suggestion]) -> None:
    action = suggestions.accept(frame.studio, chosen)
    note_action(frame.studio, "demonstrations", frame.setup.pool, action)


def _unticked(pool: str) -> set[Key]:
    """The pool's suggestions that this visitor does not want."""
    pools: dict[str, set[Key]] = st.session_state.setdefault(UNTICKED, {})
    return pools.setdefault(pool, set())


def _key(row: Suggestion) -> Key:
    return row.ids[0], row.text
