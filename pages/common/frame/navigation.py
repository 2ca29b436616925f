"""The pages of the studio, in the order in which a person comes to them."""

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

NAME = "Shotlist"
PAGES = (
    ("pages/start.py", "Start", ":material/home:"),
    ("pages/demonstrations.py", "Demonstrations", ":material/table_rows:"),
    ("pages/review.py", "Review", ":material/fact_check:"),
    ("pages/map.py", "Map", ":material/scatter_plot:"),
    ("pages/explore.py", "Explore", ":material/search:"),
    ("pages/calibrate.py", "Calibrate", ":material/tune:"),
    ("pages/compare.py", "Compare", ":material/leaderboard:"),
    ("pages/programs.py", "Programs", ":material/schema:"),
)


def draw_menu() -> None:
    """The name, and links to all pages.

    Our own instead of Streamlit's: on a fresh server whose first visitor comes by a deep link,
    Streamlit has not run app.py yet and would show the names of the files.
    """
    st.html(f'<div style="font-size: 1.4rem; font-weight: 700">{NAME}</div>')
    try:
        for path, title, icon in PAGES:
            st.page_link(path, label=title, icon=icon)
    except StreamlitPageNotFoundError:
        return  # A page that runs by itself, without app.py, has nowhere to go.
    st.divider()
