"""What can be done with many demonstrations at once: on the Demonstrations page and on the map."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.demonstration.demonstration import Status
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.reviewing import begin
from core.text import counted
from pages.common.demonstrations.find import TABLE, look_for
from pages.common.frame.notice import note, note_action
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.state.queue import read_queue
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import draw_button, press_of, was_pressed

MOST_FIXED = 20


@dataclass(frozen=True)
class Scope:
    """A set of demonstrations to act on; `ids` is called when something is done.

    The label stays the same while the set changes, else the choice of it would be lost; `counted`
    has their number in words, `source` where they are from: the name of a review of them. Where
    `about` changed since the bar was drawn, a press is not acted on and must be repeated: it was
    meant for another set. It is `narrowed` where filters made it: where they are cleared, nobody
    has chosen the whole pool.
    """

    label: str
    counted: str
    count: int
    source: str
    ids: Callable[[], list[int]]
    about: Hashable = None
    narrowed: bool = True


@dataclass(frozen=True)
class _BulkAction:
    """A button: what it does with the ids, giving the number of the action."""

    label: str
    help: str
    work: Callable[[Studio, list[int]], int]
    needs_tag: bool = False


def bulk_actions(frame: Frame, page: str, scopes: Sequence[Scope]) -> None:
    """Tag, exclude, include, delete and name as fixed, for the scope that is chosen."""
    scope = _choose_scope(page, scopes)
    asked = f"{page}_bulk_delete_asked"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tag = _choose_tag(frame, page)
        actions = _actions(tag)
        for action in actions:
            draw_button(
                action.label,
                key=f"{page}_bulk_{action.label}",
                about=scope.about,
                help=action.help,
                disabled=not scope.count or (action.needs_tag and not tag),
            )
        _fixed_button(page, scope)
        draw_button(
            "Read one by one",
            key=f"{page}_bulk_read",
            about=scope.about,
            help="Opens them on Review, one at a time; every decision is one key.",
            disabled=not scope.count,
        )
        one = scope.ids()[0] if scope.count == 1 else None
        more = _more_button(page, one)
        draw_button(
            "Delete", key=f"{page}_bulk_Delete", about=scope.about, disabled=not scope.count
        )
    names = (*(action.label for action in actions), "fixed", "read", "Delete")
    presses = {name: press_of(f"{page}_bulk_{name}") for name in names}
    pressed = {name: press for name, press in presses.items() if press is not None}
    if any(press.about != scope.about for press in pressed.values()):
        st.warning(
            plain(f"The filters changed: this would act on {scope.counted}. Press again to do so."),
            icon=":material/warning:",
        )
        return
    if "Delete" in pressed:
        st.session_state[asked] = scope.about
    wanted = [action for action in actions if action.label in pressed]
    for action in [*wanted, *_confirmed_delete(page, scope, asked)]:
        with shown_errors():
            _act(frame, page, action, scope)
            st.rerun()
    if more and page != TABLE:
        look_for(TABLE, f"like:{one}")
        st.switch_page("pages/demonstrations.py")
    if "read" in pressed:
        with shown_errors():
            queue = begin(frame.studio, frame.setup.pool, scope.source, scope.ids())
            read_queue(queue.id)
            st.switch_page("pages/review.py")
    if "fixed" in pressed:
        with shown_errors():
            demonstrations.name_fixed(frame.studio, frame.setup.pool, sorted(scope.ids()))
            note(page, frame.setup.pool, f"The method fix now shows these {scope.count}.")
            st.rerun()


@uninterrupted
def _act(frame: Frame, page: str, action: _BulkAction, scope: Scope) -> None:
    made = action.work(frame.studio, scope.ids())
    note_action(frame.studio, page, frame.setup.pool, made)


def _more_button(page: str, one: int | None) -> bool:
    """A button that finds what is near in meaning to the one that is meant, in the table."""
    return st.button(
        "More like this",
        key=f"{page}_bulk_like",
        help="Finds those whose queries are nearest in meaning, the nearest first. It works with "
        "one demonstration.",
        disabled=one is None,
        on_click=look_for if page == TABLE else None,
        args=(TABLE, f"like:{one}"),
    )


def _choose_scope(page: str, scopes: Sequence[Scope]) -> Scope:
    place = 0
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(scopes) > 1:
            _choose_new_ticks(page, scopes[0])
            _end_with_the_filters(page, scopes[-1])
            place = st.radio(
                "With",
                range(len(scopes)),
                format_func=lambda position: plain(scopes[position].label),
                horizontal=True,
                label_visibility="collapsed",
                key=f"{page}_bulk_scope",
            )
        scope = scopes[place]
        if scope.count:
            st.text(f"The buttons act on {scope.counted}.")
        else:
            st.text("Nothing to act on yet: tick rows in the table, or choose all that match.")
    return scope


def _choose_new_ticks(page: str, ticked: Scope) -> None:
    """Choose the ticked rows when more are ticked, even if all that match were chosen before."""
    key, ids = f"{page}_bulk_ticks", ticked.ids()
    if set(ids) - set(st.session_state.get(key, [])):
        st.session_state[f"{page}_bulk_scope"] = 0
    st.session_state[key] = ids


def _end_with_the_filters(page: str, found: Scope) -> None:
    """Choose the ticked rows again when the filters are cleared: all would be the whole pool."""
    key = f"{page}_bulk_narrowed"
    if st.session_state.get(key, False) and not found.narrowed:
        st.session_state[f"{page}_bulk_scope"] = 0
    st.session_state[key] = found.narrowed


def _choose_tag(frame: Frame, page: str) -> str:
    chosen = st.selectbox(
        "Tag",
        list(demonstrations.tags(frame.studio, frame.setup.pool)),
        index=None,
        accept_new_options=True,
        placeholder="Choose or type a tag",
        label_visibility="collapsed",
        key=f"{page}_bulk_tag",
        persist_state="session",
        width=220,
    )
    return chosen or ""


def _actions(tag: str) -> tuple[_BulkAction, ...]:
    def with_status(status: Status) -> Callable[[Studio, list[int]], int]:
        return lambda studio, ids: demonstrations.set_status(studio, ids, status)

    return (
        _BulkAction(
            "Add tag",
            "Gives them the tag on the left; choose or type one first.",
            lambda studio, ids: demonstrations.add_tag(studio, ids, tag),
            needs_tag=True,
        ),
        _BulkAction(
            "Remove tag",
            "Takes the tag on the left from those that carry it; choose one first.",
            lambda studio, ids: demonstrations.remove_tag(studio, ids, tag),
            needs_tag=True,
        ),
        _BulkAction(
            "Exclude",
            "Excluded demonstrations stay in the pool and are never retrieved.",
            with_status(Status.EXCLUDED),
        ),
        _BulkAction(
            "Include",
            "Lets them be retrieved again, and only where they are chosen.",
            with_status(Status.INCLUDED),
        ),
        _BulkAction(
            "Pin",
            "Pinned demonstrations are in every context of this pool, before all others.",
            with_status(Status.PINNED),
        ),
    )


def _fixed_button(page: str, scope: Scope) -> None:
    draw_button(
        "Use as fixed",
        key=f"{page}_bulk_fixed",
        about=scope.about,
        disabled=not 0 < scope.count <= MOST_FIXED,
        help="The method fix shows the same demonstrations for every query. This makes it show "
        f"these, in the order of their ids, up to {MOST_FIXED}.",
    )


def _confirmed_delete(page: str, scope: Scope, asked: str) -> list[_BulkAction]:
    """The question, and the deletion if the answer is yes."""
    if asked not in st.session_state:
        return []
    if st.session_state[asked] != scope.about or not scope.count:
        del st.session_state[asked]
        return []
    many = counted(scope.count, "demonstration")
    yes = f"{page}_bulk_delete_yes"
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.text(f"Delete {many}? Undo brings them back.")
        draw_button("Yes, delete", key=yes, about=scope.about, type="primary")
        if st.button("Keep", key=f"{page}_bulk_delete_no"):
            st.session_state.pop(asked)
            st.rerun()
    if was_pressed(yes, scope.about):
        st.session_state.pop(asked)
        return [_BulkAction("Delete", "", demonstrations.delete)]
    return []
