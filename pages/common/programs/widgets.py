"""The widgets that both tasks of the page have: each kept from visit to visit, and in the link."""

from collections.abc import Callable

import streamlit as st

from core.settings import SCRIPTED
from core.studio.passages import names
from core.studio.pools.pools import summaries
from core.studio.programs.choices import TWO_HOP, load_example
from pages.common.frame.offer import switch_model
from pages.common.frame.page import Frame
from pages.common.frame.sidebar import switch_pool
from pages.common.state.examples import OWN
from pages.common.state.knobs import kept_key
from pages.common.state.readers import one_of, whole
from pages.common.state.state import keeper, remember
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_values import set_value

PAGE = "programs"
IMPORT = "passages"
"""The value of `do` in the link where passages are imported."""
SAMPLE = "A random sample of that size; the same seed draws the same ones."


def queries_from(frame: Frame, help: str, *, disabled: bool = False) -> str:
    """The pool whose queries are taken; "" for the pool's own."""
    pools = [summary.name for summary in summaries(frame.studio)]
    others = [name for name in pools if name != frame.setup.pool]
    return one(
        "examples",
        "Queries from",
        ["", *others],
        "",
        shown=lambda name: name or OWN,
        help=help,
        disabled=disabled,
    )


def choose_passages(frame: Frame) -> str | None:
    """The collection that is searched; None where there is none, which the page then says."""
    offered = names(frame.studio)
    if not offered:
        st.info(
            "Passages are searched, and there are none. Import some from a file, or load an "
            "example: 48 generated questions that take two searches each, 60 passages, and a "
            "scripted model in place of a language model."
        )
        with st.container(horizontal=True):
            st.button("Import passages", key="programs_import_passages", on_click=_open_import)
            example = st.button("Load the two-hop example")
        if example:
            load_example(frame.studio)
            switch_pool(TWO_HOP)
            switch_model(SCRIPTED)
            st.rerun()
        return None
    return one("passages", "Passages", offered, offered[0])


@uninterrupted
def _open_import() -> None:
    """Show where passages are imported; for callbacks."""
    set_value(f"{PAGE}_do", IMPORT)
    remember(PAGE, "do", IMPORT)


def one(
    name: str,
    label: str,
    options: list[str],
    default: str,
    *,
    shown: Callable[[str], str] = str,
    help: str = "",
    disabled: bool = False,
) -> str:
    """The option that is chosen; its name is also that in the link."""
    key = kept_key(PAGE, name, default, one_of(*options))
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    chosen = st.selectbox(
        label, options, format_func=shown, key=key, help=help or None, disabled=disabled
    )
    remember(PAGE, name, chosen)
    return str(chosen)


def number(
    task: str, name: str, label: str, default: int | None, least: int, empty: str
) -> int | None:
    """A whole number from `least` on; None where it is left empty, which `empty` explains.

    Each task has its own, also where two of them have the same name.
    """
    key = kept_key(task, name, default, whole(least))
    value = st.number_input(
        label,
        min_value=least,
        step=1,
        key=key,
        on_change=keeper(key, task, name),
        placeholder=empty or None,
    )
    remember(task, name, value)
    return None if value is None else int(value)
