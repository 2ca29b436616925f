"""The setting in use: put on every page when a pool is opened or another setting is put in use."""

import streamlit as st

from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, Knobs
from core.studio import Studio
from core.studio.pools.demonstrations import edition
from core.studio.pools.pools import setting_in_use
from pages.common.state.address import is_asked
from pages.common.state.knobs import apply_knobs

PAGES = ("explore", "map", "calibrate", "compare")
"""The pages with widgets for knobs that all of them share."""
OF_THE_PAGE = ("index", "order")
"""Knobs that are no part of a setting: what is fetched from, and how it is shown."""
_SEEN = "setting_seen"


def adopt_setting(studio: Studio, pool: str) -> None:
    """Take over the pool's setting where it is not the one that this visitor has seen last.

    What a new link says comes first: all of a link with a method, which has every knob that is not
    at its default, and of another one the knobs that it names.
    """
    now = edition(studio, pool)
    seen, at, before = st.session_state.get(_SEEN, (None, None, None))
    if (seen, at) == (pool, now):
        return
    setting = setting_in_use(studio, pool)
    st.session_state[_SEEN] = (pool, now, setting)
    if setting is None or (seen == pool and setting == before) or is_asked("method"):
        return
    values = {
        knob.link: getattr(setting, name)
        for name, knob in KNOBS.items()
        if name not in OF_THE_PAGE and not (knob.rare and is_asked("k"))
    }
    apply_knobs(PAGES, **values, **_own(setting))


def _own(setting: Knobs) -> dict[str, object]:
    method = METHODS[setting.method]
    return {knob.link or knob.name: method.value_of(setting, knob.name) for knob in method.own}
