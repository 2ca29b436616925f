"""The knobs that several pages share: one value each, kept from page to page and in the link."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from core.retrieval.methods import Parameter
from core.settings import K
from core.text import lambda_text
from pages.common.state import remember, remembered, within

MOST_K = 50
DECIMALS = 2
"""A lambda's slider moves by hundredths, and finer only where it stands between them."""


def kept_key(page: str, name: str, default: Any, read: Callable[[str], Any] = str) -> str:
    """The key of a page's widget, filled with the kept value when the page opens.

    The value is put there in every run: one run alone would tell it to the browser, and a browser
    that misses that run, because the next comes right behind it, would show another value.
    """
    key = f"{page}_{name}"
    if key in st.session_state:
        st.session_state[key] = st.session_state[key]
    else:
        st.session_state[key] = remembered(name, default, read)
    return key


def start(key: str, value: Any) -> dict[str, Any]:
    """The argument that gives a widget its first value, also when the page is run twice at once.

    What stands in the session alone is told to the browser by one run only; a second run right
    behind it can make the browser miss that, and show another value than the one in use. After
    `apply_knobs` the session has the value, and Streamlit takes it from there.
    """
    applied = key in st.session_state and f"{key}_applied" in st.session_state
    return {} if applied else {"value": value}


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers that refuses what is outside [low, high]."""
    return lambda text: int(within(low, high)(str(int(text))))


def choose_k(page: str) -> int:
    """How many demonstrations are chosen."""
    key = f"{page}_k"
    k = st.number_input(
        "k",
        min_value=1,
        max_value=MOST_K,
        key=key,
        **start(key, remembered("k", K, whole(1, MOST_K))),
        help="How many demonstrations are put before the query. The paper uses 6.",
    )
    remember("k", int(k))
    return int(k)


def choose_lambda(page: str, parameter: Parameter) -> float:
    """A lambda's slider, both ends named.

    Args:
        page: Whose widget it is.
        parameter: The registry's entry.
    """
    key, read = f"{page}_{parameter.name}", within(parameter.low, parameter.high)
    kept = remembered(parameter.name, parameter.default, read)
    decimals = len(lambda_text(st.session_state.get(key, kept)).split(".")[1])
    # Another step makes another widget of it: what it stands at is put there in every run.
    if decimals > DECIMALS:
        st.session_state[f"{key}_applied"] = True
    if f"{key}_applied" in st.session_state:
        st.session_state[key] = st.session_state.get(key, kept)
    value = st.slider(
        f"{parameter.label}: {parameter.low:.0f} = {parameter.at_low}, "
        f"{parameter.high:.0f} = {parameter.at_high}",
        parameter.low,
        parameter.high,
        step=10.0**-decimals,
        format=f"%.{decimals}f",
        key=key,
        **start(key, kept),
        help=f"{parameter.explanation} The paper uses {parameter.default:.2f}.",
    )
    remember(parameter.name, float(value))
    return float(value)


def apply_knobs(pages: Iterable[str], **values: Any) -> None:
    """Keep the values and put them into the widgets of these pages; for callbacks."""
    for name, value in values.items():
        remember(name, value)
        for page in pages:
            if f"{page}_{name}" in st.session_state:
                st.session_state[f"{page}_{name}"] = value
                st.session_state[f"{page}_{name}_applied"] = True
