"""One demonstration in a dialog: its fields, saved together; what is typed stays until settled."""

from dataclasses import dataclass, replace

import streamlit as st

from core.demonstration.demonstration import Demonstration, Field, Kind
from core.demonstration.fields import FIELDS, PLAIN, Cell
from core.errors import InvalidInput
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.edits import Edit, edits_of, save_each, stored_value
from pages.common.frame.notice import note_edits
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.state.only_these import show_only
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.dialogs import begin_in_first_field
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

_DRAFT = "edited_demonstration"
_LEAVING = "edited_demonstration_in_the_table"
_PLACES = tuple(
    f for f in FIELDS if f.editable and f.kind not in (Kind.STATUS, Kind.INCORRECT_KINDS)
)
TAGS = "tags"
CLOSE = "edited_close"


@dataclass(frozen=True)
class _Draft:
    """A demonstration that is being edited on a page.

    `began` is what its places began with, `shown` what an edit is compared with: the row as the
    visitor knows it. `refused` is why the last attempt to save it was refused, `asks` whether the
    visitor is asked what becomes of what was typed.
    """

    page: str
    pool: str
    began: Demonstration
    shown: Demonstration
    refused: tuple[str, ...] = ()
    asks: bool = False


def begin_editing(studio: Studio, page: str, pool: str, id: int) -> None:
    """Open the dialog with the next run of the page.

    Raises:
        InvalidInput: The demonstration was deleted meanwhile.
    """
    row = demonstrations.present(studio, [id]).get(id)
    if row is None:
        raise InvalidInput(f"Demonstration {id} was deleted meanwhile, so it cannot be edited.")
    _close(id)
    st.session_state[_DRAFT] = _Draft(page, pool, row, row)


def edit_dialog(frame: Frame, page: str) -> None:
    """Draw the dialog while a demonstration is edited on this page; once in a run.

    It is closed by its buttons alone, and Escape presses one: Streamlit's own way would lose what
    is being typed.
    """
    if st.session_state.pop(_LEAVING, False):
        st.switch_page("pages/demonstrations.py")
    draft = _draft_on(page, frame.setup.pool)
    if draft is not None:
        title = f"Demonstration {draft.began.id}"
        st.dialog(title, width="medium", dismissible=False)(_places)(frame.studio)


def is_editing(page: str, pool: str) -> bool:
    """Whether the dialog is open on the page: what is typed then is meant for it."""
    return _draft_on(page, pool) is not None


def _draft_on(page: str, pool: str) -> _Draft | None:
    draft: _Draft | None = st.session_state.get(_DRAFT)
    return draft if draft is not None and (draft.page, draft.pool) == (page, pool) else None


def _places(studio: Studio) -> None:
    draft: _Draft | None = st.session_state.get(_DRAFT)
    if draft is None or st.session_state.get(_LEAVING):
        st.rerun()
    begin_in_first_field(CLOSE)
    with st.container(key="edited_places", gap="small"):
        _draw_places(studio, draft)
    with st.container(key="edited_question"):
        for sentence in draft.refused:
            st.error(plain(sentence))
        if draft.asks:
            st.warning("What you typed is not saved.", icon=":material/help:")
    with st.container(horizontal=True):
        args = (studio, draft)
        st.button(
            "Save",
            key="edited_save",
            type="primary",
            shortcut="Mod+Enter",
            on_click=_save,
            args=args,
        )
        if draft.asks:
            st.button("Discard", key="edited_discard", on_click=_discard, args=args)
        label = "Go on editing (Esc)" if draft.asks else "Close (Esc)"
        st.button(label, key=CLOSE, on_click=_ask_or_close, args=args)
        st.button("Open in the table", key="edited_open", on_click=_open_in_the_table, args=args)


