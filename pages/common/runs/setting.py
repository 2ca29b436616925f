"""The setting that a result recommends: one press puts it in use, and how to take it along."""

from dataclasses import replace

import streamlit as st

from core.errors import ShotlistError
from core.evaluation.results.calibration import Calibration
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.run_figures import RunSettings
from core.reporting.words.advice import (
    SettingToUse,
    same_setting,
    setting_of_calibration,
    setting_of_comparison,
    setting_sentence,
)
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.pools import setting_in_use, use_setting
from core.studio.session.models import model_choices
from pages.common.frame.page import Frame, show_error
from pages.common.frame.text import plain
from pages.common.runs.take_away import TakeAway
from pages.common.state.knobs import kept_knobs
from pages.common.state.setting import OF_THE_PAGE
from pages.common.state.state import SHARED, last_value
from pages.common.streamlit_workarounds.callbacks import uninterrupted

_ACTION, _FAULT, _COPY = "setting_action", "setting_fault", "setting_copied"
ABOUT = (
    "Explore, Map, Calibrate and Compare then choose by it, and it is kept with the pool. "
    "A link to a page with another setting still opens that one."
)
OPENED = (
    "Command and Python open {}, where the texts are embedded and scored already. They run in a "
    "checkout; after pip install . the package is shotlist."
)
OF_THE_STUDIO = (
    "this workspace, which one process at a time can do: end the studio first, or copy it"
)
OF_A_COPY = "a copy of this workspace as it was when you copied it"


def offer_setting(
    frame: Frame, figures: Calibration | Comparison, metric: str | None = None, key: str = ""
) -> None:
    """Draw the recommended setting in a line; nothing where the figures recommend none.

    Args:
        frame: The page's.
        figures: What recommends it.
        metric: What settings are compared by, that of the figures if None.
        key: Ends the keys of its widgets, where a page has several.
    """
    metric, in_use = metric or figures.metric, _in_use()
    if isinstance(figures, Comparison):
        found = setting_of_comparison(figures, metric)
    else:
        found = setting_of_calibration(figures, in_use)
    if found is None:
        return
    line = st.container(horizontal=True, vertical_alignment="center", key=f"setting{key}")
    with line:
        st.markdown(plain(setting_sentence(found, metric, figures.edits)), width="stretch")
        _offer_to_use(frame, found, in_use, key)
        with st.popover("Take it with you", icon=":material/output:"):
            _draw_take_away(frame, found.knobs, figures, key)
    if fault := st.session_state.pop(_FAULT, None):
        show_error(fault)


def _in_use() -> Knobs:
    """The knobs in use, but for those that are no part of a setting."""
    return replace(kept_knobs(), **{name: getattr(Knobs, name) for name in OF_THE_PAGE})


def _offer_to_use(frame: Frame, found: SettingToUse, in_use: Knobs, key: str) -> None:
    studio, pool = frame.studio, frame.setup.pool
    of_pool = setting_in_use(studio, pool) or Knobs()
    if not (same_setting(found.knobs, in_use) and same_setting(found.knobs, of_pool)):
        st.button(
            "Use this setting",
            key=f"setting_use{key}",
            help=ABOUT,
            on_click=_use,
            args=(studio, pool, found.knobs, in_use),
        )
        return
    st.caption("In use", width="content", help=ABOUT)
    of, action = st.session_state.get(_ACTION, ("", 0))
    if of == pool:
        st.button(
            "Undo",
            key=f"setting_undo{key}",
            icon=":material/undo:",
            on_click=_undo,
            args=(studio, action),
        )


@uninterrupted
def _use(studio: Studio, pool: str, knobs: Knobs, before: Knobs) -> None:
    """Keep it with the pool; every page takes it over when it is opened, this one too."""
    method = METHODS[knobs.method]
    own = {name: method.value_of(knobs, name) for name in ("method", *method.knobs)}
    setting = method.knobs_from_json(before.to_json() | own)
    st.session_state[_ACTION] = (pool, use_setting(studio, pool, setting, before))


@uninterrupted
def _undo(studio: Studio, action: int) -> None:
    del st.session_state[_ACTION]
    try:
        demonstrations.undo(studio, action)
    except ShotlistError as error:
        st.session_state[_FAULT] = str(error)


def _loaded_by(frame: Frame, settings: RunSettings) -> str:
    """What the run's model is loaded by: the name of a model at hand, where it is one of them."""
    for each in model_choices(frame.setup.model_name):
        key = frame.studio.quality_key(replace(frame.setup, model=each.name))
        same = key is not None and key.model == settings.model_fingerprint
        if same or settings.model in (each.name, each.title):
            return each.name
    return settings.model


@uninterrupted
def _copy(studio: Studio) -> None:
    try:
        st.session_state[_COPY] = studio.copied_workspace()
    except ShotlistError as error:
        st.session_state[_FAULT] = str(error)


def _draw_take_away(
    frame: Frame, knobs: Knobs, figures: Calibration | Comparison, key: str
) -> None:
    view = frame.readiness.view
    asked = last_value(SHARED, "typed") or last_value(SHARED, "query")
    query = str(asked or (view.queries[0] if view is not None and len(view) else "a query"))
    copy = st.session_state.get(_COPY)
    model = _loaded_by(frame, figures.settings)
    taken = TakeAway(knobs, figures.settings, model, copy or frame.studio.workspace, query)
    st.markdown("A link to Explore with this setting")
    st.code(taken.link(st.context.url or ""), language=None, wrap_lines=True)
    line = st.container(horizontal=True, vertical_alignment="center")
    line.caption(OPENED.format(OF_A_COPY if copy else OF_THE_STUDIO))
    line.button(
        "Copy again" if copy else "Copy",
        key=f"setting_copy{key}",
        icon=":material/folder_copy:",
        on_click=_copy,
        args=(frame.studio,),
    )
    st.markdown("A query's context on the command line")
    st.code(taken.command(), language="bash", wrap_lines=True)
    st.markdown("A query's context in Python")
    st.code(taken.python(), language="python", wrap_lines=True)
