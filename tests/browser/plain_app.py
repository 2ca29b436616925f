"""Streamlit without our workarounds; `test_streamlit_needs_its_workarounds.py` looks at it."""

import pandas as pd
import streamlit as st

SAVED, RUNS, PRESSES, MADE, TYPED = "saved", "runs", "presses", "made", "typed"


def keep_answer():
    """Keep what was typed into the table, as our own callbacks do."""
    st.session_state[SAVED] = st.session_state["table"]["edited_rows"][0]["answer"]


def mark_run():
    """The end of a page: how many runs there were, and a way to another one."""
    st.button("Again")
    st.session_state[RUNS] = st.session_state.get(RUNS, 0) + 1
    st.text(f"Run {st.session_state[RUNS]}")


def table():
    st.title("Table")
    st.page_link(ADDRESS, label="Address")
    frame = pd.DataFrame({"answer": ["b", "a"]})
    st.data_editor(frame, key="table", on_change=keep_answer, hide_index=True)
    st.text(f"Saved: {st.session_state.get(SAVED, 'nothing')}")
    mark_run()


def count_press():
    """One more press of the button with a shortcut."""
    st.session_state[PRESSES] = st.session_state.get(PRESSES, 0) + 1


def address():
    st.title("Address")
    st.page_link(TABLE, label="Table")
    st.query_params["view"] = "1"
    mark_run()


def looks():
    st.title("Looks")
    st.sidebar.text("Side bar")
    st.caption("A caption")
    st.button("Primary", type="primary")
    for place, column in enumerate(st.columns(4)):
        column.text_input("A label that is much longer than its column is wide", key=f"{place}")
    for mark in ("first", "unseen", "last"):
        st.html(f'<i data-mark="{mark}"></i>')
    st.container(key="empty")
    st.button("Press", shortcut="X", on_click=count_press)
    st.text(f"Pressed: {st.session_state.get(PRESSES, 0)}")
    st.selectbox("Choice", ["one", "two"], key="choice")
    mark_run()


def make():
    """What the press of a button at the foot of the page makes."""
    st.session_state[MADE] = True


def tall():
    st.title("Tall")
    if MADE in st.session_state:
        st.text("Made at the top")
    st.html('<div style="height: 3000px"></div>')
    st.button("Make", on_click=make)
    mark_run()


@st.dialog("Edit")
def edit():
    """A dialog with a field."""
    st.session_state[TYPED] = st.text_input("Note")


def dialog():
    st.title("Dialog")
    st.button("Edit", on_click=edit)
    st.text(f"Typed: {st.session_state.get(TYPED, '')}.")
    mark_run()


TABLE, ADDRESS, LOOKS = st.Page(table, default=True), st.Page(address), st.Page(looks)
st.navigation([TABLE, ADDRESS, LOOKS, st.Page(tall), st.Page(dialog)]).run()
