"""One of many at a time, large, with what is known of it beside; each decision is one key.

Whoever uses this says what is in sight, which decisions there are and what each does. The place,
the way to the others, taking back, leaving and the end are here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import ShotlistError
from pages.common.frame.page import Frame, show_error
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted

Does = Callable[[], object]
"""What a key does; what it refuses is shown when the place is drawn again."""


@dataclass(frozen=True)
class Key:
    """A button with its key on the keyboard.

    It is `off` where it has nothing to act on, and `on` where what it does holds already.
    """

    label: str
    shortcut: str
    does: Does
    off: bool = False
    on: bool = False


@dataclass(frozen=True, kw_only=True)
class OneByOne:
    """Those that are gone through, as they stand now, and what can be done.

    `page` begins the widgets' keys, `name` says where they come from. `place` is that of the one in
    sight, `size` at the end; `tally` is in words how many are `decided`. `draw` draws the one in
    sight, about which there are `decisions` and `tags`, whose keys are digits. `undo` is None where
    nothing was decided, `first_left` where the end does not offer the first that was passed.
    `leave_help` says what becomes of them. While `typing` no key means a decision.
    """

    page: str
    name: str
    place: int
    size: int
    decided: int
    tally: str
    decisions: tuple[Key, ...]
    go: Callable[[int], None]
    undo: Does | None
    leave: Does
    draw: Does
    tags: tuple[Key, ...] = ()
    first_left: Does | None = None
    leave_help: str | None = None
    typing: bool = False


@st.fragment
def show_one_by_one(frame: Frame, opened: Callable[[], OneByOne]) -> None:
    """Draw the one at the place of what `opened` reads; a key draws this alone again."""
    with frame.studio.presence.serving():
        _draw(opened())
    mark_run()


def draw_list(title: str, texts: Sequence[str], colour: str = "", most: int = 8) -> None:
    """The first of some texts under a title, and how many more there are."""
    if not texts:
        return
    st.markdown(f"**{title}**")
    shown = [plain(each) for each in texts[:most]]
    st.markdown("\n".join(f"- :{colour}[{each}]" if colour else f"- {each}" for each in shown))
    if len(texts) > most:
        st.caption(f"and {len(texts) - most:,} more")


def _draw(these: OneByOne) -> None:
    if st.session_state.pop(f"{these.page}_left", False):
        st.rerun()
    at = min(these.place + 1, these.size)
    st.progress(
        these.decided / these.size,
        text=plain(f"{these.name}: {at:,} of {these.size:,}; {these.tally}"),
    )
    _draw_keys(these)
    if refused := st.session_state.pop(f"{these.page}_refused", ""):
        show_error(refused)
    if these.place < these.size:
        these.draw()
    else:
        _draw_end(these)


def _draw_keys(these: OneByOne) -> None:
    ways = (
        Key("Back", "B", lambda: these.go(these.place - 1), off=not these.place),
        Key("Next", "N", lambda: these.go(these.place + 1), off=these.place >= these.size),
        Key("Undo", "U", these.undo or (lambda: None), off=these.undo is None),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for key in (*these.decisions, *ways):
            _button(these, key, f"key_{key.label.lower()}")
        st.button(
            "Leave", key=f"{these.page}_leave", on_click=_leaving(these), help=these.leave_help
        )
        _draw_list_of_keys((*these.decisions, *ways, *these.tags))
    if these.tags:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            for key in these.tags:
                _button(these, key, f"tag_{key.shortcut}")


def _draw_list_of_keys(keys: Sequence[Key]) -> None:
    """What each key does, in a list that `?` opens and closes."""
    lines = [f"- `{key.shortcut}` {plain(key.label)}" for key in keys]
    lines += ["- `Ctrl` `Enter` saves what is edited", "- `Esc` closes it", "- `?` these keys"]
    with st.container(key="keys_of_the_page", width="content"), st.popover("Keys (?)"):
        st.markdown("\n".join(lines))


def _button(these: OneByOne, key: Key, name: str) -> None:
    st.button(
        plain(key.label),
        key=f"{these.page}_{name}",
        shortcut=key.shortcut,
        type="primary" if key.on else "secondary",
        on_click=_acting(these.page, key.does),
        disabled=key.off or these.typing,
    )


def _draw_end(these: OneByOne) -> None:
    left = these.size - these.decided
    if not left:
        st.success("All of these are decided.", icon=":material/check:")
        return
    passed = "one was" if left == 1 else f"{left:,} were"
    st.info(f"This is the end; {passed} passed without a decision.")
    if these.first_left is not None:
        act = _acting(these.page, these.first_left)
        st.button("First of these", key=f"{these.page}_key_left", shortcut="F", on_click=act)


def _acting(page: str, does: Does) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        try:
            does()
        except ShotlistError as error:
            st.session_state[f"{page}_refused"] = str(error)

    return done


def _leaving(these: OneByOne) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        these.leave()
        st.session_state[f"{these.page}_left"] = True

    return done
