"""Shotlist: `streamlit run app.py`. This file only routes; every page opens itself."""

import streamlit as st

from pages.common.navigation import PAGES


def turn_to_first() -> None:
    """Turn to the first page, taking what the link says along.

    The first page is not the default page itself: that has no address but the server's, and its
    own, which a fresh server gives out, would later not be found.
    """
    st.switch_page(PAGES[0][0], query_params=st.query_params.to_dict())


st.navigation(
    [
        st.Page(turn_to_first, title="Shotlist", default=True),
        *(st.Page(path, title=title) for path, title, _ in PAGES),
    ],
    position="hidden",
).run()
