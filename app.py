"""Shotlist: `streamlit run app.py`. This file only routes; every page opens itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.common.frame.navigation import PAGES
from pages.common.frame.serving import open_early, routes


@asynccontextmanager
async def opening(_app: st.App) -> AsyncIterator[None]:
    """Open the workspace while the first visitor's browser still loads the page."""
    open_early()
    yield


def open_first_page() -> None:
    """Switch to the first page, with the parameters of the link.

    The first page is not the default page itself: that has no address but the server's, and its
    own, which a fresh server gives out, would later not be found.
    """
    st.switch_page(PAGES[0][0], query_params=st.query_params.to_dict())


if __name__ == "__main__":  # As the script that Streamlit runs for each visitor.
    st.navigation(
        [
            st.Page(open_first_page, title="Shotlist", default=True),
            *(st.Page(path, title=title) for path, title, _ in PAGES),
        ],
        position="hidden",
    ).run()
else:  # As the module that `streamlit run` takes the server from.
    app = st.App(__file__, routes=routes(), lifespan=opening)