def _draw_places(studio: Studio, draft: _Draft) -> None:
    """A place for each field; those that few demonstrations have are folded away while empty."""
    rare = [
        f
        for f in PLAIN
        if f in _PLACES and f.name != TAGS and not stored_value(draft.began, f.name)
    ]
    for field in _PLACES:
        if field not in rare:
            _draw_place(studio, draft, field)
    with st.expander("More fields"):
        for field in rare:
            _draw_place(studio, draft, field)


def _draw_place(studio: Studio, draft: _Draft, field: Field) -> None:
    key, value = _key(draft.began, field), stored_value(draft.began, field.name)
    label = field.label[:1].upper() + field.label[1:]
    match field.kind:
        case Kind.FLAG:
            st.checkbox(label, value, key=key, persist_state="session")
        case Kind.TEXTS:
            tags = demonstrations.tags(studio, draft.pool) if field.name == TAGS else ()
            st.multiselect(
                label,
                list(dict.fromkeys((*value, *tags))),
                list(value),
                accept_new_options=True,
                placeholder="Choose or type",
                key=key,
                persist_state="session",
            )
        case Kind.INCORRECT:
            several = _several_lines(draft.began)
            st.text_area(
                f"{label}, one on each line",
                "\n".join(value),
                key=key,
                height=110,
                disabled=several,
                help="One of them has several lines; edit it in the table." if several else None,
                persist_state="session",
            )
        case _:
            st.text_area(label, value, key=key, height=68, persist_state="session")


def _typed(draft: _Draft) -> dict[str, Cell]:
    """What the places have now, by the field's column."""
    found: dict[str, Cell] = {}
    for field in _PLACES:
        value = st.session_state.get(_key(draft.began, field), None)
        if value is None or (field.kind is Kind.INCORRECT and _several_lines(draft.began)):
            continue
        is_lines = field.kind is Kind.INCORRECT
        found[field.name] = [*map(str.strip, value.splitlines())] if is_lines else value
    return found


def _several_lines(row: Demonstration) -> bool:
    return any("\n" in answer.text for answer in row.incorrect)


@uninterrupted
def _save(studio: Studio, draft: _Draft) -> None:
    id = draft.began.id
    # Only what the visitor changed: the other places may be older than the row is now.
    edits = edits_of([draft.began], {0: _typed(draft)})
    saved = save_each(studio, [Edit(draft.shown, edit.columns) for edit in edits.values()])
    if saved.actions:
        note_edits(draft.page, draft.pool, saved.what, saved.actions, saved.late)
    if not saved.refused:
        _close(id)
        return
    sentences = [one.why for one in saved.refused.values()]
    if any(one.late for one in saved.refused.values()):
        sentences.append("Save again to overwrite theirs with yours; the history keeps both.")
    now = demonstrations.present(studio, [id]).get(id, draft.shown)
    refused = tuple(dict.fromkeys(sentences))
    st.session_state[_DRAFT] = replace(draft, shown=now, refused=refused, asks=False)


@uninterrupted
def _ask_or_close(studio: Studio, draft: _Draft) -> None:
    """Close it where nothing was typed; else ask, and stop asking the next time."""
    if edits_of([draft.began], {0: _typed(draft)}):
        st.session_state[_DRAFT] = replace(draft, asks=not draft.asks)
    else:
        _close(draft.began.id)


@uninterrupted
def _discard(studio: Studio, draft: _Draft) -> None:
    _close(draft.began.id)


@uninterrupted
def _open_in_the_table(studio: Studio, draft: _Draft) -> None:
    """Leave for the table; what was typed and not saved is there again on coming back."""
    show_only(draft.pool, [draft.began.id])
    st.session_state[_LEAVING] = True
    if not edits_of([draft.began], {0: _typed(draft)}):
        _close(draft.began.id)


def _close(id: int) -> None:
    st.session_state.pop(_DRAFT, None)
    empty_widgets(_name(id))


def _key(row: Demonstration, field: Field) -> str:
    name = _name(row.id)
    return f"{name}_{field.name}_{key_number(name)}"


def _name(id: int) -> str:
    return f"edited_{id}"
