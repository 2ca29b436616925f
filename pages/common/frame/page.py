"""How every page opens: its title, the side bar, the studio, and what the pool still needs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from core.errors import ShotlistError
from core.reporting.words.cautions import unread_sentence
from core.studio import Setup, Studio
from core.studio.pools.pools import first_shown, load_bundled, summaries
from core.studio.session.models import caution
from core.studio.session.readiness import Readiness, make_ready, read_early
from pages.common.frame.memory import freeze_gc
from pages.common.frame.navigation import NAME, draw_menu
from pages.common.frame.offer import offer_multilingual, offer_real_model
from pages.common.frame.run_mark import mark_run
from pages.common.frame.sidebar import choose_setup, show_background
from pages.common.frame.text import plain
from pages.common.state.address import ignored_line, open_address
from pages.common.state.setting import adopt_setting
from pages.common.streamlit_workarounds.held_keys import press_once_a_key
from pages.common.streamlit_workarounds.history import keep_one_step_a_page
from pages.common.streamlit_workarounds.leaving import follow_links_after_typing


@dataclass(frozen=True)
class Frame:
    """What a page works with; `readiness.view` is None while the pool is being embedded."""

    studio: Studio
    setup: Setup
    readiness: Readiness


NOTHING = Readiness(None, None, None, None)
TURN = 0.001
"""Seconds that a thread computes in plain Python before another gets its turn. A page waits for
its turn after each of its many calls of the database; at Python's own 5 ms it took 1.7 times as
long beside work that reads a pool."""


@st.cache_resource(show_spinner="Opening the workspace")
def open_studio() -> Studio:
    """The one studio of this server, with the first pool read; a new workspace gets the bundled."""
    sys.setswitchinterval(TURN)
    studio = Studio.open()
    load_bundled(studio)
    if names := [summary.name for summary in summaries(studio)]:
        read_early(studio, Setup(first_shown(names)))
    return studio


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show a user's mistake as one sentence; let every other fault through."""
    try:
        yield
    except ShotlistError as error:
        show_error(str(error))


def show_error(sentence: str) -> None:
    """Show what a user did wrong."""
    st.error(plain(sentence), icon=":material/error:")


def open_page(title: str, purpose: str, *, needs_pool: bool = True) -> Frame:
    """Draw what all pages share and return what the page works with.

    A page that cannot be opened (the workspace is busy, say, or there is no pool and it needs one)
    shows why and stops.
    """
    name = NAME if title == NAME else f"{title} - {NAME}"
    st.set_page_config(page_title=name, layout="wide")
    with st.sidebar:
        draw_menu()
    st.title(title)
    st.caption(purpose)
    open_address(title)
    if ignored := ignored_line():
        st.info(plain(ignored), icon=":material/link_off:")
    try:
        studio = open_studio()
        with studio.presence.serving():
            setup = choose_setup(studio)
            if not setup.pool:
                return _without_pool(Frame(studio, setup, NOTHING), needs_pool)
            adopt_setting(studio, setup.pool)
            with st.spinner("Reading the pool"):
                found = make_ready(studio, setup)
    except ShotlistError as error:
        st.error(plain(str(error)), icon=":material/error:")
        mark_run()
        st.stop()
    show_background(studio, setup, found)
    with st.sidebar, st.container(gap=None):
        follow_links_after_typing()
        keep_one_step_a_page()
        press_once_a_key()
    model, encodes = studio.loaded_model(setup.model), studio.has_encoder(setup.encoder)
    if encodes or model is not None:
        freeze_gc((setup.encoder, str(encodes), None if model is None else model.fingerprint))
    return Frame(studio, setup, found)


def show_caution(frame: Frame, where: str = "page") -> None:
    """What to mind of this model's figures and this encoder's cosines on this pool, if anything.

    Each with the way out in one press.

    Args:
        frame: The page's.
        where: The place on the page, for the keys of the widgets.
    """
    view = frame.readiness.view
    if view is None:
        return
    if words := toy_words(frame):
        st.warning(plain(words), icon=":material/warning:")
        offer_real_model(frame.studio, frame.setup.model_name, where)
    reading = frame.studio.reading(frame.setup, view)
    if words := unread_sentence(reading):
        st.warning(plain(words), icon=":material/translate:")
        offer_multilingual(reading, where)


def toy_words(frame: Frame) -> str:
    """That the model's figures mean nothing on this pool; empty where they mean something."""
    view = frame.readiness.view
    return "" if view is None else caution(frame.setup.model_name, view.answers)


def _without_pool(frame: Frame, needs_pool: bool) -> Frame:
    if needs_pool:
        st.info("There is no pool yet. Import a file on the Demonstrations page.")
        mark_run()
        st.stop()
    return frame
